// The cosine of the output with that of the whole sentence has its maximum at the sentence itself and no
// slope there, so a gradient at the sentence says nothing; along the way it does have one. The midpoint rule
// needs neither end, and its error falls with the square of the number of steps.
//
// Presence moves a pooled target in two ways: through the model, and by the mean itself. With weights v_t =
// w_t a_t (a_t the place of token t) the mean is m = Σ v_t x_t / Σ v_t, so ∂m/∂a_t = w_t (x_t - m) / Σ v.
#include "analysis/effects/path_integral.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {

PathIntegral::PathIntegral(const Readout& readout, std::vector<double> before, PathKind kind,
                           std::int64_t steps)
    : readout_(readout),
      before_(std::move(before)),
      kind_(kind),
      steps_(steps),
      moves_(erasable_tokens(readout.units(), readout.weights().size())),
      result_(readout.weights().size(), 0.0) {
  if (steps < 1) {
    throw UsageError(fmt::format("an integral over gradients in {} steps: expected one at least", steps));
  }
}

const std::vector<double>& PathIntegral::start(std::int64_t first, std::int64_t count) {
  place_.clear();
  for (std::int64_t copy = 0; copy < count; ++copy) {
    const double along = (static_cast<double>(first + copy) + 0.5) / static_cast<double>(steps_);
    for (const bool moves : moves_) {
      place_.push_back(moves ? along : 1.0);
    }
  }
  direct_.assign(place_.size(), 0.0);
  return place_;
}

void PathIntegral::cotangent(std::span<const double> values, std::span<double> slopes) {
  if (place_.empty() || values.size() % place_.size() != 0 || slopes.size() != values.size()) {
    throw ShapeError(fmt::format("slopes along a path: {} values and {} slopes of {} tokens in all copies",
                                 values.size(), slopes.size(), place_.size()));
  }
  const std::size_t tokens = result_.size();
  const std::size_t width = values.size() / place_.size();
  const bool of_mean = kind_ == PathKind::presence && readout_.shrinks();
  for (std::size_t copy = 0; copy < place_.size() / tokens; ++copy) {
    const auto own = values.subspan(copy * tokens * width, tokens * width);
    std::vector<double> weights = readout_.weights();
    for (std::size_t token = 0; of_mean && token < tokens; ++token) {
      weights[token] *= place_[copy * tokens + token];
    }
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> mean(width, 0.0);
    for (std::size_t i = 0; i < own.size(); ++i) {
      mean[i % width] += weights[i / width] / total * own[i];
    }
    std::vector<double> at = mean;
    if (readout_.reads_probabilities()) {
      at = readout_.read(own, ErasedTokens(tokens, false));
    }
    const std::vector<double> slope = readout_.slope(before_, at);
    for (std::size_t i = 0; i < own.size(); ++i) {
      slopes[copy * tokens * width + i] = weights[i / width] / total * slope[i % width];
      if (of_mean) {
        direct_[copy * tokens + i / width] +=
            readout_.weights()[i / width] / total * slope[i % width] * (own[i] - mean[i % width]);
      }
    }
  }
}

void PathIntegral::add(std::span<const double> found) {
  if (found.size() != place_.size()) {
    throw ShapeError(
        fmt::format("derivatives along a path: {} of {} tokens in all copies", found.size(), place_.size()));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    result_[i % result_.size()] += (found[i] + direct_[i]) / static_cast<double>(steps_);
  }
}

}  // namespace mog::analysis

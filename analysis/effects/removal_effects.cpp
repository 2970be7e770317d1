// At the sentence itself the cosine with its own output has no slope, so the change is taken to the output,
// to first order or by an exact decomposition, and the effect of what comes out as it is, not linearized.
#include "analysis/effects/removal_effects.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {

double first_order_removal(const Readout& readout, const std::vector<double>& before,
                           std::span<const double> values, std::span<const double> slopes,
                           std::span<const std::int64_t> unit) {
  if (values.size() != slopes.size()) {
    throw ShapeError(fmt::format("an output of {} values that changes by {}", values.size(), slopes.size()));
  }
  std::vector<double> after(values.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] = values[i] + slopes[i];
  }
  return readout.effect(before, readout.read(after, erased_tokens(unit, readout.weights().size())));
}

std::vector<double> propagation_removals(const Readout& readout, const std::vector<double>& before,
                                         std::span<const double> output, std::span<const double> vectors) {
  const std::size_t tokens = readout.weights().size();
  if (tokens == 0 || output.size() % tokens != 0 || vectors.size() != output.size() * (tokens + 1)) {
    throw ShapeError(
        fmt::format("what came from each token: {} values of an output of {} and {} tokens; expected {} "
                    "vectors a token",
                    vectors.size(), output.size(), tokens, tokens + 1));
  }
  const std::size_t width = output.size() / tokens;
  std::vector<double> result;
  for (const std::vector<std::int64_t>& unit : readout.units()) {
    std::vector<double> after(output.begin(), output.end());
    for (const std::int64_t source : unit) {
      for (std::size_t i = 0; i < after.size(); ++i) {
        const std::size_t row = i / width;
        after[i] -= vectors[(row * (tokens + 1) + static_cast<std::size_t>(source)) * width + i % width];
      }
    }
    result.push_back(readout.effect(before, readout.read(after, erased_tokens(unit, tokens))));
  }
  return result;
}

}  // namespace mog::analysis

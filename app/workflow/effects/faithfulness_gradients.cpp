// Attributions from derivatives. At the sentence itself the cosine with its own output has its maximum, so
// its gradient is zero there: gradients take another scalar (Readout::own_slope), integrals go along a path
// where the cosine does have a slope, and `removal` takes the change of the output itself to first order and
// the cosine of what comes out as it is.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/workflow/effects/faithfulness_attributions.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

model::PackedBatch copies(const Sentence& sentence, std::size_t count) {
  model::PackedBatch batch;
  std::vector<std::int64_t> ids;
  for (const Token& token : sentence.tokens) {
    ids.push_back(token.id);
  }
  for (std::size_t copy = 0; copy < count; ++copy) {
    batch.append(ids);
  }
  return batch;
}

std::vector<std::int64_t> all_tokens(const Sentence& sentence) {
  std::vector<std::int64_t> tokens(sentence.tokens.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

std::vector<bool> erasable(const Readout& readout, std::size_t tokens) {
  std::vector<bool> result(tokens, false);
  for (const std::vector<std::int64_t>& unit : readout.units()) {
    for (const std::int64_t token : unit) {
      result[static_cast<std::size_t>(token)] = true;
    }
  }
  return result;
}

// At the sentence itself.
std::vector<double> gradient(Attribution attribution, const model::Model& model, const Sentence& sentence,
                             const Readout& readout, const std::vector<double>& before) {
  const std::vector<double> slope = readout.own_slope(before);
  const model::TokenGradients gradients =
      model.differentiate(copies(sentence, 1), {}, readout.quantity(model),
                          [&](std::span<const double> /*values*/, std::span<double> cotangent) {
                            for (std::size_t i = 0; i < cotangent.size(); ++i) {
                              cotangent[i] = readout.weights()[i / slope.size()] * slope[i % slope.size()];
                            }
                          });
  if (attribution == Attribution::gradient_norm) {
    return gradients.norm;
  }
  std::vector<double> result = gradients.scale;
  for (double& value : result) {
    value = std::abs(value);
  }
  return result;
}

// Midpoints of the way from the sentence without its units to the whole, `steps` copies in batches. What is
// moved is the scale of x0, or the presence of keys with, where the target shrinks, the weights of the mean.
std::vector<double> integrated(Attribution attribution, const model::Model& model,
                               const FaithfulnessOptions& options, const Sentence& sentence,
                               const Readout& readout, const std::vector<double>& before) {
  const bool of_keys = attribution == Attribution::integrated_presence;
  const std::size_t tokens = sentence.tokens.size();
  const std::vector<bool> moves = erasable(readout, tokens);
  std::vector<double> result(tokens, 0.0);
  const auto most = static_cast<std::size_t>(
      std::max<std::int64_t>(1, options.batch_tokens / static_cast<std::int64_t>(tokens)));
  const auto steps = static_cast<std::size_t>(options.steps);
  for (std::size_t first = 0; first < steps; first += most) {
    const std::size_t count = std::min(most, steps - first);
    std::vector<double> place;
    for (std::size_t copy = 0; copy < count; ++copy) {
      const double along = (static_cast<double>(first + copy) + 0.5) / static_cast<double>(steps);
      for (std::size_t token = 0; token < tokens; ++token) {
        place.push_back(moves[token] ? along : 1.0);
      }
    }
    std::vector<double> direct(place.size(), 0.0);  // by the weights of the mean
    const auto cotangent = [&](std::span<const double> values, std::span<double> slopes) {
      const std::size_t width = values.size() / place.size();
      for (std::size_t copy = 0; copy < count; ++copy) {
        const auto own = values.subspan(copy * tokens * width, tokens * width);
        std::vector<double> weights = readout.weights();
        for (std::size_t token = 0; of_keys && readout.shrinks() && token < tokens; ++token) {
          weights[token] *= place[copy * tokens + token];
        }
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        std::vector<double> mean(width, 0.0);
        for (std::size_t i = 0; i < own.size(); ++i) {
          mean[i % width] += weights[i / width] / total * own[i];
        }
        std::vector<double> at = mean;
        if (readout.tag()) {
          at = readout.read(own, all_tokens(sentence), ErasedTokens(tokens, false));
        }
        const std::vector<double> slope = readout.slope(before, at);
        for (std::size_t i = 0; i < own.size(); ++i) {
          slopes[copy * tokens * width + i] = weights[i / width] / total * slope[i % width];
          if (of_keys && readout.shrinks()) {
            direct[copy * tokens + i / width] +=
                readout.weights()[i / width] / total * slope[i % width] * (own[i] - mean[i % width]);
          }
        }
      }
    };
    const model::Relaxation relaxed = of_keys ? model::Relaxation{place, {}} : model::Relaxation{{}, place};
    const model::TokenGradients gradients =
        model.differentiate(copies(sentence, count), relaxed, readout.quantity(model), cotangent);
    const std::vector<double>& found = of_keys ? gradients.presence : gradients.scale;
    for (std::size_t i = 0; i < place.size(); ++i) {
      result[i % tokens] += (found[i] + direct[i]) / static_cast<double>(steps);
    }
  }
  return result;
}

// [unit].
std::vector<double> removal(const model::Model& model, const FaithfulnessOptions& options,
                            const Sentence& sentence, const Readout& readout,
                            const std::vector<double>& before) {
  const std::size_t tokens = sentence.tokens.size();
  const std::vector<std::int64_t> rows = all_tokens(sentence);
  const auto most = static_cast<std::size_t>(
      std::max<std::int64_t>(1, options.batch_tokens / static_cast<std::int64_t>(tokens)));
  const Units& units = readout.units();
  std::vector<double> result;
  for (std::size_t first = 0; first < units.size(); first += most) {
    const std::size_t count = std::min(most, units.size() - first);
    std::vector<double> leaving(count * tokens, 0.0);
    for (std::size_t copy = 0; copy < count; ++copy) {
      for (const std::int64_t token : units[first + copy]) {
        leaving[copy * tokens + static_cast<std::size_t>(token)] = 1.0;
      }
    }
    const model::DirectedSlopes slopes =
        model.differentiate_along(copies(sentence, count), leaving, readout.quantity(model));
    const std::size_t width = slopes.values.size() / leaving.size();
    for (std::size_t copy = 0; copy < count; ++copy) {
      std::vector<double> after(tokens * width);
      for (std::size_t i = 0; i < after.size(); ++i) {
        after[i] = slopes.values[copy * tokens * width + i] + slopes.slopes[copy * tokens * width + i];
      }
      ErasedTokens erased(tokens, false);
      for (const std::int64_t token : units[first + copy]) {
        erased[static_cast<std::size_t>(token)] = true;
      }
      result.push_back(readout.effect(before, readout.read(after, rows, erased)));
    }
  }
  return result;
}

}  // namespace

std::vector<double> slope_attribution(Attribution attribution, const model::Model& model,
                                      const FaithfulnessOptions& options, const Sentence& sentence,
                                      const Readout& readout, const std::vector<double>& before) {
  switch (attribution) {
    case Attribution::gradient_norm:
    case Attribution::gradient_input:
      return gradient(attribution, model, sentence, readout, before);
    case Attribution::integrated_gradients:
    case Attribution::integrated_presence:
      return integrated(attribution, model, options, sentence, readout, before);
    default:
      return removal(model, options, sentence, readout, before);
  }
}

}  // namespace mog::app

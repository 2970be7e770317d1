// Attributions from derivatives: the model is differentiated here, by what and where analysis/effects says.
// At the sentence itself the cosine with its own output has its maximum, so its gradient is zero there:
// gradients take another scalar (Readout::own_slope), integrals go along a path (PathIntegral), and `removal`
// takes the change of the output to first order.
#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/effects/path_integral.h"
#include "analysis/effects/removal_effects.h"
#include "app/workflow/effects/faithfulness_attributions.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

model::PackedBatch copies(const Sentence& sentence, const GraphArcs& graph, std::size_t count) {
  model::PackedBatch batch;
  std::vector<std::int64_t> ids;
  for (const Token& token : sentence.tokens) {
    ids.push_back(token.id);
  }
  for (std::size_t copy = 0; copy < count; ++copy) {
    batch.append(ids, graph);
  }
  return batch;
}

// Copies of a sentence that are differentiated at once.
std::size_t copies_at_once(const FaithfulnessOptions& options, const Sentence& sentence) {
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  return static_cast<std::size_t>(std::max<std::int64_t>(1, options.batch_tokens / tokens));
}

// At the sentence itself.
std::vector<double> gradient(Attribution attribution, const model::Model& model,
                             const FaithfulnessOptions& options, const Sentence& sentence,
                             const Readout& readout, const std::vector<double>& before,
                             const GraphArcs& graph) {
  const model::TokenGradients gradients =
      model.differentiate(copies(sentence, graph, 1), {}, read_quantity(options.target, model),
                          [&](std::span<const double> /*values*/, std::span<double> cotangent) {
                            const std::vector<double> own = readout.own_cotangent(before);
                            std::copy(own.begin(), own.end(), cotangent.begin());
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

// Copies of the sentence at midpoints of the way to it, in batches.
std::vector<double> integrated(Attribution attribution, const model::Model& model,
                               const FaithfulnessOptions& options, const Sentence& sentence,
                               const Readout& readout, const std::vector<double>& before,
                               const GraphArcs& graph) {
  const bool of_keys = attribution == Attribution::integrated_presence;
  analysis::PathIntegral integral(
      readout, before, of_keys ? analysis::PathKind::presence : analysis::PathKind::scale, options.steps);
  const auto most = static_cast<std::int64_t>(copies_at_once(options, sentence));
  for (std::int64_t first = 0; first < options.steps; first += most) {
    const std::int64_t count = std::min(most, options.steps - first);
    const std::vector<double>& place = integral.start(first, count);
    const model::Relaxation relaxed = of_keys ? model::Relaxation{place, {}} : model::Relaxation{{}, place};
    const model::TokenGradients gradients = model.differentiate(
        copies(sentence, graph, static_cast<std::size_t>(count)), relaxed,
        read_quantity(options.target, model), [&](std::span<const double> values, std::span<double> slopes) {
          integral.cotangent(values, slopes);
        });
    integral.add(of_keys ? gradients.presence : gradients.scale);
  }
  return integral.values();
}

// [unit].
std::vector<double> removal(const model::Model& model, const FaithfulnessOptions& options,
                            const Sentence& sentence, const Readout& readout,
                            const std::vector<double>& before, const GraphArcs& graph) {
  const std::size_t tokens = sentence.tokens.size();
  const std::size_t most = copies_at_once(options, sentence);
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
    const model::DirectedSlopes slopes = model.differentiate_along(copies(sentence, graph, count), leaving,
                                                                   read_quantity(options.target, model));
    const std::size_t size = slopes.values.size() / count;  // of a copy
    for (std::size_t copy = 0; copy < count; ++copy) {
      result.push_back(analysis::first_order_removal(
          readout, before, std::span<const double>(slopes.values).subspan(copy * size, size),
          std::span<const double>(slopes.slopes).subspan(copy * size, size), units[first + copy]));
    }
  }
  return result;
}

}  // namespace

std::vector<double> slope_attribution(Attribution attribution, const model::Model& model,
                                      const FaithfulnessOptions& options, const Sentence& sentence,
                                      const Readout& readout, const std::vector<double>& before,
                                      const GraphArcs& graph) {
  switch (attribution) {
    case Attribution::gradient_norm:
    case Attribution::gradient_input:
      return gradient(attribution, model, options, sentence, readout, before, graph);
    case Attribution::integrated_gradients:
    case Attribution::integrated_presence:
      return integrated(attribution, model, options, sentence, readout, before, graph);
    default:
      return removal(model, options, sentence, readout, before, graph);
  }
}

}  // namespace mog::app

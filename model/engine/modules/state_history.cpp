// Two recurrent layers (LSTM) over the transitions of a derivation, each the sum of the vectors of its action
// and of its label; before the first one stands a learned state. All states of one derivation are steps of
// one pass: O(transitions · h²).
#include "model/engine/modules/state_history.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/without_warning.h"

namespace mog::engine {
namespace {

std::int64_t longest(const model::StateInput& states) {
  std::size_t steps = 0;
  for (const std::vector<model::PastTransition>& derivation : states.derivations) {
    steps = std::max(steps, derivation.size());
  }
  return static_cast<std::int64_t>(steps);
}

// [step, derivation, h]; what stands behind the end of a shorter derivation nobody reads.
at::Tensor inputs(const HistoryWeights& weights, const model::StateInput& states, std::int64_t steps) {
  std::vector<std::int64_t> actions;
  std::vector<std::int64_t> labels;
  const std::int64_t none = weights.labels.size(0);
  for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step) {
    for (const std::vector<model::PastTransition>& derivation : states.derivations) {
      const model::PastTransition past =
          step < derivation.size() ? derivation[step] : model::PastTransition{};
      actions.push_back(past.action);
      labels.push_back(past.label < 0 ? none : past.label);
    }
  }
  const at::Device device = weights.actions.device();
  const at::Tensor with_none = at::cat({weights.labels, at::zeros_like(weights.labels.narrow(0, 0, 1))});
  const at::Tensor sums = at::embedding(weights.actions, to_device(actions, device)) +
                          at::embedding(with_none, to_device(labels, device));
  return sums.view({steps, static_cast<std::int64_t>(states.derivations.size()), -1});
}

// cuDNN wants the weights of all layers in one piece of memory. Here each is a tensor of its own, to the file
// and to the optimizer, so it copies them, 16 h² numbers a pass, which is little beside the pass, and warns
// each time.
constexpr std::string_view kCopiedWeights = "not part of single contiguous chunk of memory";

}  // namespace

at::Tensor history_rows(const HistoryWeights& weights, const model::StateInput& states) {
  const std::int64_t steps = longest(states);
  const auto derivations = static_cast<std::int64_t>(states.derivations.size());
  const auto first = [&](const at::Tensor& learned) {
    return learned.unsqueeze(1).expand({learned.size(0), derivations, learned.size(1)}).contiguous();
  };
  at::Tensor rows = weights.first_state.narrow(0, weights.first_state.size(0) - 1, 1);  // after none
  if (steps > 0) {
    std::vector<at::Tensor> parameters;
    for (const HistoryWeights::Layer& layer : weights.layers) {
      parameters.insert(parameters.end(), {layer.input.weight, layer.recurrent, layer.input.bias,
                                           at::zeros_like(layer.input.bias)});
    }
    const WithoutWarning quiet(kCopiedWeights);
    const at::Tensor outputs = std::get<0>(
        at::lstm(inputs(weights, states, steps), {first(weights.first_state), first(weights.first_cell)},
                 parameters, /*has_biases=*/true, static_cast<std::int64_t>(weights.layers.size()),
                 /*dropout=*/0.0, /*train=*/at::GradMode::is_enabled(), /*bidirectional=*/false,
                 /*batch_first=*/false));
    rows = at::cat({rows, outputs.reshape({steps * derivations, -1})});
  }
  std::vector<std::int64_t> index;
  for (const auto& [derivation, length] : states.history) {
    index.push_back(length == 0 ? 0 : 1 + (length - 1) * derivations + derivation);
  }
  return rows.index_select(0, to_device(index, rows.device()));
}

}  // namespace mog::engine

// Every state of a derivation has a right action, and a right label where the action makes an arc. States of
// one encoding are scored together.
#include "model/engine/training/state_losses.h"

#include <algorithm>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/state_scores.h"

namespace mog::engine {
namespace {

const std::vector<std::int64_t>& classes_of(const model::TransitionLabels& labels, const std::string& head) {
  return head == "actions" ? labels.actions : labels.labels;
}

void check(const model::TransitionLabels& labels, const model::GraphConfig& graph) {
  for (const model::StateHead& head : model::state_heads(graph)) {
    const std::vector<std::int64_t>& classes = classes_of(labels, head.name);
    if (classes.size() != labels.states.size()) {
      throw ShapeError(concat("A training step: ", classes.size(), " ", head.name, " for ",
                              labels.states.size(), " states of a parser; there must be one a state."));
    }
    for (const std::int64_t value : classes) {
      if (value >= head.classes) {
        throw ModelError(concat("A training step: class ", value, " of head ", head.name,
                                ", but there are only ", head.classes, "."));
      }
    }
  }
}

}  // namespace

std::map<std::string, GraphLoss> state_losses(const ForwardContext& context,
                                              const model::TransitionLabels& labels,
                                              const model::PackedBatch& batch, const at::Tensor& encoded,
                                              double head_dropout) {
  check(labels, *context.config.graph);
  check_states(context.config, batch, labels.states);
  const StateReader reader(context.weights, batch, encoded);
  std::map<std::string, GraphLoss> losses;
  for (const auto& [name, head] : context.weights.state_heads) {
    const std::vector<std::int64_t>& all = classes_of(labels, name);
    std::vector<model::StateTokens> states;
    std::vector<std::int64_t> classes;
    for (std::size_t state = 0; state < all.size(); ++state) {
      if (all[state] >= 0) {
        states.push_back(labels.states[state]);
        classes.push_back(all[state]);
      }
    }
    if (states.empty()) {
      continue;
    }
    const at::Tensor scores = widened(state_scores(head, reader.read(states), context.dropout, head_dropout));
    const at::Tensor right = indices_on(encoded.device(), classes).unsqueeze(1);
    losses[name] = {-at::log_softmax(scores, 1).gather(1, right).sum(),
                    static_cast<std::int64_t>(states.size())};
  }
  return losses;
}

std::map<std::string, std::int64_t> state_label_counts(const model::TransitionLabels& labels) {
  std::map<std::string, std::int64_t> counts;
  for (const char* const head : {"actions", "labels"}) {
    const std::vector<std::int64_t>& classes = classes_of(labels, head);
    counts[head] =
        std::count_if(classes.begin(), classes.end(), [](std::int64_t value) { return value >= 0; });
  }
  return counts;
}

}  // namespace mog::engine

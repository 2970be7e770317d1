// Losses of the heads of a transition parser.
#pragma once

#include <map>
#include <string>

#include "model/engine/modules/forward.h"
#include "model/engine/training/graph_losses.h"
#include "model/trainer.h"

namespace mog::engine {

// By head; a head without a label in the batch is left out. encoded: [token, d_model]; Throws ShapeError
// where there is not one action and label a state or a state is not of one sentence, ModelError for an action
// or label that the model does not have.
std::map<std::string, GraphLoss> state_losses(const ForwardContext& context,
                                              const model::TransitionLabels& labels,
                                              const model::PackedBatch& batch, const at::Tensor& encoded,
                                              double head_dropout);

// Labels of each head.
std::map<std::string, std::int64_t> state_label_counts(const model::TransitionLabels& labels);

}  // namespace mog::engine

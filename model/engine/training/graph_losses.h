// Losses of the heads that score pairs of tokens, and their scores for whoever decodes a graph from them.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "model/engine/modules/forward.h"
#include "model/engine/training/losses.h"
#include "model/trainer.h"

namespace mog::engine {

struct GraphLoss {
  at::Tensor nll;           // float32 scalar, differentiable: sum over labels of -log p
  std::int64_t labels = 0;  // > 0
};

// By head; heads without a label in the batch are left out. states: [token, d_model]. Throws ShapeError where
// there is not one label a token, ModelError for a key that is no node of the query's sentence or a class
// that the model does not have.
std::map<std::string, GraphLoss> graph_losses(const ForwardContext& context, const model::GraphLabels& labels,
                                              const AttentionPlan& plan, const at::Tensor& states,
                                              double pair_dropout);

// On the host, without gradients and dropout.
model::PairScores host_pair_scores(const ForwardContext& context, const AttentionPlan& plan,
                                   const at::Tensor& states);

// Labels of each head.
std::map<std::string, std::int64_t> graph_label_counts(const model::GraphConfig& graph,
                                                       const model::GraphLabels& labels);

}  // namespace mog::engine

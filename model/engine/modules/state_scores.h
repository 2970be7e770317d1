// Scores of the states of a transition parser (docs/model-directory.md, Graphs).
#pragma once

#include <ATen/ATen.h>

#include <span>

#include "model/engine/modules/forward.h"
#include "model/packed_batch.h"
#include "model/parser_states.h"

namespace mog::engine {

// Throws ShapeError for a state whose tokens are not all of one sentence; and of a model that reads states
// for one without a token, and where the batch has no states.
void check_states(const model::ModelConfig& config, const model::PackedBatch& batch,
                  std::span<const model::StateTokens> states);

struct StateVectors {
  at::Tensor tokens;   // [state, 3 * d_model]
  at::Tensor history;  // [state, h]; undefined without a history
};

// Reads states, checked, from the encoder's output.
class StateReader {
 public:
  // encoded: [token, d_model] of the batch, which is borrowed.
  StateReader(const Weights& weights, const model::PackedBatch& batch, const at::Tensor& encoded);
  StateVectors read(std::span<const model::StateTokens> states) const;

 private:
  const std::vector<std::int64_t>& offsets_;
  at::Tensor rows_;     // [token + 1, d_model]
  at::Tensor history_;  // [sentence, h]
};

// [state, class], before the softmax. Dropout on the rectified map.
at::Tensor state_scores(const StateScorer& head, const StateVectors& vectors, const Dropout* dropout,
                        double probability);

// On the host, without gradients and dropout.
model::StateScores host_state_scores(const Weights& weights, const StateReader& reader,
                                     std::span<const model::StateTokens> states);

}  // namespace mog::engine

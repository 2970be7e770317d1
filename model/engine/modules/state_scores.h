// Scores of the states of a transition parser (docs/model-directory.md, Graphs).
#pragma once

#include <ATen/ATen.h>

#include <span>

#include "model/engine/modules/forward.h"
#include "model/parser_states.h"

namespace mog::engine {

// Throws ShapeError for tokens that are not all of one sentence. offsets: [sentence + 1].
void check_states(std::span<const model::StateTokens> states, std::span<const std::int64_t> offsets);

// Reads states from the encoder's output.
class StateReader {
 public:
  // encoded: [token, d_model]; missing: [d_model].
  StateReader(const at::Tensor& encoded, const at::Tensor& missing)
      : rows_(at::cat({encoded, missing.unsqueeze(0)})) {}
  // The vectors of their tokens, [state, 3 * d_model].
  at::Tensor read(std::span<const model::StateTokens> states) const;

 private:
  at::Tensor rows_;  // [token + 1, d_model]
};

// [state, class], before the softmax; vectors: those of read(). Dropout on the rectified map.
at::Tensor state_scores(const StateScorer& head, const at::Tensor& vectors, const Dropout* dropout,
                        double probability);

// On the host, without gradients and dropout.
model::StateScores host_state_scores(const Weights& weights, const StateReader& reader,
                                     std::span<const model::StateTokens> states);

}  // namespace mog::engine

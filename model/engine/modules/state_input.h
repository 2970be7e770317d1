// Input vectors of the states of a parser (docs/model-directory.md, Graphs).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// The batch's states on the device. Throws ModelError where the model reads no states or not what they have,
// and for a segment, word, label or action that it does not know; ShapeError where their sizes do not fit.
PackedStates pack_states(const model::ModelConfig& config, const model::PackedBatch& batch,
                         at::Device device);

// tokens: embeddings of the batch's ids, [token, e]; some of them replaced by compositions.
at::Tensor composed_inputs(const Weights& weights, const PackedStates& states, const at::Tensor& tokens);

// [token, e] to be added; without states all tokens are words of the buffer.
at::Tensor segment_rows(const Weights& weights, const StackInput& input);

}  // namespace mog::engine

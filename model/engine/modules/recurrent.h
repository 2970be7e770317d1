// GRU and LSTM encoders (MoG paper A.7, eqs. 6 and 7; docs/model-directory.md, Arithmetic).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/modules/forward.h"

namespace mog::engine {

// All layers over `embedding` [token, embedding_dim]; shows every layer and the output of the encoder.
// Returns the states of the last layer, [token, d_model] in the type of the weights; with two directions the
// forward state and the backward state side by side. A sentence's vector is the row of its last token (the
// backward half: of its first). Differentiable; dropout (hidden) falls between layers.
at::Tensor encode_recurrent(const ForwardContext& context, const PackedInput& input,
                            const at::Tensor& embedding);

// One layer (from 1) over x [token, embedding_dim in layer 1, else d_model]; returns [token, d_model].
at::Tensor encode_recurrent_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                                  const at::Tensor& x);

}  // namespace mog::engine

// GRU and LSTM encoders (MoG paper A.7, eqs. 6 and 7; docs/model-directory.md, Arithmetic).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/modules/forward.h"

namespace mog::engine {

// All layers over `embedding` [token, embedding_dim]; shows every layer and the output of the encoder.
// Returns the states of the last layer, [token, d_model] in the type of the weights; a sentence's vector is
// the row of its last token. Differentiable; dropout (hidden) falls between layers.
at::Tensor encode_recurrent(const ForwardContext& context, const PackedInput& input,
                            const at::Tensor& embedding);

}  // namespace mog::engine

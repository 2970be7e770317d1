// ALTI+ (Ferrando et al. 2022, Towards Opening the Black Box of Neural Machine Translation: Source and Target
// Interpretations of the Transformer): how near what a layer of a decoder takes from each side comes to what
// it makes of both (internal to the engine; docs/quantity-names.md, ALTI+ in full).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/decomposition/decoder_trace.h"

namespace mog::engine {

// Shares of one sentence; rows of both together sum to 1.
struct ContextShares {
  at::Tensor source;  // [T, S]
  at::Tensor prefix;  // [T, T]
};

// Of one layer; `source` is by position of the encoder's output. memory: [S, d_model].
ContextShares alti_of_layer(const DecoderLayerTrace& trace, const at::Tensor& memory);
// Before the first layer: each decoder input is its own.
ContextShares own_inputs(const DecoderLayerTrace& first);
// Through a further layer. encoder: what positions of its output have of source tokens, [S, S]; undefined:
// positions are the sources.
ContextShares rolled(const ContextShares& layer, const ContextShares& below, const at::Tensor& encoder);

}  // namespace mog::engine

// The layers of an encoder between its embedding and its output: what a family of encoders writes to be run,
// traced and trained. Everything else (embedding, heads, decoder, interventions of tokens, taps) is shared.
//
// A further family is a file with such a stack and a line in encode.cpp; its configuration, tensors and
// description are model/'s (docs/contributing.md).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/modules/forward.h"
#include "model/engine/modules/layer_edits.h"

namespace mog::engine {

// Has no state: one object serves every model and thread.
class EncoderStack {
 public:
  EncoderStack() = default;
  EncoderStack(const EncoderStack&) = delete;
  EncoderStack& operator=(const EncoderStack&) = delete;
  virtual ~EncoderStack() = default;
  // All layers over `embedding` [token, width of the embedding]; shows every layer. Returns [token, d_model],
  // which the caller shows as the output of the encoder. Differentiable.
  virtual at::Tensor run(const ForwardContext& context, const PackedInput& input,
                         const at::Tensor& embedding) const = 0;
  // One layer (from 1). previous: P of layers with order groups, undefined stands for zeros, others ignore
  // it; full: what the layer reads, [token, width of the layer's input]. edits: or nullptr. Returns [token,
  // d_model].
  virtual at::Tensor run_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                               const at::Tensor& previous, const at::Tensor& full,
                               LayerEdits* edits) const = 0;
};

const EncoderStack& transformer_stack();  // encoder.cpp: with order groups (Graph-Transformer) and without
const EncoderStack& recurrent_stack();    // recurrent.cpp: GRU and LSTM, in one and two directions

}  // namespace mog::engine

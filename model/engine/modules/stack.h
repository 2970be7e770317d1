// What the encoder and the decoder share (internal to the modules).
#pragma once

#include <ATen/ATen.h>

#include <utility>

#include "model/engine/modules/attention.h"
#include "model/engine/modules/forward.h"

namespace mog::engine {

// [token, d_model]: (scaled) embeddings plus positions, their layer norm where there is one, with dropout.
struct EmbeddingOptions {
  model::Position position = model::Position::none;
  bool scaled = false;
  std::int64_t first_position = 2;  // of sinusoids
  double scale = 0.0;               // of the embeddings; 0: as `scaled` has it
  bool source = false;              // the encoder's: interventions on embeddings are of its tokens
};
at::Tensor embed(const ForwardContext& context, const StackWeights& weights, const StackInput& input,
                 const EmbeddingOptions& options);

// fc2(activation(fc1(x))), or fc2(activation(fc1(x)) * fc1_linear(x)), with dropout, without residual and
// layer norm.
at::Tensor feed_forward(const ForwardContext& context, const FeedForward& weights,
                        model::Activation activation, const at::Tensor& x);

// Shows rows when somebody wants them.
inline void show(const ForwardContext& context, const QuantityName& name, const at::Tensor& values) {
  if (context.taps != nullptr && context.taps->wants(name)) {
    context.taps->rows(name, values);
  }
}

inline void flush(const ForwardContext& context) {
  if (context.taps != nullptr) {
    context.taps->flush();
  }
}

inline at::Tensor scale_heads(const ForwardContext& context, std::int64_t layer, Part part,
                              std::int64_t heads, at::Tensor values) {
  return context.applied == nullptr ? values : context.applied->scale_heads(layer, part, heads, values);
}

inline at::Tensor scale_part(const ForwardContext& context, std::int64_t layer, Part part,
                             const at::Tensor& output) {
  return context.applied == nullptr ? output : context.applied->scale_part(layer, part, output);
}

}  // namespace mog::engine

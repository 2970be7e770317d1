// One layer of a decoder as it ran on one sentence, for its exact decomposition (internal to the engine).
//
// The pass shows a layer's input, its two patterns and its output; what lies between is computed again from
// them, which costs less than one source of the propagation.
#pragma once

#include <ATen/ATen.h>

#include "model/config/config.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/source_vectors.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// What the pass shows of a layer and a sentence of T target and S source tokens.
struct ShownDecoderLayer {
  at::Tensor input;   // x [T, d_model]
  at::Tensor self;    // [head, T, T]
  at::Tensor cross;   // [head, T, S]
  at::Tensor output;  // x' [T, d_model]
};

struct DecoderLayerTrace {
  bool pre = false;
  std::int64_t heads = 1;
  ShownDecoderLayer shown;
  Linear self_value;
  Linear self_output;
  Linear cross_value;
  Linear cross_output;
  FrozenNorm self_norm;  // pre: at x, else at x and what the block adds; the others alike
  FrozenNorm cross_norm;
  FrozenNorm feed_forward_norm;
  at::Tensor attended;  // after self-attention, its residual and (post) norm
  at::Tensor crossed;   // after cross-attention
  FrozenFeedForward feed_forward;

  // All rows as one sentence of one group.
  AttentionGroup group() const;
};

// memory: the encoder's output, [S, d_model].
DecoderLayerTrace trace_layer(const model::DecoderConfig& config, const DecoderLayer& weights,
                              ShownDecoderLayer shown, const at::Tensor& memory);

}  // namespace mog::engine

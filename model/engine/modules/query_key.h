// What a layer of a plain Transformer makes of queries and keys before their products: norms, and rotary
// positions (docs/model-directory.md, One stack).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "model/config/config.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/position_bias.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// By how much each pair of dimensions is turned, [token, dims / 2]; undefined: by nothing.
struct Rotation {
  at::Tensor cosines;
  at::Tensor sines;
  bool defined() const { return cosines.defined(); }
};
// positions: [token] int64, frequencies: [dims / 2]. Angles are formed in the type of the frequencies,
// which is float32 at least: bfloat16 cannot count beyond 256.
Rotation rotation(const at::Tensor& frequencies, const at::Tensor& positions, double factor);
// rows: [token, heads * width], whose first dims of each head are turned.
at::Tensor rotate(const at::Tensor& rows, std::int64_t heads, model::RotaryPairs pairs,
                  const Rotation& rotation);

// Each head by itself (`heads` of them), or with heads = 1 the whole row; then the norm's weight and bias,
// which are as wide as the row.
at::Tensor norm_heads(const LayerNorm& norm, const at::Tensor& rows, std::int64_t heads);

// [token, groups * width] → [token, heads * width]: each group stands once for each of its heads.
at::Tensor repeat_heads(const at::Tensor& rows, std::int64_t groups, std::int64_t heads);

// What the layers of a stack need of the places of a batch's tokens; made once a pass.
struct StackPositions {
  PositionBias bias;     // relative buckets, ALiBi
  Rotation everywhere;   // of layers without a window, or of all
  Rotation local;        // of layers with a window, where they have their own
  at::Tensor distances;  // [2n - 1] rows of DistanceVectors by key - query + n - 1; undefined without
  // Of a layer; undefined where it turns nothing.
  const Rotation& of_layer(const model::EncoderConfig& config, std::int64_t layer) const;
};
StackPositions stack_positions(const model::EncoderConfig& config, const StackWeights& weights,
                               const StackInput& input);

}  // namespace mog::engine

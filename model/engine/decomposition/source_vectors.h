// What sources give to tokens on its way through the maps of a layer that are linear once attention, norm
// scales and slopes are constants (internal to the engine).
//
// Vectors are [sentences, source, token, width]; what a map adds whatever it reads goes to the last source
// where that is the bias (`bias`), and to none elsewhere.
#pragma once

#include <ATen/ATen.h>

#include "model/config/config.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/modules/weights.h"

namespace mog::engine {

// constant: [width] or [sentences, token, width], or undefined for none.
void add_to_bias(const at::Tensor& vectors, bool bias, const at::Tensor& constant);
// In place, contiguous.
void normalize(const FrozenNorm& norm, const AttentionGroup& group, bool bias, at::Tensor& vectors);
at::Tensor map(const Linear& linear, const at::Tensor& vectors, bool bias);
// vectors become vectors + map(v).
void add_map(const Linear& linear, const at::Tensor& v, bool bias, at::Tensor& vectors);
// pattern: [sentences, head, query, key], value: [sentences, source, key, head * width]. Returns [sentences,
// source, query, head * width].
at::Tensor attended_values(const at::Tensor& pattern, const at::Tensor& value);

// φ(u) / u in closed form.
at::Tensor activation_slope(model::Activation activation, const at::Tensor& u);

// A feed-forward block as the linear map that it is at the rows that it read. Of a gated one, a product of
// two maps of its input, the activated map is the constant.
struct FrozenFeedForward {
  Linear up;         // what is not frozen
  at::Tensor slope;  // [token, ffn], by which it is multiplied
  Linear down;
};
// read: [token, d_model].
FrozenFeedForward freeze(const FeedForward& block, model::Activation activation, const at::Tensor& read);
// vectors become vectors + block(read).
void add_feed_forward(const FrozenFeedForward& block, const AttentionGroup& group, const at::Tensor& read,
                      bool bias, at::Tensor& vectors);

}  // namespace mog::engine

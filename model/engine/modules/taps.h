// What a forward pass shows on its way.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "io/recording/quantity_name.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/position_bias.h"

namespace mog::engine {

// softmax(c·tanh((scale·q·kᵀ + bias) / c))·v over the sentences of a plan. query: [query token, a], key and
// value: [key token, a], whose rows may be strided; bias: by place in the sentence; cap: c, 0: none; window:
// a query sees no key farther away, 0: all.
struct PackedAttention {
  const at::Tensor& query;
  const at::Tensor& key;
  const at::Tensor& value;
  const PositionBias& bias;
  std::int64_t heads = 1;
  double scale = 1.0;
  double cap = 0.0;
  std::int64_t window = 0;
};

// Asked and told under the full name (no reduction); which reductions are kept is the receiver's business.
// Tensors that were shown are never changed afterwards.
class Taps {
 public:
  virtual ~Taps() = default;
  // Any reduction of `name`.
  virtual bool wants(const QuantityName& name) const = 0;
  // values: [token, …] packed rows (target tokens for the decoder).
  virtual void rows(const QuantityName& name, const at::Tensor& values) = 0;
  // values: [sentence, …], one row a sentence, in the reduction that `name` has.
  virtual void sentences(const QuantityName& name, const at::Tensor& values) = 0;
  // What a part contributes to Z: `entering` [token, d_model]. Shown for every part of a layer, one after
  // another, when wants_contributions(layer).
  virtual bool wants_contributions(Stack stack, std::int64_t layer) const = 0;
  virtual void contribution(const QuantityName& part_output, const at::Tensor& entering) = 0;
  // maps: [sentences, head, queries, keys] float32 of one group, padded like the group; groups come in order.
  virtual void maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
                    const at::Tensor& maps) = 0;
  // Where nothing, or statistics of single rows, is all that is wanted of these maps, the receiver may
  // compute the attention itself, and then no map is shown: returns the context [query token, a]. Undefined:
  // it needs the maps, or has nothing better.
  virtual at::Tensor attend(const QuantityName& /*name*/, const AttentionPlan& /*plan*/,
                            const PackedAttention& /*attention*/) {
    return {};
  }
  // After the last value of a layer (or stack): a place to copy and hand over what was gathered.
  virtual void flush() = 0;
};

}  // namespace mog::engine

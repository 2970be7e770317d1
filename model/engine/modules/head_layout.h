// Packed rows [token, head * width] ↔ blocks [sentence * head, extent, width] of one attention group.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/engine/modules/packed_input.h"

namespace mog::engine {

enum class Side : std::uint8_t { query, key };

// Rows of the group as [sentences * heads, extent, width], contiguous. Padding is finite and never matters.
at::Tensor split_heads(const at::Tensor& packed, const AttentionPlan& plan, const AttentionGroup& group,
                       Side side, std::int64_t heads);

// Collects the contexts of all groups into packed rows [query token, heads * width].
class HeadMerger {
 public:
  HeadMerger(const AttentionPlan& plan, std::int64_t heads) : plan_(plan), heads_(heads) {}
  // context: [sentences * heads, queries, width]; groups come in order.
  void add(const AttentionGroup& group, const at::Tensor& context);
  at::Tensor take();

 private:
  const AttentionPlan& plan_;
  std::int64_t heads_;
  at::Tensor merged_;               // filled in place on the CPU without gradients
  std::vector<at::Tensor> pieces_;  // else
};

}  // namespace mog::engine

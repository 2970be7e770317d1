// ATen moves head blocks at 3 GB/s (its copy walks rows of width floats through the general iterator): 6 % of
// a forward pass. Where nothing has to be differentiated and the memory is the host's, the rows are copied
// here, padding included, at the speed of memcpy.
#include "model/engine/modules/head_layout.h"

#include <ATen/core/grad_mode.h>

#include <cstddef>
#include <cstring>
#include <span>

namespace mog::engine {
namespace {

bool copies_by_hand(const at::Tensor& tensor) {
  return tensor.is_cpu() && !at::GradMode::is_enabled();
}

std::int64_t length_of(std::span<const std::int64_t> offsets, std::int64_t sentence) {
  const auto at = static_cast<std::size_t>(sentence);
  return offsets[at + 1] - offsets[at];
}

// Calls move(row of the packed side, first byte of the block row of head 0) for every real row, and
// pad(sentence, length) for every sentence that is shorter than the block.
template <class Move, class Pad>
void for_each_row(std::span<const std::int64_t> offsets, const AttentionGroup& group, std::int64_t extent,
                  const Move& move, const Pad& pad) {
  for (std::int64_t s = 0; s < group.sentences; ++s) {
    const std::int64_t sentence = group.first_sentence + s;
    const std::int64_t length = length_of(offsets, sentence);
    for (std::int64_t t = 0; t < length; ++t) {
      move(offsets[static_cast<std::size_t>(sentence)] + t, s, t);
    }
    if (length < extent) {
      pad(s, length);
    }
  }
}

// Byte sizes of a block [sentences * heads, extent, width].
struct BlockBytes {
  std::size_t row;   // width
  std::size_t head;  // extent * width
};

BlockBytes block_bytes(std::int64_t extent, std::int64_t width, std::int64_t element) {
  const auto row = static_cast<std::size_t>(width * element);
  return {row, static_cast<std::size_t>(extent) * row};
}

at::Tensor split_by_hand(const at::Tensor& packed, std::span<const std::int64_t> offsets,
                         const AttentionGroup& group, std::int64_t extent, std::int64_t heads) {
  const std::int64_t width = packed.size(1) / heads;
  at::Tensor block = at::empty({group.sentences * heads, extent, width}, packed.options());
  const BlockBytes bytes = block_bytes(extent, width, packed.element_size());
  const auto row_bytes = static_cast<std::size_t>(packed.stride(0) * packed.element_size());
  const auto* const from = static_cast<const std::byte*>(packed.const_data_ptr());
  auto* const to = static_cast<std::byte*>(block.mutable_data_ptr());
  const auto count = static_cast<std::size_t>(heads);
  const auto place = [&](std::int64_t s, std::size_t head, std::int64_t t) {
    return to + (static_cast<std::size_t>(s) * count + head) * bytes.head +
           static_cast<std::size_t>(t) * bytes.row;
  };
  for_each_row(
      offsets, group, extent,
      [&](std::int64_t row, std::int64_t s, std::int64_t t) {
        const std::byte* const source = from + static_cast<std::size_t>(row) * row_bytes;
        for (std::size_t head = 0; head < count; ++head) {
          std::memcpy(place(s, head, t), source + head * bytes.row, bytes.row);
        }
      },
      [&](std::int64_t s, std::int64_t length) {
        for (std::size_t head = 0; head < count; ++head) {
          std::memset(place(s, head, length), 0, static_cast<std::size_t>(extent - length) * bytes.row);
        }
      });
  return block;
}

void merge_by_hand(const at::Tensor& context, std::span<const std::int64_t> offsets,
                   const AttentionGroup& group, std::int64_t heads, const at::Tensor& merged) {
  const at::Tensor block = context.contiguous();
  const BlockBytes bytes = block_bytes(group.queries, block.size(2), block.element_size());
  const auto* const from = static_cast<const std::byte*>(block.const_data_ptr());
  auto* const to = static_cast<std::byte*>(merged.mutable_data_ptr());
  const auto count = static_cast<std::size_t>(heads);
  for_each_row(
      offsets, group, group.queries,
      [&](std::int64_t row, std::int64_t s, std::int64_t t) {
        std::byte* const target = to + static_cast<std::size_t>(row) * count * bytes.row;
        for (std::size_t head = 0; head < count; ++head) {
          std::memcpy(target + head * bytes.row,
                      from + (static_cast<std::size_t>(s) * count + head) * bytes.head +
                          static_cast<std::size_t>(t) * bytes.row,
                      bytes.row);
        }
      },
      [](std::int64_t, std::int64_t) {});
}

}  // namespace

at::Tensor split_heads(const at::Tensor& packed, const AttentionPlan& plan, const AttentionGroup& group,
                       Side side, std::int64_t heads) {
  const bool query = side == Side::query;
  const std::int64_t extent = query ? group.queries : group.keys;
  if (copies_by_hand(packed) && packed.stride(1) == 1) {
    return split_by_hand(packed, query ? plan.query_offsets : plan.key_offsets, group, extent, heads);
  }
  const at::Tensor rows = group.padded
                              ? packed.index_select(0, query ? group.gather_queries : group.gather_keys)
                              : packed.narrow(0, query ? group.first_query : group.first_key,
                                              query ? group.query_rows : group.key_rows);
  const std::int64_t width = packed.size(1) / heads;
  return rows.reshape({group.sentences, extent, heads, width})
      .transpose(1, 2)
      .reshape({group.sentences * heads, extent, width});
}

void HeadMerger::add(const AttentionGroup& group, const at::Tensor& context) {
  const std::int64_t width = context.size(2);
  if (copies_by_hand(context)) {
    if (!merged_.defined()) {
      merged_ = at::empty({plan_.query_offsets.back(), heads_ * width}, context.options());
    }
    merge_by_hand(context, plan_.query_offsets, group, heads_, merged_);
    return;
  }
  const at::Tensor rows = context.view({group.sentences, heads_, group.queries, width})
                              .transpose(1, 2)
                              .reshape({group.sentences * group.queries, heads_ * width});
  pieces_.push_back(group.padded ? rows.index_select(0, group.scatter) : rows);
}

at::Tensor HeadMerger::take() {
  if (merged_.defined()) {
    return merged_;
  }
  return pieces_.size() == 1 ? pieces_.front() : at::cat(pieces_);
}

}  // namespace mog::engine

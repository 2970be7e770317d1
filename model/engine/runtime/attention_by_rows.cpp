#include "model/engine/runtime/attention_by_rows.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace mog::engine {
namespace {

AttentionBlock block_of(const AttentionPlan& plan, const PackedAttention& attention) {
  AttentionBlock block;
  block.query = attention.query.const_data_ptr<float>();
  block.key = attention.key.const_data_ptr<float>();
  block.value = attention.value.const_data_ptr<float>();
  block.query_stride = attention.query.stride(0);
  block.key_stride = attention.key.stride(0);
  block.value_stride = attention.value.stride(0);
  if (attention.bias.defined()) {
    block.bias = attention.bias.const_data_ptr<float>();
    block.bias_head_stride = attention.bias.stride(0);
    block.bias_row_stride = attention.bias.stride(1);
  }
  if (plan.masked.defined()) {
    block.hidden = static_cast<const std::uint8_t*>(plan.masked.const_data_ptr());
  }
  block.table = plan.sentences.const_data_ptr<std::int64_t>();
  block.sentences = plan.sentences.size(0);
  block.heads = block.key_heads = attention.heads;
  block.width = attention.query.size(1) / attention.heads;
  block.scale = static_cast<float>(attention.scale);
  block.causal = plan.causal ? 1 : 0;
  for (const AttentionGroup& group : plan.groups) {
    block.queries = std::max(block.queries, group.queries);
  }
  return block;
}

float* values_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

}  // namespace

bool fits(const PackedAttention& attention) {
  const auto plain = [](const at::Tensor& rows) {
    return rows.scalar_type() == at::kFloat && rows.stride(-1) == 1;
  };
  return plain(attention.query) && plain(attention.key) && plain(attention.value) &&
         (!attention.bias.defined() || plain(attention.bias)) &&
         attention.query.size(1) <= kMostWidth * attention.heads;
}

void attend_rows(const AttentionKernels& kernels, const AttentionPlan& plan, const PackedAttention& attention,
                 const RowResults& results) {
  const AttentionBlock all = block_of(plan, attention);
  AttentionRows rows;
  rows.context = values_of(results.context);
  rows.entropy = values_of(results.entropy);
  rows.greatest = values_of(results.greatest);
  if (!attention.query.is_cpu()) {
    kernels.attend(all, rows);
    return;
  }
  constexpr std::int64_t kSentencesAtOnce = 1;
  at::parallel_for(0, all.sentences, kSentencesAtOnce, [&](std::int64_t begin, std::int64_t end) {
    AttentionBlock block = all;
    block.table += begin * kTableColumns;
    block.sentences = end - begin;
    kernels.attend(block, rows);
  });
}

}  // namespace mog::engine

#include "model/engine/runtime/attention_by_rows.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace mog::engine {
namespace {

AttentionNumbers numbers_of(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16 ? AttentionNumbers::bfloat16 : AttentionNumbers::float32;
}

// bias: values of the bias in float32, or undefined.
AttentionBlock block_of(const AttentionPlan& plan, const PackedAttention& attention, const at::Tensor& bias) {
  AttentionBlock block;
  block.numbers = numbers_of(attention.query);
  block.query = attention.query.const_data_ptr();
  block.key = attention.key.const_data_ptr();
  block.value = attention.value.const_data_ptr();
  block.query_stride = attention.query.stride(0);
  block.key_stride = attention.key.stride(0);
  block.value_stride = attention.value.stride(0);
  if (bias.defined()) {
    block.bias = bias.const_data_ptr<float>() + attention.bias.first;
    block.bias_head_stride = bias.stride(0);
    block.bias_row_stride = attention.bias.turn;
  }
  if (plan.masked.defined()) {
    block.hidden = static_cast<const std::uint8_t*>(plan.masked.const_data_ptr());
  }
  block.table = plan.sentences.const_data_ptr<std::int64_t>();
  block.sentences = plan.sentences.size(0);
  block.heads = block.key_heads = attention.heads;
  block.width = attention.query.size(1) / attention.heads;
  block.scale = static_cast<float>(attention.scale);
  block.cap = static_cast<float>(attention.cap);
  block.causal = plan.causal ? 1 : 0;
  block.window = attention.window > 0 ? attention.window : -1;
  for (const AttentionGroup& group : plan.groups) {
    block.queries = std::max(block.queries, group.queries);
  }
  return block;
}

float* values_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

}  // namespace

bool fits(const AttentionKernels& kernels, const PackedAttention& attention, bool detail) {
  const at::ScalarType type = attention.query.scalar_type();
  const auto plain = [&](const at::Tensor& rows) {
    return rows.scalar_type() == type && rows.stride(-1) == 1;
  };
  return (type == at::kFloat || type == at::kBFloat16) && plain(attention.query) && plain(attention.key) &&
         plain(attention.value) && (!attention.bias.defined() || attention.bias.values.stride(-1) == 1) &&
         attention.query.size(1) <= kernels.most_width(numbers_of(attention.query), detail) * attention.heads;
}

void attend_rows(const AttentionKernels& kernels, const AttentionPlan& plan, const PackedAttention& attention,
                 const RowResults& results) {
  const at::Tensor bias = attention.bias.defined() ? attention.bias.values.to(at::kFloat) : at::Tensor();
  const AttentionBlock all = block_of(plan, attention, bias);
  AttentionRows rows;
  rows.context = results.context.mutable_data_ptr();
  rows.entropy = values_of(results.entropy);
  rows.greatest = values_of(results.greatest);
  rows.first = values_of(results.sink);
  if (results.distances.defined()) {
    rows.distances = values_of(results.distances);
    rows.bins = kMostBins;
  }
  if (results.top_weights.defined()) {
    rows.top_weights = values_of(results.top_weights);
    rows.top_keys = results.top_keys.mutable_data_ptr<std::int32_t>();
    rows.top = kMostTop;
  }
  rows.maps32 = values_of(results.maps32);
  rows.means = values_of(results.means);
  if (results.maps16.defined()) {
    rows.maps16 = static_cast<std::uint16_t*>(results.maps16.mutable_data_ptr());
  }
  if (!attention.query.is_cpu()) {
    const bool by_head = rows.means != nullptr && !kernels.give_means();
    rows.means = by_head ? nullptr : rows.means;
    kernels.attend(all, rows);
    if (by_head) {
      const at::Tensor& means = results.means.zero_();
      const at::Tensor room = at::empty_like(means);
      attend_head_by_head(kernels, all, room.mutable_data_ptr<float>(),
                          [&] { means.add_(room, 1.0 / static_cast<double>(attention.heads)); });
    }
    return;
  }
  attend_on_processor(all, rows, [](std::int64_t count, std::int64_t least, const auto& work) {
    at::parallel_for(0, count, least, work);
  });
}

}  // namespace mog::engine

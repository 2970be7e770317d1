#include "model/engine/decomposition/layer_trace.h"

#include <cmath>

namespace mog::engine {
namespace {

// A map without a bias gets one of zeros.
Linear with_bias(const at::Tensor& weight, const at::Tensor& bias) {
  return {weight, bias.defined() ? bias : at::zeros({weight.size(0)}, weight.options())};
}

Linear rows_of(const Linear& joined, std::int64_t begin, std::int64_t count) {
  return with_bias(joined.weight.narrow(0, begin, count),
                   joined.bias.defined() ? joined.bias.narrow(0, begin, count) : at::Tensor());
}

}  // namespace

FrozenNorm::FrozenNorm(const LayerNorm& norm, const at::Tensor& z)
    : centred_(!norm.rms),
      weight_(norm.weight),
      offset_(norm.bias.defined() ? norm.bias : at::zeros_like(norm.weight)) {
  const at::Tensor centred = centred_ ? z - z.mean(at::IntArrayRef{-1}, /*keepdim=*/true) : z;
  scale_ = (centred.square().mean(at::IntArrayRef{-1}, /*keepdim=*/true) + norm.epsilon).sqrt();
}

at::Tensor FrozenNorm::undivided(const at::Tensor& v) const {
  return (centred_ ? v - v.mean(at::IntArrayRef{-1}, /*keepdim=*/true) : v) * weight_;
}

AttentionMaps attention_maps(const model::EncoderConfig& config, const EncoderLayer& layer) {
  const PartSlots& slots = layer.parts.front();
  const std::int64_t width = config.attention_dim;
  AttentionMaps maps;
  maps.query = rows_of(layer.from_incremental, slots.query.begin, width);
  maps.key = rows_of(layer.from_incremental, slots.key.begin, width);
  maps.value = rows_of(layer.from_incremental, slots.value.begin, width);
  maps.output = with_bias(layer.outputs.front().weight, layer.outputs.front().bias);
  maps.heads = config.heads;
  maps.scale = config.attention_scale ? 1.0 / std::sqrt(static_cast<double>(width / config.heads)) : 1.0;
  return maps;
}

at::Tensor LayerTrace::constant() const {
  at::Tensor value = attention.value.bias;
  if (pre) {
    value = value + at::mv(attention.value.weight, norm1.offset());
  }
  return attention.output.bias + at::mv(attention.output.weight, value);
}

void freeze_norms(LayerTrace& trace) {
  const EncoderLayer& layer = *trace.weights;
  trace.norm1 = FrozenNorm(layer.attention_norm, trace.pre ? trace.input : trace.input + trace.attended_sum);
  trace.norm2 =
      FrozenNorm(layer.feed_forward.norm, trace.pre ? trace.attended : trace.attended + trace.feed_forward);
}

at::Tensor group_rows(const at::Tensor& rows, const AttentionGroup& group) {
  std::vector<std::int64_t> shape = rows.sizes().vec();
  shape.front() = group.queries;
  shape.insert(shape.begin(), group.sentences);
  return rows.narrow(0, group.first_query, group.query_rows).view(shape);
}

at::Tensor group_heads(const at::Tensor& rows, const AttentionGroup& group, std::int64_t heads) {
  const at::Tensor own = rows.narrow(0, group.first_query, group.query_rows);
  return own.view({group.sentences, group.queries, heads, rows.size(1) / heads}).transpose(1, 2);
}

}  // namespace mog::engine

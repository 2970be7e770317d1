#include "model/engine/decomposition/layer_trace.h"

#include <cmath>

#include "model/engine/decomposition/frozen_norm.h"

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

// v and out are contiguous, on the host, float32 or float64.
void on_host(const FrozenRows& rows, const at::Tensor& v, const at::Tensor& weight, const at::Tensor& scale,
             at::Tensor& out) {
  if (v.scalar_type() == at::kDouble) {
    frozen_norm(rows, v.const_data_ptr<double>(), weight.const_data_ptr<double>(),
                scale.const_data_ptr<double>(), out.data_ptr<double>());
  } else {
    frozen_norm(rows, v.const_data_ptr<float>(), weight.const_data_ptr<float>(),
                scale.const_data_ptr<float>(), out.data_ptr<float>());
  }
}

bool has_host_kernel(const at::Tensor& v) {
  return v.is_cpu() && (v.scalar_type() == at::kFloat || v.scalar_type() == at::kDouble);
}

}  // namespace

FrozenNorm::FrozenNorm(const LayerNorm& norm, const at::Tensor& z)
    : centred_(!norm.rms),
      weight_(norm.weight.contiguous()),
      offset_(norm.bias.defined() ? norm.bias : at::zeros_like(norm.weight)) {
  if (centred_) {
    // Its third result is 1 / √(var + ε): one pass over z.
    scale_ = std::get<2>(at::native_layer_norm(z, {z.size(-1)}, {}, {}, norm.epsilon)).reciprocal();
    return;
  }
  scale_ = (z.square().mean(at::IntArrayRef{-1}, /*keepdim=*/true) + norm.epsilon).sqrt();
}

at::Tensor FrozenNorm::operator()(const at::Tensor& v) const {
  if (!has_host_kernel(v)) {
    return undivided(v) / scale_;
  }
  const at::Tensor from = v.contiguous();
  at::Tensor out = at::empty_like(from);
  const std::int64_t rows = from.size(0);
  on_host({rows, from.size(1), rows, rows, centred_}, from, weight_, scale_, out);
  return out;
}

void FrozenNorm::apply(at::Tensor& vectors, const AttentionGroup& group) const {
  if (!has_host_kernel(vectors)) {
    vectors = undivided(vectors) / group_rows(scale_, group).unsqueeze(1);
    return;
  }
  const std::int64_t tokens = vectors.size(2);
  on_host({vectors.numel() / vectors.size(3), vectors.size(3), vectors.size(1) * tokens, tokens, centred_},
          vectors, weight_, group_rows(scale_, group), vectors);
}

at::Tensor FrozenNorm::undivided(const at::Tensor& v) const {
  return (centred_ ? v - v.mean(at::IntArrayRef{-1}, /*keepdim=*/true) : v) * weight_;
}

GraphTrace graph_trace(const PackedArcs& arcs, const AttentionPlan& plan, model::RelationForm form) {
  GraphTrace trace;
  trace.area_offsets = plan.area_offsets;
  trace.scaled = form != model::RelationForm::unscaled;
  std::vector<at::Tensor> blocks;
  blocks.reserve(plan.groups.size());
  for (std::size_t index = 0; index < plan.groups.size(); ++index) {
    const AttentionGroup& group = plan.groups[index];
    const PackedArcs::Group& own = arcs.groups[index];
    const std::int64_t area = group.queries * group.keys;
    blocks.push_back(at::zeros({group.sentences * area}, own.relation.options()));
    blocks.back().index_put_({own.sentence * area + own.place}, own.relation);
  }
  trace.relation = at::cat(blocks);
  return trace;
}

AttentionMaps attention_maps(const model::EncoderConfig& config, const EncoderLayer& layer) {
  const PartSlots& slots = layer.parts.front();
  const std::int64_t width = config.attention_dim;
  AttentionMaps maps;
  maps.query = rows_of(layer.from_incremental, slots.query.begin, width);
  maps.key = rows_of(layer.from_incremental, slots.key.begin, width);
  maps.value = rows_of(layer.from_incremental, slots.value.begin, width);
  maps.output = with_bias(layer.outputs.front().weight, layer.outputs.front().bias);
  // bind_weights joins them in this order.
  maps.query_key = layer.from_incremental.weight.narrow(0, slots.query.begin, 2 * width);
  maps.heads = config.heads;
  const std::int64_t of_head = width / config.heads;
  maps.scale = config.attention_scale ? 1.0 / std::sqrt(static_cast<double>(of_head)) : 1.0;
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

at::Tensor by_head(const at::Tensor& values, const AttentionGroup& group) {
  std::vector<std::int64_t> shape = values.sizes().vec();
  shape.front() /= group.sentences;
  shape.insert(shape.begin(), group.sentences);
  return values.reshape(shape);
}

at::Tensor norm_of(const at::Tensor& vectors) {
  return at::linalg_vector_norm(vectors, 2, at::IntArrayRef{-1});
}

}  // namespace mog::engine

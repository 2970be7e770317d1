#include "model/engine/decomposition/layer_trace.h"

#include <cmath>

#include "model/engine/decomposition/frozen_norm.h"
#include "model/engine/modules/attention.h"

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

FrozenNorm::FrozenNorm(const LayerNorm& norm, const at::Tensor& z) : centred_(!norm.rms) {
  if (!norm.weight.defined()) {
    offset_ = at::zeros({z.size(-1)}, z.options());
    scale_ = at::ones({z.size(0), 1}, z.options());
    return;
  }
  weight_ = norm.weight.contiguous();
  offset_ = norm.bias.defined() ? norm.bias : at::zeros_like(norm.weight);
  if (centred_) {
    // Its third result is 1 / √(var + ε): one pass over z.
    scale_ = std::get<2>(at::native_layer_norm(z, {z.size(-1)}, {}, {}, norm.epsilon)).reciprocal();
    return;
  }
  scale_ = (z.square().mean(at::IntArrayRef{-1}, /*keepdim=*/true) + norm.epsilon).sqrt();
}

at::Tensor FrozenNorm::operator()(const at::Tensor& v) const {
  if (!changes()) {
    return v;
  }
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
  if (!changes()) {
    return;
  }
  if (!has_host_kernel(vectors)) {
    vectors = undivided(vectors) / group_rows(scale_, group).unsqueeze(1);
    return;
  }
  const std::int64_t tokens = vectors.size(2);
  on_host({vectors.numel() / vectors.size(3), vectors.size(3), vectors.size(1) * tokens, tokens, centred_},
          vectors, weight_, group_rows(scale_, group), vectors);
}

at::Tensor FrozenNorm::undivided(const at::Tensor& v) const {
  if (!changes()) {
    return v;
  }
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
  const std::int64_t keys = config.key_dim();
  const auto of_heads = [&](const Linear& map) {
    const auto spread = [&](const at::Tensor& rows) {
      return repeat_heads(rows.t(), config.key_heads(), config.heads).t();
    };
    return keys == width ? map
                         : Linear{spread(map.weight).contiguous(), spread(map.bias.unsqueeze(1)).squeeze(1)};
  };
  AttentionMaps maps;
  maps.query = rows_of(layer.from_incremental, slots.query.begin, width);
  maps.key = of_heads(rows_of(layer.from_incremental, slots.key.begin, keys));
  maps.value = of_heads(rows_of(layer.from_incremental, slots.value.begin, keys));
  maps.output = with_bias(layer.outputs.front().weight, layer.outputs.front().bias);
  // bind_weights joins them in this order.
  maps.query_key = keys == width ? layer.from_incremental.weight.narrow(0, slots.query.begin, 2 * width)
                                 : at::cat({maps.query.weight, maps.key.weight});
  maps.heads = config.heads;
  maps.scale = config.scale();
  return maps;
}

FrozenHeads::FrozenHeads(const LayerNorm& norm, const at::Tensor& at, std::int64_t heads, bool by_head,
                         model::RotaryPairs pairs, const Rotation& rotation)
    : heads_(heads), groups_(by_head ? heads : 1), centred_(!norm.rms), pairs_(pairs), rotation_(rotation) {
  if (!norm.weight.defined()) {
    return;
  }
  weight_ = norm.weight;
  bias_ = norm.bias;
  const at::Tensor apart = at.reshape({at.size(0), groups_, at.size(1) / groups_});
  const at::Tensor centred = centred_ ? apart - apart.mean(at::IntArrayRef{-1}, /*keepdim=*/true) : apart;
  scale_ = (centred.square().mean(at::IntArrayRef{-1}, /*keepdim=*/true) + norm.epsilon).sqrt();
}

at::Tensor FrozenHeads::turned(const at::Tensor& rows) const {
  return rotation_.defined() ? rotate(rows, heads_, pairs_, rotation_) : rows;
}

at::Tensor FrozenHeads::operator()(const at::Tensor& rows) const {
  if (!scale_.defined()) {
    return turned(rows);
  }
  at::Tensor apart = rows.reshape({rows.size(0), groups_, rows.size(1) / groups_});
  if (centred_) {
    apart = apart - apart.mean(at::IntArrayRef{-1}, /*keepdim=*/true);
  }
  return turned((apart / scale_).reshape(rows.sizes()) * weight_);
}

at::Tensor FrozenHeads::offset() const {
  return bias_.defined() ? turned(bias_.expand({scale_.size(0), bias_.size(0)})) : at::Tensor();
}

at::Tensor ScoreForm::uniform(const AttentionGroup& group, at::Device device) const {
  const std::int64_t tokens = group.queries;
  if (tokens == 1 || (!causal && (window == 0 || tokens <= window + 1))) {
    return {};
  }
  const auto options = at::TensorOptions().device(device).dtype(at::kLong);
  const at::Tensor distance = at::arange(tokens, options).unsqueeze(1) - at::arange(tokens, options);
  at::Tensor seen = causal ? distance >= 0 : at::ones_like(distance, at::kBool);
  if (window > 0) {
    seen = seen.logical_and(distance.abs() <= window);
  }
  const at::Tensor weights = seen.to(at::kDouble);
  return weights / weights.sum(-1, /*keepdim=*/true);
}

at::Tensor LayerTrace::added(const at::Tensor& given) const {
  const at::Tensor normed = output1.changes() ? output1(given) : given;
  return residual_scale == 1.0 ? normed : normed * residual_scale;
}

at::Tensor LayerTrace::added(const at::Tensor& given, const AttentionGroup& group) const {
  at::Tensor result = given;
  if (output1.changes()) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(given.dim()), 1);
    shape.front() = group.sentences;
    shape[shape.size() - 2] = group.queries;
    result = output1.undivided(given) / group_rows(output1.scale(), group).view(shape);
  }
  return residual_scale == 1.0 ? result : result * residual_scale;
}

at::Tensor LayerTrace::added_bias() const {
  const at::Tensor own = added(attention.output.bias.expand_as(input));
  return output1.changes() ? own + output1.offset() * residual_scale : own;
}

at::Tensor LayerTrace::constant() const {
  at::Tensor value = attention.value.bias;
  if (pre) {
    value = value + at::mv(attention.value.weight, norm1.offset());
  }
  const at::Tensor given = at::mv(attention.output.weight, value).expand_as(input);
  return added_bias() + added(given);
}

void begin_trace(const model::EncoderConfig& config, const EncoderLayer& weights,
                 const StackPositions& positions, LayerTrace& trace) {
  trace.pre = config.norm != model::NormPlace::post;
  trace.parallel = config.parallel;
  trace.residual_scale = config.residual_scale;
  trace.form = {config.causal(), config.window(trace.layer), config.score_cap};
  trace.weights = &weights;
  trace.positions = &positions;
  trace.position_bias = positions.bias;
  trace.attention = attention_maps(config, weights);
  if (trace.pre) {
    trace.norm1 = FrozenNorm(weights.attention_norm, trace.input);
  }
  const Rotation& rotation = positions.of_layer(config, trace.layer);
  const bool normed = config.query_key_norm != model::QueryKeyNorm::none;
  if (!normed && !rotation.defined()) {
    return;
  }
  AttentionMaps& maps = trace.attention;
  const model::RotaryPairs pairs = config.rotary ? config.rotary->pairs : model::RotaryPairs::halves;
  const bool by_head = config.query_key_norm == model::QueryKeyNorm::head;
  const at::Tensor read = trace.pre ? trace.norm1(trace.input) + trace.norm1.offset() : trace.input;
  LayerNorm key_norm = weights.key_norm;
  for (at::Tensor* const row : {&key_norm.weight, &key_norm.bias}) {
    if (row->defined()) {
      *row = repeat_heads(row->unsqueeze(0), config.key_heads(), config.heads).squeeze(0);
    }
  }
  const auto rows = [&](const Linear& map) {
    return normed ? at::linear(read, map.weight, map.bias) : at::Tensor();
  };
  maps.of_query = FrozenHeads(weights.query_norm, rows(maps.query), config.heads, by_head, pairs, rotation);
  maps.of_key = FrozenHeads(key_norm, rows(maps.key), config.heads, by_head, pairs, rotation);
}

void freeze_norms(const model::EncoderConfig& config, LayerTrace& trace) {
  const EncoderLayer& layer = *trace.weights;
  const FeedForward& block = layer.feed_forward;
  if (!trace.pre) {
    trace.norm1 = FrozenNorm(layer.attention_norm, trace.input + trace.attended_sum);
  }
  trace.norm2 = FrozenNorm(block.norm, trace.pre ? trace.fed() : trace.attended + trace.feed_forward);
  if (layer.attention_output_norm.weight.defined()) {
    trace.output1 = FrozenNorm(layer.attention_output_norm, trace.mapped);
  }
  if (block.output_norm.weight.defined()) {
    const at::Tensor read = trace.norm2(trace.fed()) + trace.norm2.offset();
    at::Tensor inner = activate(config.activation, at::linear(read, block.up.weight, block.up.bias));
    if (block.linear.weight.defined()) {
      inner = inner * at::linear(read, block.linear.weight, block.linear.bias);
    }
    trace.output2 = FrozenNorm(block.output_norm, at::linear(inner, block.down.weight, block.down.bias));
  }
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

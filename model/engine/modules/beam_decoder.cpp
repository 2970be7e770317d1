// A step costs one position: keys and values of earlier ones are kept per row, those of the source are
// computed once a sentence and shared by its rows. So a translation of t positions costs O(t²) attention and
// O(t) products instead of O(t²) products.
//
// After each step the search says which row each new row continues, and the caches follow with index_select;
// sentences that are finished are dropped there, which makes the batch smaller from step to step. Copying a
// cache at each step is O(t) a row and layer, small beside the product with the vocabulary.
//
// Trap: rows of a sentence are neighbours, `width` for each, and cross attention relies on that view.
// Nothing here masks the future: there is none yet.
#include "model/engine/modules/beam_decoder.h"

#include <cmath>
#include <limits>

#include "model/engine/modules/attention.h"
#include "model/engine/modules/global_representation.h"
#include "model/engine/modules/stack.h"

namespace mog::engine {
namespace {

at::Tensor index_tensor(const std::vector<std::int64_t>& values, at::Device device) {
  const at::Tensor host = at::from_blob(const_cast<std::int64_t*>(values.data()),
                                        {static_cast<std::int64_t>(values.size())}, at::kLong);
  return device.is_cpu() ? host.clone() : host.to(device);
}

struct ScoreOptions {
  bool scaled = true;  // divided by √width
  at::Tensor bias;     // [head, query, key], added; may be undefined
  at::Tensor blocked;  // never attended; may be undefined
};

// softmax(q·kᵀ/√width + bias, blocked)·v for [batch, head, query, width] operands.
at::Tensor small_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const ScoreOptions& options) {
  const auto& [scaled, bias, blocked] = options;
  at::Tensor scores = at::matmul(q, k.transpose(2, 3));
  if (scaled) {
    scores = scores / std::sqrt(static_cast<double>(q.size(3)));
  }
  if (bias.defined()) {
    scores = scores + bias;
  }
  if (blocked.defined()) {
    scores.masked_fill_(blocked, -std::numeric_limits<double>::infinity());
  }
  return at::matmul(at::softmax(scores, -1), v);
}

}  // namespace

BeamDecoder::BeamDecoder(const ForwardContext& context, const SourceStates& source,
                         const std::vector<std::int64_t>& offsets, std::int64_t width)
    : context_(context),
      width_(width),
      sentences_(static_cast<std::int64_t>(offsets.size()) - 1),
      global_(source.global) {
  // One padded group of all sentences; only its keys are used.
  const AttentionPlan plan =
      make_plan(offsets, offsets,
                {.causal = false,
                 .padding_limit = std::numeric_limits<double>::infinity(),
                 .free_area = 0,
                 .masked = context.applied == nullptr ? std::span<const model::MaskToken>()
                                                      : context.applied->masked()},
                source.states.device());
  const AttentionGroup& group = plan.groups.front();
  blocked_ = group.blocked;
  const std::int64_t heads = context.config.decoder->heads;
  for (const DecoderLayer& layer : context.weights.decoder_layers) {
    at::Tensor joined = layer.cross_key_value(source.states);
    if (group.padded) {
      joined = joined.index_select(0, group.gather_keys);
    }
    const at::Tensor split =
        joined.view({sentences_, group.keys, 2, heads, -1}).permute({2, 0, 3, 1, 4}).contiguous();
    caches_.push_back({{}, {}, split.select(0, 0), split.select(0, 1)});
  }
}

at::Tensor BeamDecoder::embed_step(const std::vector<std::int64_t>& ids) const {
  const model::DecoderConfig& config = *context_.config.decoder;
  const StackWeights& weights = context_.weights.decoder;
  at::Tensor x = at::embedding(weights.embedding, index_tensor(ids, weights.embedding.device()));
  if (config.embed_scale) {
    x = x * std::sqrt(static_cast<double>(config.d_model));
  }
  if (config.position == model::Position::sinusoidal) {
    const std::int64_t position = position_ + config.first_position;
    x = (x + context_.sinusoids.rows(position + 1, x.device()).select(0, position)).to(x.scalar_type());
  } else if (weights.positions.defined()) {
    x = x + weights.positions.select(0, position_ + 2);
  }
  return weights.embedding_norm.weight.defined() ? weights.embedding_norm(x) : x;
}

at::Tensor BeamDecoder::position_bias() const {
  const at::Tensor& table = context_.weights.decoder.relative;
  if (!table.defined()) {
    return {};
  }
  const at::Tensor offsets =
      at::arange(-position_, 1, at::TensorOptions().device(table.device()).dtype(at::kLong));
  return relative_bias_by_offset(table, offsets, {context_.config.decoder->relative_distance, true})
      .unsqueeze(1);
}

at::Tensor BeamDecoder::output_of(std::int64_t layer, Part part, const at::Tensor& heads,
                                  const Linear& map) const {
  return scale_part(context_, layer, part,
                    map(scale_heads(context_, layer, part, context_.config.decoder->heads, heads)));
}

at::Tensor BeamDecoder::self_attention(std::int64_t layer, Cache& cache, const at::Tensor& x) const {
  const DecoderLayer& weights = context_.weights.decoder_layers[static_cast<std::size_t>(layer) - 1];
  const std::int64_t heads = context_.config.decoder->heads;
  const at::Tensor split = weights.self_projections(x).view({x.size(0), 3, heads, 1, -1});
  const at::Tensor key = split.select(1, 1);
  const at::Tensor value = split.select(1, 2);
  cache.self_keys = cache.self_keys.defined() ? at::cat({cache.self_keys, key}, 2) : key;
  cache.self_values = cache.self_values.defined() ? at::cat({cache.self_values, value}, 2) : value;
  const at::Tensor context = small_attention(split.select(1, 0), cache.self_keys, cache.self_values,
                                             {context_.config.decoder->attention_scale, bias_, {}});
  return output_of(layer, Part::self, context.reshape({x.size(0), -1}), weights.self_output);
}

at::Tensor BeamDecoder::cross_attention(std::int64_t layer, const Cache& cache, const at::Tensor& x) const {
  const DecoderLayer& weights = context_.weights.decoder_layers[static_cast<std::size_t>(layer) - 1];
  const std::int64_t heads = context_.config.decoder->heads;
  const at::Tensor query = weights.cross_query(x)
                               .view({sentences_, width_, heads, -1})
                               .transpose(1, 2);  // [sentence, head, row, …]
  const at::Tensor context = small_attention(query, cache.cross_keys, cache.cross_values,
                                             {context_.config.decoder->attention_scale, {}, blocked_});
  return output_of(layer, Part::cross, context.transpose(1, 2).reshape({x.size(0), -1}),
                   weights.cross_output);
}

at::Tensor BeamDecoder::layer_step(std::int64_t layer, Cache& cache, const at::Tensor& x) const {
  const DecoderLayer& weights = context_.weights.decoder_layers[static_cast<std::size_t>(layer) - 1];
  const model::DecoderConfig& config = *context_.config.decoder;
  const auto residual = [&](const at::Tensor& state, const LayerNorm& norm, const auto& block) {
    return config.norm == model::NormPlace::pre ? state + block(norm(state)) : norm(state + block(state));
  };
  at::Tensor state = residual(x, weights.self_norm,
                              [&](const at::Tensor& inner) { return self_attention(layer, cache, inner); });
  state = residual(state, weights.cross_norm,
                   [&](const at::Tensor& inner) { return cross_attention(layer, cache, inner); });
  return residual(state, weights.feed_forward.norm, [&](const at::Tensor& inner) {
    return feed_forward(context_, weights.feed_forward, config.activation, inner);
  });
}

at::Tensor BeamDecoder::step(const std::vector<std::int64_t>& ids) {
  at::Tensor x = embed_step(ids);
  bias_ = position_bias();
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    x = layer_step(static_cast<std::int64_t>(i) + 1, caches_[i], x);
  }
  if (context_.config.decoder->ends_with_norm()) {
    x = context_.weights.decoder.final_norm(x);
  }
  ++position_;
  x = with_global(context_, x, global_.repeated(width_));
  return at::linear(x, context_.weights.output_projection, context_.weights.output_bias);
}

void BeamDecoder::reorder(const std::vector<std::int64_t>& origins, const std::vector<std::int64_t>& kept) {
  const at::Device device = context_.weights.device();
  const at::Tensor rows = index_tensor(origins, device);
  const bool drops = static_cast<std::int64_t>(kept.size()) < sentences_;
  const at::Tensor sentences = drops ? index_tensor(kept, device) : at::Tensor();
  for (Cache& cache : caches_) {
    cache.self_keys = cache.self_keys.index_select(0, rows);
    cache.self_values = cache.self_values.index_select(0, rows);
    if (drops) {
      cache.cross_keys = cache.cross_keys.index_select(0, sentences);
      cache.cross_values = cache.cross_values.index_select(0, sentences);
    }
  }
  if (drops) {
    global_ = global_.rows(sentences);
  }
  // With one sentence the mask may be shared by all (size 1 broadcasts).
  if (drops && blocked_.defined() && blocked_.size(0) > 1) {
    blocked_ = blocked_.index_select(0, sentences);
  }
  sentences_ = static_cast<std::int64_t>(kept.size());
}

}  // namespace mog::engine

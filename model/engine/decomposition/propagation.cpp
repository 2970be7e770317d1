#include "model/engine/decomposition/propagation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "model/engine/modules/attention.h"
#include "model/engine/modules/product.h"

namespace mog::engine {
namespace {

// Rows (sentence, source and token) of a tile: few enough for the feed-forward block's width to stay near the
// cache, many enough for its products.
constexpr std::int64_t kTileRows = 2048;

// To the bias alone, where the tile has it: v is [sentences, source, token, width].
void add_to_bias(const at::Tensor& v, bool bias, const at::Tensor& constant) {
  if (bias && constant.defined()) {
    v.select(1, v.size(1) - 1).add_(constant);
  }
}

void normalize(const FrozenNorm& norm, const AttentionGroup& group, bool bias, at::Tensor& vectors) {
  norm.apply(vectors, group);
  add_to_bias(vectors, bias, norm.offset());
}

at::Tensor as_rows(const at::Tensor& vectors) {
  return vectors.view({-1, vectors.size(-1)});
}

at::Tensor map(const Linear& linear, const at::Tensor& vectors, bool bias) {
  std::vector<std::int64_t> shape = vectors.sizes().vec();
  shape.back() = linear.weight.size(0);
  at::Tensor result = product(as_rows(vectors), linear.weight).view(shape);
  add_to_bias(result, bias, linear.bias);
  return result;
}

// vectors become vectors + map(v).
void add_map(const Linear& linear, const at::Tensor& v, bool bias, at::Tensor& vectors) {
  vectors = product_added(as_rows(v), linear.weight, as_rows(vectors)).view(vectors.sizes());
  add_to_bias(vectors, bias, linear.bias);
}

// Of value [sentences, source, token, head * width]: rows of one source and head lie evenly in memory, so
// that the product takes and gives them where they are.
at::Tensor attended_values(const at::Tensor& pattern, const at::Tensor& value) {
  at::Tensor context = at::empty_like(value);
  const std::int64_t heads = pattern.size(1);
  const std::vector<std::int64_t> by_head = {value.size(1), value.size(2), heads, value.size(3) / heads};
  for (std::int64_t sentence = 0; sentence < value.size(0); ++sentence) {
    const at::Tensor from = value[sentence].view(by_head);
    const at::Tensor to = context[sentence].view(by_head);
    for (std::int64_t head = 0; head < heads; ++head) {
      at::Tensor out = to.select(2, head);
      const at::Tensor own = pattern[sentence][head];
      at::bmm_out(out, own.unsqueeze(0).expand({value.size(1), own.size(0), own.size(1)}),
                  from.select(2, head));
    }
  }
  return context;
}

AttentionGroup part_of(const AttentionGroup& group, std::int64_t first, std::int64_t sentences) {
  AttentionGroup part = group;
  part.first_sentence += first;
  part.sentences = sentences;
  part.first_query += first * group.queries;
  part.first_key += first * group.keys;
  part.query_rows = sentences * group.queries;
  part.key_rows = sentences * group.keys;
  return part;
}

}  // namespace

at::Tensor activation_slope(model::Activation activation, const at::Tensor& u) {
  switch (activation) {
    case model::Activation::relu:
      return (u > 0).to(u.scalar_type());
    case model::Activation::gelu:
      return 0.5 * at::erfc(u * -std::numbers::sqrt2 / 2);
    case model::Activation::gelu_tanh:
      return 0.5 * (1.0 + at::tanh(std::sqrt(2.0 / std::numbers::pi) * (u + 0.044715 * u * u * u)));
    case model::Activation::silu:
      return at::sigmoid(u);
  }
  return u;
}

void Propagation::add(const LayerTrace& trace, model::Activation activation) {
  const at::Tensor read = trace.pre ? trace.norm2(trace.attended) + trace.norm2.offset() : trace.attended;
  const FeedForward& block = trace.weights->feed_forward;
  const at::Tensor inner = product(read, block.up.weight, block.up.bias);
  if (block.linear.weight.defined()) {
    layers_.push_back({trace, block.linear, activate(activation, inner)});
  } else {
    layers_.push_back({trace, block.up, activation_slope(activation, inner)});
  }
}

void Propagation::through(const Layer& layer, const AttentionGroup& group, const at::Tensor& pattern,
                          bool bias, at::Tensor& vectors) {
  const LayerTrace& trace = layer.trace;
  at::Tensor read = vectors;
  if (trace.pre) {
    read = vectors.clone();
    normalize(trace.norm1, group, bias, read);
  }
  const at::Tensor value = map(trace.attention.value, read, bias);
  add_map(trace.attention.output, attended_values(pattern, value), bias, vectors);
  if (trace.pre) {
    read = vectors.clone();
    normalize(trace.norm2, group, bias, read);
  } else {
    normalize(trace.norm1, group, bias, vectors);
    read = vectors;
  }
  const at::Tensor inner = map(layer.up, read, bias);
  inner.mul_(group_rows(layer.slope, group).unsqueeze(1));
  add_map(trace.weights->feed_forward.down, inner, bias, vectors);
  if (!trace.pre) {
    normalize(trace.norm2, group, bias, vectors);
  }
}

void Propagation::run(const AttentionGroup& group, std::size_t index, const Use& use) const {
  const std::int64_t tokens = group.queries;
  const std::int64_t sources = std::min(tokens + 1, std::max<std::int64_t>(1, kTileRows / tokens));
  const std::int64_t sentences = std::max<std::int64_t>(1, kTileRows / (sources * tokens));
  for (std::int64_t sentence = 0; sentence < group.sentences; sentence += sentences) {
    const AttentionGroup part = part_of(group, sentence, std::min(sentences, group.sentences - sentence));
    const at::Tensor embedding = group_rows(embedding_, part);
    for (std::int64_t source = 0; source <= tokens; source += sources) {
      const std::int64_t count = std::min(sources, tokens + 1 - source);
      const bool bias = source + count == tokens + 1;
      const std::int64_t own = bias ? count - 1 : count;
      at::Tensor vectors = at::zeros({part.sentences, count, tokens, embedding.size(2)}, embedding.options());
      // [sentence, d_model, source]: the diagonal comes last.
      vectors.narrow(1, 0, own)
          .narrow(2, source, own)
          .diagonal(0, 1, 2)
          .copy_(embedding.narrow(1, source, own).transpose(1, 2));
      for (const Layer& layer : layers_) {
        through(layer, part, layer.trace.patterns[index].narrow(0, sentence, part.sentences), bias, vectors);
        use(layer.trace.layer, {sentence, source}, vectors.transpose(1, 2));
      }
      if (final_) {
        normalize(*final_, part, bias, vectors);
      }
      use(0, {sentence, source}, vectors.transpose(1, 2));
    }
  }
}

}  // namespace mog::engine

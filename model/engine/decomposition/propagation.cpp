#include "model/engine/decomposition/propagation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace mog::engine {
namespace {

// Rows (token and source) of a tile: few enough for the feed-forward block's width to stay near the cache,
// many enough for its products.
constexpr std::int64_t kTileRows = 2048;

// D of a norm on [sentences, token, source, d_model].
at::Tensor apply(const FrozenNorm& norm, const AttentionGroup& group, const at::Tensor& vectors, bool bias) {
  at::Tensor result = norm.undivided(vectors) / group_rows(norm.scale(), group).unsqueeze(2);
  return bias ? result + norm.offset() : result;
}

at::Tensor map(const Linear& linear, const at::Tensor& vectors, bool bias) {
  return bias ? at::linear(vectors, linear.weight, linear.bias) : at::linear(vectors, linear.weight);
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
  const Linear& up = trace.weights->feed_forward.up;
  layers_.push_back({trace, activation_slope(activation, at::linear(read, up.weight, up.bias))});
}

at::Tensor Propagation::through(const Layer& layer, const AttentionGroup& group, std::size_t index,
                                const at::Tensor& vectors, bool bias) const {
  const LayerTrace& trace = layer.trace;
  const AttentionMaps& maps = trace.attention;
  const std::int64_t sentences = group.sentences;
  const std::int64_t tokens = group.queries;
  const std::int64_t sources = vectors.size(2);
  const at::Tensor read = trace.pre ? apply(trace.norm1, group, vectors, bias) : vectors;
  const at::Tensor value = map(maps.value, read, bias);
  const std::int64_t width = value.size(3) / maps.heads;
  const at::Tensor by_head = value.view({sentences, tokens, sources, maps.heads, width})
                                 .permute({0, 3, 1, 2, 4})
                                 .reshape({sentences * maps.heads, tokens, sources * width});
  const at::Tensor pattern = trace.patterns[index].reshape({sentences * maps.heads, tokens, tokens});
  const at::Tensor context = at::bmm(pattern, by_head)
                                 .view({sentences, maps.heads, tokens, sources, width})
                                 .permute({0, 2, 3, 1, 4})
                                 .reshape({sentences, tokens, sources, maps.heads * width});
  at::Tensor attended = vectors + map(maps.output, context, bias);
  if (!trace.pre) {
    attended = apply(trace.norm1, group, attended, bias);
  }
  const FeedForward& block = trace.weights->feed_forward;
  at::Tensor inner = map(block.up, trace.pre ? apply(trace.norm2, group, attended, bias) : attended, bias);
  inner.mul_(group_rows(layer.slope, group).unsqueeze(2));
  attended = attended + map(block.down, inner, bias);
  return trace.pre ? attended : apply(trace.norm2, group, attended, bias);
}

void Propagation::run(const AttentionGroup& group, std::size_t index, const Use& use) const {
  const std::int64_t tokens = group.queries;
  const at::Tensor embedding = group_rows(embedding_, group);
  const std::int64_t tile = std::max<std::int64_t>(1, kTileRows / (group.sentences * tokens));
  for (std::int64_t first = 0; first <= tokens; first += tile) {
    const bool bias = first == tokens;
    // The bias is a tile of its own: it alone takes the additive constants.
    const std::int64_t sources = bias ? 1 : std::min(tile, tokens - first);
    at::Tensor vectors =
        at::zeros({group.sentences, tokens, sources, embedding.size(2)}, embedding.options());
    if (!bias) {
      vectors.narrow(1, first, sources)
          .diagonal(0, 1, 2)
          .copy_(embedding.narrow(1, first, sources).transpose(1, 2));
    }
    for (const Layer& layer : layers_) {
      vectors = through(layer, group, index, vectors, bias);
      use(layer.trace.layer, first, vectors);
    }
    use(0, first, final_ ? apply(*final_, group, vectors, bias) : vectors);
    if (!bias && first + tile > tokens) {
      first = tokens - tile;  // next comes the bias
    }
  }
}

}  // namespace mog::engine

#include "model/engine/decomposition/propagation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/engine/decomposition/relation_parts.h"

namespace mog::engine {
namespace {

// Rows (sentence, source and token) of a tile: few enough for the feed-forward block's width to stay near the
// cache, many enough for its products.
constexpr std::int64_t kTileRows = 2048;

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

void Propagation::add(const LayerTrace& trace, model::Activation activation) {
  const at::Tensor read = trace.pre ? trace.norm2(trace.fed()) + trace.norm2.offset() : trace.attended;
  layers_.push_back({trace, freeze(trace.weights->feed_forward, activation, read)});
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
  const at::Tensor context = attended_values(pattern, value);
  if (bias && trace.graph != nullptr) {
    add_to_bias(context, bias, relation_context(trace, pattern, group).transpose(1, 2).flatten(2));
  }
  const at::Tensor before = trace.parallel ? vectors.clone() : at::Tensor();
  const auto added = [&](const FrozenNorm& norm, at::Tensor own) {
    normalize(norm, group, bias, own);
    vectors.add_(own, trace.residual_scale);
  };
  const bool plain = trace.residual_scale == 1.0;
  if (plain && !trace.output1.changes()) {
    add_map(trace.attention.output, context, bias, vectors);
  } else {
    added(trace.output1, map(trace.attention.output, context, bias));
  }
  if (trace.pre) {
    read = trace.parallel ? before : vectors.clone();
    normalize(trace.norm2, group, bias, read);
  } else {
    normalize(trace.norm1, group, bias, vectors);
    read = vectors;
  }
  if (plain && !trace.output2.changes()) {
    add_feed_forward(layer.feed_forward, group, read, bias, vectors);
  } else {
    at::Tensor own = at::zeros_like(vectors);
    add_feed_forward(layer.feed_forward, group, read, bias, own);
    added(trace.output2, own);
  }
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

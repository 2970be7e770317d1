#include "model/engine/decomposition/split.h"

#include <vector>

namespace mog::engine {
namespace {

at::Tensor project(const LayerTrace& trace, const Linear& map, const at::Tensor& part) {
  return at::linear(trace.read(part), map.weight);
}

at::Tensor no_rows(const at::Tensor& like) {
  return at::zeros_like(like);
}

std::vector<at::Tensor> queries(const ScoreParts& parts) {
  return {parts.query_previous, parts.query_incremental, parts.query_bias};
}
std::vector<at::Tensor> keys(const ScoreParts& parts) {
  std::vector<at::Tensor> result = {parts.key_previous, parts.key_incremental};
  if (parts.key_bias.defined()) {
    result.push_back(parts.key_bias);
  }
  return result;
}

// [sentences * head, tokens, width], contiguous.
at::Tensor blocks(const LayerTrace& trace, const at::Tensor& rows, const AttentionGroup& group) {
  return group_heads(rows, group, trace.attention.heads)
      .reshape(
          {group.sentences * trace.attention.heads, group.queries, rows.size(1) / trace.attention.heads});
}

}  // namespace

OutputParts split_output(const LayerTrace& trace) {
  const at::Tensor constant = trace.constant();
  const at::Tensor fresh = trace.attended_sum - constant;
  if (trace.pre) {
    return {trace.input, fresh, trace.feed_forward, constant.expand_as(trace.input)};
  }
  const at::Tensor bias = trace.norm1(constant.expand_as(trace.input)) + trace.norm1.offset();
  return {trace.to_output(trace.input), trace.to_output(fresh), trace.norm2(trace.feed_forward),
          trace.norm2(bias) + trace.norm2.offset()};
}

StateParts next_state(const OutputParts& parts) {
  return {parts.carried, parts.attention + parts.feed_forward, parts.bias};
}

ScoreParts score_parts(const LayerTrace& trace, const StateParts& state, bool separate) {
  const AttentionMaps& maps = trace.attention;
  const bool first = !state.previous.defined();
  const at::Tensor fresh = first || separate ? state.incremental : state.incremental + state.bias;
  ScoreParts parts;
  parts.query_incremental = project(trace, maps.query, fresh);
  parts.key_incremental = project(trace, maps.key, fresh);
  parts.query_previous =
      first ? no_rows(parts.query_incremental) : project(trace, maps.query, state.previous);
  parts.key_previous = first ? no_rows(parts.key_incremental) : project(trace, maps.key, state.previous);
  at::Tensor bias = maps.query.bias;
  if (trace.pre) {
    bias = bias + at::mv(maps.query.weight, trace.norm1.offset());
  }
  parts.query_bias = bias.expand_as(parts.query_incremental);
  if (separate) {
    parts.key_bias = first ? no_rows(parts.key_incremental) : project(trace, maps.key, state.bias);
    if (!first) {
      parts.query_bias = parts.query_bias + project(trace, maps.query, state.bias);
    }
  }
  return parts;
}

at::Tensor score_terms(const LayerTrace& trace, const ScoreParts& parts, const AttentionGroup& group) {
  const std::vector<at::Tensor> left = queries(parts);
  const std::vector<at::Tensor> right = keys(parts);
  const std::int64_t count = static_cast<std::int64_t>(left.size() * right.size());
  const std::int64_t tokens = group.queries;
  const at::Tensor terms =
      at::empty({group.sentences * trace.attention.heads, tokens, count, tokens}, trace.input.options());
  std::int64_t term = 0;
  for (const at::Tensor& query : left) {
    const at::Tensor scaled = blocks(trace, query, group) * trace.attention.scale;
    for (const at::Tensor& key : right) {
      terms.select(2, term++).copy_(at::bmm(scaled, blocks(trace, key, group).transpose(1, 2)));
    }
  }
  return terms.view({group.sentences, trace.attention.heads, tokens, count, tokens});
}

at::Tensor covariance_sums(const LayerTrace& trace, const ScoreParts& parts, const AttentionGroup& group) {
  // In float64: terms of both signs may be far larger than the score.
  std::vector<at::Tensor> left;
  std::vector<at::Tensor> right;
  for (const at::Tensor& part : queries(parts)) {
    left.push_back(blocks(trace, part, group).to(at::kDouble));
  }
  for (const at::Tensor& part : keys(parts)) {
    right.push_back(blocks(trace, part, group).to(at::kDouble));
  }
  const at::Tensor query = left[0] + left[1] + left[2];
  const at::Tensor key = right.size() == 2 ? right[0] + right[1] : right[0] + right[1] + right[2];
  at::Tensor centred = at::bmm(query * trace.attention.scale, key.transpose(1, 2));
  centred.sub_(centred.mean(at::IntArrayRef{-1}, /*keepdim=*/true));
  const double mean = 1.0 / static_cast<double>(group.keys);
  std::vector<at::Tensor> gathered;  // [sentences * head, tokens, width], one a key part
  for (const at::Tensor& part : right) {
    gathered.push_back(at::bmm(centred, part) * (trace.attention.scale * mean));
  }
  std::vector<at::Tensor> sums;
  for (const at::Tensor& own : left) {
    for (const at::Tensor& key_part : gathered) {
      sums.push_back((own * key_part).sum(at::IntArrayRef{1, 2}));
    }
  }
  sums.push_back(centred.square().sum(at::IntArrayRef{1, 2}) * mean);
  return at::stack(sums, 1).view({group.sentences, trace.attention.heads, -1});
}

}  // namespace mog::engine

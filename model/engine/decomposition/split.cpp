#include "model/engine/decomposition/split.h"

#include <vector>

#include "model/engine/decomposition/covariance.h"
#include "model/engine/decomposition/relation_parts.h"

namespace mog::engine {
namespace {

// Query and key of a part, [token, attention_dim] each: one product, as their maps stand one under the other.
struct QueryKey {
  at::Tensor query;
  at::Tensor key;
};
QueryKey project(const LayerTrace& trace, const at::Tensor& part) {
  const AttentionMaps& maps = trace.attention;
  const std::int64_t width = maps.query.weight.size(0);
  const at::Tensor both = at::linear(trace.read(part), maps.query_key);
  return {maps.of_query(both.narrow(1, 0, width)), maps.of_key(both.narrow(1, width, width))};
}

// What a map adds whatever it reads, as the product sees it, [token, attention_dim].
at::Tensor constant_rows(const LayerTrace& trace, const Linear& map, const FrozenHeads& heads) {
  at::Tensor bias = map.bias;
  if (trace.pre) {
    bias = bias + at::mv(map.weight, trace.norm1.offset());
  }
  const at::Tensor rows = heads(bias.expand({trace.input.size(0), bias.size(0)}));
  const at::Tensor offset = heads.offset();
  return offset.defined() ? rows + offset : rows;
}

QueryKey no_rows(const at::Tensor& like) {
  const at::Tensor zeros = at::zeros_like(like);
  return {zeros, zeros};
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

// Terms that are no products of queries and keys, [sentences or 1, head, query, key].
std::vector<at::Tensor> further_terms(const LayerTrace& trace, const ScoreParts& parts,
                                      const AttentionGroup& group) {
  std::vector<at::Tensor> terms;
  if (trace.position_bias.defined()) {
    terms.push_back(trace.position_bias.map(group.queries, group.keys).unsqueeze(0));
  }
  if (trace.graph != nullptr) {
    const std::vector<at::Tensor> relations = relation_terms(trace, parts, group);
    terms.insert(terms.end(), relations.begin(), relations.end());
  }
  if (trace.positions != nullptr && trace.positions->distances.defined()) {
    const std::vector<at::Tensor> distances = distance_terms(trace, parts, group);
    terms.insert(terms.end(), distances.begin(), distances.end());
  }
  return terms;
}

// Scores that are capped: each term by the ratio that the whole has.
void cap_terms(const ScoreForm& form, at::Tensor& terms) {
  if (form.cap > 0.0) {
    const at::Tensor whole = terms.sum(3, /*keepdim=*/true);
    const at::Tensor ratio = form.cap * at::tanh(whole / form.cap) / whole;
    terms.mul_(at::where(whole == 0.0, at::ones_like(ratio), ratio));
  }
}

// As covariance_sums(), from the terms: over the keys that each query sees.
at::Tensor covariances_of_terms(const at::Tensor& terms, const at::Tensor& uniform) {
  const at::Tensor exact = terms.to(at::kDouble);  // [s, head, query, term, key]
  const at::Tensor weights =
      uniform.defined()
          ? uniform.view({1, 1, uniform.size(0), 1, uniform.size(1)})
          : at::full({1, 1, 1, 1, terms.size(4)}, 1.0 / static_cast<double>(terms.size(4)), exact.options());
  const at::Tensor score = exact.sum(3, /*keepdim=*/true);
  const auto centred = [&](const at::Tensor& x) { return x - (x * weights).sum(-1, /*keepdim=*/true); };
  const at::Tensor whole = centred(score);
  const at::Tensor with_terms = (centred(exact) * whole * weights).sum(at::IntArrayRef{2, 4});
  const at::Tensor variance = (whole.square() * weights).sum(at::IntArrayRef{2, 4});
  return at::cat({with_terms, variance}, -1).to(terms.scalar_type());
}

// Less the mean of each row.
at::Tensor centred_rows(const at::Tensor& map) {
  return map - map.mean(at::IntArrayRef{-1}, /*keepdim=*/true);
}

template <class T>
PartRows<T> part_rows(const at::Tensor& part, const AttentionGroup& group) {
  return {part.const_data_ptr<T>() + group.first_query * part.stride(0), part.stride(0)};
}

template <class T>
at::Tensor host_covariances(const LayerTrace& trace, const ScoreParts& parts, const AttentionGroup& group) {
  const std::vector<at::Tensor> left = queries(parts);
  const std::vector<at::Tensor> right = keys(parts);
  ScoreRows<T> rows;
  for (std::size_t a = 0; a < left.size(); ++a) {
    rows.queries[a] = part_rows<T>(left[a], group);
  }
  for (std::size_t b = 0; b < right.size(); ++b) {
    rows.keys[b] = part_rows<T>(right[b], group);
  }
  rows.key_parts = static_cast<std::int64_t>(right.size());
  rows.sentences = group.sentences;
  rows.tokens = group.queries;
  rows.heads = trace.attention.heads;
  rows.width = left[0].size(1) / rows.heads;
  rows.scale = trace.attention.scale;
  at::Tensor sums = at::empty({rows.sentences, rows.heads, 3 * rows.key_parts + 1}, left[0].options());
  score_covariances(rows, sums.data_ptr<T>());
  return sums;
}

}  // namespace

OutputParts split_output(const LayerTrace& trace) {
  const at::Tensor constant = trace.constant();
  const at::Tensor fresh = trace.attended_sum - constant;
  if (trace.pre) {
    return {trace.input, fresh, trace.feed_forward, constant};
  }
  const at::Tensor bias = trace.norm1(constant) + trace.norm1.offset();
  return {trace.to_output(trace.input), trace.to_output(fresh), trace.norm2(trace.feed_forward),
          trace.norm2(bias) + trace.norm2.offset()};
}

StateParts next_state(const OutputParts& parts) {
  return {parts.carried, parts.attention + parts.feed_forward, parts.bias};
}

StateParts joined_state(const LayerTrace& trace) {
  const at::Tensor carried = trace.to_output(trace.input);
  return {carried, trace.output - carried, {}};
}

ScoreParts score_parts(const LayerTrace& trace, const StateParts& state, bool separate) {
  const bool first = !state.previous.defined();
  const bool apart = first || separate || !state.bias.defined();
  const at::Tensor fresh = apart ? state.incremental : state.incremental + state.bias;
  const QueryKey incremental = project(trace, fresh);
  const QueryKey previous = first ? no_rows(incremental.query) : project(trace, state.previous);
  ScoreParts parts;
  parts.query_incremental = incremental.query;
  parts.key_incremental = incremental.key;
  parts.query_previous = previous.query;
  parts.key_previous = previous.key;
  const AttentionMaps& maps = trace.attention;
  parts.query_bias = constant_rows(trace, maps.query, maps.of_query);
  const bool read_alone = trace.graph != nullptr || trace.weights->distances.query.defined();
  if (read_alone) {
    parts.key_constant = constant_rows(trace, maps.key, maps.of_key);
  }
  if (separate) {
    const QueryKey constant = first ? no_rows(incremental.query) : project(trace, state.bias);
    parts.key_bias = constant.key;
    parts.query_bias = parts.query_bias + constant.query;
  }
  // Where it is turned by the place of the key, or divided by the key's norm, it is not the same for all.
  if (maps.of_key.moves()) {
    at::Tensor& into = separate ? parts.key_bias : parts.key_incremental;
    into = into + constant_rows(trace, maps.key, maps.of_key);
  }
  return parts;
}

at::Tensor score_terms(const LayerTrace& trace, const ScoreParts& parts, const AttentionGroup& group) {
  const std::vector<at::Tensor> left = queries(parts);
  const std::vector<at::Tensor> right = keys(parts);
  const std::vector<at::Tensor> further = further_terms(trace, parts, group);
  const auto count = static_cast<std::int64_t>(left.size() * right.size() + further.size());
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
  at::Tensor result = terms.view({group.sentences, trace.attention.heads, tokens, count, tokens});
  for (const at::Tensor& own : further) {
    result.select(3, term++).copy_(own);
  }
  cap_terms(trace.form, result);
  return result;
}

at::Tensor covariance_sums(const LayerTrace& trace, const ScoreParts& parts, const AttentionGroup& group) {
  const at::Tensor uniform = trace.form.uniform(group, trace.input.device());
  if (uniform.defined() || trace.form.cap > 0.0) {
    return covariances_of_terms(score_terms(trace, parts, group), uniform);
  }
  const bool further = trace.position_bias.defined() || trace.graph != nullptr ||
                       (trace.positions != nullptr && trace.positions->distances.defined());
  if (trace.input.is_cpu() && !further) {
    return trace.input.scalar_type() == at::kDouble ? host_covariances<double>(trace, parts, group)
                                                    : host_covariances<float>(trace, parts, group);
  }
  const std::int64_t heads = trace.attention.heads;
  const double mean = 1.0 / static_cast<double>(group.keys);
  std::vector<at::Tensor> left;
  std::vector<at::Tensor> right;
  for (const at::Tensor& part : queries(parts)) {
    left.push_back(blocks(trace, part, group));
  }
  // Less their mean over the sentence, which moves all scores of a row alike: what keys share, often the
  // larger part of them, would eat the digits of the rest, and scores come out centred.
  for (const at::Tensor& part : keys(parts)) {
    const at::Tensor own = blocks(trace, part, group);
    right.push_back(own - own.mean(at::IntArrayRef{1}, /*keepdim=*/true));
  }
  const at::Tensor query = left[0] + left[1] + left[2];
  const at::Tensor key = right.size() == 2 ? right[0] + right[1] : right[0] + right[1] + right[2];
  at::Tensor centred = at::bmm(query, key.transpose(1, 2)).mul_(trace.attention.scale);
  const at::Tensor scores = centred.view({group.sentences, heads, group.queries, group.keys});
  std::vector<at::Tensor> others;
  for (const at::Tensor& term : further_terms(trace, parts, group)) {
    others.push_back(centred_rows(term));
    scores.add_(others.back());
  }
  std::vector<at::Tensor> gathered;  // [sentences * head, tokens, width], one a key part
  gathered.reserve(right.size());
  for (const at::Tensor& part : right) {
    gathered.push_back(at::bmm(centred, part));
  }
  std::vector<at::Tensor> sums;
  for (const at::Tensor& own : left) {
    for (const at::Tensor& key_part : gathered) {
      sums.push_back((own * key_part).sum(at::IntArrayRef{1, 2}).mul_(trace.attention.scale * mean));
    }
  }
  for (const at::Tensor& term : others) {
    sums.push_back((scores * term).sum(at::IntArrayRef{2, 3}).flatten().mul_(mean));
  }
  sums.push_back(centred.square().sum(at::IntArrayRef{1, 2}).mul_(mean));
  return at::stack(sums, 1).view({group.sentences, heads, -1});
}

at::Tensor covariance_shares(const at::Tensor& sums) {
  const std::int64_t terms = sums.size(-1) - 1;
  return sums.narrow(-1, 0, terms) / sums.narrow(-1, terms, 1);
}

}  // namespace mog::engine

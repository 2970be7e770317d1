// A relation adds to one entry of the scores, q_i · RK[r] + RQ[r] · k_j, and to one row of the context,
// α_ij RV[r]. A graph has few arcs, so nothing of queries × keys × relations is made: the rows of the arcs'
// tokens are gathered, multiplied with the vectors of their relations, and added to the arcs' places. Cost
// O(arcs · width of the attention) a layer beside the O(queries · keys · width) of attention itself.
//
// Every pair without an arc has relation 0. Where its vectors are not zero they are added to all pairs first
// (one number a query, one a key, one vector a row), and an arc adds the difference to them.
#include "model/engine/modules/relations.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace mog::engine {
namespace {

// x · vector, [sentences * head, tokens] as [sentences, head, tokens]; kept: [head] or undefined.
at::Tensor with_none(const at::Tensor& split, const at::Tensor& none, const AttentionGroup& shape,
                     const at::Tensor& kept) {
  const at::Tensor product = at::matmul(split, none).view({shape.sentences, -1, split.size(1)});
  return kept.defined() ? product * kept.unsqueeze(1) : product;
}

// In place; maps: [sentences, head, queries, keys].
void keep(at::Tensor& maps, const at::Tensor& kept) {
  if (kept.defined()) {
    maps.mul_(kept.view({-1, 1, 1}));
  }
}

// [sentences, head, term] each, float64.
struct TermStatistics {
  at::Tensor covariance;
  at::Tensor divergence;
};

// Of terms [sentences, head, term, queries, keys], a sentence at a time without its padding. Scores of a row
// count from their mean, which moves all of them alike. Where none differs from it (one token) no term has a
// share: 0.
TermStatistics term_statistics(const at::Tensor& terms, const AttentionPlan& plan,
                               const AttentionGroup& group) {
  std::vector<at::Tensor> covariances;
  std::vector<at::Tensor> divergences;
  for (std::int64_t s = 0; s < group.sentences; ++s) {
    const auto sentence = static_cast<std::size_t>(group.first_sentence + s);
    const std::int64_t length = plan.query_offsets[sentence + 1] - plan.query_offsets[sentence];
    const at::Tensor own = terms[s].narrow(2, 0, length).narrow(3, 0, length).to(at::kDouble);
    const at::Tensor score = own.sum(1, /*keepdim=*/true);
    const at::Tensor centred = score - score.mean(at::IntArrayRef{-1}, /*keepdim=*/true);
    const at::Tensor variance = centred.square().sum(at::IntArrayRef{2, 3});  // [head, 1]
    const at::Tensor together = (own * centred).sum(at::IntArrayRef{2, 3});
    covariances.push_back(at::where(variance > 0, together / variance, at::zeros_like(together)));
    // KL(A ‖ A without t) = Σ_j A l_t − lse(l) + lse(l − l_t)
    const at::Tensor given = (at::softmax(score, -1) * own).sum(-1);
    divergences.push_back(
        (given - at::logsumexp(score, -1) + at::logsumexp(score - own, -1)).mean(at::IntArrayRef{-1}));
  }
  return {at::stack(covariances), at::stack(divergences)};
}

}  // namespace

PackedArcs pack_arcs(std::span<const model::GraphArc> arcs, const AttentionPlan& plan, at::Device device) {
  PackedArcs packed;
  std::size_t next = 0;
  for (const AttentionGroup& group : plan.groups) {
    std::vector<std::int64_t> queries;
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> relations;
    std::vector<std::int64_t> sentences;
    std::vector<std::int64_t> places;
    std::int64_t sentence = 0;
    for (; next < arcs.size() && arcs[next].query < group.first_query + group.query_rows; ++next) {
      const model::GraphArc& arc = arcs[next];
      const auto first = [&](std::int64_t s) {
        return plan.query_offsets[static_cast<std::size_t>(group.first_sentence + s)];
      };
      while (first(sentence + 1) <= arc.query) {
        ++sentence;
      }
      queries.push_back(arc.query);
      keys.push_back(arc.key);
      relations.push_back(arc.relation);
      sentences.push_back(sentence);
      places.push_back((arc.query - first(sentence)) * group.keys + (arc.key - first(sentence)));
    }
    packed.groups.push_back({to_device(queries, device), to_device(keys, device),
                             to_device(relations, device), to_device(sentences, device),
                             to_device(places, device)});
  }
  return packed;
}

void show_graph(Taps& taps, const QuantityName& name, const AttentionPlan& plan, const PackedArcs& arcs) {
  for (std::size_t index = 0; index < plan.groups.size(); ++index) {
    const AttentionGroup& group = plan.groups[index];
    const PackedArcs::Group& own = arcs.groups[index];
    const at::Tensor relations =
        at::zeros({group.sentences * group.queries * group.keys}, own.place.options().dtype(at::kFloat));
    relations.index_put_({own.sentence * (group.queries * group.keys) + own.place},
                         own.relation.to(at::kFloat));
    taps.maps(name, plan, group, relations.view({group.sentences, 1, group.queries, group.keys}));
  }
}

// Places in the flat block of scores, [arc * head].
at::Tensor RelationTerms::places(std::size_t group, const AttentionGroup& shape) const {
  const PackedArcs::Group& arcs = arcs_.groups[group];
  const std::int64_t area = shape.queries * shape.keys;
  const at::Tensor heads = at::arange(heads_, arcs.sentence.options()) * area;
  return ((arcs.sentence * (heads_ * area) + arcs.place).unsqueeze(1) + heads).flatten();
}

at::Tensor RelationTerms::rows(const at::Tensor& vectors, std::size_t group) const {
  const at::Tensor own = vectors.index_select(0, arcs_.groups[group].relation);
  return (vectors_.none_is_zero ? own : own - vectors.select(0, 0)).unsqueeze(1);
}

void RelationTerms::add_arcs(at::Tensor& scores, std::size_t group, const AttentionGroup& shape,
                             const at::Tensor& tokens, const at::Tensor& packed, const at::Tensor& vectors,
                             const at::Tensor& kept, double scale) const {
  const std::int64_t count = tokens.size(0);
  if (count == 0) {
    return;
  }
  const at::Tensor own = packed.index_select(0, tokens).view({count, heads_, -1});
  at::Tensor added = (own * rows(vectors, group)).sum(-1) * scale;  // [arc, head]
  if (kept.defined()) {
    added = added * kept;
  }
  scores.view({-1}).index_add_(0, places(group, shape), added.flatten());
}

void RelationTerms::add_keys(at::Tensor& scores, std::size_t group, const AttentionGroup& shape,
                             const at::Tensor& q, const at::Tensor& split_q, double scale) const {
  if (!vectors_.none_is_zero) {
    scores.add_(with_none(split_q, vectors_.key.select(0, 0), shape, kept_.key).unsqueeze(3), scale);
  }
  add_arcs(scores, group, shape, arcs_.groups[group].query, q, vectors_.key, kept_.key, scale);
}

void RelationTerms::add_queries(at::Tensor& scores, std::size_t group, const AttentionGroup& shape,
                                const at::Tensor& k, const at::Tensor& split_k, double scale) const {
  if (!vectors_.none_is_zero) {
    scores.add_(with_none(split_k, vectors_.query.select(0, 0), shape, kept_.query).unsqueeze(2), scale);
  }
  add_arcs(scores, group, shape, arcs_.groups[group].key, k, vectors_.query, kept_.query, scale);
}

void RelationTerms::add_to(at::Tensor& scores, std::size_t group, const AttentionGroup& shape,
                           const at::Tensor& q, const at::Tensor& k, const at::Tensor& split_q,
                           const at::Tensor& split_k, double scale) const {
  keep(scores, kept_.content);
  add_keys(scores, group, shape, q, split_q, scaled(scale));
  if (vectors_.query.defined()) {
    add_queries(scores, group, shape, k, split_k, scaled(scale));
  }
}

void RelationTerms::show(Taps& taps, const QuantityName& attention, const AttentionPlan& plan,
                         std::size_t group, const at::Tensor& content, const at::Tensor& q,
                         const at::Tensor& k, const at::Tensor& split_q, const at::Tensor& split_k,
                         double scale) {
  const AttentionGroup& shape = plan.groups[group];
  const QuantityName name(attention.stack(), attention.layer(), attention.part(), Quantity::graph_terms);
  if (!taps.wants(name)) {
    return;
  }
  std::vector<at::Tensor> terms = {content.clone(), at::zeros_like(content)};
  keep(terms[0], kept_.content);
  add_keys(terms[1], group, shape, q, split_q, scaled(scale));
  if (vectors_.query.defined()) {
    terms.push_back(at::zeros_like(content));
    add_queries(terms[2], group, shape, k, split_k, scaled(scale));
  }
  const at::Tensor all = at::stack(terms, 2);  // [sentences, head, term, queries, keys]
  taps.maps(name, plan, shape, all.flatten(1, 2));
  const TermStatistics statistics = term_statistics(all, plan, shape);
  covariances_.push_back(statistics.covariance);
  divergences_.push_back(statistics.divergence);
  if (group + 1 == plan.groups.size()) {
    taps.sentences(name.with(Reduction::covariance), at::cat(covariances_));
    taps.sentences(name.with(Reduction::leave_out), at::cat(divergences_));
  }
}

at::Tensor RelationTerms::add_none(const at::Tensor& context, const at::Tensor& weights) const {
  if (vectors_.none_is_zero) {
    return context;
  }
  at::Tensor sums = weights.sum(-1);  // [sentences, head, queries]
  if (kept_.value.defined()) {
    sums = sums * kept_.value.unsqueeze(1);
  }
  return context + sums.view({context.size(0), context.size(1), 1}) * vectors_.value.select(0, 0);
}

void RelationTerms::gather(std::size_t group, const AttentionGroup& shape, const at::Tensor& weights) {
  const PackedArcs::Group& arcs = arcs_.groups[group];
  const std::int64_t count = arcs.query.size(0);
  if (count == 0) {
    return;
  }
  at::Tensor of_arcs = weights.reshape({-1}).index_select(0, places(group, shape)).view({count, heads_, 1});
  if (kept_.value.defined()) {
    of_arcs = of_arcs * kept_.value.unsqueeze(1);
  }
  values_.push_back((of_arcs * rows(vectors_.value, group)).view({count, -1}));
  queries_.push_back(arcs.query);
}

at::Tensor RelationTerms::finish(const at::Tensor& context) const {
  if (values_.empty()) {
    return context;
  }
  return at::index_add(context, 0, at::cat(queries_), at::cat(values_));
}

}  // namespace mog::engine

#include "model/engine/decomposition/relation_parts.h"

namespace mog::engine {

at::Tensor relations_of(const GraphTrace& graph, const AttentionGroup& group) {
  const std::int64_t first = graph.area_offsets[static_cast<std::size_t>(group.first_sentence)];
  return graph.relation.narrow(0, first, group.sentences * group.queries * group.keys)
      .view({group.sentences, group.queries, group.keys});
}

std::vector<at::Tensor> relation_terms(const LayerTrace& trace, const ScoreParts& parts,
                                       const AttentionGroup& group) {
  const RelationVectors& vectors = trace.weights->relations;
  const std::int64_t heads = trace.attention.heads;
  const double scale = trace.graph->scaled ? trace.attention.scale : 1.0;
  const at::Tensor relation =
      relations_of(*trace.graph, group).unsqueeze(1).expand({-1, heads, -1, -1});  // [s, head, query, key]
  std::vector<at::Tensor> terms;
  for (const at::Tensor* const query : {&parts.query_previous, &parts.query_incremental, &parts.query_bias}) {
    const at::Tensor all = at::matmul(group_heads(*query, group, heads), vectors.key.t()) * scale;
    terms.push_back(all.gather(3, relation));
  }
  if (!vectors.query.defined()) {
    return terms;
  }
  const at::Tensor constant =
      parts.key_bias.defined() ? parts.key_constant + parts.key_bias : parts.key_constant;
  for (const at::Tensor* const key : {&parts.key_previous, &parts.key_incremental, &constant}) {
    const at::Tensor all = at::matmul(group_heads(*key, group, heads), vectors.query.t()) * scale;
    terms.push_back(all.gather(3, relation.transpose(2, 3)).transpose(2, 3));
  }
  return terms;
}

std::vector<at::Tensor> distance_terms(const LayerTrace& trace, const ScoreParts& parts,
                                       const AttentionGroup& group) {
  const DistanceVectors& vectors = trace.weights->distances;
  const at::Tensor& places = trace.positions->distances;  // [2 * longest - 1]
  const std::int64_t heads = trace.attention.heads;
  const std::int64_t tokens = group.queries;
  const std::int64_t longest = (places.size(0) + 1) / 2;
  const at::Tensor at = at::arange(tokens, places.options());
  const at::Tensor which = (at.unsqueeze(0) - at.unsqueeze(1) + (longest - 1))
                               .view({1, 1, tokens, tokens})
                               .expand({group.sentences, heads, tokens, tokens});
  // [sentences, head, token, distance]
  const auto products = [&](const at::Tensor& rows, const at::Tensor& all) {
    const at::Tensor own = all.index_select(0, places);
    return at::matmul(group_heads(rows, group, heads),
                      own.view({own.size(0), heads, own.size(1) / heads}).permute({1, 2, 0})) *
           trace.attention.scale;
  };
  std::vector<at::Tensor> terms;
  if (vectors.key.defined()) {
    for (const at::Tensor* const query :
         {&parts.query_previous, &parts.query_incremental, &parts.query_bias}) {
      terms.push_back(products(*query, vectors.key).gather(3, which));
    }
  }
  if (vectors.query.defined()) {
    const at::Tensor constant =
        parts.key_bias.defined() ? parts.key_constant + parts.key_bias : parts.key_constant;
    for (const at::Tensor* const key : {&parts.key_previous, &parts.key_incremental, &constant}) {
      terms.push_back(products(*key, vectors.query).gather(3, which.transpose(2, 3)).transpose(2, 3));
    }
  }
  return terms;
}

at::Tensor relation_context(const LayerTrace& trace, const at::Tensor& weights, const AttentionGroup& group) {
  const at::Tensor& value = trace.weights->relations.value;
  std::vector<std::int64_t> shape = weights.sizes().vec();
  shape.back() = value.size(0);
  const at::Tensor by_relation =
      at::zeros(shape, weights.options());  // [sentences, head, query, …, relation]
  at::Tensor relation = relations_of(*trace.graph, group).unsqueeze(1);
  while (relation.dim() < weights.dim()) {
    relation = relation.unsqueeze(-2);
  }
  by_relation.scatter_add_(-1, relation.expand(weights.sizes()), weights);
  return at::matmul(by_relation, value);
}

at::Tensor given_by_relations(const LayerTrace& trace) {
  const at::Tensor& value = trace.weights->relations.value;
  const at::Tensor& output = trace.attention.output.weight;  // [d_model, head * width]
  const at::Tensor maps = output.reshape({output.size(0), trace.attention.heads, value.size(1)});
  return at::einsum("dhw,rw->rhd", {maps, value});
}

}  // namespace mog::engine

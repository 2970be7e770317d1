// A biaffine form is one product of all queries with its matrix and then one product a sentence with the
// keys: O(tokens · classes · width² + pairs · classes · width). The 1 beside query and key, which gives the
// form its linear terms, is a column of ones.
#include "model/engine/modules/pair_scores.h"

#include "model/engine/modules/head_layout.h"

namespace mog::engine {
namespace {

constexpr double kSlope = 0.1;  // of the leaky rectifiers

at::Tensor rectified(const Linear& map, const at::Tensor& states, const Dropout* dropout,
                     double probability) {
  const at::Tensor x = at::leaky_relu(map(states), kSlope);
  return dropout == nullptr ? x : dropout->apply(x, probability);
}

at::Tensor with_one(const at::Tensor& x) {
  return at::cat({x, at::ones({x.size(0), 1}, x.options().requires_grad(false))}, 1);
}

}  // namespace

PairSides pair_sides(const PairScorer& head, const at::Tensor& states, const Dropout* dropout,
                     double probability) {
  const at::Tensor query = with_one(rectified(head.query, states, dropout, probability));
  const at::Tensor key = rectified(head.key, states, dropout, probability);
  if (head.weight.dim() == 2) {
    return {query.mm(head.weight), key, 1};
  }
  const std::int64_t classes = head.weight.size(0);
  const at::Tensor joined =
      head.weight.transpose(0, 1).reshape({query.size(1), -1});  // [w + 1, class * (w + 1)]
  return {query.mm(joined), with_one(key), classes};
}

at::Tensor pair_scores(const PairSides& sides, const AttentionPlan& plan, const AttentionGroup& group) {
  const at::Tensor query = split_heads(sides.query, plan, group, Side::query, sides.classes);
  const at::Tensor key = split_heads(sides.key, plan, group, Side::key, 1);
  const std::int64_t width = key.size(2);
  // Every class of a sentence meets the same keys.
  const at::Tensor rows = query.reshape({group.sentences, sides.classes * group.queries, width});
  return at::bmm(rows, key.transpose(1, 2)).view({group.sentences, sides.classes, group.queries, group.keys});
}

void show_pair_scores(const ForwardContext& context, const PackedInput& input, const at::Tensor& states) {
  for (const auto& [name, head] : context.weights.pair_heads) {
    const QuantityName quantity = QuantityName::pair_scores(name);
    if (context.taps == nullptr || !context.taps->wants(quantity)) {
      continue;
    }
    const PairSides sides = pair_sides(head, states, nullptr, 0.0);
    for (const AttentionGroup& group : input.source.self_plan.groups) {
      context.taps->maps(quantity, input.source.self_plan, group,
                         pair_scores(sides, input.source.self_plan, group));
    }
    context.taps->flush();
  }
}

}  // namespace mog::engine

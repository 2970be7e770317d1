#include "model/engine/modules/attention.h"

#include <cmath>
#include <limits>

#include "model/engine/modules/head_layout.h"

namespace mog::engine {
namespace {

// [sentences, head, queries, keys] attention weights of a group, before dropout.
at::Tensor weights_of(const at::Tensor& query, const at::Tensor& key, const AttentionGroup& group,
                      const AttentionOptions& options, bool shown) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(2)));
  at::Tensor scores =
      at::empty({query.size(0), group.queries, group.keys}, query.options().requires_grad(false));
  scores = at::baddbmm(scores, query, key.transpose(1, 2), /*beta=*/0.0, /*alpha=*/scale);
  scores = scores.view({group.sentences, options.heads, group.queries, group.keys});
  if (group.blocked.defined()) {
    scores.masked_fill_(group.blocked, -std::numeric_limits<double>::infinity());
  }
  // Maps that are looked at are kept in float32 even where the products are bfloat16.
  return shown ? at::softmax(scores, -1, at::kFloat) : at::softmax(scores, -1);
}

}  // namespace

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const AttentionPlan& plan, const AttentionOptions& options) {
  const bool shown = options.taps != nullptr && options.taps->wants(options.name);
  HeadMerger contexts(plan, options.heads);
  for (const AttentionGroup& group : plan.groups) {
    const at::Tensor q = split_heads(query, plan, group, Side::query, options.heads);
    const at::Tensor k = split_heads(key, plan, group, Side::key, options.heads);
    const at::Tensor v = split_heads(value, plan, group, Side::key, options.heads);
    at::Tensor weights = weights_of(q, k, group, options, shown);
    if (shown) {
      options.taps->maps(options.name, plan, group, weights);
      weights = weights.to(value.scalar_type());
    }
    if (options.dropout != nullptr) {
      weights = options.dropout->apply(weights, options.dropout->attention);
    }
    contexts.add(group, at::bmm(weights.view({q.size(0), group.queries, group.keys}), v));
  }
  return contexts.take();
}

at::Tensor activate(model::Activation activation, const at::Tensor& x) {
  switch (activation) {
    case model::Activation::relu:
      return at::relu(x);
    case model::Activation::gelu:
      return at::gelu(x, "none");
    case model::Activation::gelu_tanh:
      return at::gelu(x, "tanh");
    case model::Activation::silu:
      return at::silu(x);
  }
  return x;
}

}  // namespace mog::engine

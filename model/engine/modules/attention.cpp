#include "model/engine/modules/attention.h"

#include <cmath>
#include <limits>
#include <vector>

namespace mog::engine {
namespace {

// Rows of one group as [sentences * head, extent, a / head], contiguous.
at::Tensor heads_of(const at::Tensor& packed, const AttentionGroup& group, bool query, std::int64_t heads) {
  const std::int64_t extent = query ? group.queries : group.keys;
  const std::int64_t width = packed.size(1) / heads;
  const at::Tensor rows = group.padded
                              ? packed.index_select(0, query ? group.gather_queries : group.gather_keys)
                              : packed.narrow(0, query ? group.first_query : group.first_key,
                                              query ? group.query_rows : group.key_rows);
  const at::Tensor split = rows.reshape({group.sentences, extent, heads, width}).transpose(1, 2);
  return split.reshape({group.sentences * heads, extent, width});
}

// [sentences, head, queries, keys] attention weights of a group, before dropout.
at::Tensor weights_of(const at::Tensor& query, const at::Tensor& key, const AttentionGroup& group,
                      const AttentionOptions& options, bool shown) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(2)));
  at::Tensor scores =
      at::empty({query.size(0), group.queries, group.keys}, query.options().requires_grad(false));
  scores = at::baddbmm(scores, query, key.transpose(1, 2), /*beta=*/0.0, /*alpha=*/scale);
  scores = scores.view({group.sentences, options.heads, group.queries, group.keys});
  if (group.blocked.defined()) {
    scores = scores.masked_fill(group.blocked, -std::numeric_limits<double>::infinity());
  }
  // Maps that are looked at are kept in float32 even where the products are bfloat16.
  return shown ? at::softmax(scores, -1, at::kFloat) : at::softmax(scores, -1);
}

}  // namespace

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const AttentionPlan& plan, const AttentionOptions& options) {
  const bool shown = options.taps != nullptr && options.taps->wants(options.name);
  std::vector<at::Tensor> contexts;
  contexts.reserve(plan.groups.size());
  for (const AttentionGroup& group : plan.groups) {
    const at::Tensor q = heads_of(query, group, true, options.heads);
    const at::Tensor k = heads_of(key, group, false, options.heads);
    const at::Tensor v = heads_of(value, group, false, options.heads);
    at::Tensor weights = weights_of(q, k, group, options, shown);
    if (shown) {
      options.taps->maps(options.name, plan, group, weights);
      weights = weights.to(value.scalar_type());
    }
    if (options.dropout != nullptr) {
      weights = options.dropout->apply(weights, options.dropout->attention);
    }
    const at::Tensor context = at::bmm(weights.view({q.size(0), group.queries, group.keys}), v)
                                   .view({group.sentences, options.heads, group.queries, q.size(2)})
                                   .transpose(1, 2)
                                   .reshape({group.sentences * group.queries, options.heads * q.size(2)});
    contexts.push_back(group.padded ? context.index_select(0, group.scatter) : context);
  }
  return contexts.size() == 1 ? contexts.front() : at::cat(contexts);
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

// Attention group by group: sentences of similar length are padded to one block, scores are one batched
// product, masked, softmaxed, and multiplied with the values; heads are split and merged by copies
// (head_layout.cpp). Time and memory O(heads · queries · keys) of a group, never of the batch. The
// written-out form is needed where the maps are what is recorded; where statistics of their rows are enough,
// who wants them may compute the attention without a map (Taps::attend).
//
// Keys that are there in part (relaxed) serve gradients of removing a token: presence scales weights and
// makes rows sum to 1 again; leaving is the exact change for one key, and for several the sum of theirs,
// O(keys) a row instead of a pass each.
//
// Traps: T5's buckets are computed in float32 in T5's order, since a border that rounds otherwise is another
// weight. Maps that are looked at are float32 even where the products are bfloat16.
#include "model/engine/modules/attention.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/engine/modules/head_layout.h"
#include "model/engine/modules/relations.h"

namespace mog::engine {
namespace {

// One group as it walks through the functions below.
struct Block {
  const AttentionPlan& plan;
  const AttentionGroup& group;
  const AttentionOptions& options;
  std::size_t index = 0;  // of the group
};
// Packed rows [token, a].
struct Packed {
  const at::Tensor& query;
  const at::Tensor& key;
};

double scale_of(const AttentionOptions& options, const at::Tensor& query) {
  return options.scale > 0.0
             ? options.scale
             : 1.0 / std::sqrt(static_cast<double>(query.size(1)) / static_cast<double>(options.heads));
}

// Nothing but products, a bias, a cap and a mask, and nothing that is differentiated.
bool is_plain(const AttentionPlan& plan, const AttentionOptions& options) {
  // A query may have nothing but itself.
  const bool alone = (plan.causal || options.window > 0) && plan.masked.defined();
  return !alone && !at::GradMode::is_enabled() && options.dropout == nullptr && options.relaxed == nullptr &&
         options.relations == nullptr && options.distances == nullptr && options.removed.empty();
}

// Keys that are farther from their query than the window, [query, key]; undefined where none is.
at::Tensor beyond_window(const AttentionGroup& group, std::int64_t window, at::Device device) {
  if (window == 0 || std::max(group.queries, group.keys) <= window + 1) {
    return {};
  }
  const auto options = at::TensorOptions().device(device).dtype(at::kLong);
  const at::Tensor queries = at::arange(group.queries, options).unsqueeze(1);
  const at::Tensor keys = at::arange(group.keys, options).unsqueeze(0);
  return (queries - keys).abs() > window;
}

// q_i·PK[d] and k_j·PQ[d] for the distance d of each pair, [sentences, head, query, key], not yet scaled.
void add_distances(at::Tensor& scores, const Block& block, const at::Tensor& query, const at::Tensor& key,
                   double scale) {
  const DistanceTerms& terms = *block.options.distances;
  const AttentionGroup& group = block.group;
  const std::int64_t heads = block.options.heads;
  const at::Tensor& any = terms.key.defined() ? terms.key : terms.query;
  const std::int64_t longest = (any.size(0) + 1) / 2;
  const std::int64_t width = any.size(1) / heads;
  const auto options = at::TensorOptions().device(scores.device()).dtype(at::kLong);
  const at::Tensor queries = at::arange(group.queries, options).unsqueeze(1);
  const at::Tensor keys = at::arange(group.keys, options).unsqueeze(0);
  const at::Tensor which = (keys - queries + (longest - 1)).view({1, 1, group.queries, group.keys});
  // [sentences, head, token, distance]
  const auto products = [&](const at::Tensor& rows, const at::Tensor& vectors, std::int64_t tokens) {
    const at::Tensor by_head =
        vectors.view({-1, heads, width}).permute({1, 2, 0});  // [head, width, distance]
    return at::matmul(rows.view({group.sentences, heads, tokens, width}), by_head);
  };
  if (terms.key.defined()) {
    const at::Tensor all = products(query, terms.key, group.queries);
    scores.add_(all.gather(3, which.expand(scores.sizes())), scale);
  }
  if (terms.query.defined()) {
    const at::Tensor all = products(key, terms.query, group.keys);
    const at::Tensor own =
        all.gather(3, which.transpose(2, 3).expand({group.sentences, heads, group.keys, group.queries}));
    scores.add_(own.transpose(2, 3), scale);
  }
}

// [sentences, head, queries, keys] attention weights of a group, before dropout.
at::Tensor weights_of(const Packed& packed, const at::Tensor& query, const at::Tensor& key,
                      const Block& block, bool shown) {
  const auto& [plan, group, options, index] = block;
  const double scale = scale_of(options, packed.query);
  at::Tensor scores =
      at::empty({query.size(0), group.queries, group.keys}, query.options().requires_grad(false));
  scores = at::baddbmm(scores, query, key.transpose(1, 2), /*beta=*/0.0, /*alpha=*/scale);
  for (const AttentionOptions::Product& product : options.removed) {
    const at::Tensor q = split_heads(product.query, plan, group, Side::query, options.heads);
    const at::Tensor k = split_heads(product.key, plan, group, Side::key, options.heads);
    scores = at::baddbmm(scores, q, k.transpose(1, 2), /*beta=*/1.0, /*alpha=*/-scale);
  }
  scores = scores.view({group.sentences, options.heads, group.queries, group.keys});
  if (options.bias.defined()) {
    scores.add_(options.bias.map(group.queries, group.keys));
  }
  if (options.relations != nullptr) {
    if (options.taps != nullptr) {
      options.relations->show(*options.taps, options.name, plan, index, scores, packed.query, packed.key,
                              query, key, scale);
    }
    options.relations->add_to(scores, index, group, packed.query, packed.key, query, key, scale);
  }
  if (options.distances != nullptr) {
    add_distances(scores, block, query, key, scale);
  }
  if (options.cap > 0.0) {
    scores = at::tanh(scores / options.cap) * options.cap;
  }
  if (group.blocked.defined()) {
    scores.masked_fill_(group.blocked, -std::numeric_limits<double>::infinity());
  }
  if (const at::Tensor far = beyond_window(group, options.window, scores.device()); far.defined()) {
    scores.masked_fill_(far, -std::numeric_limits<double>::infinity());
  }
  // Keys that were masked may be all that a query saw: then it sees itself. So does the padding behind a
  // short sentence that has no key within the window: its NaN would reach gradients.
  const bool emptied = plan.masked.defined() && (plan.causal || options.window > 0);
  if ((emptied || (group.padded && options.window > 0)) && group.queries == group.keys) {
    const at::Tensor nothing = at::isneginf(scores).all(-1, /*keepdim=*/true);
    const at::Tensor itself = at::eye(group.queries, scores.options().dtype(at::kBool));
    scores.masked_fill_(nothing.logical_and(itself), 0.0);
  }
  // Maps that are looked at are kept in float32 even where the products are bfloat16.
  const bool widen = shown && scores.scalar_type() == at::kBFloat16;
  return widen ? at::softmax(scores, -1, at::kFloat) : at::softmax(scores, -1);
}

// Weights of keys that are there in part.
at::Tensor relaxed(at::Tensor weights, const Block& block) {
  const AttentionPlan& plan = block.plan;
  const AttentionGroup& group = block.group;
  const RelaxedTokens& tokens = *block.options.relaxed;
  const auto of_keys = [&](const at::Tensor& rows) {
    return split_heads(rows.unsqueeze(1), plan, group, Side::key, 1)
        .view({group.sentences, 1, 1, group.keys});
  };
  const auto sum = [](const at::Tensor& rows) { return rows.sum(at::IntArrayRef{-1}, /*keepdim=*/true); };
  if (tokens.presence.defined()) {
    weights = weights * of_keys(tokens.presence);
    constexpr double kNothing = 1e-30;  // before a token whose own presence is 0
    weights = weights / sum(weights).clamp_min(kNothing);
  }
  if (tokens.leaving.defined()) {
    // Without key k the others become A_j / (1 - A_k) = A_j (1 + A_k / (1 - A_k)).
    constexpr double kLeast = 1e-6;  // a key with all the weight has nobody to leave it to
    const at::Tensor gone = of_keys(tokens.leaving);
    const at::Tensor left = gone * weights / (1.0 - weights).clamp_min(kLeast);
    weights = weights * (1.0 + sum(left) - left - gone);
  }
  return weights;
}

}  // namespace

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const AttentionPlan& plan, const AttentionOptions& options) {
  const bool shown = options.taps != nullptr && options.taps->wants(options.name);
  if (options.taps != nullptr && is_plain(plan, options)) {
    at::Tensor context = options.taps->attend(options.name, plan,
                                              {query, key, value, options.bias, options.heads,
                                               scale_of(options, query), options.cap, options.window});
    if (context.defined()) {
      return context;
    }
  }
  HeadMerger contexts(plan, options.heads);
  for (std::size_t index = 0; index < plan.groups.size(); ++index) {
    const AttentionGroup& group = plan.groups[index];
    const at::Tensor q = split_heads(query, plan, group, Side::query, options.heads);
    const at::Tensor k = split_heads(key, plan, group, Side::key, options.heads);
    const at::Tensor v = split_heads(value, plan, group, Side::key, options.heads);
    const Block block{plan, group, options, index};
    at::Tensor weights = weights_of({query, key}, q, k, block, shown);
    if (options.relaxed != nullptr) {
      weights = relaxed(weights, block);
    }
    if (shown) {
      options.taps->maps(options.name, plan, group, weights);
      weights = weights.to(value.scalar_type());
    }
    if (options.dropout != nullptr) {
      weights = options.dropout->apply(weights, options.dropout->attention);
    }
    at::Tensor context = at::bmm(weights.view({q.size(0), group.queries, group.keys}), v);
    if (options.relations != nullptr) {
      context = options.relations->add_none(context, weights);
      options.relations->gather(index, group, weights);
    }
    contexts.add(group, context);
  }
  return options.relations == nullptr ? contexts.take() : options.relations->finish(contexts.take());
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

// Every decomposition is a sum, and what it sums to is known from the pass or by a second way: that is what
// is checked, on the values that were computed anyway. Only the norms by Gram matrices need more: the vectors
// that key and query make, [query, key, d_model], whose norms they are; these cost as much as ALTI and are
// formed in tiles. Each check is one pass over its values and one number back to the host.
#include "model/engine/decomposition/layer_identities.h"

#include <limits>

namespace mog::engine {

void check_split(const LayerTrace& trace, const OutputParts& parts, std::span<const AttentionGroup> groups,
                 Identities& identities) {
  const LayerTrace& t = trace;
  const at::Tensor attended = t.input + t.attended_sum;
  const at::Tensor output = t.attended + t.feed_forward;
  const at::Tensor sum = parts.carried + parts.attention + parts.feed_forward + parts.bias;
  for (const AttentionGroup& group : groups) {
    const auto same = [&](const char* identity, const at::Tensor& found, const at::Tensor& expected) {
      identities.compare(identity, group, group_rows(found, group), group_rows(expected, group));
    };
    same("frozen layer norms", t.pre ? attended : t.norm1(attended) + t.norm1.offset(), t.attended);
    same("frozen layer norms", t.pre ? output : t.norm2(output) + t.norm2.offset(), t.output);
    same("split of the output", sum, t.output);
  }
}

void check_terms(std::string_view identity, const at::Tensor& terms, const AttentionGroup& group,
                 const at::Tensor& uniform, const at::Tensor& pattern, Identities& identities) {
  at::Tensor scores = terms.sum(3);
  if (uniform.defined()) {
    scores = scores.masked_fill(uniform == 0.0, -std::numeric_limits<double>::infinity());
  }
  identities.compare(identity, group, at::softmax(scores, -1), pattern, /*heads=*/true);
}

void check_shapley(const ShapleyMaps& maps, const AttentionGroup& group, const at::Tensor& uniform,
                   const at::Tensor& pattern, Identities& identities) {
  const at::Tensor effect = maps.maps.sum(2);
  const at::Tensor sum =
      uniform.defined() ? effect + uniform : effect + 1.0 / static_cast<double>(group.keys);
  identities.after_quadrature("Aumann-Shapley maps", group, by_head(sum, group), pattern, /*heads=*/true);
  if (group.keys > 1) {
    identities.sums_to_one("Aumann-Shapley shares", group, by_head(signed_shares(maps), group),
                           /*heads=*/true);
    identities.sums_to_one("Aumann-Shapley absolute shares", group, by_head(absolute_shares(maps), group),
                           /*heads=*/true);
  }
}

void check_values(const LayerTrace& trace, const at::Tensor& by_cause, const AttentionGroup& group,
                  Identities& identities) {
  identities.after_quadrature(
      "value parts", group,
      by_cause.sum(at::IntArrayRef{1, 2}) + group_rows(trace.constant().contiguous(), group),
      group_rows(trace.attended_sum, group));
}

void check_orders(const at::Tensor& orders, const at::Tensor& shares, const at::Tensor& whole,
                  const AttentionGroup& group, Identities& identities) {
  identities.after_quadrature("order groups", group, orders.sum(2), whole);
  identities.after_quadrature("projection shares", group, shares.sum(-1),
                              at::ones_like(shares.select(-1, 0)));
}

void check_given(const LayerTrace& trace, const GivenVectors& given, const AttentionGroup& group,
                 const at::Tensor& pattern, Identities& identities) {
  const std::int64_t tokens = group.queries;
  const at::Tensor attended = at::empty({group.sentences, tokens, tokens}, trace.input.options());
  const at::Tensor at_output = at::empty_like(attended);
  const at::Tensor sum = at::empty({group.sentences, tokens, trace.input.size(1)}, trace.input.options());
  given.for_each_tile(group, pattern, [&](std::int64_t first, const at::Tensor& rows) {
    const std::int64_t count = rows.size(1);
    attended.narrow(1, first, count).copy_(norm_of(rows));
    sum.narrow(1, first, count).copy_(rows.sum(2));
    if (!trace.pre) {
      const at::Tensor scale = group_rows(trace.norm2.scale(), group).narrow(1, first, count).unsqueeze(2);
      at_output.narrow(1, first, count).copy_(norm_of(trace.norm2.undivided(rows) / scale));
    }
  });
  const at::Tensor bias = trace.added_bias();
  const at::Tensor rest = trace.pre ? bias : trace.norm1(bias) + trace.norm1.offset();
  identities.compare("vectors given by keys", group, sum + group_rows(rest.contiguous(), group),
                     group_rows(trace.attended, group));
  identities.compare("norms by Gram matrices", group, given.norms(group, pattern, GivenAt::attended),
                     attended);
  identities.compare("norms by Gram matrices", group, given.norms(group, pattern, GivenAt::output),
                     trace.pre ? attended : at_output);
  const at::Tensor rollout = 0.5 * (pattern.mean(1) + at::eye(tokens, pattern.options()));
  identities.sums_to_one("rows of rollout", group, rollout);
}

}  // namespace mog::engine

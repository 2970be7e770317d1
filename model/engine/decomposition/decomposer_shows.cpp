// What the decomposer gives of one layer.
#include <vector>

#include "model/engine/decomposition/aumann_shapley.h"
#include "model/engine/decomposition/decomposer.h"
#include "model/engine/decomposition/layer_maps.h"

namespace mog::engine {
namespace {

at::Tensor norm_of(const at::Tensor& vectors) {
  return at::linalg_vector_norm(vectors, 2, at::IntArrayRef{-1});
}

// [sentences * head, …] as [sentences, head, …].
at::Tensor by_head(const at::Tensor& values, const AttentionGroup& group) {
  std::vector<std::int64_t> shape = values.sizes().vec();
  shape.front() /= group.sentences;
  shape.insert(shape.begin(), group.sentences);
  return values.reshape(shape);
}

// A run in float64 is after exactness: nodes are doubled further.
ShapleyOptions shapley_options(const at::Tensor& terms) {
  ShapleyOptions options;
  if (terms.scalar_type() == at::kDouble) {
    options.residual = 1e-12;
  }
  return options;
}

// All but the last entry over the last.
at::Tensor shares_of_sums(const at::Tensor& sums) {
  const std::int64_t terms = sums.size(-1) - 1;
  return sums.narrow(-1, 0, terms) / sums.narrow(-1, terms, 1);
}

}  // namespace

void Decomposer::show_split(const OutputParts& parts) {
  const std::vector<at::Tensor> all = {parts.carried, parts.attention, parts.feed_forward, parts.bias};
  if (asked(Part::none, Quantity::split)) {
    for (const AttentionGroup& group : groups_) {
      std::vector<at::Tensor> own;
      for (const at::Tensor& part : all) {
        own.push_back(group_rows(part.contiguous(), group));
      }
      gather(Part::none, Quantity::split, Reduction::full, at::stack(own, 1));
    }
  }
  if (asked(Part::none, Quantity::split, Reduction::norm)) {
    std::vector<at::Tensor> norms;
    for (const at::Tensor& part : all) {
      norms.push_back(norm_of(part));
    }
    norms.push_back(norm_of(trace_.output));
    give_rows(Part::none, Quantity::split, Reduction::norm, at::stack(norms, 1));
  }
  const bool cosine = asked(Part::none, Quantity::carried, Reduction::cosine);
  if (cosine || asked(Part::none, Quantity::carried, Reduction::gain)) {
    const at::Tensor carried = norm_of(parts.carried);
    const at::Tensor input = norm_of(trace_.input);
    if (cosine) {
      give_rows(Part::none, Quantity::carried, Reduction::cosine,
                (parts.carried * trace_.input).sum(-1) / (carried * input));
    }
    if (asked(Part::none, Quantity::carried, Reduction::gain)) {
      give_rows(Part::none, Quantity::carried, Reduction::gain, carried / input);
    }
  }
}

void Decomposer::show_scores(const AttentionGroup& group, const ScoreParts& joined,
                             const ScoreParts* separate) {
  const bool check = !identities_.empty() && group.keys > 1;
  const auto covariances = [&](const ScoreParts& parts, const char* identity) {
    const at::Tensor sums = covariance_sums(trace_, parts, group);
    if (check) {
      identities_.sums_to_one(identity, group, shares_of_sums(sums), /*heads=*/true);
    }
    return sums;
  };
  if (check || asked(Part::full, Quantity::logit_terms, Reduction::covariance) ||
      asked(Part::full, Quantity::logit_terms, Reduction::covariance_heads) ||
      asked(Part::full, Quantity::logit_terms, Reduction::covariance_sums)) {
    const at::Tensor sums = covariances(joined, "covariance shares");
    gather(Part::full, Quantity::logit_terms, Reduction::covariance, shares_of_sums(sums));
    gather(Part::full, Quantity::logit_terms, Reduction::covariance_heads, shares_of_sums(sums.sum(1)));
    gather(Part::full, Quantity::logit_terms, Reduction::covariance_sums, sums);
  }
  if (asked(Part::full, Quantity::logit_terms) ||
      asked(Part::full, Quantity::logit_terms, Reduction::leave_out)) {
    const at::Tensor terms = score_terms(trace_, joined, group);
    gather(Part::full, Quantity::logit_terms, Reduction::full, terms.transpose(2, 3));
    if (asked(Part::full, Quantity::logit_terms, Reduction::leave_out)) {
      gather(Part::full, Quantity::logit_terms, Reduction::leave_out,
             by_head(leave_out(terms.flatten(0, 1)), group));
    }
  }
  if (separate == nullptr) {
    return;
  }
  if (check || asked(Part::full, Quantity::separate_terms, Reduction::covariance)) {
    gather(Part::full, Quantity::separate_terms, Reduction::covariance,
           shares_of_sums(covariances(*separate, "covariance shares of nine terms")));
  }
  if (!identities_.empty() || asked(Part::full, Quantity::separate_terms)) {
    const at::Tensor terms = score_terms(trace_, *separate, group);
    gather(Part::full, Quantity::separate_terms, Reduction::full, terms.transpose(2, 3));
    if (!identities_.empty()) {
      const auto place = static_cast<std::size_t>(&group - groups_.data());
      identities_.compare("nine logit terms", group, at::softmax(terms.sum(3), -1), trace_.patterns[place],
                          /*heads=*/true);
    }
  }
}

at::Tensor Decomposer::show_shapley(const AttentionGroup& group, const at::Tensor& pattern,
                                    const at::Tensor& terms) {
  const ShapleyMaps maps = aumann_shapley(terms, shapley_options(terms));
  const auto keep = [&](Reduction reduction, const at::Tensor& values) {
    gather(Part::full, Quantity::aumann_shapley, reduction, by_head(values, group));
  };
  if (asked(Part::full, Quantity::aumann_shapley)) {
    keep(Reduction::full, maps.maps.transpose(1, 2));
  }
  if (asked(Part::full, Quantity::aumann_shapley, Reduction::share)) {
    keep(Reduction::share, signed_shares(maps));
  }
  if (asked(Part::full, Quantity::aumann_shapley, Reduction::absolute_share)) {
    keep(Reduction::absolute_share, absolute_shares(maps));
  }
  keep(Reduction::nodes, maps.nodes);
  keep(Reduction::residual, maps.residual);
  if (!identities_.empty()) {
    identities_.compare("logit terms", group, by_head(at::softmax(terms.sum(2), -1), group), pattern, true);
    const double uniform = 1.0 / static_cast<double>(group.keys);
    identities_.after_quadrature("Aumann-Shapley maps", group, by_head(maps.maps.sum(2) + uniform, group),
                                 pattern, /*heads=*/true);
    if (group.keys > 1) {
      identities_.sums_to_one("Aumann-Shapley shares", group, by_head(signed_shares(maps), group), true);
      identities_.sums_to_one("Aumann-Shapley absolute shares", group, by_head(absolute_shares(maps), group),
                              true);
    }
  }
  return maps.maps;
}

void Decomposer::show_values(const AttentionGroup& group, const OutputParts& parts, const ValueParts& values,
                             const at::Tensor& shapley) {
  const at::Tensor by_cause = outputs_by_cause(trace_, values, shapley, group);
  gather(Part::full, Quantity::value_parts, Reduction::full, by_cause);
  if (asked(Part::full, Quantity::value_parts, Reduction::norm)) {
    gather(Part::full, Quantity::value_parts, Reduction::norm, norm_of(by_cause));
  }
  const bool check = !identities_.empty();
  if (check) {
    identities_.after_quadrature("value parts", group,
                                 by_cause.sum(at::IntArrayRef{1, 2}) + trace_.constant(),
                                 group_rows(trace_.attended_sum, group));
  }
  const at::Tensor whole = group_rows(trace_.output, group);
  const bool projection = asked(Part::none, Quantity::pseudo_gate, Reduction::projection);
  const bool proximity = asked(Part::none, Quantity::pseudo_gate, Reduction::proximity);
  if (check || projection || proximity) {
    const at::Tensor groups = output_by_order(trace_, parts, by_cause, group, /*fine=*/false);
    const at::Tensor shares = projection_shares(groups, whole);
    gather(Part::none, Quantity::pseudo_gate, Reduction::projection, shares);
    if (proximity) {
      gather(Part::none, Quantity::pseudo_gate, Reduction::proximity, proximity_shares(groups, whole));
    }
    if (check) {
      identities_.after_quadrature("order groups", group, groups.sum(2), whole);
      identities_.after_quadrature("projection shares", group, shares.sum(-1),
                                   at::ones_like(shares.select(-1, 0)));
    }
  }
  if (check || asked(Part::none, Quantity::pseudo_gate, Reduction::fine)) {
    const at::Tensor fine = output_by_order(trace_, parts, by_cause, group, /*fine=*/true);
    gather(Part::none, Quantity::pseudo_gate, Reduction::fine, projection_shares(fine, whole));
    if (check) {
      identities_.after_quadrature("seventeen parts", group, fine.sum(2), whole);
    }
  }
}

void Decomposer::show_maps() {
  const GivenVectors given(trace_);
  const bool check = !identities_.empty();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const AttentionGroup& group = groups_[i];
    const at::Tensor& pattern = trace_.patterns[i];
    if (asked(Part::none, Quantity::kobayashi)) {
      gather(Part::none, Quantity::kobayashi, Reduction::full,
             given.norms(group, pattern, GivenAt::attended));
    }
    if (asked(Part::none, Quantity::mixing_ratio)) {
      gather(Part::none, Quantity::mixing_ratio, Reduction::full, given.mixing_ratio(group, pattern));
    }
    if (asked(Part::none, Quantity::globenc)) {
      gather(Part::none, Quantity::globenc, Reduction::full, given.norms(group, pattern, GivenAt::output));
    }
    if (check || asked(Part::none, Quantity::alti)) {
      const at::Tensor alti = given.alti(group, pattern);
      gather(Part::none, Quantity::alti, Reduction::full, alti);
      if (check) {
        identities_.sums_to_one("rows of ALTI", group, alti);
      }
    }
    if (check) {
      check_given(given, group, pattern);
    }
  }
}

}  // namespace mog::engine

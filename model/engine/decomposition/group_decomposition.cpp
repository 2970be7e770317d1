// From the parts of queries and keys to the order of what a layer gives out:
//   scores l = Σ_t l_t over terms t; A = softmax(l) = 1/T + Σ_t S_t (Aumann-Shapley);
//   the block's output is a sum over causes (uniform attention and the terms) and value parts; at the layer's
//   output these add up to order groups, of which each has its share.
// All of it but the softmax is linear in each factor, so every sum is exact but for the quadrature of S.
//
// Cost of a group: covariances form no term, they take one product a key part. Terms are 6 to 10 maps as
// large as A of all heads; they are formed where they are used, as keeping them from one use to the next
// would hold them through all that lies between. S is the dearest: 8 to 64 nodes, at each a softmax and a
// weighted mean of every term in float64. Values by cause are [cause, value part, token, d_model] a sentence.
#include "model/engine/decomposition/group_decomposition.h"

#include "model/engine/decomposition/aumann_shapley.h"
#include "model/engine/decomposition/layer_identities.h"

namespace mog::engine {
namespace {

// A run in float64 is after exactness: nodes are doubled further.
ShapleyOptions shapley_options(const at::Tensor& terms, const at::Tensor& uniform) {
  ShapleyOptions options;
  options.uniform = uniform;
  if (terms.scalar_type() == at::kDouble) {
    options.residual = 1e-12;
  }
  return options;
}

}  // namespace

GroupDecomposition::GroupDecomposition(const LayerTrace& trace, const AttentionGroup& group,
                                       const at::Tensor& pattern, Results& results, Identities& identities)
    : trace_(trace),
      group_(group),
      pattern_(pattern),
      results_(results),
      identities_(identities),
      check_(!identities.empty()),
      uniform_(trace.form.uniform(group, trace.input.device())) {}

void GroupDecomposition::give_logit_terms(const ScoreParts& joined) {
  const auto asked = [&](Reduction reduction) {
    return results_.ask(Part::full, Quantity::logit_terms, reduction);
  };
  const auto gather = [&](Reduction reduction, const at::Tensor& values) {
    results_.gather(Part::full, Quantity::logit_terms, reduction, values);
  };
  const bool check = check_ && group_.keys > 1;  // one key has no variance
  if (check || asked(Reduction::covariance) || asked(Reduction::covariance_heads) ||
      asked(Reduction::covariance_sums)) {
    const at::Tensor sums = covariance_sums(trace_, joined, group_);
    gather(Reduction::covariance, covariance_shares(sums));
    gather(Reduction::covariance_heads, covariance_shares(sums.sum(1)));
    gather(Reduction::covariance_sums, sums);
    if (check) {
      identities_.sums_to_one("covariance shares", group_, covariance_shares(sums), /*heads=*/true);
    }
  }
  if (asked(Reduction::full) || asked(Reduction::leave_out)) {
    const at::Tensor terms = score_terms(trace_, joined, group_);
    gather(Reduction::full, terms.transpose(2, 3));
    if (asked(Reduction::leave_out)) {
      gather(Reduction::leave_out, by_head(leave_out(terms.flatten(0, 1), uniform_), group_));
    }
  }
}

void GroupDecomposition::give_separate_terms(const ScoreParts& separate) {
  const bool check = check_ && group_.keys > 1;  // one key has no variance
  if (check || results_.ask(Part::full, Quantity::separate_terms, Reduction::covariance)) {
    const at::Tensor shares = covariance_shares(covariance_sums(trace_, separate, group_));
    results_.gather(Part::full, Quantity::separate_terms, Reduction::covariance, shares);
    if (check) {
      identities_.sums_to_one("covariance shares of nine terms", group_, shares, /*heads=*/true);
    }
  }
  if (check_ || results_.ask(Part::full, Quantity::separate_terms)) {
    const at::Tensor terms = score_terms(trace_, separate, group_);
    results_.gather(Part::full, Quantity::separate_terms, Reduction::full, terms.transpose(2, 3));
    if (check_) {
      check_terms("nine logit terms", terms, group_, uniform_, pattern_, identities_);
    }
  }
}

at::Tensor GroupDecomposition::give_shapley(const ScoreParts& joined) {
  const at::Tensor terms = score_terms(trace_, joined, group_);
  const ShapleyMaps maps = aumann_shapley(terms.flatten(0, 1), shapley_options(terms, uniform_));
  const auto asked = [&](Reduction reduction) {
    return results_.ask(Part::full, Quantity::aumann_shapley, reduction);
  };
  const auto gather = [&](Reduction reduction, const at::Tensor& values) {
    results_.gather(Part::full, Quantity::aumann_shapley, reduction, by_head(values, group_));
  };
  if (asked(Reduction::full)) {
    gather(Reduction::full, maps.maps.transpose(1, 2));
  }
  if (asked(Reduction::share)) {
    gather(Reduction::share, signed_shares(maps));
  }
  if (asked(Reduction::absolute_share)) {
    gather(Reduction::absolute_share, absolute_shares(maps));
  }
  gather(Reduction::nodes, maps.nodes);
  gather(Reduction::residual, maps.residual);
  if (check_) {
    check_terms("logit terms", terms, group_, uniform_, pattern_, identities_);
    check_shapley(maps, group_, uniform_, pattern_, identities_);
  }
  return maps.maps;
}

void GroupDecomposition::give_values(const OutputParts& parts, const ValueParts& values,
                                     const at::Tensor& shapley) {
  const at::Tensor by_cause = outputs_by_cause(trace_, values, shapley, group_);
  results_.gather(Part::full, Quantity::value_parts, Reduction::full, by_cause);
  if (results_.ask(Part::full, Quantity::value_parts, Reduction::norm)) {
    results_.gather(Part::full, Quantity::value_parts, Reduction::norm, norm_of(by_cause));
  }
  if (check_) {
    check_values(trace_, by_cause, group_, identities_);
  }
  const auto asked = [&](Reduction reduction) {
    return results_.ask(Part::none, Quantity::pseudo_gate, reduction);
  };
  const auto gather = [&](Reduction reduction, const at::Tensor& shares) {
    results_.gather(Part::none, Quantity::pseudo_gate, reduction, shares);
  };
  const at::Tensor whole = group_rows(trace_.output, group_);
  if (check_ || asked(Reduction::projection) || asked(Reduction::proximity)) {
    const at::Tensor orders = output_by_order(trace_, parts, by_cause, group_, /*fine=*/false);
    const at::Tensor shares = projection_shares(orders, whole);
    gather(Reduction::projection, shares);
    if (asked(Reduction::proximity)) {
      gather(Reduction::proximity, proximity_shares(orders, whole));
    }
    if (check_) {
      check_orders(orders, shares, whole, group_, identities_);
    }
  }
  if (check_ || asked(Reduction::fine)) {
    const at::Tensor fine = output_by_order(trace_, parts, by_cause, group_, /*fine=*/true);
    gather(Reduction::fine, projection_shares(fine, whole));
    if (check_) {
      identities_.after_quadrature("seventeen parts", group_, fine.sum(2), whole);
    }
  }
}

void GroupDecomposition::give_maps(const GivenVectors& given) {
  const auto asked = [&](Quantity quantity) { return results_.ask(Part::none, quantity); };
  const auto gather = [&](Quantity quantity, const at::Tensor& values) {
    results_.gather(Part::none, quantity, Reduction::full, values);
  };
  if (asked(Quantity::kobayashi)) {
    gather(Quantity::kobayashi, given.norms(group_, pattern_, GivenAt::attended));
  }
  if (asked(Quantity::mixing_ratio)) {
    gather(Quantity::mixing_ratio, given.mixing_ratio(group_, pattern_));
  }
  if (asked(Quantity::globenc)) {
    gather(Quantity::globenc, given.norms(group_, pattern_, GivenAt::output));
  }
  if (check_ || asked(Quantity::alti)) {
    const at::Tensor alti = given.alti(group_, pattern_);
    gather(Quantity::alti, alti);
    if (check_) {
      identities_.sums_to_one("rows of ALTI", group_, alti);
    }
  }
  if (check_) {
    check_given(trace_, given, group_, pattern_, identities_);
  }
}

}  // namespace mog::engine

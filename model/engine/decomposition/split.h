// Parts of a layer's output and of its attention scores (internal to the engine; docs/quantity-names.md,
// Exact decompositions).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/decomposition/layer_trace.h"

namespace mog::engine {

// [token, d_model] each; they sum to x'.
struct OutputParts {
  at::Tensor carried;
  at::Tensor attention;
  at::Tensor feed_forward;
  at::Tensor bias;
};
OutputParts split_output(const LayerTrace& trace);
// The parts of the next layer's input.
StateParts next_state(const OutputParts& parts);
// The same for scores without `separate` alone: what is not carried is incremental, and no other part is
// formed.
StateParts joined_state(const LayerTrace& trace);

// Queries and keys of the parts of x, [token, attention_dim]. `bias` query: the query's own bias (with
// `separate` also what it takes of the bias part of x); `bias` key only with `separate`. The key's own bias
// moves all scores of a query alike and is in no product; relations of a graph read it. Where keys are turned
// by their places or normed it does not, and counts where the bias part of x counts.
struct ScoreParts {
  at::Tensor query_previous;
  at::Tensor query_incremental;
  at::Tensor query_bias;
  at::Tensor key_previous;
  at::Tensor key_incremental;
  at::Tensor key_bias;
  at::Tensor key_constant;  // only with a graph
};
// Without `separate` the bias part of x counts as incremental.
ScoreParts score_parts(const LayerTrace& trace, const StateParts& state, bool separate);

// Terms of the scores of one group, [sentences, head, query, term, key]: 6 terms (pp, pi, ip, ii, bp, bi), or
// 9 with `separate` (pp, pi, pb, ip, ii, ib, bp, bi, bb); under relative positions one more, their bias
// (pos); with a graph those of relation_terms().
at::Tensor score_terms(const LayerTrace& trace, const ScoreParts& parts, const AttentionGroup& group);

// Covariances of each term with the score over keys, summed over queries, and last the score's variance:
// [sentences, head, terms + 1]. No term of content is formed: cov(q_a·k_b, l) = q_a·Σ_j (k_b,j − mean k_b)
// (l_j − mean l).
at::Tensor covariance_sums(const LayerTrace& trace, const ScoreParts& parts, const AttentionGroup& group);
// All but the last entry over the last: [..., terms].
at::Tensor covariance_shares(const at::Tensor& sums);

}  // namespace mog::engine

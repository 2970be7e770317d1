// Scores of pairs of tokens by biaffine heads (Dozat and Manning 2017; docs/model-directory.md, Graphs).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/modules/forward.h"

namespace mog::engine {

// Both sides of a head before they meet, over packed tokens; dropout on the rectified maps.
struct PairSides {
  at::Tensor query;  // [token, class * width of key] ([q; 1] W of each class)
  at::Tensor key;    // [token, width of key]
  std::int64_t classes = 1;
};
PairSides pair_sides(const PairScorer& head, const at::Tensor& states, const Dropout* dropout,
                     double probability);

// Scores of one group of the plan, [sentences, class, queries, keys]; those of padding are finite.
at::Tensor pair_scores(const PairSides& sides, const AttentionPlan& plan, const AttentionGroup& group);

// Shows heads.NAME.pair_scores of every head that is wanted.
void show_pair_scores(const ForwardContext& context, const PackedInput& input, const at::Tensor& states);

}  // namespace mog::engine

// The best tree over a whole stretch of the sentence in which every step is contiguous: the one that looks
// most like a syntax tree.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/mog/search/best_simple.h"

namespace mog::analysis {

// For every symbol and span of words the best derivation whose joins all have operands on adjacent, disjoint
// spans (so each word is a leaf once). Ties as in k-best lists. The grammar must outlive it. Not for several
// threads at once. More than one tree: SimpleTrees.
class BestProjective {
 public:
  // Sentences up to here take well below a second (12 layers: half a second).
  static constexpr std::int32_t kMostWords = 100;
  // O(L T^4) time. Throws UsageError beyond SimpleTrees::most_words.
  explicit BestProjective(const AttentionGrammar& grammar) : trees_(grammar, SimpleSearch::projective) {}

  // Over all words; empty when there is none (a whole sentence needs T <= 2^L).
  std::optional<Derivation> best(Goal goal) {
    SimpleTrees::List list = trees_.best(goal, 1);
    return list.derivations.empty() ? std::nullopt : std::optional(std::move(list.derivations.front()));
  }
  // Over words first..last, from 0. `entry.rank` and `entry.tie` are 1; `entry.handle` is not for KBest.
  std::optional<Derivation> best(Goal goal, std::int32_t first, std::int32_t last) {
    return trees_.over(goal, first, last);
  }

 private:
  SimpleTrees trees_;
};

}  // namespace mog::analysis

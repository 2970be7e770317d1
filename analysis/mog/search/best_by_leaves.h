// The best derivation for each number of leaves: products favour small trees, so that the k best of a
// long sentence are often single words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/k_best.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

// For every symbol and every number of leaves (order with repeats) up to a limit, the best derivation; ties
// as in k-best lists. The grammar must outlive it. Not for several threads at once.
class BestByLeaves {
 public:
  // O(L T^2 K + L T K^2) time for K = most_leaves, 16 bytes a symbol and number of leaves that it can have
  // (R[l,m] has 2^l at most). Throws UsageError when most_leaves < 1 or the memory would exceed 1 GB;
  // Interrupted.
  BestByLeaves(const AttentionGrammar& grammar, std::int64_t most_leaves, const SearchControl& control = {});
  ~BestByLeaves();
  BestByLeaves(BestByLeaves&&) noexcept;
  BestByLeaves& operator=(BestByLeaves&&) noexcept;

  std::int64_t most_leaves() const noexcept;
  // Empty when no derivation has exactly this many leaves, or the number is outside 1..most_leaves().
  // `entry.rank` and `entry.tie` are the number of leaves; `entry.handle` is not for KBest.
  std::optional<Derivation> best(Goal goal, std::int64_t leaves);
  // [leaves - 1]
  std::vector<std::optional<Derivation>> all(Goal goal);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mog::analysis

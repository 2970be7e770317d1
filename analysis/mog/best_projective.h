// The best tree over a whole stretch of the sentence in which every step is contiguous: the one that looks
// most like a syntax tree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "analysis/mog/attention_grammar.h"
#include "analysis/mog/k_best.h"

namespace mog::analysis {

// For every symbol and span of words the best derivation whose joins all have operands on adjacent, disjoint
// spans (so each word is a leaf once). Ties as in k-best lists. The grammar must outlive it. Not for several
// threads at once.
class BestProjective {
 public:
  // O(L T^4) time, 16 (2 L + 1) T^3 bytes. Throws UsageError beyond kMostWords.
  static constexpr std::int32_t kMostWords = 100;
  explicit BestProjective(const AttentionGrammar& grammar);
  ~BestProjective();
  BestProjective(BestProjective&&) noexcept;
  BestProjective& operator=(BestProjective&&) noexcept;

  // Over all words; empty when there is none (a whole sentence needs T <= 2^L).
  std::optional<Derivation> best(Goal goal);
  // Over words first..last, from 0. `entry.rank` and `entry.tie` are 1; `entry.handle` is not for KBest.
  std::optional<Derivation> best(Goal goal, std::int32_t first, std::int32_t last);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mog::analysis

// Derivations drawn from the grammar: orders of distinct words where sentences are too long to count sets.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

// Draws derivations of a symbol with their probabilities. The same key gives the same derivation on every
// machine. The grammar must outlive it. Not for several threads at once.
class DerivationSampler {
 public:
  struct Drawn {
    std::int64_t leaves = 0;  // order with repeats
    std::int32_t order = 0;   // distinct words
    bool simple() const noexcept { return leaves == order; }
  };
  explicit DerivationSampler(const AttentionGrammar& grammar);
  // O(rules used · log T). Throws UsageError above 10^6 leaves (recurrent encoders may reach that).
  Drawn draw(std::int32_t symbol, std::uint64_t key);

 private:
  struct Rule {
    double sum = 0;          // of the weights up to this rule
    std::int32_t left = -1;  // symbols; -1: none
    std::int32_t right = -1;
  };
  const AttentionGrammar& grammar_;
  std::vector<Rule> rules_;
  std::vector<std::size_t> first_;   // [symbol + 1]
  std::vector<std::uint64_t> seen_;  // [word]: the last draw that met it
  std::uint64_t draws_ = 0;
  std::vector<std::int32_t> stack_;
};

// Means over `samples` draws of R[layer, word].
struct SampledOrder {
  double mean = 0;                  // distinct words
  double variance = 0;              // of one draw's distinct words (of the sample, n - 1)
  double simple = 0;                // share without overlap
  std::vector<double> probability;  // [k - 1]: share with k distinct words, k = 1..T
};
// [layer - 1][word]. The standard error of a mean is sqrt(variance / samples), of a share p
// sqrt(p (1 - p) / samples). Throws UsageError for fewer than 2 samples, Interrupted.
std::vector<std::vector<SampledOrder>> sampled_orders(const AttentionGrammar& grammar, std::int64_t samples,
                                                      std::uint64_t seed, const SearchControl& control = {});

}  // namespace mog::analysis

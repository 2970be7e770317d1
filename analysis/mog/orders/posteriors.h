// Orders and posteriors under the attention grammar (sums over all derivations). What may take longer than
// the wink of an eye takes a SearchControl and throws Interrupted when it is stopped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/k_best.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

// Expected number of leaves (order with repeats) of every symbol [symbol]. below: [word], what a word stands
// for already, where the grammar is that of one layer above others; empty: one leaf each.
std::vector<double> expected_leaves(const AttentionGrammar& grammar, std::span<const double> below = {});

// P(leaves = k) of some symbols, k = 1..cap; what exceeds the cap is the tail.
struct LeavesDistribution {
  std::vector<double> probability;  // [k - 1], trailing zeros cut
  double tail = 0;                  // P(leaves > cap)
};
struct LeavesDistributions {
  std::vector<std::vector<LeavesDistribution>> words;  // [layer - 1][word]
  LeavesDistribution top;
};
// Up to the cap (at least 1): orders up to 64 exact up to rounding, higher ones with an absolute error of
// some 1e-16 (at most 1e-12), so that what is below it there is rounding. With K = min(cap, 2^L) coefficients
// O(L T^2 K + L T K log K) time, O(L T K) memory beside the grammar. below: [word], as above.
LeavesDistributions leaves_distributions(const AttentionGrammar& grammar, std::int64_t cap = 64,
                                         const SearchControl& control = {},
                                         std::span<const LeavesDistribution> below = {});

// Expected number of joins of every layer and part in a derivation of a symbol: [symbol, layer - 1, part],
// parts as grammar.parts(). Over layers and parts the sum is expected_leaves - 1. O(size of the grammar · L).
std::vector<double> expected_joins(const AttentionGrammar& grammar);

// P(order = k), distinct words, k = 1..T, of one layer. Throws UsageError beyond kMostCountedWords; longer
// sentences are sampled (analysis/mog/orders/sampled_orders.h). O(size of the grammar · 2^T + L T 3^T).
inline constexpr std::int32_t kMostCountedWords = 12;
struct DistinctOrders {
  std::vector<std::vector<double>> words;  // [word][k - 1] of R[layer, word]
  std::vector<double> top;                 // of the last layer alone
  std::vector<double> simple_mass;         // [word]: P(no join overlaps)
  double simple_mass_top = 0;
};
// [layer - 1]
std::vector<DistinctOrders> distinct_orders_by_layer(const AttentionGrammar& grammar,
                                                     const SearchControl& control = {});

// Expected number of uses of every symbol [symbol] in a derivation of the goal.
std::vector<double> outside(const AttentionGrammar& grammar, Goal goal = Goal::top());

// [layer][part] -> [query word, key word]: expected number of joins row -> column; may exceed 1.
using EdgePosteriors = std::vector<std::vector<std::vector<double>>>;
EdgePosteriors edge_posteriors(const AttentionGrammar& grammar, Goal goal = Goal::top(),
                               const SearchControl& control = {});
// Over layers and parts: [query word, key word].
std::vector<double> summed(const EdgePosteriors& posteriors);

// P(at least one join source -> target, any layer and part). O(size of the grammar).
double edge_presence(const AttentionGrammar& grammar, std::int32_t source, std::int32_t target,
                     Goal goal = Goal::top());
// Of all pairs at once, [source word, target word]. O(size of the grammar · T^2).
std::vector<double> edge_presences(const AttentionGrammar& grammar, Goal goal = Goal::top(),
                                   const SearchControl& control = {});

}  // namespace mog::analysis

// Orders of a plain Transformer under a row-stochastic layer map c (ALTI, rollout): token i keeps itself with
// mass c_ii and joins token j with mass c_ij, loop-free.
//
// Tree order counts leaves, as the order of a multi-order graph (an attention grammar with the maps as they
// are; its code is shared): exponential in depth. Walk order counts the tokens of single paths: linear in
// depth. Neither counts distinct tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/attribution/layer_products.h"

namespace mog::analysis {

// 2^layers leaves have to be told apart.
inline constexpr std::int64_t kMostOrderLayers = 12;

struct TreeOrders {
  // [layer] -> [token, leaves]: P(n leaves), n = 0 … 2^layers (entry 0 is 0).
  std::vector<std::vector<double>> mass;
  // [layer] -> [token, bin]: P(2^b … 2^(b+1) − 1 leaves), b = 0 … layers.
  std::vector<std::vector<double>> bins;
};
// Rows may miss 1 by 1e-3 (stored as float16); they are divided by their sums. Throws GrammarError naming
// layer and row for others, UsageError for more than kMostOrderLayers layers.
TreeOrders tree_orders(std::span<const TokenMap> layers, std::int64_t tokens);
// [layer] -> [token]: expected number of leaves, any number of layers.
std::vector<std::vector<double>> expected_tree_orders(std::span<const TokenMap> layers, std::int64_t tokens);

// [layer] -> [token, n]: mass of the paths with n tokens, n = 0 … layers + 1 (entry 0 is 0).
std::vector<std::vector<double>> walk_orders(std::span<const TokenMap> layers, std::int64_t tokens);

}  // namespace mog::analysis

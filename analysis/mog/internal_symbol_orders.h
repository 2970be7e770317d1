// Order distributions of every symbol of a grammar.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/mog/attention_grammar.h"

namespace mog::analysis {

// [symbol] -> P(leaves = k), [k - 1], up to the cap; as long as the symbol's most leaves ask for, with zeros
// behind. Precision as of order_distributions.
std::vector<std::vector<double>> symbol_orders(const AttentionGrammar& grammar, std::int64_t cap);

}  // namespace mog::analysis

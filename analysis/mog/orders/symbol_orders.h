// Order distributions of every symbol of a grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

// [symbol] -> P(leaves = k), [k - 1], up to the cap; as long as the symbol's most leaves ask for, with zeros
// behind. Precision as of leaves_distributions.
std::vector<std::vector<double>> symbol_orders(const AttentionGrammar& grammar, std::int64_t cap,
                                               const SearchControl& control);

// Throws ShapeError where words stand for what is below them and not each does, or the grammar has more than
// that one layer to go on with.
void require_below(const AttentionGrammar& grammar, std::size_t below);

}  // namespace mog::analysis

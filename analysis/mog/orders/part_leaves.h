// What each part of a Graph-Transformer layer makes: orders with repeats against the order bands.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

// Of what one part of a layer makes at a word (its rules of N[l, word], self entries with them); for low, of
// what P = R[l-2, word] holds. Not a number where the part makes nothing.
struct PartLeaves {
  double in_exact = 0;    // share whose leaves lie in the exact band
  double in_nominal = 0;  // … in the band as printed
  double mean = 0;        // expected leaves
};
// [layer - 1][high, middle1, middle2, low] -> [word]. Leaves of what no self entry made lie in the exact band
// always. Throws UsageError for other encoders and more than 12 layers, Interrupted. O(L T^2 2^L).
using AllPartLeaves = std::vector<std::array<std::vector<PartLeaves>, 4>>;
AllPartLeaves part_leaves(const AttentionGrammar& grammar, const SearchControl& control = {});

}  // namespace mog::analysis

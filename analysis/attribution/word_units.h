// Maps of tokens as maps of words: what a key gives is summed over the pieces of a word, what a query takes
// is averaged over them, so that rows keep their sums (docs/quantity-names.md, Exact decompositions).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::analysis {

// The pieces of a word are one unit, each special token is one by itself.
struct WordUnits {
  std::vector<std::int64_t> of_token;  // [token], from 0, in the order of their first tokens
  std::vector<std::int64_t> first;     // [unit]: its first token
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(first.size()); }
};
WordUnits word_units(const Sentence& sentence);

// map: [token, columns], columns are tokens and perhaps more that stay as they are (the bias of `source`):
// [unit, units + more]. Throws ShapeError when columns are fewer than tokens or the map has another size.
std::vector<double> merge_pieces(std::span<const double> map, std::int64_t columns, const WordUnits& units);

// values: [token, width] → [unit, width], means over the pieces. Throws ShapeError for another size.
std::vector<double> average_pieces(std::span<const double> values, std::int64_t width,
                                   const WordUnits& units);

}  // namespace mog::analysis

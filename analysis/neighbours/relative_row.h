// Attention rows of different sentences, compared: by how far away what they attend to stands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::analysis {

// What a word attends to, by distance in words: weights[i] is what it gives to the word `first + i` places
// behind it (negative: before it). Special tokens are one place of their own, and so is what rows that were
// cut (--store-top-k) do not say. The sum of all is 1.
struct RelativeRow {
  std::int64_t first = 0;
  std::vector<double> weights;
  double special = 0;
  double unknown = 0;
};

// row: [token], what a token (or the mean over the pieces of a word) gives to each token of `sentence`, of
// word `word`; pieces of a word are added up. `unknown`: what the row lacks. Divided by its sum. Empty
// weights where the sum is no positive number.
RelativeRow relative_row(const Sentence& sentence, std::int64_t word, std::span<const double> row,
                         double unknown = 0);

// 1 - the Jensen-Shannon distance (base 2; Endres, Schindelin 2003: a metric in [0, 1]): 1 for equal rows, 0
// for rows that have no place in common. NaN where one is empty. O(places).
double row_similarity(const RelativeRow& left, const RelativeRow& right);

}  // namespace mog::analysis

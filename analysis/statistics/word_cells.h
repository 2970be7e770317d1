// What the sentences of a recording and those that pass by have in common: what one leaves in a group of
// words, and the cells of a group from means and resamples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

// What a sentence leaves, by group. Throws ShapeError.
std::map<std::int64_t, WordRow> word_rows(const WordStatistics& header, const SentenceValues& sentence,
                                          std::span<const std::int64_t> group_of);

// What a sentence adds to the mean of a group: words (micro) or one (macro), and the sum with that weight.
struct WordShare {
  double weight = 0;
  double sum = 0;
};
WordShare share_of(double count, double sum, Averaging averaging);

// What one group has of every series.
struct WordGroupCells {
  WordGroup group;
  std::vector<WordCell> cells;    // [series]; without words: the group has none
  std::vector<double> resampled;  // [series, resample]: means of resampled sentences
};

// Groups come in their order; differences are to the first that is a bin.
class WordCells {
 public:
  // Intervals and differences, and those with words into `result`. Throws Interrupted.
  void add(WordStatistics& result, WordGroupCells of_group);

 private:
  std::optional<WordGroupCells> base_;
};

}  // namespace mog::analysis

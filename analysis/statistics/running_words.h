// WordStatistics of sentences that pass by and are forgotten: sums that parts of a corpus add up to
// (running_sums.h), or the means of sentences for trends (kept_sentences.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/statistics/additive.h"
#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/trends.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

class RunningWords {
 public:
  RunningWords() = default;
  RunningWords(const RunningWords&) = delete;
  RunningWords& operator=(const RunningWords&) = delete;
  virtual ~RunningWords() = default;
  // How many sentences will be added at most. Throws UsageError where that is too many to hold.
  virtual void expect(std::int64_t /*sentences*/) {}
  // Word w belongs to group group_of[w] of `groups`; -1 or a word beyond the list: to none. Throws
  // ShapeError.
  virtual void add(const SentenceValues& sentence, std::span<const std::int64_t> group_of,
                   std::span<const WordGroup> groups) = 0;
  // Cells, or means of sentences, as WordAccumulator has them.
  virtual WordStatistics finish() const = 0;
  virtual Table table() const { return finish().table(); }
  virtual std::vector<Additive*> sums() = 0;
};

// Groups are bins of length or place, which `group_of` names by their numbers (`groups` is not looked at).
// The cells are those of WordAccumulator, but for last bits and the draws behind intervals. `header`:
// everything but groups, cells and counts. Throws UsageError where the sums would take more than 4 GB: 32
// bytes · bins · series · resamples.
std::unique_ptr<RunningWords> running_words(WordStatistics header, LengthBins bins);

// Groups are those that come, by their labels (parts of speech).
std::unique_ptr<RunningWords> running_groups(WordStatistics header);

// trend_table() of the means of every sentence, in bins of its length; numbers and draws are those of
// WordAccumulator.
std::unique_ptr<RunningWords> running_word_trends(WordStatistics header, LengthBins bins,
                                                  const TrendOptions& trend);

}  // namespace mog::analysis

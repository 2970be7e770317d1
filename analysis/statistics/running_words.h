// WordStatistics of sentences that pass by and are forgotten: sums that parts of a corpus add up to
// (running_sums.h). Groups are bins of length or place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/quantile_sketch.h"
#include "analysis/statistics/running_sums.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

class RunningWords {
 public:
  // `header`: everything but groups, cells and counts. Throws UsageError where the sums would take more than
  // 4 GB: 32 bytes · bins · series · resamples.
  RunningWords(WordStatistics header, LengthBins bins);
  // Word w belongs to bin bin_of[w]; -1 or a word beyond the list: to none. Throws ShapeError.
  void add(const SentenceValues& sentence, std::span<const std::int64_t> bin_of);
  // The cells of WordAccumulator, but for last bits and the draws behind intervals.
  WordStatistics finish() const;
  std::vector<Additive*> sums();

 private:
  WordCell cell_of(std::int64_t bin, std::int64_t series) const;
  std::vector<double> resampled(std::int64_t bin) const;

  WordStatistics header_;
  LengthBins bins_;
  RunningSums sums_;
  QuantileSketches sketches_;  // [bin, series]; none without quantiles
};

}  // namespace mog::analysis

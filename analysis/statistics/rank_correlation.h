// Spearman's rank correlation with a bootstrap interval over groups of observations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/random/bootstrap.h"

namespace mog::analysis {

struct RankCorrelation {
  double rho = 0;     // in [-1, 1]; NaN when x or y does not vary or there are fewer than two observations
  Interval interval;  // of the resamples, and wide enough for rho (`holding`)
  std::int64_t observations = 0;
};

// Observations that count several times: [weight] repeats, 0 leaves one out. Equal values share the mean of
// their ranks. x, y and weights are equally long; values are finite. O(n log n).
double weighted_spearman(std::span<const double> x, std::span<const double> y,
                         std::span<const std::int64_t> weights);
double spearman(std::span<const double> x, std::span<const double> y);

// Observation i belongs to group groups[i], from 0 to `group_count` - 1; a resample draws whole groups with
// their observations (a sentence with all its layers). Ranks are found anew in every resample, in O(n).
// Throws UsageError for spans of different lengths, a group out of range or bad options.
RankCorrelation grouped_spearman(std::span<const double> x, std::span<const double> y,
                                 std::span<const std::int64_t> groups, std::int64_t group_count,
                                 const BootstrapOptions& options = {}, std::uint64_t stream = 0);

}  // namespace mog::analysis

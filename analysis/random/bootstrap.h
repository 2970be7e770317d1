// Percentile bootstrap intervals over sentences, the same on every machine for one seed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace mog::analysis {

struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct BootstrapOptions {
  std::int64_t resamples = 1000;  // 0: no intervals
  double confidence = 0.95;
  std::uint64_t seed = 1;
  std::stop_token stop = {};  // asked before every resample
};
// One item says nothing of how items differ: every resample of it is itself, an interval without width that
// would look like certainty. Below this there is no interval.
inline constexpr std::int64_t kFewestResampled = 2;

// Throws Interrupted once a stop was asked for.
void check_stop(const BootstrapOptions& options);

// A random number that depends only on its key (SplitMix64 of a mixed key): draws need no order, so threads,
// shards and platforms agree.
std::uint64_t keyed_random(std::uint64_t seed, std::uint64_t stream, std::uint64_t resample,
                           std::uint64_t draw) noexcept;

// Draw number `draw` of resample number `resample`: an index in [0, items).
std::int64_t resampled_index(std::int64_t items, std::uint64_t seed, std::uint64_t stream,
                             std::uint64_t resample, std::uint64_t draw) noexcept;

// The quantile q in [0, 1] by linear interpolation between order statistics (numpy's default).
// `values` is partly sorted. NaN for no values.
double quantile(std::span<double> values, double q);

// The central interval of `values`; values that are not finite are left out. Both ends NaN for none.
Interval percentile_interval(std::vector<double> values, double confidence);

// The interval, as wide as it takes to hold the estimate. Resampling with repeats shifts some statistics: a
// sentence drawn twice ties with itself, and every resampled rank correlation may lie below one near 1. Not
// changed where one of the numbers is none.
Interval holding(Interval interval, double estimate) noexcept;

// `statistic` gets the indices of one resample (as many as items, with repeats).
// Both ends NaN below kFewestResampled items. Throws UsageError for negative sizes or a confidence outside
// (0, 1), Interrupted.
Interval bootstrap_interval(std::int64_t items,
                            const std::function<double(std::span<const std::int64_t>)>& statistic,
                            const BootstrapOptions& options = {}, std::uint64_t stream = 0);

}  // namespace mog::analysis

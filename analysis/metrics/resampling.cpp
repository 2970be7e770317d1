// Everything is done on rows of sums by segment (summed_metric.h): a resample adds up as many rows as
// there are segments and scores the sum. O(trials · segments · columns), with ten columns for BLEU; nothing
// is tokenised again. The scores of the trials are all that is kept.
//
// The draws are numpy's in sacreBLEU's order (decision 25), which ties the order of the loops: one index a
// segment, one coin a segment. Trials cannot be shared out among threads, and another way to draw an index
// would give other p values.
//
// Three details are sacreBLEU's, too. The interval is the resample at n/40 from either end, without
// interpolation. The differences of the paired bootstrap are centred on their own mean, which is how chance
// is made out of them. A trial is more extreme only if it is strictly greater (Ties), and one is added above
// and below, so that p is never 0.
#include "analysis/metrics/resampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/random/numpy_random.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

void add(std::vector<double>& sums, const std::vector<double>& segment) {
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] += segment[k];
  }
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Scores of two systems on the same resampled segments, |difference| each.
std::vector<double> bootstrap_differences(const SummedMetric& metric, const SegmentStatistics& baseline,
                                          const SegmentStatistics& system, std::int64_t trials,
                                          std::uint64_t seed) {
  NumpyRandom random(seed);
  std::vector<double> differences;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    std::vector<double> left(baseline.sums.size());
    std::vector<double> right(system.sums.size());
    for (std::size_t i = 0; i < baseline.size(); ++i) {
      const std::uint64_t drawn = random.index(baseline.size());
      add(left, baseline.segments[drawn]);
      add(right, system.segments[drawn]);
    }
    differences.push_back(std::abs(metric.score(right) - metric.score(left)));
  }
  const double mean = mean_of(differences);
  for (double& difference : differences) {
    difference -= mean;
  }
  return differences;
}

// Two pseudo systems that share out the segments of both at random, |difference| of their scores.
std::vector<double> randomized_differences(const SummedMetric& metric, const SegmentStatistics& baseline,
                                           const SegmentStatistics& system, std::int64_t trials,
                                           std::uint64_t seed) {
  NumpyRandom random(seed);
  std::vector<double> differences;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    std::vector<double> left(baseline.sums.size());
    std::vector<double> right(system.sums.size());
    for (std::size_t i = 0; i < baseline.size(); ++i) {
      const bool kept = random.next_bool();
      add(left, kept ? baseline.segments[i] : system.segments[i]);
      add(right, kept ? system.segments[i] : baseline.segments[i]);
    }
    differences.push_back(std::abs(metric.score(left) - metric.score(right)));
  }
  return differences;
}

}  // namespace

ScoreInterval bootstrap_score(const SummedMetric& metric, const SegmentStatistics& statistics,
                              std::int64_t resamples, std::uint64_t seed) {
  if (resamples < 0) {
    throw UsageError(fmt::format("bootstrap of a score: {} resamples", resamples));
  }
  ScoreInterval result;
  result.score = metric.score(statistics.sums);
  result.mean = result.low = result.high = result.score;
  result.resamples = resamples;
  if (resamples == 0) {
    return result;
  }
  NumpyRandom random(seed);
  std::vector<double> scores;
  for (std::int64_t resample = 0; resample < resamples; ++resample) {
    std::vector<double> sums(statistics.sums.size());
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      add(sums, statistics.segments[random.index(statistics.size())]);
    }
    scores.push_back(metric.score(sums));
  }
  std::sort(scores.begin(), scores.end());
  const std::size_t cut = scores.size() / 40;
  result.mean = mean_of(scores);
  result.low = scores[cut];
  result.high = scores[scores.size() - cut - 1];
  result.half_width = 0.5 * (result.high - result.low);
  return result;
}

PairedTest parse_paired_test(std::string_view text) {
  for (const PairedTest test : {PairedTest::bootstrap, PairedTest::randomization}) {
    if (text == name(test)) {
      return test;
    }
  }
  throw UsageError(
      fmt::format("paired test \"{}\": allowed are bs (paired bootstrap resampling) and ar "
                  "(approximate randomization){}",
                  text, did_you_mean(text, {"bs", "ar"})));
}

std::string_view name(PairedTest test) noexcept {
  return test == PairedTest::bootstrap ? "bs" : "ar";
}

std::int64_t default_trials(PairedTest test) noexcept {
  return test == PairedTest::bootstrap ? 1000 : 10000;
}

PairedResult paired_test(const SummedMetric& metric, const SegmentStatistics& baseline,
                         const SegmentStatistics& system, PairedTest test, std::int64_t trials,
                         std::uint64_t seed, Ties ties) {
  if (baseline.size() != system.size() || baseline.size() == 0) {
    throw UsageError(fmt::format("comparing two systems: {} and {} segments, expected the same",
                                 baseline.size(), system.size()));
  }
  if (trials < 1) {
    throw UsageError(fmt::format("comparing two systems: {} trials, at least one is needed", trials));
  }
  PairedResult result;
  result.baseline = metric.score(baseline.sums);
  result.system = metric.score(system.sums);
  result.difference = result.system - result.baseline;
  result.trials = trials;
  const std::vector<double> differences =
      test == PairedTest::bootstrap ? bootstrap_differences(metric, baseline, system, trials, seed)
                                    : randomized_differences(metric, baseline, system, trials, seed);
  const double real = std::abs(result.difference);
  const auto extreme = std::count_if(differences.begin(), differences.end(), [&](double difference) {
    return difference > real || (ties == Ties::extreme && difference == real);
  });
  result.p_value = static_cast<double>(extreme + 1) / static_cast<double>(trials + 1);
  return result;
}

}  // namespace mog::analysis

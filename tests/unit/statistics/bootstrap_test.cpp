#include "analysis/random/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  // By hand: sorted 1 2 4 8; q = 0.5 lies at place 1.5, q = 0.9 at place 2.7.
  std::vector<double> values = {8, 1, 4, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 4 + 0.7 * 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 8);
  std::vector<double> none;
  EXPECT_TRUE(std::isnan(quantile(none, 0.5)));
}

TEST(PercentileInterval, LeavesOutWhatIsNotFinite) {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) {
    values.push_back(i);
  }
  values.push_back(std::nan(""));
  const Interval interval = percentile_interval(values, 0.9);
  EXPECT_NEAR(interval.low, 5, 1e-9);
  EXPECT_NEAR(interval.high, 95, 1e-9);
}

TEST(KeyedRandom, IsTheSameOnEveryMachine) {
  // From the Python twin in tests/data/statistics/make_expected.py.
  EXPECT_EQ(keyed_random(9, 2, 5, 7), 15291906768896134773U);
  EXPECT_EQ(resampled_index(1000, 9, 2, 5, 7), 828);
}

TEST(ResampledIndex, ReachesEveryItemEvenly) {
  std::vector<int> count(7, 0);
  for (std::uint64_t draw = 0; draw < 70000; ++draw) {
    const std::int64_t index = resampled_index(7, 1, 0, 0, draw);
    ASSERT_GE(index, 0);
    ASSERT_LT(index, 7);
    ++count[static_cast<std::size_t>(index)];
  }
  for (const int one : count) {
    EXPECT_NEAR(one, 10000, 400);  // four standard deviations
  }
}

TEST(Bootstrap, IntervalOfAMeanIsNearTheNormalOne) {
  // 400 numbers 0..399: standard error of the mean sqrt(var / n) = 115.47 / 20.
  const auto mean = [](std::span<const std::int64_t> indices) {
    return static_cast<double>(std::accumulate(indices.begin(), indices.end(), std::int64_t{0})) / 400;
  };
  const Interval interval = bootstrap_interval(400, mean, {.resamples = 4000, .confidence = 0.95, .seed = 3});
  EXPECT_NEAR(interval.low, 199.5 - 1.96 * 5.774, 0.6);
  EXPECT_NEAR(interval.high, 199.5 + 1.96 * 5.774, 0.6);
  EXPECT_EQ(interval, bootstrap_interval(400, mean, {.resamples = 4000, .confidence = 0.95, .seed = 3}));
  EXPECT_FALSE(interval == bootstrap_interval(400, mean, {.resamples = 4000, .confidence = 0.95, .seed = 4}));
}

TEST(Bootstrap, OneItemSaysNothingOfHowItemsDiffer) {
  const auto three = [](std::span<const std::int64_t>) { return 3.0; };
  EXPECT_TRUE(std::isnan(bootstrap_interval(1, three).low));
  EXPECT_EQ(bootstrap_interval(2, three), (Interval{3, 3}));
  EXPECT_TRUE(std::isnan(bootstrap_interval(0, three).low));
  EXPECT_TRUE(std::isnan(bootstrap_interval(5, three, {.resamples = 0}).high));
  EXPECT_THROW(bootstrap_interval(5, three, {.confidence = 1.0}), UsageError);
  EXPECT_THROW(bootstrap_interval(5, three, {.resamples = -1}), UsageError);
}

}  // namespace
}  // namespace mog::analysis

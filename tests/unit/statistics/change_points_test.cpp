#include "analysis/statistics/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace mog::analysis {
namespace {

std::vector<double> numbers(std::size_t count) {
  std::vector<double> x(count);
  std::iota(x.begin(), x.end(), 0.0);
  return x;
}

using Places = std::vector<std::size_t>;

TEST(ChangePoints, ABendIsFoundWhereItIs) {
  const std::vector<double> x = numbers(30);
  std::vector<double> y;
  for (const double at : x) {
    y.push_back(at < 12 ? at : 24 - at);
  }
  const Places found = change_points(x, y);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(static_cast<double>(found.front()), 12.0, 1.0);  // the point of the bend lies on both lines
}

TEST(ChangePoints, AStepAndASecondOneAreBothFound) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.1);
  const std::vector<double> x = numbers(60);
  std::vector<double> y;
  for (const double at : x) {
    y.push_back((at < 20 ? 0.0 : at < 45 ? 2.0 : 1.0) + noise(random));
  }
  EXPECT_EQ(change_points(x, y), (Places{20, 45}));
}

TEST(ChangePoints, ScaleAndPlaceOfTheSeriesDoNotMatter) {
  std::mt19937 random(4);
  std::normal_distribution<double> noise(0, 1);
  const std::vector<double> x = numbers(40);
  std::vector<double> y;
  std::vector<double> other_x;
  std::vector<double> other_y;
  for (const double at : x) {
    y.push_back(noise(random) + (at < 15 ? 0 : 12));
    other_x.push_back(1e6 + 250 * at);
    other_y.push_back(5 - 1e-3 * y.back());
  }
  EXPECT_EQ(change_points(x, y), (Places{15}));
  EXPECT_EQ(change_points(other_x, other_y), (Places{15}));
}

TEST(ChangePoints, LinesAndShortSeriesHaveNone) {
  const std::vector<double> x = numbers(20);
  std::vector<double> line;
  for (const double at : x) {
    line.push_back(3 - 0.1 * at);
  }
  EXPECT_TRUE(change_points(x, line).empty());
  EXPECT_TRUE(change_points(x, std::vector<double>(20, 0.5)).empty());
  EXPECT_TRUE(change_points(numbers(5), std::vector<double>{0, 0, 0, 9, 9}).empty());
  EXPECT_TRUE(change_points({}, {}).empty());
}

// What is not known is left out; places are those of the whole series.
TEST(ChangePoints, AbsentPointsAreLeftOut) {
  const std::vector<double> x = numbers(24);
  std::vector<double> y;
  for (const double at : x) {
    y.push_back(at < 12 ? 0.0 : 1.0);
  }
  y[3] = std::numeric_limits<double>::quiet_NaN();
  y[20] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(change_points(x, y), (Places{12}));
}

// The penalty is what docs and the head of the file promise of noise alone.
TEST(ChangePoints, NoiseAloneRarelyHasOne) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 1);
  for (const std::size_t count : {std::size_t{10}, std::size_t{40}}) {
    const std::vector<double> x = numbers(count);
    int alarms = 0;
    constexpr int kSeries = 500;
    for (int series = 0; series < kSeries; ++series) {
      std::vector<double> y(count);
      for (double& value : y) {
        value = noise(random);
      }
      alarms += change_points(x, y).empty() ? 0 : 1;
    }
    EXPECT_LT(alarms, kSeries * 8 / 100) << count;
  }
}

}  // namespace
}  // namespace mog::analysis

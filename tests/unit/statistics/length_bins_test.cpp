#include "analysis/statistics/length_bins.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/statistics/running_moments.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

TEST(LengthBins, ABinIncludesItsLowerEdgeAndTheLastIsOpen) {
  const LengthBins bins;
  EXPECT_EQ(bins.size(), 7);
  EXPECT_EQ(bins.bin(0), 0);
  EXPECT_EQ(bins.bin(9), 0);
  EXPECT_EQ(bins.bin(10), 1);
  EXPECT_EQ(bins.bin(59), 5);
  EXPECT_EQ(bins.bin(60), 6);
  EXPECT_EQ(bins.bin(100000), 6);
  EXPECT_EQ(bins.high(6), -1);
  EXPECT_EQ(bins.high(0), 10);
  // The lengths in it: no two bins have one together.
  EXPECT_EQ(bins.label(0), "1–9");
  EXPECT_EQ(bins.label(1), "10–19");
  EXPECT_EQ(bins.label(6), "60+");
  EXPECT_EQ(LengthBins::label(7, 8), "7");
  EXPECT_EQ(LengthBins::label(0, 1), "0");
  EXPECT_EQ(LengthBins::label(1, 2), "1");
  EXPECT_EQ(LengthBins::label(0, 2), "1");
}

TEST(LengthBins, WidthsAndEdgesAreParsed) {
  EXPECT_EQ(LengthBins::parse("10"), LengthBins());
  const LengthBins bins = LengthBins::parse("5,8,30");
  EXPECT_EQ(bins.size(), 3);
  EXPECT_EQ(bins.bin(4), -1);
  EXPECT_EQ(bins.bin(5), 0);
  EXPECT_EQ(bins.bin(29), 1);
  EXPECT_EQ(bins.label(1), "8–29");
  EXPECT_EQ(LengthBins::parse("25").size(), 3);  // 0, 25, 50
  for (const char* const text : {"", "x", "0", "-5", "10,5", "3,3", "1,", ",1", "10 ", "1,2,x"}) {
    EXPECT_THROW(LengthBins::parse(text), UsageError) << text;
  }
}

TEST(RunningMoments, MergedPartsEqualTheWhole) {
  RunningMoments whole;
  RunningMoments left;
  RunningMoments right;
  double sum = 0;
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) {
    values.push_back(1e6 + std::sin(i * 1.7));
    sum += values.back();
    whole.add(values.back());
    (i < 37 ? left : right).add(values.back());
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - sum / 100) * (value - sum / 100);
  }
  EXPECT_EQ(whole.count(), 100);
  EXPECT_NEAR(whole.mean(), sum / 100, 1e-8);
  EXPECT_NEAR(whole.variance(), squares / 99, 1e-8);
  left.merge(right);
  EXPECT_EQ(left.count(), 100);
  EXPECT_NEAR(left.mean(), whole.mean(), 1e-9);
  EXPECT_NEAR(left.m2(), whole.m2(), 1e-6);
  EXPECT_NEAR(whole.standard_error(), std::sqrt(squares / 99 / 100), 1e-8);
  RunningMoments empty;
  empty.merge({});
  EXPECT_EQ(empty, RunningMoments());
  empty.merge(whole);
  EXPECT_EQ(empty, whole);
}

}  // namespace
}  // namespace mog::analysis

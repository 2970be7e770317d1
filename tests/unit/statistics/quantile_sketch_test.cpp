#include "analysis/statistics/quantile_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Of both signs, over thirty powers of ten, with zeros and repeats.
std::vector<double> irregular(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) {
    values.push_back(i % 50 == 0 ? 0.0 : std::sin(i) * std::pow(10.0, i % 31 - 15));
    if (i % 7 == 0) {
      values.push_back(values.back());
    }
  }
  return values;
}

std::vector<std::int64_t> words_of(const QuantileSketch& sketch) {
  std::vector<std::int64_t> words;
  sketch.append_words(words);
  return words;
}

TEST(QuantileSketch, IsWithinItsBoundOfTheNumberOfThatRank) {
  std::vector<double> values = irregular(4000);
  QuantileSketch sketch;
  for (const double value : values) {
    sketch.add(value);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(sketch.count(), std::ssize(values));
  for (int percent = 0; percent <= 1000; ++percent) {
    const double q = percent / 1000.0;
    const auto rank =
        static_cast<std::size_t>(std::max(1.0, std::ceil(q * static_cast<double>(values.size()))));
    const double exact = values.at(rank - 1);
    EXPECT_LE(std::abs(sketch.quantile(q) - exact), QuantileSketch::kBound * std::abs(exact)) << q;
  }
}

TEST(QuantileSketch, NumbersAtTheEndsOfARangeKeepTheBound) {
  for (const double value :
       {1.0, std::nextafter(1.0, 0.0), 1.5, std::nextafter(2.0, 0.0), 0x1p-60, 1.7e308, 0.3333}) {
    for (const double number : {value, -value}) {
      QuantileSketch sketch;
      sketch.add(number);
      EXPECT_LE(std::abs(sketch.quantile(0.5) - number), QuantileSketch::kBound * value) << number;
    }
  }
  QuantileSketch small;
  small.add(-0x1p-61);
  small.add(0.0);
  small.add(-0.0);
  EXPECT_EQ(small.quantile(0), 0);
  EXPECT_EQ(small.quantile(1), 0);
}

TEST(QuantileSketch, PartsAddUpToTheWholeInAnyOrder) {
  const std::vector<double> values = irregular(3000);
  QuantileSketch whole;
  std::vector<QuantileSketch> parts(7);
  for (std::size_t i = 0; i < values.size(); ++i) {
    whole.add(values[i]);
    parts[(i * i) % parts.size()].add(values[i]);
  }
  for (const bool backward : {false, true}) {
    if (backward) {
      std::reverse(parts.begin(), parts.end());
    }
    QuantileSketch merged;
    QuantileSketch read;
    for (const QuantileSketch& part : parts) {
      merged.merge(part);
      const std::vector<std::int64_t> words = words_of(part);
      std::span<const std::int64_t> left = words;
      read.add_words(left);
      EXPECT_TRUE(left.empty());
    }
    EXPECT_EQ(merged, whole);
    EXPECT_EQ(read, whole);
    EXPECT_EQ(words_of(merged), words_of(whole));
  }
}

TEST(QuantileSketch, HasNoQuantileWithoutNumbersOrWithOneThatIsNone) {
  QuantileSketch sketch;
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
  sketch.add(2);
  EXPECT_FALSE(std::isnan(sketch.quantile(0.5)));
  sketch.add(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
  QuantileSketch other;
  other.add(std::numeric_limits<double>::quiet_NaN());
  other.merge(sketch);
  EXPECT_EQ(words_of(other)[1], 2);
}

TEST(QuantileSketch, WordsThatCannotBeAreRefused) {
  QuantileSketch good;
  good.add(1);
  good.add(-3);
  const std::vector<std::int64_t> words = words_of(good);
  ASSERT_EQ(words.size(), 6U);
  const auto refused = [](const std::vector<std::int64_t>& changed) {
    QuantileSketch sketch;
    std::span<const std::int64_t> left = changed;
    EXPECT_THROW(sketch.add_words(left), FormatError);
  };
  for (const std::size_t cut : {0U, 1U, 3U, 5U}) {
    refused({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(cut)});
  }
  const auto with = [&](std::size_t at, std::int64_t word) {
    std::vector<std::int64_t> changed = words;
    changed[at] = word;
    return changed;
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  refused(with(0, -1));
  refused(with(0, kMost));
  refused(with(1, -1));
  refused(with(2, words[4]));  // keys that do not ascend
  refused(with(4, 1));         // of a number below the smallest
  refused(with(4, kMost));
  refused(with(3, 0));
  refused(with(5, kMost));
  QuantileSketches several(1, 2);
  EXPECT_THROW(several.add_words(words), FormatError);
}

}  // namespace
}  // namespace mog::analysis

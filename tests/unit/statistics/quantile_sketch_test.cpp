#include "analysis/statistics/quantile_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/statistics/running_sums.h"
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
  for (std::size_t i = 0, size = 0; i < values.size(); i += size) {
    size = std::min(1 + i % 5, values.size() - i);
    const auto sentence = std::span(values).subspan(i, size);
    whole.add(sentence);
    parts[(i * i) % parts.size()].add(sentence);
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

// Sentences of 1 to 12 numbers that have much in common.
std::vector<double> of_sentence(int number) {
  std::vector<double> values;
  const double own = 1.5 + std::sin(number * 1.7);
  for (int word = 0; word < 1 + number * 7 % 12; ++word) {
    values.push_back(own + 0.3 * std::sin(number * 31 + word * 11));
  }
  return values;
}

// The interval by drawing: a weight from a Poisson distribution for every sentence.
Interval drawn_interval(int sentences, double q, double confidence) {
  constexpr std::int64_t kResamples = 4000;
  std::vector<std::pair<double, int>> all;  // number and sentence, ascending
  for (int number = 1; number <= sentences; ++number) {
    for (const double value : of_sentence(number)) {
      all.emplace_back(value, number);
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<std::vector<float>> weights;  // [sentence - 1]
  for (int number = 1; number <= sentences; ++number) {
    const auto own = poisson_weights(number, 3, kResamples);
    weights.emplace_back(own.begin(), own.end());
  }
  std::vector<double> quantiles;
  for (std::size_t resample = 0; resample < kResamples; ++resample) {
    const auto weight = [&](const auto& one) {
      return static_cast<double>(weights[static_cast<std::size_t>(one.second - 1)][resample]);
    };
    double total = 0;
    for (const auto& one : all) {
      total += weight(one);
    }
    double below = 0;
    for (const auto& one : all) {
      below += weight(one);
      if (below >= q * total) {
        quantiles.push_back(one.first);
        break;
      }
    }
  }
  return percentile_interval(std::move(quantiles), confidence);
}

TEST(QuantileSketch, IntervalsAreThoseOfDrawnSentences) {
  for (const int sentences : {40, 400}) {
    QuantileSketch sketch;
    QuantileSketch of_words;  // as if every number were a sentence
    for (int number = 1; number <= sentences; ++number) {
      sketch.add(of_sentence(number));
      for (const double value : of_sentence(number)) {
        of_words.add(value);
      }
    }
    for (const double q : {0.25, 0.5, 0.75}) {
      for (const double confidence : {0.8, 0.95}) {
        const Interval found = sketch.interval(q, confidence);
        const Interval drawn = drawn_interval(sentences, q, confidence);
        const double width = drawn.high - drawn.low;
        EXPECT_LE(found.low, sketch.quantile(q));
        EXPECT_GE(found.high, sketch.quantile(q));
        EXPECT_NEAR(found.low, drawn.low, 0.12 * width) << sentences << " " << q << " " << confidence;
        EXPECT_NEAR(found.high, drawn.high, 0.12 * width) << sentences << " " << q << " " << confidence;
        // Words of a sentence are no observations of their own.
        const Interval narrow = of_words.interval(q, confidence);
        EXPECT_LT(narrow.high - narrow.low, 0.7 * width);
      }
    }
  }
}

// The share below a number is a ratio of sums over sentences; its variance is known by hand.
TEST(QuantileSketch, AnIntervalByHand) {
  // Five sentences of 1 and 3 alone and of both: of the numbers half is 1, and Σ (c - n/2)² is 4 · ½² + 0.
  QuantileSketch sketch;
  for (const double value : {1.0, 1.0, 3.0, 3.0}) {
    sketch.add(value);
  }
  const double both[] = {3.0, 1.0};
  sketch.add(both);
  EXPECT_EQ(words_of(sketch)[2], 5);
  const double one = sketch.quantile(0);
  const double three = sketch.quantile(1);
  // F(1) = 1/2 with standard error 1/6: at z = 1 it reaches from 1/3 to 2/3.
  const double within_one = std::erf(1 / std::sqrt(2.0));
  EXPECT_EQ(sketch.interval(0.66, within_one), (Interval{one, three}));
  EXPECT_EQ(sketch.interval(0.67, within_one), (Interval{three, three}));
  EXPECT_EQ(sketch.interval(0.34, within_one), (Interval{one, three}));
  EXPECT_EQ(sketch.interval(0.33, within_one), (Interval{one, one}));

  QuantileSketch single;
  single.add(both);
  EXPECT_TRUE(std::isnan(single.interval(0.5, 0.95).low));  // one sentence says nothing of others
  single.add(2);
  EXPECT_FALSE(std::isnan(single.interval(0.5, 0.95).low));
  single.add(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(single.interval(0.5, 0.95).high));
  QuantileSketch equal;
  equal.add(2);
  equal.add(2);
  EXPECT_EQ(equal.interval(0.25, 0.99), (Interval{equal.quantile(0.25), equal.quantile(0.25)}));
  EXPECT_TRUE(std::isnan(quartiles(equal, {.resamples = 0}).intervals[1].low));
}

TEST(QuantileSketch, WordsThatCannotBeAreRefused) {
  QuantileSketch good;
  good.add(1);
  good.add(-3);
  const std::vector<std::int64_t> words = words_of(good);
  ASSERT_EQ(words.size(), 11U);
  const auto refused = [](const std::vector<std::int64_t>& changed) {
    QuantileSketch sketch;
    std::span<const std::int64_t> left = changed;
    EXPECT_THROW(sketch.add_words(left), FormatError);
  };
  for (const std::size_t cut : {0U, 1U, 3U, 5U, 10U}) {
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
  refused(with(2, -1));
  refused(with(2, 3));         // more sentences than numbers
  refused(with(3, words[7]));  // keys that do not ascend
  refused(with(7, 1));         // of a number below the smallest
  refused(with(7, kMost));
  refused(with(4, 0));
  refused(with(8, kMost));
  refused(with(5, 0));
  refused(with(9, 2));  // other sums of products and of squares
  refused(with(6, 0));
  refused(with(10, kMost));
  QuantileSketches several(1, 2);
  EXPECT_THROW(several.add_words(words), FormatError);
}

}  // namespace
}  // namespace mog::analysis

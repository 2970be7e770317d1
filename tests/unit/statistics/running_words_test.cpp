#include "analysis/statistics/running_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
const LengthBins kBins({0, 4, 8});

WordStatistics head(Averaging averaging) {
  WordStatistics result;
  result.measure = "joins";
  result.averaging = averaging;
  result.by = "length";
  result.bootstrap = {.resamples = 300, .confidence = 0.95, .seed = 4};
  result.quantiles = true;
  result.samples = 50;
  result.series = {{.layer = 1}, {.layer = 1, .leaves = 2}, {.layer = 2}};
  return result;
}

// Of 1 to 11 words; the third series has no value of short sentences and of every third word, and long ones
// were sampled.
SentenceValues sentence(std::int64_t number) {
  SentenceValues result{.number = number, .words = 1 + number * 5 % 11};
  for (int series = 0; series < 3; ++series) {
    for (std::int64_t word = 0; word < result.words; ++word) {
      const bool none = series == 2 && (result.words < 3 || word % 3 == 0);
      result.values.push_back(
          none ? kNone : std::sin(static_cast<double>(number * 97 + series * 13 + word)) + series);
      if (result.words > 7) {
        result.errors.push_back(none ? kNone : 0.01 * static_cast<double>(word + 1));
      }
    }
  }
  return result;
}

// Every fifth word belongs to no bin.
std::vector<std::int64_t> bins_of(const SentenceValues& values) {
  std::vector<std::int64_t> result;
  for (std::int64_t word = 0; word < values.words; ++word) {
    result.push_back(word % 5 == 4 ? -1 : kBins.bin(values.words));
  }
  return result;
}

WordStatistics recorded(Averaging averaging, std::int64_t last) {
  WordAccumulator accumulator(head(averaging));
  std::vector<WordGroup> groups;
  for (std::int64_t bin = 0; bin < kBins.size(); ++bin) {
    groups.push_back({.low = kBins.low(bin), .high = kBins.high(bin), .label = kBins.label(bin)});
  }
  for (std::int64_t number = 1; number <= last; ++number) {
    const SentenceValues values = sentence(number);
    accumulator.add(values, bins_of(values), groups);
  }
  return accumulator.finish();
}

void add(RunningWords& running, std::int64_t first, std::int64_t last, std::int64_t step = 1) {
  for (std::int64_t number = first; number <= last; number += step) {
    const SentenceValues values = sentence(number);
    running.add(values, bins_of(values));
  }
}

void expect_near(double found, double expected) {
  EXPECT_EQ(std::isnan(found), std::isnan(expected));
  if (!std::isnan(expected)) {
    EXPECT_NEAR(found, expected, 1e-12);
  }
}

TEST(RunningWords, HasTheCellsOfARecording) {
  for (const Averaging averaging : {Averaging::micro, Averaging::macro}) {
    const WordStatistics expected = recorded(averaging, 400);
    RunningWords running(head(averaging), kBins);
    add(running, 1, 400);
    const WordStatistics found = running.finish();
    ASSERT_EQ(found.cells.size(), expected.cells.size());
    EXPECT_EQ(found.groups, expected.groups);
    for (std::size_t i = 0; i < expected.cells.size(); ++i) {
      const WordCell& own = found.cells[i];
      const WordCell& other = expected.cells[i];
      EXPECT_EQ(own.series, other.series);
      EXPECT_EQ(own.group, other.group);
      EXPECT_EQ(own.sentences, other.sentences);
      EXPECT_EQ(own.words, other.words);
      expect_near(own.mean, other.mean);
      expect_near(own.variance, other.variance);
      expect_near(own.sampling_error, other.sampling_error);
      expect_near(own.difference, other.difference);
      EXPECT_EQ(own.quartiles.lower, other.quartiles.lower);
      EXPECT_EQ(own.quartiles.median, other.quartiles.median);
      EXPECT_EQ(own.quartiles.upper, other.quartiles.upper);
      const double width = other.high - other.low;
      EXPECT_NEAR(own.low, other.low, 0.25 * width);
      EXPECT_NEAR(own.high, other.high, 0.25 * width);
      EXPECT_EQ(std::isnan(own.difference_low), std::isnan(other.difference_low));
    }
  }
}

TEST(RunningWords, PartsAddUpToTheWholeBitForBit) {
  for (const Averaging averaging : {Averaging::micro, Averaging::macro}) {
    RunningWords whole(head(averaging), kBins);
    add(whole, 1, 300);
    RunningWords merged(head(averaging), kBins);
    for (const std::int64_t first : {3, 1, 2}) {
      RunningWords part(head(averaging), kBins);
      add(part, first, 300, 3);
      for (std::size_t i = 0; i < part.sums().size(); ++i) {
        merged.sums()[i]->add_words(part.sums()[i]->words());
      }
    }
    EXPECT_EQ(to_csv(merged.finish().table()), to_csv(whole.finish().table()));
    for (std::size_t i = 0; i < whole.sums().size(); ++i) {
      EXPECT_EQ(merged.sums()[i]->words(), whole.sums()[i]->words());
    }
  }
}

TEST(RunningWords, WhatTakesTooMuchMemoryIsRefused) {
  WordStatistics many = head(Averaging::micro);
  many.bootstrap.resamples = 1'000'000;
  many.series.resize(100);
  EXPECT_THROW(RunningWords(many, kBins), UsageError);
}

}  // namespace
}  // namespace mog::analysis

#include "analysis/statistics/running_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "analysis/statistics/grouped_sums.h"
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
    running.add(values, bins_of(values), {});
  }
}

void expect_near(double found, double expected) {
  EXPECT_EQ(std::isnan(found), std::isnan(expected));
  if (!std::isnan(expected)) {
    EXPECT_NEAR(found, expected, 1e-12);
  }
}

std::string to_text(const std::array<Interval, 3>& intervals) {
  std::string text;
  for (const Interval& interval : intervals) {
    text += std::to_string(interval.low) + " " + std::to_string(interval.high) + "\n";
  }
  return text;
}

TEST(RunningWords, HasTheCellsOfARecording) {
  for (const Averaging averaging : {Averaging::micro, Averaging::macro}) {
    const WordStatistics expected = recorded(averaging, 400);
    const auto running = running_words(head(averaging), kBins);
    add(*running, 1, 400);
    const WordStatistics found = running->finish();
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
      EXPECT_EQ(to_text(own.quartiles.intervals), to_text(other.quartiles.intervals));
      const double width = other.high - other.low;
      EXPECT_NEAR(own.low, other.low, 0.25 * width);
      EXPECT_NEAR(own.high, other.high, 0.25 * width);
      EXPECT_EQ(std::isnan(own.difference_low), std::isnan(other.difference_low));
    }
  }
}

// By labels, which nobody knows before: the parts of speech of the words.
const std::vector<WordGroup> kTags = {
    {.label = "NOUN"}, {.label = "VERB"}, {.label = "_"}, {.label = "ein langer Name"}};

std::vector<std::int64_t> tags_of(const SentenceValues& values) {
  std::vector<std::int64_t> result;
  for (std::int64_t word = 0; word < values.words; ++word) {
    const std::int64_t tag = (values.number + word * word) % 6;
    result.push_back(tag == 5 ? -1 : std::min<std::int64_t>(tag, values.number > 200 ? 3 : 2));
  }
  return result;
}

WordStatistics by_tag(WordStatistics head) {
  head.by = "upos";
  return head;
}

void add_tagged(RunningWords& running, std::int64_t first, std::int64_t last, std::int64_t step) {
  for (std::int64_t number = first; number <= last; number += step) {
    const SentenceValues values = sentence(number);
    running.add(values, tags_of(values), kTags);
  }
}

TEST(RunningWords, GroupsAreThoseThatCome) {
  for (const Averaging averaging : {Averaging::micro, Averaging::macro}) {
    WordAccumulator accumulator(by_tag(head(averaging)));
    for (std::int64_t number = 1; number <= 400; ++number) {
      const SentenceValues values = sentence(number);
      accumulator.add(values, tags_of(values), kTags);
    }
    const WordStatistics expected = accumulator.finish();
    const auto running = running_groups(by_tag(head(averaging)));
    add_tagged(*running, 1, 400, 1);
    const WordStatistics found = running->finish();
    EXPECT_EQ(found.groups, expected.groups);
    ASSERT_EQ(found.cells.size(), expected.cells.size());
    for (std::size_t i = 0; i < expected.cells.size(); ++i) {
      EXPECT_EQ(found.cells[i].group, expected.cells[i].group);
      EXPECT_EQ(found.cells[i].words, expected.cells[i].words);
      expect_near(found.cells[i].mean, expected.cells[i].mean);
      expect_near(found.cells[i].variance, expected.cells[i].variance);
      EXPECT_EQ(found.cells[i].quartiles.median, expected.cells[i].quartiles.median);
      EXPECT_TRUE(std::isnan(found.cells[i].difference));
    }
  }
}

// Rank correlations draw as those of a recording do, so the table is the same to the last byte.
TEST(RunningWords, TrendsAreThoseOfARecording) {
  WordStatistics kept = head(Averaging::micro);
  kept.quantiles = false;
  kept.keep_means = true;
  WordAccumulator accumulator(kept);
  std::vector<WordGroup> groups;
  for (std::int64_t bin = 0; bin < kBins.size(); ++bin) {
    groups.push_back({.low = kBins.low(bin), .high = kBins.high(bin), .label = kBins.label(bin)});
  }
  const auto running = running_word_trends(kept, kBins, {.minimum_sentences = 5});
  for (std::int64_t number = 120; number >= 1; --number) {
    const SentenceValues values = sentence(number);
    accumulator.add(values, bins_of(values), groups);
    running->add(values, bins_of(values), {});
  }
  const WordStatistics expected = accumulator.finish();
  EXPECT_EQ(to_csv(running->table()),
            to_csv(trend_table(expected, trends(expected, {.minimum_sentences = 5}))));
  EXPECT_THROW(running->expect(1'000'000'000), UsageError);
}

TEST(RunningWords, PartsAddUpToTheWholeBitForBit) {
  for (const Averaging averaging : {Averaging::micro, Averaging::macro}) {
    const std::function<std::unique_ptr<RunningWords>()> makers[] = {
        [&] { return running_words(head(averaging), kBins); },
        [&] { return running_groups(by_tag(head(averaging))); },
        [&] { return running_word_trends(head(averaging), kBins, {.minimum_sentences = 5}); }};
    for (const auto& make : makers) {
      const bool tagged = &make == &makers[1];
      const auto add_to = [&](RunningWords& running, std::int64_t first, std::int64_t step) {
        tagged ? add_tagged(running, first, 300, step) : add(running, first, 300, step);
      };
      const auto whole = make();
      add_to(*whole, 1, 1);
      const auto merged = make();
      for (const std::int64_t first : {3, 1, 2}) {
        const auto part = make();
        add_to(*part, first, 3);
        for (std::size_t i = 0; i < part->sums().size(); ++i) {
          merged->sums()[i]->add_words(part->sums()[i]->words());
        }
      }
      EXPECT_EQ(to_csv(merged->table()), to_csv(whole->table()));
      for (std::size_t i = 0; i < whole->sums().size(); ++i) {
        EXPECT_EQ(merged->sums()[i]->words(), whole->sums()[i]->words());
      }
    }
  }
}

TEST(GroupedSums, WordsThatCannotBeAreRefused) {
  GroupedSums sums(3, 1, 2, 1);
  const double values[] = {1, 2, 3};
  const float weights[] = {1, 0};
  for (const std::string label : {"NOUN", "", "ein langer Name"}) {
    sums.at(label).sums.add(0, values, weights);
    sums.at(label).sketches.at(0, 0).add(2);
  }
  const std::vector<std::int64_t> words = sums.words();
  GroupedSums again(3, 1, 2, 1);
  again.add_words(words);
  EXPECT_EQ(again.words(), words);
  for (std::size_t cut = 0; cut < words.size(); ++cut) {
    GroupedSums other(3, 1, 2, 1);
    EXPECT_THROW(other.add_words(std::span(words).first(cut)), FormatError) << cut;
  }
  const auto refused = [&](std::size_t at, std::int64_t word) {
    std::vector<std::int64_t> changed = words;
    changed.at(at) = word;
    GroupedSums other(3, 1, 2, 1);
    EXPECT_THROW(other.add_words(changed), FormatError) << at;
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t word : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{4}, kMost}) {
    refused(0, word);
  }
  refused(1, -1);
  refused(1, kMost);
  std::vector<std::int64_t> more = words;
  more.push_back(0);
  EXPECT_THROW(again.add_words(more), FormatError);
  GroupedSums large(3, 1, 100'000'000, 0);
  large.at("a");
  large.at("b");
  EXPECT_THROW(large.at("c"), UsageError);
}

TEST(RunningWords, WhatTakesTooMuchMemoryIsRefused) {
  WordStatistics many = head(Averaging::micro);
  many.bootstrap.resamples = 1'000'000;
  many.series.resize(200);
  EXPECT_THROW(running_words(many, kBins), UsageError);
  EXPECT_THROW(running_groups(many), UsageError);
}

}  // namespace
}  // namespace mog::analysis

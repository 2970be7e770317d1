#include "analysis/metrics/attachment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr AttachmentScore kUas = AttachmentScore::directed;
constexpr AttachmentScore kUuas = AttachmentScore::undirected;

TEST(Attachment, CountsHeadsAndPairs) {
  // 1 <- 2 -> 3 -> 4 against 1 -> 2, 3 -> 2 (root 1 and 3 under 1), 3 -> 4.
  const std::vector<std::int32_t> gold = {2, 0, 2, 3};
  const std::vector<std::int32_t> predicted = {0, 1, 1, 3};
  EXPECT_EQ(attachment(gold, predicted), (Attachment{.words = 4, .heads = 1, .edges = 3, .pairs = 2}));
  EXPECT_EQ(attachment(gold, gold), (Attachment{.words = 4, .heads = 4, .edges = 3, .pairs = 3}));
  const std::vector<char> counts = {1, 1, 1, 0};
  EXPECT_EQ(attachment(gold, predicted, counts),
            (Attachment{.words = 3, .heads = 0, .edges = 2, .pairs = 1}));
  EXPECT_THROW(attachment(gold, std::vector<std::int32_t>{0}), ShapeError);
}

TEST(AttachmentScores, IntervalsAgreeWithTheBootstrapOfOneStatistic) {
  AttachmentScores scores(2, 41);  // the last sentence is never set
  for (std::int64_t i = 0; i < 40; ++i) {
    const std::int64_t words = 5 + i % 7;
    scores.set(0, static_cast<std::size_t>(i), {words, i % 5, words - 1, i % 4});
    scores.set(1, static_cast<std::size_t>(i), {words, words, words - 1, words - 1});
  }
  const BootstrapOptions options{.resamples = 300, .confidence = 0.9, .seed = 4};
  const auto expected = [&](std::int64_t modulus, std::int64_t less) {
    return bootstrap_interval(
        40,
        [&](std::span<const std::int64_t> drawn) {
          double part = 0;
          double whole = 0;
          for (const std::int64_t i : drawn) {
            part += static_cast<double>(i % modulus);
            whole += static_cast<double>(5 + i % 7 - less);
          }
          return part / whole;
        },
        options);
  };
  EXPECT_EQ(scores.intervals(kUas, options).at(0), expected(5, 0));
  EXPECT_EQ(scores.intervals(kUuas, options).at(0), expected(4, 1));
  EXPECT_EQ(scores.intervals(kUas, options).at(1), (Interval{1, 1}));
  EXPECT_EQ(scores.sentences().size(), 40U);
  EXPECT_TRUE(std::isnan(scores.intervals(kUas, {.resamples = 0}).at(0).low));
}

TEST(AttachmentScores, LeavesOutSentencesThatARowLacks) {
  AttachmentScores scores(2, 3);
  for (std::size_t sentence = 0; sentence < 3; ++sentence) {
    scores.set(0, sentence, {10, 5, 9, 3});
  }
  scores.set(1, 1, {10, 10, 9, 9});
  EXPECT_EQ(scores.counted(0), 3);
  EXPECT_EQ(scores.counted(1), 1);
  EXPECT_DOUBLE_EQ(scores.value(0, kUas), 0.5);
  EXPECT_DOUBLE_EQ(scores.value(0, kUuas), 1.0 / 3);
  EXPECT_DOUBLE_EQ(scores.value(1, kUas), 1);
  EXPECT_EQ(scores.intervals(kUas, {.resamples = 50}).at(1), (Interval{1, 1}));
  EXPECT_TRUE(std::isnan(AttachmentScores(1, 1).value(0, kUas)));
  EXPECT_THROW(scores.set(0, 0, {70'000, 65'535, 70'000, 0}), UsageError);
}

TEST(AttachmentScores, SumsOfDrawsCountAsTheirMean) {
  AttachmentScores scores(2, 2);
  scores.set_draws(1, 4);
  for (std::size_t sentence = 0; sentence < 2; ++sentence) {
    scores.set(0, sentence, {10, 5, 9, 3});
    scores.set(1, sentence, {10, 5, 9, 3});
  }
  EXPECT_DOUBLE_EQ(scores.value(1, kUas), 5.0 / 40);
  EXPECT_EQ(scores.intervals(kUuas, {.resamples = 20}).at(1), (Interval{3.0 / 36, 3.0 / 36}));
}

// Row 0 is right in the sentences 0 and 2, row 1 in 1 and 3: each half chooses what fails in the
// other.
TEST(AttachmentScores, ChoosesOnOneHalfAndScoresOnTheOther) {
  AttachmentScores scores(4, 4);
  for (std::size_t sentence = 0; sentence < 4; ++sentence) {
    const bool even = sentence % 2 == 0;
    scores.set(0, sentence, {4, even ? 4 : 0, 3, 2});
    scores.set(1, sentence, {4, even ? 0 : 4, 3, 1});
    scores.set(2, sentence, {4, 4, 3, 3});  // no candidate
  }
  const std::vector<std::size_t> candidates = {0, 1};
  EXPECT_EQ(scores.best(candidates, kUas), 0U);  // of equal ones the first
  EXPECT_EQ(scores.best(candidates, kUas, 0), 0U);
  EXPECT_EQ(scores.best(candidates, kUas, 1), 1U);
  EXPECT_FALSE(scores.best({}, kUas));
  const auto chosen = scores.set_cross_chosen(3, candidates);
  EXPECT_EQ(chosen.at(0), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(chosen.at(1), (std::vector<std::size_t>{0, 0}));
  EXPECT_DOUBLE_EQ(scores.value(3, kUas), 0);
  EXPECT_DOUBLE_EQ(scores.value(3, kUuas), 2.0 / 3);
}

}  // namespace
}  // namespace mog::analysis

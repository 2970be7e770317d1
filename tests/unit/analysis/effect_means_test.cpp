// What a cut changes in a sentence, and means of that over sentences; values worked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "analysis/effects/mean_effect.h"
#include "analysis/effects/output_change.h"
#include "io/recording/errors.h"
#include "tests/unit/analysis/effects_sentence.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(OutputChange, MeansLeaveSpecialTokensOut) {
  const std::vector<float> values = {1, 2, 6, 100};
  EXPECT_DOUBLE_EQ(mean_over_words(sentence_of({0, 0, 1, -1}), values), 3);
  EXPECT_TRUE(std::isnan(mean_over_words(sentence_of({-1, -1, -1, -1}), values)));
  EXPECT_THROW(mean_over_words(sentence_of({0, 1}), values), ShapeError);
}

TEST(OutputChange, ChangeAndCosines) {
  // (3, 4) loses its second value: 4 of its length 5, cosine 9 / (5 · 3). (0, 0) has no length to compare
  // with. The special token counts in the pooled means alone: (4, 4) / 3 and (3, 0) / 3.
  const std::vector<float> before = {3, 4, 0, 0, 1, 0};
  const std::vector<float> after = {3, 0, 1, 0, -1, 0};
  const StateDifference found = state_difference(sentence_of({0, 1, -1}), before, after);
  EXPECT_NEAR(found.change, (0.8 + 0) / 2, 1e-15);
  EXPECT_NEAR(found.cosine, (0.4 + 1) / 2, 1e-15);
  EXPECT_NEAR(found.pooled, 1 - 1 / std::sqrt(2), 1e-15);
}

TEST(OutputChange, ZerosThatStayAreNoChange) {
  const std::vector<float> zeros(4, 0.0F);
  const StateDifference found = state_difference(sentence_of({0, 1}), zeros, zeros);
  EXPECT_EQ(found.change, 0);
  EXPECT_EQ(found.cosine, 0);
  EXPECT_EQ(found.pooled, 0);
  EXPECT_EQ(state_difference(sentence_of({0, 1}), zeros, std::vector<float>{1, 0, 0, 0}).pooled, 1);
}

TEST(OutputChange, OutputsOfOtherShapesAreRefused) {
  const Sentence sentence = sentence_of({0, 1});
  EXPECT_THROW(state_difference(sentence, std::vector<float>(4), std::vector<float>(6)), ShapeError);
  EXPECT_THROW(state_difference(sentence, std::vector<float>(3), std::vector<float>(3)), ShapeError);
  EXPECT_THROW(state_difference(Sentence{}, {}, {}), ShapeError);
  EXPECT_THROW(tag_divergence(sentence, std::vector<float>(3), std::vector<float>(4)), ShapeError);
}

TEST(OutputChange, TagDivergenceOfFirstTokens) {
  // The first word's tags go from (3/4, 1/4) to (1/2, 1/2); its second token and the special one do not
  // count. The second word's stay, with scores whose exponential would overflow.
  const auto log3 = static_cast<float>(std::log(3.0));
  const std::vector<float> before = {log3, 0, 9, 0, 1000, 1000, 5, 5};
  const std::vector<float> after = {0, 0, 0, 9, 1000, 1000, 9, 0};
  const double expected = (0.75 * std::log(1.5) + 0.25 * std::log(0.5)) / 2;
  EXPECT_NEAR(tag_divergence(sentence_of({0, 0, 1, -1}), before, after), expected, 1e-7);
  EXPECT_TRUE(std::isnan(tag_divergence(sentence_of({-1, -1, -1, -1}), before, after)));
}

TEST(OutputChange, ChangedTagsOfWordsThatHadOne) {
  using Tags = std::vector<std::string>;
  EXPECT_DOUBLE_EQ(share_of_changed_tags(Tags{"A", "", "B", "B"}, Tags{"A", "X", "C", "B"}), 1.0 / 3);
  EXPECT_EQ(share_of_changed_tags(Tags{""}, Tags{"X"}), 0);
  EXPECT_THROW(share_of_changed_tags(Tags{"A"}, Tags{}), ShapeError);
}

TEST(MeanEffect, MeanAndInterval) {
  const MeanEffect found = mean_effect(std::vector<double>{1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(found.mean, 3);
  EXPECT_EQ(found.sentences, 4);
  EXPECT_GE(found.interval.low, 1);
  EXPECT_LT(found.interval.low, 3);
  EXPECT_GT(found.interval.high, 3);
  EXPECT_LE(found.interval.high, 6);
  // Every resample of equal sentences is the same.
  EXPECT_EQ(mean_effect(std::vector<double>{2, 2, 2}).interval, (Interval{2, 2}));
  const MeanEffect one = mean_effect(std::vector<double>{5});
  EXPECT_EQ(one.mean, 5);
  EXPECT_TRUE(std::isnan(one.interval.low));
  const MeanEffect none = mean_effect({});
  EXPECT_TRUE(std::isnan(none.mean));
  EXPECT_EQ(none.sentences, 0);
  EXPECT_DOUBLE_EQ(mean_over_sentences(std::vector<double>{1, 4}), 2.5);
}

TEST(MeanEffect, UndefinedSentences) {
  const std::vector<double> values = {1, kNone, 3, std::numeric_limits<double>::infinity()};
  EXPECT_FALSE(std::isfinite(mean_effect(values).mean));
  const MeanEffect defined = mean_where_defined(values);
  const MeanEffect same = mean_effect(std::vector<double>{1, 3});
  EXPECT_EQ(defined.mean, 2);
  EXPECT_EQ(defined.sentences, 2);
  EXPECT_EQ(defined.interval, same.interval);
}

TEST(MeanEffect, PairedDifferences) {
  const MeanEffect found =
      paired_mean_difference(std::vector<double>{1, 5, kNone, 7}, std::vector<double>{0, 3, 1, kNone});
  EXPECT_DOUBLE_EQ(found.mean, 1.5);
  EXPECT_EQ(found.sentences, 2);
  // What sentences have in common falls out.
  const std::vector<double> values = {1, 20, 300};
  const MeanEffect equal = paired_mean_difference(values, std::vector<double>{0, 19, 299});
  EXPECT_EQ(equal.interval, (Interval{1, 1}));
  EXPECT_THROW(paired_mean_difference(values, std::vector<double>{1}), UsageError);
}

TEST(MeanEffect, RankAgainstChange) {
  const std::vector<double> change = {10, 30, 20};
  const RankCorrelation found = rank_against_change(std::vector<double>{0.1, 0.2, 0.3}, change);
  EXPECT_DOUBLE_EQ(found.rho, 0.5);  // 1 - 6 · 2 / (3 · 8)
  EXPECT_EQ(found.observations, 3);
  const RankCorrelation none = rank_against_change(std::vector<double>{0.1, kNone, 0.3}, change);
  EXPECT_TRUE(std::isnan(none.rho));
  EXPECT_TRUE(std::isnan(none.interval.low));
  EXPECT_EQ(none.observations, 0);
  EXPECT_THROW(rank_against_change(std::vector<double>{1}, change), UsageError);
}

}  // namespace
}  // namespace mog::analysis

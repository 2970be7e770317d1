#include "analysis/metrics/alignment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/attribution/word_alignment.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// S = {1-1, 2-2}, P = S and 3-2, A = {1-1, 3-2, 2-3}: |A ∩ S| = 1, |A ∩ P| = 2.
TEST(AlignmentScores, AreThoseOfOchAndNey) {
  const std::vector<GoldLink> gold = {{{0, 0}, false}, {{1, 1}, false}, {{2, 1}, true}};
  const AlignmentCounts counts = count_links(gold, std::vector<WordLink>{{0, 0}, {2, 1}, {1, 2}});
  EXPECT_EQ(counts,
            (AlignmentCounts{.found = 3, .sure = 2, .possible = 3, .found_sure = 1, .found_possible = 2}));
  EXPECT_DOUBLE_EQ(counts.precision(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(counts.recall(), 0.5);
  EXPECT_DOUBLE_EQ(counts.f1(), 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(counts.error_rate(), 1.0 - 3.0 / 5.0);
}

// Where every link is sure the rate is 1 − F1 (Och & Ney 2003).
TEST(AlignmentScores, WithoutPossibleLinksTheErrorRateIsOneLessF1) {
  const std::vector<GoldLink> gold = {{{0, 0}}, {{1, 2}}, {{2, 1}}, {{3, 3}}};
  const AlignmentCounts counts = count_links(gold, std::vector<WordLink>{{0, 0}, {1, 2}, {2, 2}});
  EXPECT_NEAR(counts.error_rate(), 1.0 - counts.f1(), 1e-15);
}

TEST(AlignmentScores, APerfectAlignmentMayLeaveOutPossibleLinks) {
  const std::vector<GoldLink> gold = {{{0, 0}, false}, {{0, 1}, true}};
  EXPECT_DOUBLE_EQ(count_links(gold, std::vector<WordLink>{{0, 0}}).error_rate(), 0.0);
  EXPECT_DOUBLE_EQ(count_links(gold, std::vector<WordLink>{{0, 0}, {0, 1}}).error_rate(), 0.0);
}

TEST(AlignmentScores, ALinkGivenTwiceCountsOnceAndAsSure) {
  const std::vector<GoldLink> gold = {{{0, 0}, true}, {{0, 0}, false}};
  const AlignmentCounts counts = count_links(gold, std::vector<WordLink>{{0, 0}, {0, 0}});
  EXPECT_EQ(counts,
            (AlignmentCounts{.found = 1, .sure = 1, .possible = 1, .found_sure = 1, .found_possible = 1}));
}

TEST(AlignmentScores, OfNothingAreNumbers) {
  const AlignmentCounts counts = count_links({}, {});
  EXPECT_EQ(counts.error_rate(), 0.0);
  EXPECT_EQ(counts.precision(), 0.0);
  EXPECT_EQ(counts.recall(), 0.0);
  EXPECT_EQ(counts.f1(), 0.0);
}

TEST(AlignmentScores, OfACorpusAreOfItsSums) {
  const std::vector<AlignmentCounts> counts = {
      {.found = 3, .sure = 2, .possible = 3, .found_sure = 1, .found_possible = 2},
      {.found = 1, .sure = 1, .possible = 1, .found_sure = 1, .found_possible = 1}};
  const AlignmentScore score = alignment_score(counts, {.resamples = 200});
  EXPECT_EQ(score.pairs, 2);
  EXPECT_DOUBLE_EQ(score.counts.error_rate(), 1.0 - 5.0 / 7.0);
  // Resamples are both pairs, or one of them twice: rates 2/7, 0.4 and 0.
  EXPECT_DOUBLE_EQ(score.error_rate.low, 0.0);
  EXPECT_DOUBLE_EQ(score.error_rate.high, 0.4);
}

// Two target words of one and two pieces, two source words of two and one pieces, </s> on both sides.
Sentence pair() {
  Sentence sentence;
  sentence.words = {{"ab", {}}, {"c", {}}};
  sentence.tokens = {{"a@@", 4, 0, {}}, {"b", 5, 0, {}}, {"c", 6, 1, {}}, {"</s>", 2, -1, {}}};
  sentence.target_tokens = {{"</s>", 2, -1, {}}, {"x", 7, 0, {}}, {"y@@", 8, 1, {}}, {"z", 9, 1, {}}};
  return sentence;
}

// Rows are steps: they read </s>, x, y, z and predict x, y, z, </s>.
const std::vector<double> kMap = {0.1, 0.2, 0.6, 0.1,  //
                                  0.4, 0.3, 0.2, 0.1,  //
                                  0.0, 0.2, 0.3, 0.5,  //
                                  0.3, 0.1, 0.2, 0.4};

TEST(WordMaps, SumSourcePiecesAndAverageTargetPiecesOfTheStepThatReadsThem) {
  const WordMap map = word_map(kMap, 4, pair(), 2, AlignmentStep::read);
  EXPECT_NEAR(map.value(0, 0), 0.7, 1e-15);
  EXPECT_NEAR(map.value(0, 1), 0.2, 1e-15);
  EXPECT_NEAR(map.value(1, 0), (0.2 + 0.4) / 2, 1e-15);
  EXPECT_NEAR(map.value(1, 1), (0.3 + 0.2) / 2, 1e-15);
  EXPECT_EQ(best_sources(map), (std::vector<std::int64_t>{0, 0}));
}

TEST(WordMaps, OfTheStepThatPredictsStandOneRowHigher) {
  const WordMap map = word_map(kMap, 4, pair(), 2, AlignmentStep::predicted);
  EXPECT_NEAR(map.value(0, 0), 0.3, 1e-15);
  EXPECT_NEAR(map.value(0, 1), 0.6, 1e-15);
  EXPECT_NEAR(map.value(1, 0), (0.7 + 0.2) / 2, 1e-15);
  EXPECT_EQ(best_sources(map), (std::vector<std::int64_t>{1, 0}));
}

TEST(WordMaps, ColumnsBehindTheSourceAreLeftOut) {
  std::vector<double> wider;
  for (std::size_t row = 0; row < 4; ++row) {
    wider.insert(wider.end(), kMap.begin() + static_cast<std::ptrdiff_t>(4 * row),
                 kMap.begin() + static_cast<std::ptrdiff_t>(4 * row + 4));
    wider.push_back(99);
  }
  EXPECT_EQ(word_map(wider, 5, pair(), 2, AlignmentStep::read).values,
            word_map(kMap, 4, pair(), 2, AlignmentStep::read).values);
}

TEST(WordMaps, WordsWithoutATokenHaveNoLink) {
  Sentence cut = pair();
  cut.words.push_back({"d", {}});
  const WordMap map = word_map(kMap, 4, cut, 3, AlignmentStep::read);
  EXPECT_TRUE(std::isnan(map.value(0, 2)));
  EXPECT_EQ(best_sources(map), (std::vector<std::int64_t>{0, 0, -1}));
}

TEST(WordMaps, ChooseAmongNegativeValuesTheGreatest) {
  std::vector<double> negative;
  for (const double value : kMap) {
    negative.push_back(value - 2);
  }
  EXPECT_EQ(best_sources(word_map(negative, 4, pair(), 2, AlignmentStep::predicted))[0], 1);
}

TEST(WordMaps, OfAnotherSizeAreRefused) {
  EXPECT_THROW(word_map(kMap, 3, pair(), 2, AlignmentStep::read), ShapeError);
  EXPECT_THROW(word_map(std::span(kMap).first(12), 4, pair(), 2, AlignmentStep::read), ShapeError);
}

}  // namespace
}  // namespace mog::analysis

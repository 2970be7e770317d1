#include "analysis/metrics/tagging.h"

#include <gtest/gtest.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// "B-PER[0,2) LOC[3,4)" as text.
std::string dump(const TagSequence& tags) {
  std::string result;
  for (const Span& span : spans(tags)) {
    result += (result.empty() ? "" : " ") + span.label + "[" + std::to_string(span.begin) + "," +
              std::to_string(span.end) + ")";
  }
  return result;
}

TEST(Spans, FollowTheConllevalConvention) {
  EXPECT_EQ(dump({"B-PER", "I-PER", "O", "B-LOC"}), "PER[0,2) LOC[3,4)");
  // I- without B- starts a span, after O, at the beginning, and after another label.
  EXPECT_EQ(dump({"I-PER", "I-PER", "O", "I-LOC"}), "PER[0,2) LOC[3,4)");
  EXPECT_EQ(dump({"B-PER", "I-LOC", "I-LOC"}), "PER[0,1) LOC[1,3)");
  // B- always starts a new one.
  EXPECT_EQ(dump({"B-PER", "B-PER", "I-PER"}), "PER[0,1) PER[1,3)");
  EXPECT_EQ(dump({"O", "O"}), "");
  EXPECT_EQ(dump({}), "");
  // IOBES.
  EXPECT_EQ(dump({"S-LOC", "I-LOC", "B-PER", "E-PER", "I-PER"}), "LOC[0,1) LOC[1,2) PER[2,4) PER[4,5)");
  // Labels with a hyphen, tags without a prefix.
  EXPECT_EQ(dump({"B-WORK-OF-ART", "I-WORK-OF-ART"}), "WORK-OF-ART[0,2)");
  EXPECT_EQ(dump({"NOUN", "NOUN", "VERB"}), "NOUN[0,2) VERB[2,3)");
}

TEST(SpanF1, IsWorkedByHand) {
  const std::vector<TagSequence> gold = {{"B-PER", "I-PER", "O", "B-LOC"}, {"B-ORG", "O"}, {"O"}};
  const std::vector<TagSequence> predicted = {{"B-PER", "I-PER", "O", "B-PER"}, {"B-ORG", "I-ORG"}, {"O"}};
  // Gold 3 spans, predicted 3, right: PER[0,2). P = R = F = 1/3.
  SpanCounts counts;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    counts += count_spans(gold[i], predicted[i]);
  }
  EXPECT_EQ(counts, (SpanCounts{1, 3, 3}));
  const Score score = span_f1(gold, predicted);
  EXPECT_DOUBLE_EQ(score.value, 1.0 / 3);
  EXPECT_EQ(score.items, 3);
  EXPECT_EQ(score.sentences, 3);
  EXPECT_LE(score.interval.low, score.value);
  EXPECT_GE(score.interval.high, score.value);
  EXPECT_DOUBLE_EQ(count_spans(TagSequence{"O"}, TagSequence{"O"}).f1(), 0);
  EXPECT_DOUBLE_EQ((SpanCounts{2, 4, 5}).precision(), 0.5);
  EXPECT_DOUBLE_EQ((SpanCounts{2, 4, 5}).recall(), 0.4);
  EXPECT_DOUBLE_EQ((SpanCounts{2, 4, 5}).f1(), 2 * 0.5 * 0.4 / 0.9);
}

TEST(Accuracy, CountsWordsAndRefusesOtherShapes) {
  const std::vector<TagSequence> gold = {{"A", "B", "A"}, {"B"}};
  const std::vector<TagSequence> predicted = {{"A", "A", "A"}, {"B"}};
  const Score score = accuracy(gold, predicted);
  EXPECT_DOUBLE_EQ(score.value, 0.75);
  EXPECT_EQ(score.items, 4);
  // Two sentences: resampled accuracies are 2/3 (first twice), 3/4 and 1 (second twice).
  EXPECT_NEAR(score.interval.low, 2.0 / 3, 1e-12);
  EXPECT_NEAR(score.interval.high, 1, 1e-12);
  EXPECT_THROW(accuracy(gold, std::vector<TagSequence>{{"A"}, {"B"}}), UsageError);
  EXPECT_THROW(accuracy(gold, std::vector<TagSequence>{}), UsageError);
  EXPECT_DOUBLE_EQ(accuracy(std::vector<TagSequence>{}, std::vector<TagSequence>{}).value, 0);
}

TEST(Compare, PairsTheSameSentences) {
  std::vector<TagSequence> gold;
  std::vector<TagSequence> first;
  std::vector<TagSequence> second;
  for (int i = 0; i < 50; ++i) {
    gold.push_back({"A", "A"});
    first.push_back({"A", i % 2 == 0 ? "A" : "B"});
    second.push_back({"A", i % 4 == 0 || i % 2 == 1 ? "A" : "B"});
  }
  // first: 75 of 100 right; second: 50 + 25 + 13 = 88 of 100.
  const Comparison comparison = compare(TaggingMetric::accuracy, gold, first, second);
  EXPECT_DOUBLE_EQ(comparison.first, 0.75);
  EXPECT_DOUBLE_EQ(comparison.second, 0.88);
  EXPECT_NEAR(comparison.difference, 0.13, 1e-12);
  EXPECT_GT(comparison.interval.low, 0);
  EXPECT_LT(comparison.p_value, 0.05);
  const Comparison same = compare(TaggingMetric::span_f1, gold, first, first);
  EXPECT_DOUBLE_EQ(same.difference, 0);
  EXPECT_DOUBLE_EQ(same.p_value, 1);
}

TEST(Compare, OneSentenceSaysNothing) {
  const std::vector<TagSequence> gold = {{"A", "A"}};
  const std::vector<TagSequence> wrong = {{"B", "B"}};
  EXPECT_DOUBLE_EQ(compare(TaggingMetric::accuracy, gold, wrong, gold).p_value, 1);
}

}  // namespace
}  // namespace mog::analysis

// Expected values: rouge-score 0.1.2 and NLTK's PorterStemmer on the texts of tests/data/metrics
// (make_rouge.py there).
#include "analysis/metrics/rouge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "analysis/metrics/porter_stemmer.h"
#include "analysis/metrics/resampling.h"
#include "analysis/metrics/translation_metric.h"
#include "io/recording/errors.h"
#include "tests/unit/metrics/expected_rows.h"

namespace mog::analysis {
namespace {

using test::Lines;
using test::read;
using test::Row;

constexpr double kTolerance = 1e-10;  // the table has 13 digits
constexpr std::array kMeasures = {RougeMeasure::rouge_1, RougeMeasure::rouge_2, RougeMeasure::rouge_l};

std::vector<Row> rows(const std::string& kind) {
  return test::rows("rouge.tsv", kind);
}

RougeOptions options_of(const std::string& stem, const std::string& type) {
  const std::map<std::string, RougeMeasure> measures = {{"rouge1", RougeMeasure::rouge_1},
                                                        {"rouge2", RougeMeasure::rouge_2},
                                                        {"rougeL", RougeMeasure::rouge_l}};
  return {.measure = measures.at(type), .stem = stem == "1"};
}

SegmentStatistics statistics_of(const TranslationMetric& metric, const std::string& references) {
  std::vector<Lines> lines = {read("reference.txt")};
  if (references == "2") {
    lines.push_back(read("reference-2.txt"));
  }
  return segment_statistics(metric, read("hypothesis.txt"), lines);
}

TEST(PorterStem, IsThatOfNltk) {
  for (const Row& row : rows("stem")) {
    EXPECT_EQ(porter_stem(row.fields[0]), row.fields[1]) << row.fields[0];
  }
}

TEST(PorterStem, OfNothingIsNothing) {
  EXPECT_EQ(porter_stem(""), "");
}

TEST(Rouge, CutsWordsAsRougeScore) {
  for (const Row& row : rows("words")) {
    std::string joined;
    for (const std::string& word : rouge_words(row.fields[1], row.fields[0] == "1")) {
      joined += (joined.empty() ? "" : " ") + word;
    }
    EXPECT_EQ(joined, row.fields[2]) << row.fields[1];
  }
}

TEST(Rouge, ScoresPairsAsRougeScore) {
  const Lines hypothesis = read("hypothesis.txt");
  const Lines reference = read("reference.txt");
  for (const Row& row : rows("pair")) {
    const std::size_t at = std::stoul(row.fields[1]);
    std::vector<double> found;
    for (const RougeMeasure measure : kMeasures) {
      const RougeScore score = rouge_of(hypothesis.at(at), std::span(&reference.at(at), 1),
                                        {.measure = measure, .stem = row.fields[0] == "1"});
      found.insert(found.end(), {score.precision, score.recall, score.f1});
    }
    const std::vector<double> expected = row.numbers();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], kTolerance) << "line " << at << ", number " << i;
    }
  }
}

// Means over the lines; of two references the better one counts, line by line.
TEST(Rouge, ScoresTextsAsRougeScore) {
  for (const Row& row : rows("corpus")) {
    const auto metric = make_metric(options_of(row.fields[0], row.fields[1]));
    const SegmentStatistics statistics = statistics_of(*metric, row.fields[2]);
    const std::vector<double> expected = row.numbers();
    EXPECT_NEAR(metric->score(statistics.sums), expected.at(2), 100 * kTolerance) << metric->signature();
    EXPECT_EQ(metric->details(statistics.sums),
              fmt::format("P = {:.2f} R = {:.2f}", expected.at(0), expected.at(1)));
  }
}

TEST(Rouge, IntervalsAreThoseOfNumpysDraws) {
  for (const Row& row : rows("bootstrap")) {
    const auto metric = make_metric(options_of(row.fields[0], row.fields[1]));
    const ScoreInterval found =
        bootstrap_score(*metric, statistics_of(*metric, "1"), std::stoll(row.fields[2]));
    EXPECT_NEAR(found.mean, row.numbers().at(0), 100 * kTolerance) << metric->signature();
    EXPECT_NEAR(found.low, row.numbers().at(1), 100 * kTolerance);
    EXPECT_NEAR(found.high, row.numbers().at(2), 100 * kTolerance);
  }
}

// "the cat sat on the mat" against "the mat the cat sat on": all six words, four of five pairs, four in
// order.
TEST(Rouge, ByHand) {
  const Lines reference = {"The cat sat on the mat."};
  const auto f1 = [&](RougeMeasure measure) {
    return rouge_of("the mat, the cat sat on", reference, {.measure = measure}).f1;
  };
  EXPECT_DOUBLE_EQ(f1(RougeMeasure::rouge_1), 1);
  EXPECT_DOUBLE_EQ(f1(RougeMeasure::rouge_2), 4.0 / 5);
  EXPECT_DOUBLE_EQ(f1(RougeMeasure::rouge_l), 4.0 / 6);
}

TEST(Rouge, SaysItsOptions) {
  EXPECT_EQ(make_metric(RougeOptions{.measure = RougeMeasure::rouge_l, .stem = true})->signature(),
            "type:rougeL|case:lc|tok:rouge-score|stem:porter|score:f1");
  EXPECT_EQ(make_metric(RougeOptions{.measure = RougeMeasure::rouge_2})->name(), "ROUGE-2");
}

TEST(Rouge, NeedsAReference) {
  EXPECT_THROW(rouge_of("a", {}), UsageError);
}

}  // namespace
}  // namespace mog::analysis

#include "analysis/statistics/word_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/statistics/word_measures.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

WordStatistics header(Averaging averaging) {
  WordStatistics header;
  header.measure = "leaves";
  header.averaging = averaging;
  header.by = "upos";
  header.bootstrap.resamples = 200;
  header.samples = 50;
  header.series = {{.layer = 1}, {.layer = 2}};
  return header;
}

// Two sentences: NOUN 1, 3 and VERB 5; then NOUN 11. Series 2 is ten times that, the VERB without a value.
WordStatistics two_sentences(Averaging averaging) {
  WordAccumulator accumulator(header(averaging));
  const WordGroup groups[] = {{.label = "NOUN"}, {.label = "VERB"}};
  const std::int64_t first[] = {0, 0, 1};
  const std::int64_t second[] = {0};
  accumulator.add({.number = 7, .words = 3, .values = {1, 3, 5, 10, 30, kNone}}, first, groups);
  accumulator.add({.number = 2, .words = 1, .values = {11, 110}, .errors = {0.25, 4}}, second, groups);
  return accumulator.finish();
}

TEST(WordStatistics, WordsOrSentencesCountTheSame) {
  const WordStatistics micro = two_sentences(Averaging::micro);
  const WordCell* const noun = micro.find({.layer = 1}, {.label = "NOUN"});
  ASSERT_NE(noun, nullptr);
  EXPECT_EQ(noun->words, 3);
  EXPECT_EQ(noun->sentences, 2);
  EXPECT_DOUBLE_EQ(noun->mean, 5);                   // (1 + 3 + 11) / 3
  EXPECT_DOUBLE_EQ(noun->variance, 131.0 / 3 - 25);  // (1 + 9 + 121) / 3 - 25
  EXPECT_DOUBLE_EQ(noun->sampling_error, 0.5 / 3);   // only one of three words was sampled
  EXPECT_GE(noun->low, 2);
  EXPECT_LE(noun->high, 11);
  EXPECT_LT(noun->low, noun->high);
  EXPECT_TRUE(std::isnan(micro.find({.layer = 1}, {.label = "VERB"})->sampling_error));
  EXPECT_EQ(micro.find({.layer = 2}, {.label = "VERB"}), nullptr);  // no value
  const WordStatistics macro = two_sentences(Averaging::macro);
  EXPECT_DOUBLE_EQ(macro.find({.layer = 1}, {.label = "NOUN"})->mean, 6.5);  // (2 + 11) / 2
  EXPECT_DOUBLE_EQ(macro.find({.layer = 2}, {.label = "NOUN"})->mean, 65);
}

TEST(WordStatistics, TablesKeepTheColumnsOfOtherStatisticsInFront) {
  const Table table = two_sentences(Averaging::micro).table();
  EXPECT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.column("measure"), 2U);
  EXPECT_EQ(table.column("mean"), 13U);
  EXPECT_EQ(table.column("words"), 24U);
  EXPECT_EQ(table.columns.back(), "grammar");
  EXPECT_EQ(table.columns[table.columns.size() - 2], "sampling_error");
}

TEST(WordStatistics, ASentenceThatComesTwiceIsRefused) {
  WordAccumulator accumulator(header(Averaging::micro));
  const WordGroup groups[] = {{.label = "NOUN"}};
  const std::int64_t group_of[] = {0};
  accumulator.add({.number = 1, .words = 1, .values = {1, 2}}, group_of, groups);
  EXPECT_THROW(accumulator.add({.number = 1, .words = 1, .values = {1, 2}}, group_of, groups), UsageError);
  EXPECT_THROW(accumulator.add({.number = 2, .words = 1, .values = {1}}, group_of, groups), ShapeError);
}

TEST(WordMeasures, SeriesReachAsFarAsALayerDoes) {
  WordMeasureOptions options;
  options.orders = 5;
  const auto series = series_of(WordMeasure::leaves_mass, rule_set(GrammarKind::order_groups), 3, options);
  std::vector<std::int64_t> last(4, 0);
  std::int64_t more = 0;
  for (const WordSeries& one : series) {
    last[static_cast<std::size_t>(one.layer)] = one.k();
    more += one.kind == "more" ? one.layer : 0;
  }
  EXPECT_EQ(last, (std::vector<std::int64_t>{0, 2, 4, 5}));
  EXPECT_EQ(more, 3);  // only layer 3 makes more than 5
  options.orders = 8;
  for (const WordSeries& one :
       series_of(WordMeasure::leaves_mass, rule_set(GrammarKind::attention), 3, options)) {
    EXPECT_EQ(one.kind, "");
  }
  options.orders = 5000;
  EXPECT_THROW(check(options), UsageError);
  EXPECT_THROW(series_of(WordMeasure::bands, rule_set(GrammarKind::attention), 3, {}), UsageError);
}

}  // namespace
}  // namespace mog::analysis

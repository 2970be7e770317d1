// Values that attributions give to tokens, and how faithful they are; values worked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "analysis/effects/attributions.h"
#include "analysis/effects/faithfulness.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

void expect_near(const Values& found, const Values& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-15) << i;
  }
}

StackDescription two_layers() {
  return {.stack = Stack::encoder, .layers = 2, .heads = 2, .parts = {Part::full}};
}

TEST(Attributions, WhatHasToBeRecorded) {
  const StackDescription stack = two_layers();
  EXPECT_EQ(recorded_inputs(Attribution::rollout, stack).size(), 2U);
  EXPECT_EQ(recorded_inputs(Attribution::attention, stack), (std::set{mean_attention(stack, 2)}));
  EXPECT_EQ(recorded_inputs(Attribution::propagation_removal, stack).size(), 2U);
  EXPECT_TRUE(recorded_inputs(Attribution::random, stack).empty());
  EXPECT_TRUE(recorded_inputs(Attribution::removal, stack).empty());
  EXPECT_TRUE(of_gradients(Attribution::removal));
  EXPECT_FALSE(of_gradients(Attribution::propagation_removal));
}

TEST(Attributions, MapsOfTwoLayers) {
  // Attention goes to the first token, then to the second: with the identity ½(1 0, 1 0) + ½ = (1 0, ½ ½) and
  // (½ ½, 0 1), whose product is (¾ ¼, ½ ½). Flows: (1 ½, ½ ½) before rows are divided.
  const StackDescription stack = two_layers();
  const MapReader read = [](const QuantityName& name) -> TokenMap {
    if (name.quantity() == Quantity::attention) {
      return name.layer() == 1 ? TokenMap{1, 0, 1, 0} : TokenMap{0, 1, 0, 1};
    }
    if (name.quantity() == Quantity::kobayashi || name.quantity() == Quantity::propagation) {
      return {static_cast<double>(name.layer()), name.reduction() == Reduction::norm ? 1.0 : 2.0};
    }
    return name.quantity() == Quantity::globenc ? TokenMap{2, 0, 1, 1} : TokenMap{0.5, 0.5, 0, 1};
  };
  const auto map = [&](Attribution attribution) { return attribution_map(attribution, stack, 2, read); };
  EXPECT_EQ(map(Attribution::attention), (TokenMap{0, 1, 0, 1}));
  EXPECT_EQ(map(Attribution::rollout), (TokenMap{0.75, 0.25, 0.5, 0.5}));
  expect_near(map(Attribution::flow), {2.0 / 3, 1.0 / 3, 0.5, 0.5});
  EXPECT_EQ(map(Attribution::globenc), (TokenMap{1, 0, 0.75, 0.25}));  // of (4 0, 3 1)
  EXPECT_EQ(map(Attribution::alti), (TokenMap{0.25, 0.75, 0, 1}));
  EXPECT_EQ(map(Attribution::norm), (TokenMap{2, 2}));              // the last layer
  EXPECT_EQ(map(Attribution::propagation_norm), (TokenMap{0, 1}));  // of the whole stack
  EXPECT_EQ(map(Attribution::propagation_share), (TokenMap{0, 2}));
  EXPECT_THROW(map(Attribution::gradient_norm), UsageError);
  EXPECT_THROW(map(Attribution::leave_one_out), UsageError);
}

TEST(Attributions, MapsAreReadByTheTargetsWeights) {
  // The third column, what comes from biases, is of no token.
  EXPECT_EQ(map_values(Values{1, 2, 9, 3, 4, 9}, Values{0.5, 0.5}), (Values{2, 3}));
  EXPECT_EQ(map_values(Values{1, 2, 3, 4}, Values{0, 1}), (Values{3, 4}));
  EXPECT_THROW(map_values(Values{1, 2}, Values{0.5, 0.5}), ShapeError);
  EXPECT_THROW(map_values(Values{}, Values{}), ShapeError);
}

TEST(Attributions, RandomValuesDependOnSeedAndSentence) {
  const Values values = random_values(7, 3, 1);
  ASSERT_EQ(values.size(), 3U);
  for (const double value : values) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, std::pow(2.0, 53));
    EXPECT_EQ(value, std::floor(value));
  }
  EXPECT_EQ(random_values(7, 3, 1), values);
  EXPECT_NE(random_values(8, 3, 1), values);
  EXPECT_NE(random_values(7, 3, 2), values);
  EXPECT_EQ(random_values(7, 2, 1), (Values{values[0], values[1]}));
}

TEST(Attributions, GeometricMeans) {
  expect_near(geometric_mean(std::vector<Values>{{4, -1, 9}, {1, 5, 4}}), {2, 0, 6});
  EXPECT_EQ(geometric_mean(std::vector<Values>{{-1, 2}}), (Values{-1, 2}));  // alone as it is
  EXPECT_THROW(geometric_mean(std::vector<Values>{}), UsageError);
  EXPECT_THROW(geometric_mean(std::vector<Values>{{1}, {1, 2}}), ShapeError);
}

TEST(FaithfulnessMeasures, Pearson) {
  // Deviations (-1, 0, 1) and (-4, -1, 5) / 3: 3 / √(2 · 42/9).
  EXPECT_NEAR(pearson(Values{1, 2, 3}, Values{1, 2, 4}), 3 / std::sqrt(28.0 / 3), 1e-15);
  EXPECT_TRUE(std::isnan(pearson(Values{1, 1}, Values{1, 2})));
  EXPECT_THROW(pearson(Values{1}, Values{1, 2}), UsageError);
}

TEST(FaithfulnessMeasures, FirstUnits) {
  EXPECT_EQ(units_by_value(Values{1, 3, 3, 2}), (std::vector<std::size_t>{1, 2, 3, 0}));
  EXPECT_EQ(units_of_fraction(0.1, 30), 3U);  // 0.1 * 30 is above 3 in double
  EXPECT_EQ(units_of_fraction(0.25, 5), 2U);
  EXPECT_EQ(units_of_fraction(0.9, 4), 3U);  // one stays
  EXPECT_EQ(units_of_fraction(0.01, 10), 1U);
  EXPECT_THROW(units_of_fraction(1, 4), UsageError);
  EXPECT_THROW(units_of_fraction(0.5, 1), UsageError);
  using Set = std::vector<bool>;
  EXPECT_EQ(erasure_sets(Values{0.1, 0.5, 0.3}, Values{0.2, 0.4}),
            (std::vector<Set>{
                {false, true, false}, {true, false, true}, {false, true, true}, {true, false, false}}));
}

TEST(FaithfulnessMeasures, AgreementAndCurves) {
  // Ranks 1 2 3 and 2 1 3: 1 - 6 · 2 / 24. Deviations (-1, 0, 1) and (0, -0.1, 0.1): 0.1 / √(2 · 0.02).
  const SentenceFaithfulness found =
      sentence_faithfulness(Values{1, 2, 3}, Values{0.2, 0.1, 0.3}, Values{0.9, 0.1, 0.8, 0.2});
  EXPECT_DOUBLE_EQ(found.spearman, 0.5);
  EXPECT_NEAR(found.pearson, 0.5, 1e-15);
  EXPECT_EQ(found.comprehensiveness, (Values{0.9, 0.8}));
  EXPECT_EQ(found.sufficiency, (Values{0.1, 0.2}));
  const SentenceFaithfulness two = sentence_faithfulness(Values{1, 2}, Values{1, 2}, {});
  EXPECT_TRUE(std::isnan(two.spearman));
  const SentenceFaithfulness undefined = sentence_faithfulness(Values{1, kNone, 2}, Values{1, 2, 3}, {});
  EXPECT_TRUE(std::isnan(undefined.pearson));
  EXPECT_THROW(sentence_faithfulness(Values{1, 2}, Values{1}, {}), UsageError);
  EXPECT_THROW(sentence_faithfulness(Values{1, 2}, Values{1, 2}, Values{1}), UsageError);
}

TEST(FaithfulnessMeasures, MeasuresAndSeries) {
  const Values fractions = {0.1, 0.5};
  const SentenceFaithfulness first{0.5, 0.25, {0.75, 0.5}, {0.125, 0.375}};
  const SentenceFaithfulness second{kNone, 1, {1, 0}, {0, 1}};
  std::string names;
  for (const FaithfulnessMeasure& measure : faithfulness_measures(first, fractions)) {
    names += std::string(measure.name) + " ";
  }
  EXPECT_EQ(names,
            "spearman pearson comprehensiveness comprehensiveness comprehensiveness_area sufficiency "
            "sufficiency sufficiency_area ");
  const std::vector<MeasureSeries> series =
      measure_series(std::vector<SentenceFaithfulness>{first, second}, fractions);
  ASSERT_EQ(series.size(), 8U);
  EXPECT_TRUE(std::isnan(series[0].fraction));
  EXPECT_EQ(series[0].values[0], 0.5);
  EXPECT_TRUE(std::isnan(series[0].values[1]));
  EXPECT_EQ(series[1].values, (Values{0.25, 1}));
  EXPECT_EQ(series[3].fraction, 0.5);
  EXPECT_EQ(series[3].values, (Values{0.5, 0}));
  EXPECT_EQ(series[4].measure, "comprehensiveness_area");
  EXPECT_EQ(series[4].values, (Values{0.625, 0.5}));  // means over the fractions
  EXPECT_EQ(series[7].values, (Values{0.25, 0.5}));
  EXPECT_TRUE(measure_series({}, fractions).empty());
  EXPECT_THROW(faithfulness_measures(first, Values{0.1}), UsageError);
}

// Of the tokens of a translation: what is not defined for one of them is left out of the mean.
TEST(Faithfulness, OutputsOfASentenceAreAveragedWhereTheyAreDefined) {
  const SentenceFaithfulness first{0.5, 0.25, {1, 2}, {3, 4}};
  const SentenceFaithfulness second{kNone, kNone, {3, 4}, {5, kNone}};
  const std::vector<SentenceFaithfulness> both = {first, second};
  const SentenceFaithfulness mean = mean_faithfulness(both);
  EXPECT_EQ(mean.spearman, 0.5);
  EXPECT_EQ(mean.pearson, 0.25);
  EXPECT_EQ(mean.comprehensiveness, (Values{2, 3}));
  EXPECT_EQ(mean.sufficiency, (Values{4, 4}));
  EXPECT_THROW(mean_faithfulness({}), UsageError);
  const std::vector<SentenceFaithfulness> other = {first, {0, 0, {1}, {1}}};
  EXPECT_THROW(mean_faithfulness(other), UsageError);
}

}  // namespace
}  // namespace mog::analysis

#include "analysis/statistics/trends.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/statistics/gate_dimensions.h"
#include "io/recording/errors.h"
#include "tests/unit/statistics/weight_by_length.h"

namespace mog::analysis {
namespace {

TEST(Spearman, HandWorkedWithTies) {
  // Ranks of x: 1 2 3 4; of y: 1.5 1.5 4 3. Pearson of the ranks: sum of products about 2.5 is
  // (-1.5)(-1) + (-.5)(-1) + (.5)(1.5) + (1.5)(.5) = 3.5; squares: 5 and 4.5.
  EXPECT_DOUBLE_EQ(spearman(std::vector<double>{1, 2, 3, 4}, std::vector<double>{7, 7, 9, 8}),
                   3.5 / std::sqrt(5 * 4.5));
  EXPECT_DOUBLE_EQ(spearman(std::vector<double>{1, 2, 3}, std::vector<double>{1, 10, 100}), 1);
  EXPECT_DOUBLE_EQ(spearman(std::vector<double>{1, 2, 3}, std::vector<double>{5, 4, 3}), -1);
  EXPECT_TRUE(std::isnan(spearman(std::vector<double>{1, 2, 3}, std::vector<double>{5, 5, 5})));
  EXPECT_TRUE(std::isnan(spearman(std::vector<double>{1}, std::vector<double>{5})));
}

TEST(Spearman, WeightsAreRepeats) {
  const std::vector<double> x = {3, 1, 4, 1, 5};
  const std::vector<double> y = {2, 7, 1, 8, 2};
  const std::vector<std::int64_t> weights = {2, 1, 0, 3, 1};
  std::vector<double> repeated_x;
  std::vector<double> repeated_y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    repeated_x.insert(repeated_x.end(), static_cast<std::size_t>(weights[i]), x[i]);
    repeated_y.insert(repeated_y.end(), static_cast<std::size_t>(weights[i]), y[i]);
  }
  EXPECT_NEAR(weighted_spearman(x, y, weights), spearman(repeated_x, repeated_y), 1e-15);
}

TEST(Spearman, GroupsAreDrawnWhole) {
  // Within each group the order is perfect, so every resample of groups is, too.
  const std::vector<double> x = {1, 2, 1, 2, 1, 2};
  const std::vector<double> y = {5, 6, 5, 6, 5, 6};
  const std::vector<std::int64_t> groups = {0, 0, 1, 1, 2, 2};
  const RankCorrelation whole = grouped_spearman(x, y, groups, 3, {.resamples = 50});
  EXPECT_DOUBLE_EQ(whole.rho, 1);
  EXPECT_EQ(whole.interval, (Interval{1, 1}));
  EXPECT_EQ(whole.observations, 6);
  EXPECT_THROW(grouped_spearman(x, y, groups, 2), UsageError);
  EXPECT_THROW(grouped_spearman(x, std::vector<double>{1}, groups, 3), UsageError);
}

// A hundred observations whose neighbours are swapped: rho is 1 - 6·100 / (100·9999). Repeats tie with
// themselves, so that every resample has a lower one; the interval holds the estimate all the same.
TEST(Spearman, IntervalHoldsTheEstimate) {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::int64_t> groups;
  for (std::int64_t i = 0; i < 100; ++i) {
    x.push_back(static_cast<double>(i));
    y.push_back(static_cast<double>(i % 2 == 0 ? i + 1 : i - 1));
    groups.push_back(i);
  }
  const RankCorrelation found = grouped_spearman(x, y, groups, 100, {.resamples = 200});
  EXPECT_NEAR(found.rho, 1 - 6.0 / 9999, 1e-12);
  EXPECT_LT(found.interval.low, found.rho);
  EXPECT_EQ(found.interval.high, found.rho);
}

// Two layers, four sentences of 2, 2, 12 and 12 words.
LengthStatistics statistics() {
  LengthStatistics result;
  result.bins = LengthBins({0, 10});
  result.bootstrap = {.resamples = 200, .confidence = 0.95, .seed = 3};
  result.series = {{1, Part::none, 0}, {2, Part::none, 0}};
  result.sentences = 4;
  result.bin_sentences = {{{1, 0, 0, 2}, {2, 1, 0, 2}}, {{3, 2, 0, 12}, {4, 3, 0, 12}}};
  // [sentence][layer]
  result.bin_means = {{0.1, 0.4, 0.2, 0.5}, {0.3, 0.5, 0.4, 0.4}};
  return result;
}

TEST(Trends, OfLayerAndLengthByHand) {
  const std::vector<Trend> all = trends(statistics(), {.minimum_sentences = 2});
  ASSERT_EQ(all.size(), 4U);
  const Trend& layer = all[0];
  EXPECT_EQ(layer.of, TrendOf::layer);
  EXPECT_EQ(layer.first + "-" + layer.last, "1-2");
  // Layer 1: .1 .2 .3 .4, layer 2: .4 .5 .5 .4. Ranks: 1 2 3 5 | 5 7.5 7.5 5; layers 2.5 and 6.5 each.
  // Products about 4.5: 2·(3.5 + 2.5 + 1.5 - .5) + 2·(.5 + 3 + 3 + .5) = 28; squares: 32 and
  // 12.25 + 6.25 + 2.25 + .25 + .25 + 9 + 9 + .25 = 39.5.
  EXPECT_NEAR(layer.rank.rho, 28 / std::sqrt(32 * 39.5), 1e-12);
  EXPECT_DOUBLE_EQ(layer.rank_of_means, 1);
  EXPECT_NEAR(layer.effect, 0.45 - 0.25, 1e-12);
  // Squared deviations: .05 in layer 1, .01 in layer 2; 6 degrees of freedom.
  EXPECT_NEAR(layer.effect_sd, 0.2 / std::sqrt(0.06 / 6), 1e-9);
  EXPECT_LE(layer.effect_interval.low, layer.effect);
  EXPECT_GE(layer.effect_interval.high, layer.effect);

  const Trend& length = all[1];
  EXPECT_EQ(length.of, TrendOf::length);
  EXPECT_EQ(length.series.layer, 0);
  // Means over layers: .25 .35 | .4 .4; ranks 1 2 3.5 3.5 against 1.5 1.5 3.5 3.5.
  EXPECT_NEAR(length.rank.rho, 4 / std::sqrt(4 * 4.5), 1e-12);
  EXPECT_NEAR(length.effect, 0.4 - 0.3, 1e-12);
  EXPECT_TRUE(std::isnan(length.rank_of_means));
  EXPECT_EQ(length.first_sentences, 2);
  // The ends by the names of their bins, and by their bounds; of layers there are none.
  EXPECT_EQ(length.first + " " + length.last, "1–9 10+");
  EXPECT_EQ(std::vector({length.first_low, length.first_high, length.last_low, length.last_high}),
            (std::vector<std::int64_t>{0, 10, 10, -1}));
  EXPECT_EQ(layer.first_low, -1);
  EXPECT_EQ(trend_table(statistics(), {length}).columns.back(), "last_high");
  EXPECT_NEAR(all[2].effect, 0.35 - 0.15, 1e-12);  // layer 1
  EXPECT_NEAR(all[3].effect, 0.45 - 0.45, 1e-12);  // layer 2
}

// Of equal sentences every resample has the same mean, to the last bit.
TEST(Trends, IntervalsHoldTheirEstimates) {
  LengthStatistics same = statistics();
  same.bin_sentences = {{}, {}};
  same.bin_means = {{}, {}};
  for (std::int64_t i = 0; i < 7; ++i) {
    same.bin_sentences[0].push_back({i + 1, i, 0, 2});
    same.bin_sentences[1].push_back({i + 8, i + 7, 0, 12});
    same.bin_means[0].insert(same.bin_means[0].end(), {0.1, 0.7});
    same.bin_means[1].insert(same.bin_means[1].end(), {1.0 / 3, 0.7});
  }
  same.sentences = 14;
  for (const Trend& trend : trends(same, {.minimum_sentences = 2})) {
    EXPECT_LE(trend.effect_interval.low, trend.effect);
    EXPECT_GE(trend.effect_interval.high, trend.effect);
    if (trend.of == TrendOf::length && trend.series.layer > 0) {
      EXPECT_EQ(trend.effect_interval, (Interval{trend.effect, trend.effect}));
    }
  }
}

TEST(Trends, BinsWithTooFewSentencesAreNoEnds) {
  const std::vector<Trend> all = trends(statistics(), {.minimum_sentences = 3});
  EXPECT_TRUE(std::isnan(all[1].effect));
  EXPECT_TRUE(all[1].first.empty());
  EXPECT_NEAR(all[1].rank.rho, 4 / std::sqrt(4 * 4.5), 1e-12);
  const Table table = trend_table(statistics(), all);
  EXPECT_EQ(table.rows.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][table.column("layer")]));
}

TEST(Trends, NeedTheMeansOfSentencesByLength) {
  LengthStatistics without = statistics();
  without.bin_means.clear();
  EXPECT_THROW(trends(without), UsageError);
  LengthStatistics by_position = statistics();
  by_position.by = BinnedBy::position;
  EXPECT_THROW(trends(by_position), UsageError);
}

// Sentences of two words (and </s>), gates [token, 2] of one layer per value given.
class Gates {
 public:
  explicit Gates(std::int64_t layers) : layers_(layers) {
    RecordingHeader header;
    header.model.name = "hand";
    header.model.layers = layers;
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
      header.quantities.push_back(
          {name(layer), {Axis::token, Axis::d_model}, {0, 2}, DType::float32, "1", "gate"});
    }
    recording_.begin(header);
  }
  // values: [layer][word][dimension]
  void add(std::int64_t number, const std::vector<std::vector<std::vector<float>>>& values) {
    Sentence sentence;
    sentence.number = number;
    for (std::size_t word = 0; word < values[0].size(); ++word) {
      sentence.words.push_back({"w", {}});
      sentence.tokens.push_back({"w", 4, static_cast<std::int64_t>(word), {}});
    }
    sentence.tokens.push_back({"</s>", 2, -1, {}});
    RecordingBatch batch;
    batch.sentences = {sentence};
    for (std::int64_t layer = 1; layer <= layers_; ++layer) {
      std::vector<float> flat;
      for (const auto& word : values[static_cast<std::size_t>(layer - 1)]) {
        flat.insert(flat.end(), word.begin(), word.end());
      }
      flat.insert(flat.end(), {9, 9});  // </s>: counting it would show
      batch.quantities.emplace_back(name(layer),
                                    HostTensor::of<float>({static_cast<std::int64_t>(flat.size())}, flat));
    }
    recording_.write(batch);
  }
  const MemoryRecording& finish() {
    recording_.finish();
    return recording_;
  }

 private:
  static QuantityName name(std::int64_t layer) { return {Stack::encoder, layer, Part::none, Quantity::gate}; }
  std::int64_t layers_;
  MemoryRecording recording_;
};

TEST(GateDimensions, ByHand) {
  Gates gates(2);
  // Dimension 1 rises with length, dimension 2 falls; layer 2 is the same plus (.1, 0).
  gates.add(1, {{{0.2F, 0.8F}}, {{0.3F, 0.8F}}});
  gates.add(2, {{{0.3F, 0.7F}}, {{0.4F, 0.7F}}});
  gates.add(3, {{{0.8F, 0.2F}, {0.8F, 0.2F}}, {{0.9F, 0.2F}, {0.9F, 0.2F}}});
  gates.add(4, {{{0.6F, 0.4F}, {0.8F, 0.2F}}, {{0.7F, 0.4F}, {0.9F, 0.2F}}});
  DimensionOptions options;
  options.bins = LengthBins({0, 2});
  options.minimum_sentences = 2;
  options.block_sentences = 3;
  const MemoryRecording& recording = gates.finish();
  const DimensionStatistics statistics = gate_dimensions({&recording}, options);
  EXPECT_EQ(statistics.sentences, 4);
  EXPECT_EQ(statistics.first, "1");
  EXPECT_EQ(statistics.last, "2+");
  EXPECT_EQ(
      std::vector({statistics.first_low, statistics.first_high, statistics.last_low, statistics.last_high}),
      (std::vector<std::int64_t>{0, 2, 2, -1}));
  ASSERT_EQ(statistics.layers.size(), 2U);
  const DimensionLayer& layer = statistics.layers[0];
  // Sentence means of dimension 1: .2 .3 .8 .7, of dimension 2: .8 .7 .2 .3; both average .5.
  EXPECT_NEAR(layer.mean, 0.5, 1e-6);
  EXPECT_NEAR(layer.sd_dimensions, 0, 1e-6);
  EXPECT_NEAR(layer.sd_sentences, std::sqrt((0.09 + 0.04 + 0.09 + 0.04) / 3), 1e-6);
  EXPECT_DOUBLE_EQ(layer.rising, 0.5);
  EXPECT_DOUBLE_EQ(layer.falling, 0.5);
  EXPECT_TRUE(std::isnan(layer.above_previous));
  const DimensionLayer& second = statistics.layers[1];
  EXPECT_NEAR(second.mean, 0.55, 1e-6);
  EXPECT_NEAR(second.sd_dimensions, std::sqrt(0.005), 1e-6);
  EXPECT_NEAR(second.quantiles[2], 0.55, 1e-6);
  EXPECT_DOUBLE_EQ(second.above_previous, 0.5);
  EXPECT_EQ(statistics.table().rows.size(), 2U);

  options.words = WordRange::parse("2-");
  EXPECT_EQ(gate_dimensions({&recording}, options).sentences, 2);  // two have a second word
  options.keeps_layer = [](std::int64_t) { return false; };
  EXPECT_THROW(gate_dimensions({&recording}, options), UsageError);
}

// The same recording by position: words 1 and 2 of all sentences.
TEST(WeightByLength, ByPositionAndOfSomeWords) {
  Gates gates(2);
  gates.add(1, {{{0.1F, 0.3F}}, {{0.5F, 0.5F}}});
  gates.add(2, {{{0.2F, 0.2F}, {0.6F, 0.8F}}, {{0.4F, 0.4F}, {0.4F, 0.4F}}});
  const MemoryRecording& recording = gates.finish();
  LengthOptions options;
  options.bins = LengthBins({0, 2});
  options.by = BinnedBy::position;
  options.bootstrap.resamples = 0;
  const LengthStatistics by_position = weight_by_length(recording, options);
  EXPECT_EQ(by_position.sentences, 2);
  EXPECT_EQ(by_position.cell(0, 0).sentences, 2);
  EXPECT_NEAR(by_position.cell(0, 0).mean, 0.2, 1e-6);
  EXPECT_EQ(by_position.cell(0, 1).sentences, 1);
  EXPECT_NEAR(by_position.cell(0, 1).mean, 0.7, 1e-6);
  EXPECT_NEAR(by_position.cell(1, 1).mean, 0.4, 1e-6);

  options.by = BinnedBy::length;
  options.words = WordRange::parse("1");
  options.keeps_layer = [](std::int64_t layer) { return layer == 1; };
  const LengthStatistics first = weight_by_length(recording, options);
  ASSERT_EQ(first.series.size(), 1U);
  EXPECT_NEAR(first.cell(0, 0).mean, 0.2, 1e-6);
  EXPECT_NEAR(first.cell(0, 1).mean, 0.2, 1e-6);  // the second sentence keeps its length
  options.keeps_layer = [](std::int64_t layer) { return layer == 7; };
  EXPECT_THROW(weight_by_length(recording, options), UsageError);
}

TEST(WordRange, Parses) {
  EXPECT_EQ(WordRange::parse("2-8"), (WordRange{2, 8}));
  EXPECT_EQ(WordRange::parse("8"), (WordRange{1, 8}));
  EXPECT_EQ(WordRange::parse("3-"), (WordRange{3, 0}));
  EXPECT_EQ(WordRange::parse("2-8").label(), "2–8");
  for (const char* const text : {"", "0", "-3", "a", "5-2", "1-2-3"}) {
    EXPECT_THROW(WordRange::parse(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace mog::analysis

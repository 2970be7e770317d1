// What of an attention map is shown: heads of the mean, words in the place of pieces, blocks of a pair.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/weight_scale.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// "ov@@ er it </s> x </s>": two texts, one word of two pieces; three heads, two layers. Head h of layer l has
// the value l + h/10 + (6·query + key)/1000.
class MapChoices : public ::testing::Test {
 protected:
  void SetUp() override {
    RecordingHeader header;
    header.model.name = "m";
    header.model.tokenizer = "bpe";
    header.model.layers = 2;
    header.provenance.corpus_name = "c";
    RecordingBatch batch;
    Sentence text;
    text.number = 7;
    text.words = {{"Over", {}}, {"it", {}}, {"x", {}}};
    text.tokens = {{"ov@@", 4, 0, {}},  {"er", 5, 0, {}}, {"it", 6, 1, {}},
                   {"</s>", 2, -1, {}}, {"x", 7, 2, {}},  {"</s>", 2, -1, {}}};
    batch.sentences = {text};
    for (std::int64_t layer = 1; layer <= 2; ++layer) {
      const QuantityName name(Stack::encoder, layer, Part::full, Quantity::attention);
      header.quantities.push_back(
          {name, {Axis::head, Axis::query, Axis::key}, {3, 0, 0}, DType::float64, "1", ""});
      std::vector<double> values;
      for (std::int64_t head = 1; head <= 3; ++head) {
        for (int i = 0; i < 36; ++i) {
          values.push_back(value(layer, head, i));
        }
      }
      batch.quantities.emplace_back(name, HostTensor::of<double>({108}, values));
    }
    // Of token t: t/10 and t/10 + .2.
    const QuantityName gate(Stack::encoder, 1, Part::none, Quantity::gate);
    header.quantities.push_back({gate, {Axis::token, Axis::d_model}, {0, 2}, DType::float64, "1", ""});
    std::vector<double> gates;
    for (int token = 0; token < 6; ++token) {
      gates.insert(gates.end(), {token / 10.0, token / 10.0 + 0.2});
    }
    batch.quantities.emplace_back(gate, HostTensor::of<double>({12}, gates));
    recording_.begin(header);
    recording_.write(batch);
    recording_.finish();
  }
  static double value(std::int64_t layer, std::int64_t head, int cell) {
    return static_cast<double>(layer) + static_cast<double>(head) / 10 + cell / 1000.0;
  }
  HeatMap map(const TokenOptions& options, std::int64_t layer = 1) {
    return std::get<HeatMap>(attention_figure(recording_, 0, layer, Part::none, 0, options).body);
  }
  MemoryRecording recording_;
};

constexpr double kFloat = 1e-6;

TEST_F(MapChoices, MeansAreOverTheHeadsChosen) {
  EXPECT_NEAR(map({}).value(0, 1), value(1, 2, 1), kFloat);
  EXPECT_NEAR(map({.heads = {3}}).value(0, 1), value(1, 3, 1), kFloat);
  EXPECT_NEAR(map({.heads = {1, 3}}).value(2, 4), value(1, 2, 16), kFloat);
  EXPECT_NE(attention_figure(recording_, 0, 1, Part::none, 0, {.heads = {1, 3}}).title.find("heads 1, 3"),
            std::string::npos);
  EXPECT_THROW(map({.heads = {4}}), UsageError);
  EXPECT_THROW(map({.heads = {0}}), UsageError);
}

TEST_F(MapChoices, GatesOfWordsAreMeansOverTheirPieces) {
  const auto gates = [this](const TokenOptions& options) {
    return std::get<HeatMap>(gate_figure(recording_, 0, options).body);
  };
  EXPECT_EQ(gates({}).columns.size(), 6U);
  EXPECT_NEAR(gates({}).value(0, 1), 0.2, kFloat);
  EXPECT_EQ(gates({}).scale.quantity.averaged, "mean over dimensions; median of this sentence 0.30");
  const HeatMap words = gates({.special_tokens = false, .by_word = true});
  ASSERT_EQ(words.columns.size(), 3U);
  EXPECT_EQ(words.columns[0].text, "Over");
  EXPECT_NEAR(words.value(0, 0), (0.1 + 0.2) / 2, kFloat);
  EXPECT_NEAR(words.value(0, 1), 0.3, kFloat);
  EXPECT_EQ(words.scale.quantity.averaged,
            "mean over dimensions and the pieces of a word; median of this sentence 0.30");
}

// The median is over words, not over their pieces and not over </s>.
TEST_F(MapChoices, GatesPartAtTheMedianOfTheRecording) {
  const auto scale = [](const RecordingSource& source) {
    return std::get<HeatMap>(gate_figure(source, 0).body).scale;
  };
  EXPECT_EQ(scale(recording_).kind, ColourScale::Kind::gate);
  EXPECT_NEAR(scale(recording_).middle, 0.3, kFloat);  // of (0.1 + 0.2) / 2, 0.3, 0.5
  // Of a corpus the whole recording counts: the same sentence and one of gates 0.7, 0.8, 0.9.
  MemoryRecording corpus;
  RecordingHeader header = recording_.header();
  header.provenance.corpus_sha256 = "a corpus";
  RecordingBatch batch;
  batch.sentences = {recording_.sentence(0), recording_.sentence(0)};
  batch.sentences[1].number = 8;
  batch.sentences[1].tokens.resize(3);
  std::erase_if(header.quantities,
                [](const QuantitySchema& schema) { return schema.name.quantity() != Quantity::gate; });
  std::vector<double> gates;
  for (const double gate : {0.1, 0.2, 0.3, 0.0, 0.5, 0.0, 0.7, 0.8, 0.9}) {
    gates.insert(gates.end(), {gate, gate});
  }
  batch.quantities.emplace_back(header.quantities.front().name, HostTensor::of<double>({18}, gates));
  corpus.begin(header);
  corpus.write(batch);
  corpus.finish();
  EXPECT_NEAR(scale(corpus).middle, 0.5, kFloat);  // of these, (0.7 + 0.8) / 2 and 0.9
  EXPECT_NE(scale(corpus).quantity.averaged.find("median of the recording 0.50"), std::string::npos);
}

TEST(WeightScale, ItsEndIsAReadableNumberThatOneCellDoesNotDecide) {
  std::vector<double> weights(1000, 0.1);
  weights[0] = 0.9;
  weights[1] = kAbsent;
  EXPECT_DOUBLE_EQ(weight_scale_end(weights), 0.1);
  for (std::size_t i = 0; i < 20; ++i) {
    weights[i] = 0.37;
  }
  EXPECT_DOUBLE_EQ(weight_scale_end(weights), 0.4);
  EXPECT_DOUBLE_EQ(weight_scale_end({0, 0}), 1);
  EXPECT_DOUBLE_EQ(weight_scale_end({}), 1);
}

TEST(WeightScale, SpecialTokensAreOutOfIt) {
  HeatMap map;
  map.rows = {{"[CLS]", true, -1}, {"a", false, 0}, {"b", false, 1}};
  map.columns = map.rows;
  map.values = {0.9, 0.05, 0.05, 0.8, 0.08, 0.12, 0.9, 0.04, 0.06};
  map.special_in_scale = false;
  scale_weights(map);
  EXPECT_DOUBLE_EQ(map.scale.high, 0.15);
  EXPECT_TRUE(map.scale.more);
  EXPECT_EQ(out_of_scale_text(map), "[CLS] out of the scale");
  EXPECT_EQ(strongest_keys(map, 1, 2), (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(strongest_keys(map, 0, 2).empty());
  map.special_in_scale = true;
  scale_weights(map);
  EXPECT_DOUBLE_EQ(map.scale.high, 1);
  EXPECT_FALSE(map.scale.more);
  EXPECT_EQ(out_of_scale_text(map), "");
}

TEST_F(MapChoices, WordsAverageQueriesAndSumKeys) {
  const HeatMap words = map({.special_tokens = true, .by_word = true});
  ASSERT_EQ(words.rows.size(), 5U);
  EXPECT_EQ(words.rows[0].text, "Over");
  EXPECT_EQ(words.rows[2].text, "</s>");
  // Key "Over" of query "it" (row 2 of six): cells 12 and 13.
  EXPECT_NEAR(words.value(1, 0), value(1, 2, 12) + value(1, 2, 13), kFloat);
  // Query "Over": rows 0 and 1, key "it".
  EXPECT_NEAR(words.value(0, 1), (value(1, 2, 2) + value(1, 2, 8)) / 2, kFloat);
  EXPECT_EQ(shown_tokens(recording_.sentence(0), {.special_tokens = false, .by_word = true}),
            (std::vector<std::vector<std::int64_t>>{{0, 1}, {2}, {4}}));
}

TEST_F(MapChoices, ABlockHoldsTheQueriesOfOneTextAndTheKeysOfTheOther) {
  EXPECT_EQ(texts_of(recording_.sentence(0)), 2);
  const HeatMap block = map({.special_tokens = false, .block = {1, 2}});
  ASSERT_EQ(block.rows.size(), 3U);
  ASSERT_EQ(block.columns.size(), 1U);
  EXPECT_EQ(block.columns[0].text, "x");
  EXPECT_NEAR(block.value(2, 0), value(1, 2, 16), kFloat);
  EXPECT_THROW(map({.block = {3, 1}}), UsageError);
  const std::vector<Part> parts = {Part::full};
  ArcOptions arcs{.threshold = 0, .at_most = 100, .tokens = {.special_tokens = false, .block = {2, 1}}};
  const auto figure = attention_arcs(recording_, 0, 1, parts, 0, arcs);
  const auto& drawn = std::get<ArcFigure>(figure.body);
  EXPECT_EQ(drawn.words.size(), 4U);  // all words stay
  ASSERT_EQ(drawn.arcs.size(), 3U);
  EXPECT_EQ(drawn.arcs[0].source, 3);
}

TEST_F(MapChoices, NarrowedArcsAreTheArcsOfThatThreshold) {
  const std::vector<Part> parts = {Part::full};
  const FigureData all = attention_arcs(recording_, 0, 2, parts, 0, {.threshold = 0, .at_most = 1000});
  for (const ArcOptions& options :
       {ArcOptions{.threshold = 2.21, .at_most = 5}, ArcOptions{.threshold = 0, .at_most = 3, .from = 1},
        ArcOptions{.threshold = 9, .at_most = 3}}) {
    const FigureData direct = attention_arcs(recording_, 0, 2, parts, 0, options);
    const FigureData narrowed = narrowed_arcs(all, options);
    EXPECT_EQ(narrowed.title, direct.title);
    EXPECT_EQ(narrowed.caption, direct.caption);
    EXPECT_EQ(narrowed.to_csv(), direct.to_csv());
    EXPECT_EQ(std::get<ArcFigure>(narrowed.body).weight_of_full_width,
              std::get<ArcFigure>(direct.body).weight_of_full_width);
  }
  EXPECT_NE(narrowed_arcs(all, {.threshold = 0, .from = 1}).title.find(", from er"), std::string::npos);
}

TEST_F(MapChoices, TheOverviewHasMeansAtItsMargins) {
  const AttentionOverview all = attention_overview(recording_, 0);
  ASSERT_EQ(all.maps.size(), 3U);  // two layers and their mean
  ASSERT_EQ(all.maps[0].size(), 4U);
  const auto at = [](const AttentionOverview& overview, std::size_t layer, std::size_t head) {
    return std::get<HeatMap>(overview.maps[layer][head].body).values[7];
  };
  EXPECT_NEAR(at(all, 0, 0), value(1, 2, 7), kFloat);
  EXPECT_NEAR(at(all, 1, 3), value(2, 3, 7), kFloat);
  EXPECT_NEAR(at(all, 2, 0), (value(1, 2, 7) + value(2, 2, 7)) / 2, kFloat);
  EXPECT_EQ(scale_text(all), "0 to 2.5; </s> out of the scale");
  // The highest layer on top, the mean over layers at the bottom.
  const FigureData page = overview_figure(all, recording_, 0);
  const auto& panels = std::get<PanelFigure>(page.body).panels;
  EXPECT_EQ(panels.front().title, "2 mean");
  EXPECT_EQ(panels.back().title, "mean.3");
  const AttentionOverview some = attention_overview(recording_, 0, {.part = Part::full, .heads = {3}});
  EXPECT_NEAR(at(some, 0, 0), value(1, 3, 7), kFloat);
  EXPECT_NEAR(at(some, 0, 1), value(1, 1, 7), kFloat);
  // Two cells a side: means of nine tokens' weights.
  const AttentionOverview small = attention_overview(recording_, 0, {.cells = 2});
  const auto& cells = std::get<HeatMap>(small.maps[0][1].body).values;
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_NEAR(cells[0], value(1, 1, 7), kFloat);  // queries 0–2, keys 0–2: the middle one
  EXPECT_THROW(attention_overview(recording_, 0, {.heads = {9}}), UsageError);
}

TEST_F(MapChoices, RootsTellSmallWeightsApartAndTheScaleSaysSo) {
  FigureData figure = attention_figure(recording_, 0, 1, Part::none, 0);
  const std::string before = std::get<HeatMap>(figure.body).scale.quantity.text();
  ASSERT_TRUE(set_colouring(figure, ColourScale::Colouring::root));
  const ColourScale& scale = std::get<HeatMap>(figure.body).scale;
  EXPECT_DOUBLE_EQ(scale.place(scale.high / 4), 0.5);
  EXPECT_EQ(scale.place(0), 0);
  EXPECT_EQ(scale.place(scale.high), 1);
  EXPECT_EQ(scale.quantity.text(), before.substr(0, before.size() - 1) + ", colours by square root)");
  EXPECT_TRUE(set_colouring(figure, ColourScale::Colouring::even));
  EXPECT_EQ(scale.quantity.text(), before);
  EXPECT_DOUBLE_EQ(scale.place(scale.high / 4), 0.25);
  EXPECT_TRUE(set_colouring(figure, ColourScale::Colouring::power));
  EXPECT_DOUBLE_EQ(scale.place(scale.high / 4), std::pow(0.25, 0.6));
  EXPECT_DOUBLE_EQ(scale.at(std::pow(0.25, 0.6)), scale.high / 4);
  // A scale that does not begin at 0 stays as it is.
  std::get<HeatMap>(figure.body).scale.low = 0.1;
  EXPECT_FALSE(set_colouring(figure, ColourScale::Colouring::root));
  EXPECT_EQ(parse_colouring("root"), ColourScale::Colouring::root);
  EXPECT_THROW(parse_colouring("log"), UsageError);
}

}  // namespace
}  // namespace mog::analysis

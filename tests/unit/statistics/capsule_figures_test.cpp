// Maps of capsules on words, and what is averaged of capsules over sentences.
#include <gtest/gtest.h>

#include "analysis/figure_data/capsule_figures.h"
#include "analysis/figure_data/quantity_figures.h"
#include "analysis/statistics/entry_means.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

QuantityName routing(std::int64_t layer) {
  return {Stack::encoder, layer, Part::none, Quantity::routing};
}
const QuantityName kLengths(Stack::encoder, 1, Part::none, Quantity::capsules, Reduction::norm);

// Two layers of two capsules over "sun flower </s>", whose second word has two pieces.
void write_capsules(MemoryRecording& recording) {
  RecordingHeader header;
  header.model.name = "m";
  header.model.tokenizer = "bpe";
  header.model.layers = 2;
  Sentence text;
  text.number = 1;
  text.words = {{"sun", {}}, {"flower", {}}};
  text.tokens = {{"sun", 4, 0, {}}, {"flo@@", 5, 1, {}}, {"wer", 6, 1, {}}, {"</s>", 2, -1, {}}};
  RecordingBatch batch;
  batch.sentences = {text};
  for (std::int64_t layer = 1; layer <= 2; ++layer) {
    header.quantities.push_back(
        {routing(layer), {Axis::capsule, Axis::token}, {2, 0}, DType::float32, "probability", "routing"});
    const float first = layer == 1 ? 0.5F : 0.125F;
    batch.quantities.emplace_back(routing(layer),
                                  HostTensor::of<float>({8}, {first, 0.25F, 0.125F, 0.125F,  //
                                                              0.1F, 0.2F, 0.3F, 0.4F}));
  }
  header.quantities.push_back({kLengths, {Axis::capsule}, {2}, DType::float32, "1", "lengths"});
  batch.quantities.emplace_back(kLengths, HostTensor::of<float>({2}, {0.5F, 0.75F}));
  recording.begin(header);
  recording.write(batch);
  recording.finish();
}

const QuantityName kGate(Stack::decoder, 0, Part::none, Quantity::global_gate, Reduction::mean);

// Pooling weights of two layers, and the gates of "son|nen blume" (two words, the first of two pieces).
void write_state(MemoryRecording& recording) {
  RecordingHeader header;
  header.model.name = "m";
  header.model.tokenizer = "bpe";
  Sentence text;
  text.number = 1;
  text.tokens = {{"sun", 4, -1, {}}};
  text.target_tokens = {{"</s>", 2, -1, {}}, {"son@@", 5, 0, {}}, {"nen", 6, 0, {}}, {"blume", 7, 1, {}}};
  RecordingBatch batch;
  batch.sentences = {text};
  for (const std::int64_t layer : {2, 1}) {  // in any order
    const QuantityName name(Stack::encoder, layer, Part::none, Quantity::pooling);
    header.quantities.push_back({name, {Axis::capsule}, {2}, DType::float32, "probability", "pooling"});
    const float first = layer == 1 ? 0.25F : 0.5F;
    batch.quantities.emplace_back(name, HostTensor::of<float>({2}, {first, 1 - first}));
  }
  header.quantities.push_back({kGate, {Axis::target_token}, {0}, DType::float32, "1", "gate"});
  batch.quantities.emplace_back(kGate, HostTensor::of<float>({4}, {0.5F, 0.25F, 0.75F, 0.625F}));
  recording.begin(header);
  recording.write(batch);
  recording.finish();
}

std::vector<std::string> texts(const std::vector<WordLabel>& labels) {
  std::vector<std::string> result;
  for (const WordLabel& label : labels) {
    result.push_back(label.text);
  }
  return result;
}

TEST(CapsuleMap, ARowIsACapsuleAndAColumnAToken) {
  MemoryRecording recording;
  write_capsules(recording);
  const FigureData figure = capsule_map_figure(recording, 0, std::vector{routing(1)});
  const auto& map = std::get<HeatMap>(figure.body);
  EXPECT_EQ(texts(map.rows), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(texts(map.columns), (std::vector<std::string>{"sun", "flo", "wer", "</s>"}));
  EXPECT_TRUE(map.columns.back().special);
  EXPECT_EQ(map.value(0, 0), 0.5);
  EXPECT_NEAR(map.value(1, 3), 0.4, 1e-7);
  EXPECT_GE(map.scale.high, 0.5);
  EXPECT_EQ(figure.title, "encoder.1.routing");
}

TEST(CapsuleMap, PiecesOfAWordAreSummedAndSpecialTokensMayGo) {
  MemoryRecording recording;
  write_capsules(recording);
  const auto words = std::get<HeatMap>(
      capsule_map_figure(recording, 0, std::vector{routing(1)}, {.special_tokens = false, .by_word = true})
          .body);
  EXPECT_EQ(texts(words.columns), (std::vector<std::string>{"sun", "flower"}));
  EXPECT_NEAR(words.value(0, 1), 0.375, 1e-7);
  EXPECT_NEAR(words.value(1, 1), 0.5, 1e-7);
  const auto all = std::get<HeatMap>(
      capsule_map_figure(recording, 0, std::vector{routing(1)}, {.special_tokens = true, .by_word = true})
          .body);
  EXPECT_EQ(texts(all.columns), (std::vector<std::string>{"sun", "flower", "</s>"}));
}

TEST(CapsuleMap, LayersArePanelsOnOneScale) {
  MemoryRecording recording;
  write_capsules(recording);
  const FigureData figure = capsule_map_figure(recording, 0, std::vector{routing(1), routing(2)});
  const auto& panels = std::get<PanelFigure>(figure.body).panels;
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[1].title, "layer 2");
  EXPECT_EQ(std::get<HeatMap>(panels[0].body).scale.high, std::get<HeatMap>(panels[1].body).scale.high);
  EXPECT_EQ(std::get<HeatMap>(panels[1].body).value(0, 0), 0.125);
}

TEST(CapsuleMap, WhatIsNoneIsRefused) {
  MemoryRecording recording;
  write_capsules(recording);
  EXPECT_THROW(capsule_map_figure(recording, 0, std::vector{routing(3)}), UsageError);
  EXPECT_THROW(capsule_map_figure(recording, 0, std::vector{kLengths}), UsageError);
  EXPECT_THROW(capsule_map_figure(recording, 0, {}), UsageError);
}

TEST(GlobalState, PoolingHasARowALayer) {
  MemoryRecording recording;
  write_state(recording);
  EXPECT_TRUE(has_pooling(recording.header()));
  const auto map = std::get<HeatMap>(pooling_figure(recording, 0).body);
  EXPECT_EQ(texts(map.rows), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(texts(map.columns), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(map.values, (std::vector<double>{0.25, 0.75, 0.5, 0.5}));
}

// Step j predicts token j + 1: the gate of "son" is that of the first step.
TEST(GlobalState, AGateIsOfTheWordThatItsStepPredicts) {
  MemoryRecording recording;
  write_state(recording);
  EXPECT_TRUE(has_global_gate(recording.header()));
  const auto values = [](const LinePlot& plot) {
    std::vector<double> all;
    for (const LinePoint& point : plot.series.front().points) {
      all.push_back(point.y);
    }
    return all;
  };
  const auto pieces = std::get<LinePlot>(global_gate_figure(recording, 0).body);
  EXPECT_EQ(pieces.x_categories, (std::vector<std::string>{"son", "nen", "blume", "</s>"}));
  EXPECT_EQ(values(pieces), (std::vector<double>{0.5, 0.25, 0.75, 0.625}));
  const auto words =
      std::get<LinePlot>(global_gate_figure(recording, 0, {.special_tokens = false, .by_word = true}).body);
  EXPECT_EQ(words.x_categories, (std::vector<std::string>{"sonnen", "blume"}));
  EXPECT_EQ(values(words), (std::vector<double>{0.375, 0.75}));
}

TEST(GlobalState, WhatIsNotRecordedIsSaid) {
  MemoryRecording recording;
  write_capsules(recording);
  EXPECT_FALSE(has_pooling(recording.header()));
  EXPECT_FALSE(has_global_gate(recording.header()));
  EXPECT_THROW(pooling_figure(recording, 0), UsageError);
  EXPECT_THROW(global_gate_figure(recording, 0), UsageError);
}

TEST(Capsules, LengthsAreMeansOfSentencesAndWeightsAddUp) {
  MemoryRecording recording;
  write_capsules(recording);
  const RecordingSource* const sources[] = {&recording};
  EntryOptions options;
  options.bins = LengthBins::parse("10");
  options.bootstrap.resamples = 0;
  const Table table = entry_means(sources, std::vector{kLengths, routing(1)}, options);
  ASSERT_EQ(table.rows.size(), 4U);
  const auto mean = [&](std::size_t row) { return std::get<double>(table.rows[row][table.column("mean")]); };
  EXPECT_EQ(std::get<std::string>(table.rows[1][table.column("entry")]), "2");
  EXPECT_NEAR(mean(1), 0.75, 1e-7);
  EXPECT_NEAR(mean(2), (0.5 + 0.25 + 0.125) / 3, 1e-7);  // tokens of words only
  QuantitySchema pooling = recording.header().quantities.back();
  EXPECT_FALSE(entries_add_up(pooling));
  pooling.name = QuantityName(Stack::encoder, 1, Part::none, Quantity::pooling);
  EXPECT_TRUE(entries_add_up(pooling));
}

}  // namespace
}  // namespace mog::analysis

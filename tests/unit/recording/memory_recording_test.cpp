#include <gtest/gtest.h>

#include <numeric>

#include "io/recording/errors.h"
#include "io/recording/sentence_recording.h"

namespace mog {
namespace {

Sentence sentence(std::int64_t number, std::size_t tokens) {
  Sentence result;
  result.number = number;
  result.tokens.resize(tokens);
  return result;
}

TEST(MemoryRecording, SplitsPackedBatchesIntoSentencesInCorpusOrder) {
  const QuantityName gate = QuantityName::parse("encoder.1.gate");
  RecordingHeader header;
  header.quantities = {{gate, {Axis::token, Axis::d_model}, {0, 2}, DType::float32, "1", "gate"}};
  MemoryRecording recording;
  recording.begin(header);
  RecordingBatch batch;
  batch.sentences = {sentence(2, 1), sentence(1, 2)};
  batch.quantities = {{gate, HostTensor::of<float>({6}, {1, 2, 3, 4, 5, 6})}};
  recording.write(batch);
  recording.finish();
  ASSERT_EQ(recording.size(), 2);
  EXPECT_EQ(recording.read(0, gate).shape(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(recording.read(0, gate).to_floats(), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(recording.read(1, gate).to_floats(), (std::vector<float>{1, 2}));
  EXPECT_EQ(recording.read_packed(0, 2, gate).to_floats(), (std::vector<float>{3, 4, 5, 6, 1, 2}));
  EXPECT_THROW(recording.read(0, QuantityName::parse("encoder.2.gate")), UsageError);
  batch.quantities = {{gate, HostTensor::of<float>({5}, {1, 2, 3, 4, 5})}};
  EXPECT_THROW(recording.write(batch), ShapeError);
}

TEST(TensorBlocks, AreCutOutOfEveryAxis) {
  std::vector<float> values(2 * 3 * 4);
  std::iota(values.begin(), values.end(), 0.0F);
  const HostTensor tensor = HostTensor::of<float>({2, 3, 4}, values);
  for (std::int64_t a = 0; a <= 2; ++a) {
    for (std::int64_t b = 0; b <= 3; ++b) {
      for (std::int64_t c = 0; c <= 4; ++c) {
        const TensorBlock block{{2 - a, 3 - b, 4 - c}, {a, b, c}};
        std::vector<float> expected;
        for (std::int64_t i = 2 - a; i < 2; ++i) {
          for (std::int64_t j = 3 - b; j < 3; ++j) {
            for (std::int64_t k = 4 - c; k < 4; ++k) {
              expected.push_back(static_cast<float>((i * 3 + j) * 4 + k));
            }
          }
        }
        const HostTensor found = cut(tensor, block);
        EXPECT_EQ(found.shape(), block.extents);
        EXPECT_EQ(found.to_floats(), expected);
      }
    }
  }
  EXPECT_EQ(cut(HostTensor::of<float>({4}, std::vector<float>{1, 2, 3, 4}), {{1}, {2}}).to_floats(),
            (std::vector<float>{2, 3}));
  for (const TensorBlock& block : {TensorBlock{{0, 0, 0}, {2, 3, 5}}, TensorBlock{{0, 3, 0}, {2, 1, 4}},
                                   TensorBlock{{-1, 0, 0}, {1, 1, 1}}, TensorBlock{{0, 0}, {2, 3}}}) {
    EXPECT_THROW(cut(tensor, block), UsageError);
  }
}

TEST(MemoryRecording, GivesCountsAndPackedValuesOfNothing) {
  const QuantityName gate = QuantityName::parse("encoder.1.gate");
  const QuantityName map = QuantityName::parse("encoder.1.full.attention");
  RecordingHeader header;
  header.quantities = {{gate, {Axis::token}, {0}, DType::float16, "1", "gate"},
                       {map, {Axis::query, Axis::key}, {0, 0}, DType::uint8, "1", "map"}};
  MemoryRecording recording;
  recording.begin(header);
  RecordingBatch batch;
  batch.sentences = {sentence(1, 2), sentence(2, 0)};
  batch.sentences[0].words.resize(1);
  batch.quantities = {{gate, HostTensor::of<float>({2}, {1, 2})}};
  recording.write(batch);
  EXPECT_EQ(recording.token_counts(), (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(recording.word_counts(), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(recording.number(1), 2);
  EXPECT_EQ(recording.read_packed(0, 0, gate).dtype(), DType::float16);
  EXPECT_EQ(recording.read_packed(0, 0, map).dtype(),
            DType::float32);  // kept in whole numbers, read as floats
  EXPECT_EQ(recording.read_packed(0, 0, QuantityName::parse("encoder.2.gate")).size(), 0);
  EXPECT_EQ(recording.read_packed(0, 2, gate).to_floats(), (std::vector<float>{1, 2}));
  EXPECT_THROW(recording.read(0, map), UsageError);
  EXPECT_THROW(recording.sentence(2), std::out_of_range);
  batch.quantities = {{QuantityName::parse("encoder.2.gate"), HostTensor::of<float>({2}, {1, 2})}};
  EXPECT_THROW(recording.write(batch), UsageError);
}

TEST(RecordingHeader, DescribesItsSystemWhereNobodyHas) {
  RecordingHeader header;
  header.quantities = {
      {QuantityName::parse("encoder.1.high.attention"),
       {Axis::query, Axis::key},
       {0, 0},
       DType::float32,
       "1",
       ""},
      {QuantityName::parse("heads.upos.logits"), {Axis::token}, {0}, DType::float32, "1", ""}};
  header.describe_system();
  EXPECT_EQ(header.stack().label, "Graph-Transformer");
  const Part mine = Part::describe({.name = "high", .label = "mine"});
  header.system.stacks[0].parts[0] = mine;
  header.describe_system();  // what is described stays, and quantities take their parts from it
  EXPECT_EQ(header.quantities[0].name.part().label(), "mine");
  EXPECT_EQ(header.find(QuantityName::parse("encoder.9.gate")), nullptr);
}

}  // namespace
}  // namespace mog

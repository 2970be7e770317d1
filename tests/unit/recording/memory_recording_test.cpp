#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mog

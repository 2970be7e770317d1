#include <gtest/gtest.h>

#include "model/packed_batch.h"

namespace mog::model {
namespace {

TEST(PackedBatch, HoldsSentencesWithoutPadding) {
  PackedBatch batch;
  batch.append(std::vector<std::int64_t>{5, 6, 2});
  batch.append(std::vector<std::int64_t>{});
  Sentence sentence;
  sentence.tokens = {{"a", 7, 0, {}}, {"</s>", 2, -1, {}}};
  sentence.target_tokens = {{"</s>", 2, -1, {}}};
  batch.append(sentence);
  EXPECT_EQ(batch.ids, (std::vector<std::int64_t>{5, 6, 2, 7, 2}));
  EXPECT_EQ(batch.offsets, (std::vector<std::int64_t>{0, 3, 3, 5}));
  EXPECT_EQ(batch.sentences(), 3);
  EXPECT_EQ(batch.length(2), 2);
  EXPECT_EQ(batch.target_offsets, (std::vector<std::int64_t>{0, 1}));
}

TEST(PackByLength, KeepsSimilarLengthsTogetherUnderTheLimit) {
  const std::vector<std::int64_t> lengths = {3, 9, 1, 3, 20, 2};
  const auto batches = pack_by_length(lengths, 10);
  EXPECT_EQ(batches, (std::vector<std::vector<std::int64_t>>{{4}, {1}, {0, 3, 5, 2}}));
  EXPECT_TRUE(pack_by_length({}, 10).empty());
}

}  // namespace
}  // namespace mog::model

// Golden parity on the processor: 1e-5 in float32 for every key of every case.
#include <gtest/gtest.h>

#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/parity_checks.h"

namespace mog::test {
namespace {

const model::DeviceOptions kCpu{.device = "cpu"};

class GoldenParity : public testing::TestWithParam<std::string> {};

TEST_P(GoldenParity, SingleSentences) {
  check_single_sentences(GetParam(), kCpu);
}
TEST_P(GoldenParity, PackedBatchesInAnyOrder) {
  check_packed_batches(GetParam(), kCpu);
}
TEST_P(GoldenParity, GreedyAndBeamSearch) {
  check_translations(GetParam(), kCpu);
}
TEST_P(GoldenParity, ReductionsOfMapsAndParts) {
  check_reductions(GetParam(), kCpu);
}
TEST_P(GoldenParity, StatisticsWithoutMapsAreThoseOfMaps) {
  check_statistics_alone(GetParam(), kCpu);
}
TEST_P(GoldenParity, Float16IsRoundedOnce) {
  check_float16(GetParam(), kCpu);
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenParity, testing::ValuesIn(golden_cases()),
                         [](const auto& instance) { return instance.param; });

TEST(RelativePositions, StatisticsWithoutMapsAreThoseOfMaps) {
  check_statistics_alone_with_relative_positions(kCpu);
}

TEST(Windows, StatisticsWithoutMapsAreThoseOfMaps) {
  check_statistics_alone_with_windows(kCpu);
}

TEST(LongSentences, NeedNoMaps) {
  check_long_sentences(kCpu);
}

TEST(LongSentences, NeedNoMapsInBfloat16) {
  model::DeviceOptions rounded = kCpu;
  rounded.precision = model::Precision::bfloat16;
  check_long_sentences(rounded);
}

TEST(GoldenParityCases, AreAllThere) {
  EXPECT_EQ(golden_cases().size(), 17U);
}

}  // namespace
}  // namespace mog::test

// Golden parity on a graphics card: the bodies of tests/unit/engine, full float32 products.
#include <gtest/gtest.h>

#include "tests/gpu/gpu_or_skip.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/gret_case.h"
#include "tests/unit/engine/parity_checks.h"

namespace mog::test {
namespace {

const model::DeviceOptions kCuda{.device = "cuda"};

class GpuParity : public testing::TestWithParam<std::string> {};

TEST_P(GpuParity, SingleSentences) {
  MOG_REQUIRE_GPU();
  check_single_sentences(GetParam(), kCuda);
}
TEST_P(GpuParity, PackedBatchesInAnyOrder) {
  MOG_REQUIRE_GPU();
  check_packed_batches(GetParam(), kCuda);
}
TEST_P(GpuParity, GreedyAndBeamSearch) {
  MOG_REQUIRE_GPU();
  check_translations(GetParam(), kCuda);
}
TEST_P(GpuParity, ReductionsOfMapsAndParts) {
  MOG_REQUIRE_GPU();
  check_reductions(GetParam(), kCuda);
}
TEST_P(GpuParity, StatisticsWithoutMapsAreThoseOfMaps) {
  MOG_REQUIRE_GPU();
  check_statistics_alone(GetParam(), kCuda);
}
TEST_P(GpuParity, Float16IsRoundedOnce) {
  MOG_REQUIRE_GPU();
  check_float16(GetParam(), kCuda);
}

INSTANTIATE_TEST_SUITE_P(Cases, GpuParity, testing::ValuesIn(golden_cases()),
                         [](const auto& instance) { return instance.param; });

TEST(GpuGlobalRepresentation, EveryValueIsTheReferences) {
  MOG_REQUIRE_GPU();
  for (const char* const axis : {"positions", "capsules"}) {
    check_gret(axis, kCuda);
  }
}

TEST(GpuRelativePositions, StatisticsWithoutMapsAreThoseOfMaps) {
  MOG_REQUIRE_GPU();
  check_statistics_alone_with_relative_positions(kCuda);
}

TEST(GpuWindows, StatisticsWithoutMapsAreThoseOfMaps) {
  MOG_REQUIRE_GPU();
  check_statistics_alone_with_windows(kCuda);
}

TEST(GpuLongSentences, NeedNoMaps) {
  MOG_REQUIRE_GPU();
  check_long_sentences(kCuda);
}

TEST(GpuModel, NamesItsDevice) {
  MOG_REQUIRE_GPU();
  EXPECT_TRUE(open_golden("sum", kCuda).model->device().starts_with("cuda:0 "));
}

TEST(GpuLongSentences, AreThoseOfMaps) {
  MOG_REQUIRE_GPU();
  check_long_sentences(kCuda);
}

}  // namespace
}  // namespace mog::test

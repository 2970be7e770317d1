// Golden parity on the processor: 1e-5 in float32 for every key of every case.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/gret_case.h"
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

// Falcon's slopes: a place has eight bits, so that 301 stands where 300 does, and 599 where 600 would.
// Queries and keys are 0: weights are those of the slopes, 2^-8, alone.
TEST(RoundedSlopes, PlacesBeyondEightBitsAreRounded) {
  model::ModelConfig config = small_translator(model::EncoderKind::transformer);
  config.gret.reset();
  config.decoder.reset();
  config.encoder.position = model::Position::alibi;
  config.encoder.mask = model::Mask::causal;
  config.encoder.rounded_alibi = true;
  std::map<std::string, HostTensor> weights = random_weights(config, 9);
  for (auto& [name, tensor] : weights) {
    const bool scores = name.find("q_proj") != std::string::npos || name.find("k_proj") != std::string::npos;
    const bool slopes = name == "encoder.alibi.slopes";
    if (scores || slopes) {
      std::ranges::fill(tensor.mutable_values<float>(), slopes ? 1.0F / 256 : 0.0F);
    }
  }
  model::PackedBatch batch;
  const std::vector<std::int64_t> ids(600, 4);
  batch.append(ids);
  const auto name = QuantityName::parse("encoder.1.full.attention.mean_heads");
  Collector collector(DType::float32, [](const QuantityName& asked) {
    return asked.quantity() == Quantity::attention && asked.reduction() == Reduction::mean_heads;
  });
  model::Observer* const observers[] = {&collector};
  open_weights(config, weights, kCpu)->run(batch, {}, observers);
  const std::vector<float> map = collector.of(name, 0);
  const auto log_weight = [&](std::size_t key) {
    return std::log(static_cast<double>(map.at(599 * 600 + key)) / static_cast<double>(map.at(599 * 600)));
  };
  for (const auto& [key, place] :
       {std::pair<std::size_t, double>{3, 3}, {255, 255}, {300, 300}, {301, 300}, {303, 304}, {599, 600}}) {
    EXPECT_NEAR(log_weight(key), place / 256, 1e-5) << key;
  }
}

TEST(GoldenParityCases, AreAllThere) {
  EXPECT_EQ(golden_cases().size(), 17U);
}

}  // namespace
}  // namespace mog::test

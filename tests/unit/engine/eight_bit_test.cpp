// Products in 8 bits against their definition and against float32.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "io/recording/errors.h"
#include "model/engine/common/processor.h"
#include "model/engine/modules/eight_bit_rows.h"
#include "tests/unit/engine/golden_case.h"

namespace mog::engine {
namespace {

constexpr std::int64_t kRows = 7;
constexpr std::int64_t kWidth = 37;

std::vector<float> normal_numbers(std::size_t count) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    number = normal(random);
  }
  return numbers;
}

TEST(EightBitRows, AreWithinHalfAStepAndHoldTheGreatest) {
  std::vector<float> x = normal_numbers(kRows * kWidth);
  std::fill(x.begin() + 2 * kWidth, x.begin() + 3 * kWidth, 0.0F);
  std::vector<std::int8_t> values(x.size());
  std::vector<float> scales(kRows);
  quantize_rows(x.data(), kRows, kWidth, values.data(), scales.data());
  EXPECT_EQ(scales[2], 0.0F);
  for (std::int64_t row = 0; row < kRows; ++row) {
    int greatest = 0;
    for (std::int64_t i = 0; i < kWidth; ++i) {
      const auto at = static_cast<std::size_t>(row * kWidth + i);
      const float scale = scales[static_cast<std::size_t>(row)];
      EXPECT_NEAR(x[at], scale * static_cast<float>(values[at]), 0.5001F * scale) << row << " " << i;
      greatest = std::max(greatest, std::abs(static_cast<int>(values[at])));
    }
    EXPECT_EQ(greatest, row == 2 ? 0 : 127);
  }
}

TEST(EightBitRows, WhatIsNoNumberStaysSo) {
  std::vector<float> x = normal_numbers(4 * kWidth);
  x[5] = std::numeric_limits<float>::quiet_NaN();
  x[kWidth + 5] = std::numeric_limits<float>::infinity();
  std::fill(x.begin() + 2 * kWidth, x.begin() + 3 * kWidth, 1e-38F);
  std::vector<std::int8_t> values(x.size());
  std::vector<float> scales(4);
  quantize_rows(x.data(), 4, kWidth, values.data(), scales.data());
  EXPECT_TRUE(std::isnan(scales[0]));
  EXPECT_TRUE(std::isnan(scales[1]));
  EXPECT_EQ(scales[2], 0.0F);
  EXPECT_GT(scales[3], 0.0F);
  const std::int32_t sums[] = {7, 7, 7, 7};
  const float columns[] = {1.0F};
  std::vector<float> out(4);
  scale_sums(sums, 4, 1, scales.data(), columns, nullptr, out.data());
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]) && out[2] == 0.0F && out[3] > 0.0F);
}

// So that what a sentence gives does not depend on those beside it.
TEST(EightBitRows, AreRoundedEachByItself) {
  std::vector<float> x = normal_numbers(2 * kWidth);
  std::vector<std::int8_t> values(x.size());
  std::vector<float> scales(2);
  quantize_rows(x.data(), 2, kWidth, values.data(), scales.data());
  const std::vector<std::int8_t> first(values.begin(), values.begin() + kWidth);
  const float scale = scales[0];
  std::for_each(x.begin() + kWidth, x.end(), [](float& number) { number *= 1000.0F; });
  quantize_rows(x.data(), 2, kWidth, values.data(), scales.data());
  EXPECT_EQ(first, std::vector<std::int8_t>(values.begin(), values.begin() + kWidth));
  EXPECT_EQ(scales[0], scale);
}

TEST(EightBitRows, SumsAreScaledByRowAndColumn) {
  const std::vector<std::int32_t> sums = {1, -2, 3, 400'000, 5, -6};
  const std::vector<float> rows = {0.5F, 2.0F};
  const std::vector<float> columns = {1.0F, 0.25F, 4.0F};
  const std::vector<float> bias = {10.0F, 20.0F, 30.0F};
  std::vector<float> out(6);
  scale_sums(sums.data(), 2, 3, rows.data(), columns.data(), bias.data(), out.data());
  EXPECT_EQ(out, (std::vector<float>{10.5F, 19.75F, 36.0F, 800'010.0F, 22.5F, -18.0F}));
  scale_sums(sums.data(), 2, 3, rows.data(), columns.data(), nullptr, out.data());
  EXPECT_EQ(out, (std::vector<float>{0.5F, -0.25F, 6.0F, 800'000.0F, 2.5F, -48.0F}));
}

class EightBitModels : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!has_eight_bit_products()) {
      GTEST_SKIP() << "this processor has no VNNI";
    }
  }
};

TEST_P(EightBitModels, StayNearFloat32) {
  const test::GoldenCase golden =
      test::open_golden(GetParam(), {.device = "cpu", .precision = model::Precision::int8});
  test::Collector found;
  std::vector<model::Observer*> observers = {&found};
  golden.model->run(golden.batch({2}), {}, observers);
  EXPECT_GT(test::compare_quantities(golden, found, 2, 0, 0.15), 3U);
}

bool is_output(const QuantityName& name) {
  return name.layer() == 0 && name.quantity() == Quantity::output;
}

// Nor on what is looked at beside.
TEST_P(EightBitModels, GiveTheSameWhateverIsLookedAt) {
  const test::GoldenCase golden =
      test::open_golden(GetParam(), {.device = "cpu", .precision = model::Precision::int8});
  test::Collector all;
  test::Collector output(DType::float32, is_output);
  for (test::Collector* const collector : {&all, &output}) {
    std::vector<model::Observer*> observers = {collector};
    golden.model->run(golden.batch({0, 1}), {}, observers);
  }
  const QuantityName name(Stack::encoder, 0, Part::none, Quantity::output);
  test::expect_near(output.of(name, 1), all.of(name, 1), 1e-5, "encoder.output");
}

INSTANTIATE_TEST_SUITE_P(Golden, EightBitModels,
                         testing::Values("transformer_post", "half_weight_gate", "sum", "self_gate_d",
                                         "weight_gate_linear2", "residual_update"));

TEST(EightBit, WhatAddsUpExactlyIsRefused) {
  if (!has_eight_bit_products()) {
    EXPECT_THROW(test::open_golden("half_weight_gate", {.precision = model::Precision::int8}), DeviceError);
    return;
  }
  const test::GoldenCase golden =
      test::open_golden("half_weight_gate", {.device = "cpu", .precision = model::Precision::int8});
  const QuantityName output(Stack::encoder, 0, Part::none, Quantity::output);
  try {
    static_cast<void>(golden.model->differentiate(golden.batch({0}), {}, output,
                                                  [](std::span<const double>, std::span<double>) {}));
    FAIL() << "it was differentiated";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("8 bits are too coarse"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mog::engine

#include "io/recording/host_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/recording/errors.h"

namespace mog {
namespace {

TEST(Float16, WidensAndNarrowsEveryBitPattern) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const float wide = to_float(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(to_float(to_float16(wide))));
    } else {
      EXPECT_EQ(to_float16(wide).bits, bits);
    }
  }
}

TEST(Float16, RoundsToNearestEven) {
  EXPECT_EQ(to_float(to_float16(1.0F + 1.0F / 2048)), 1.0F);
  EXPECT_EQ(to_float(to_float16(1.0F + 3.0F / 2048)), 1.0F + 2.0F / 1024);
  EXPECT_EQ(to_float(to_float16(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(to_float(to_float16(65520.0F))));
  EXPECT_EQ(to_float(to_float16(std::ldexp(1.0F, -25))), 0.0F);
}

TEST(Float16, ArraysConvertLikeSingleValues) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) {
    values.push_back(std::sin(static_cast<float>(i)) * std::pow(10.0F, static_cast<float>(i % 13) - 8.0F));
  }
  std::vector<Float16> half(values.size());
  convert(std::span<const float>(values), std::span<Float16>(half));
  std::vector<float> back(values.size());
  convert(std::span<const Float16>(half), std::span<float>(back));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(half[i].bits, to_float16(values[i]).bits) << values[i];
    EXPECT_EQ(back[i], to_float(half[i]));
  }
}

TEST(HostTensor, RefusesShapesThatOverflow) {
  EXPECT_THROW(HostTensor(DType::float32, {-1}), ShapeError);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  EXPECT_THROW(HostTensor(DType::float32, {huge, 3}), ShapeError);
  EXPECT_THROW(HostTensor(DType::float64, {huge}), ShapeError);
}

TEST(HostTensor, SlicesShareTheBytes) {
  const auto tensor = HostTensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto slice = tensor.slice_flat(2, {2, 2});
  EXPECT_EQ(slice.values<float>()[0], 2.0F);
  EXPECT_EQ(slice.values<float>()[3], 5.0F);
  EXPECT_EQ(slice.bytes().data(), tensor.bytes().data() + 8);
  EXPECT_THROW(tensor.slice_flat(4, {3}), ShapeError);
  EXPECT_THROW(tensor.values<double>(), ShapeError);
  EXPECT_EQ(tensor.to(DType::float16).to_floats(), tensor.to_floats());
}

}  // namespace
}  // namespace mog

#include "io/recording/host_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

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

TEST(HostTensor, WidensAndNarrowsBetweenFloatingTypes) {
  const auto tensor = HostTensor::of<double>({3}, {1.5, -2, std::numeric_limits<double>::quiet_NaN()});
  for (const DType type : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
    const HostTensor converted = tensor.to(type);
    EXPECT_EQ(converted.dtype(), type);
    EXPECT_EQ(converted.shape(), tensor.shape());
    const std::vector<float> values = converted.to_floats();
    EXPECT_EQ(values[0], 1.5F) << name(type);
    EXPECT_EQ(values[1], -2.0F) << name(type);
    EXPECT_TRUE(std::isnan(values[2])) << name(type);
    EXPECT_EQ(converted.to(type).bytes().data(), converted.bytes().data());  // nothing to do
  }
  EXPECT_EQ(HostTensor::of<float>({1}, {1.00390625F}).to(DType::bfloat16).to_floats(), std::vector<float>{1});
}

TEST(HostTensor, WholeNumbersAreNeitherWidenedNorTargets) {
  const auto whole = HostTensor::of<std::int32_t>({2}, {1, 2});
  EXPECT_THROW(whole.to_floats(), ShapeError);
  EXPECT_THROW(HostTensor::of<float>({2}, {1, 2}).to(DType::int64), ShapeError);
  EXPECT_THROW(whole.to(DType::uint8), ShapeError);
}

TEST(HostTensor, ShapesThatDoNotFitTheValuesAreRefused) {
  EXPECT_THROW(HostTensor::of<float>({3}, {1, 2}), ShapeError);
  const auto tensor = HostTensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(tensor.reshaped({3, 2}).shape(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(tensor.reshaped({6}).to_floats(), tensor.to_floats());
  EXPECT_THROW(tensor.reshaped({4, 2}), ShapeError);
  EXPECT_THROW(tensor.slice_flat(-1, {1}), ShapeError);
  EXPECT_THROW(tensor.slice_flat(7, {0}), ShapeError);
  EXPECT_EQ(HostTensor().slice_flat(0, {0}).size(), 0);
  std::vector<float> two(2);
  std::vector<Float16> three(3);
  EXPECT_THROW(convert(std::span<const float>(two), std::span<Float16>(three)), ShapeError);
  EXPECT_THROW(convert(std::span<const Float16>(three), std::span<float>(two)), ShapeError);
}

TEST(HostTensor, TypesHaveNamesAndSizes) {
  const std::vector<std::pair<DType, std::int64_t>> sizes = {
      {DType::float32, 4}, {DType::float16, 2}, {DType::bfloat16, 2}, {DType::float64, 8},
      {DType::uint8, 1},   {DType::int32, 4},   {DType::int64, 8},    {DType::uint64, 8}};
  for (const auto& [type, bytes] : sizes) {
    EXPECT_EQ(parse_dtype(name(type)), type);
    EXPECT_EQ(size_bytes(type), bytes);
    EXPECT_EQ(HostTensor(type, {3}).size_bytes(), 3 * bytes);
  }
  EXPECT_THROW(parse_dtype("float8"), UsageError);
}

}  // namespace
}  // namespace mog

// Values on their way from a file: which are refused, what a format is told by, and the types that weights
// are kept in.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/value_check.h"
#include "io/checkpoint/weights_type.h"
#include "io/recording/errors.h"
#include "tests/support/weights_bytes.h"

namespace mog::io {
namespace {

using test::KeepingSink;
using test::little_endian;
using test::MemoryFile;

std::string repeated(const std::string& element, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    all += element;
  }
  return all;
}

TEST(WeightsValues, NamedIsTheElementThatIsNotFinite) {
  struct Type {
    const char* dtype;
    std::size_t width;
    std::uint64_t good;
    std::uint64_t bad;
  };
  for (const auto& [dtype, width, good, bad] :
       {Type{"F32", 4, 0x3F800000, 0x7F800000}, Type{"F32", 4, 0x7F7FFFFF, 0xFFC00000},
        Type{"C64", 4, 0, 0x7FC00000}, Type{"F16", 2, 0x7BFF, 0xFC00}, Type{"BF16", 2, 0x7F7F, 0x7FC0},
        Type{"F64", 8, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000}, Type{"F8_E5M2", 1, 0x7B, 0x7F},
        Type{"F8_E4M3", 1, 0x7E, 0x7F}, Type{"BOOL", 1, 1, 2}}) {
    // Behind the first 4,096, which are looked at together.
    const std::string sound = repeated(little_endian(good, width), 5'000);
    const std::string bytes = sound + little_endian(bad, width) + sound;
    EXPECT_EQ(first_bad_value(dtype, std::as_bytes(std::span(sound))), sound.size()) << dtype;
    EXPECT_EQ(first_bad_value(dtype, std::as_bytes(std::span(bytes))), 5'000U) << dtype;
    try {
      refuse_bad_values("f", "t", dtype, std::as_bytes(std::span(bytes)), 10 * width);
      ADD_FAILURE() << dtype;
    } catch (const FormatError& error) {
      const std::string message = error.what();
      const bool complex = std::string(dtype) == "C64";
      EXPECT_NE(message.find(complex ? "tensor \"t\": element " : "tensor \"t\": element 5011 is "),
                std::string::npos)
          << message;
      EXPECT_NE(message.find(width == 1 && good == 1 ? "neither 0 nor 1" : "NaN or infinite"),
                std::string::npos)
          << message;
    }
  }
  // Whole numbers are never wrong.
  const std::string ones(16, '\xff');
  EXPECT_NO_THROW(refuse_bad_values("f", "t", "I32", std::as_bytes(std::span(ones))));
}

TEST(WeightsValues, TheFormatIsToldByTheContent) {
  const std::string json = R"({"a":{}})";
  std::string tar(600, '\0');
  tar.replace(257, 5, "ustar");
  const std::vector<std::pair<std::string, std::optional<WeightsFormat>>> heads = {
      {"GGUF\3\0\0\0", WeightsFormat::gguf},
      {little_endian(json.size(), 8) + json, WeightsFormat::safetensors},
      {little_endian(0x280, 8) + "{" + std::string(700, ' '), WeightsFormat::safetensors},
      {little_endian(99'999, 8) + json, WeightsFormat::safetensors},  // truncated
      {"PK\3\4", WeightsFormat::torch},
      {"\x80\x02}.", WeightsFormat::torch},
      {tar, WeightsFormat::torch},
      {little_endian(6, 4) + little_endian(5, 2) + "Spec\0", WeightsFormat::ctranslate2},
      {little_endian(6, 4) + little_endian(1, 2) + "Spec", std::nullopt},
      {little_endian(6, 4) + little_endian(999, 2) + "Spec", std::nullopt},
      {little_endian(0, 4) + little_endian(5, 2) + "Spec", std::nullopt},
      {little_endian(999, 4) + little_endian(5, 2) + "Spec", std::nullopt},
      {"\x80\x09xxxxxx", std::nullopt},
      {"short", std::nullopt},
      {"", std::nullopt}};
  for (const auto& [bytes, format] : heads) {
    MemoryFile memory;
    const InputFile file = memory.holding(bytes);
    EXPECT_EQ(detect_weights_format(file), format) << bytes;
  }
}

std::string refusal(const std::string& bytes, std::optional<WeightsFormat> format = {}) {
  MemoryFile memory;
  const InputFile file = memory.holding(bytes);
  KeepingSink sink;
  try {
    translate_weights(file, format, sink);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(WeightsValues, UnknownFilesAreSaidToBe) {
  EXPECT_NE(refusal("").find("mutant: the file is empty, expected weights: safetensors"), std::string::npos);
  EXPECT_NE(refusal("no weights").find("mutant: an unknown file, expected weights"), std::string::npos);
  const std::string page = refusal("<!DOCTYPE html><html><body>");
  EXPECT_NE(page.find("an unknown file, expected weights"), std::string::npos) << page;
  EXPECT_NE(page.find("; "), std::string::npos) << page;
}

TEST(WeightsValues, SizesThatDoNotFitAreNone) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  EXPECT_EQ(checked_size({2, 3}, 4), 24U);
  EXPECT_EQ(checked_size({}, 8), 8U);
  EXPECT_EQ(checked_size({0, huge}, 4), 0U);
  EXPECT_EQ(checked_size({-1}, 4), std::nullopt);
  EXPECT_EQ(checked_size({huge, 3}, 1), std::nullopt);
  PlainWeights weights;
  weights.tensors = {{"one", "F32", {1}, 60U << 20U}, {"two", "F32", {1}, 60U << 20U}};
  MemoryFile memory;
  const InputFile file = memory.holding("x");
  EXPECT_THROW(check_total(file, weights), FormatError);
  weights.tensors.pop_back();
  EXPECT_NO_THROW(check_total(file, weights));
  weights.tensors[0].size_bytes = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THROW(check_total(file, weights), FormatError);
}

// ---- types
TEST(WeightsType, HaveNames) {
  EXPECT_EQ(name(WeightsType::int8), "int8");
  EXPECT_EQ(name(WeightsType::float16), "float16");
  EXPECT_EQ(name(WeightsType::bfloat16), "bfloat16");
  const std::vector<std::string_view> names = weights_type_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(names[i], name(kWeightsTypes[i]));
  }
}

TEST(WeightsType, RowsHaveScalesOfTheirOwn) {
  const auto tensor = HostTensor::of<float>({3, 2}, {0, 0, 127, -63.6F, 1, 2});
  const ScaledRows rows = to_scaled_rows(tensor);
  EXPECT_EQ(rows.scales, (std::vector<float>{0, 1, 2.0F / 127}));
  EXPECT_EQ(rows.values, (std::vector<std::int8_t>{0, 0, 127, -64, 64, 127}));
  const HostTensor back = from_scaled_rows(rows, {3, 2});
  EXPECT_EQ(back.shape(), tensor.shape());
  EXPECT_EQ(back.to_floats(), as_kept(tensor, WeightsType::int8).to_floats());
  EXPECT_FLOAT_EQ(back.to_floats()[4], 64 * 2.0F / 127);
}

TEST(WeightsType, OnlyMatricesOfFloatsAreScaled) {
  EXPECT_TRUE(has_scaled_rows(HostTensor(DType::float64, {2, 2})));
  EXPECT_TRUE(has_scaled_rows(HostTensor(DType::bfloat16, {2, 2, 2})));
  EXPECT_TRUE(has_scaled_rows(HostTensor(DType::float16, {1, 1})));
  EXPECT_FALSE(has_scaled_rows(HostTensor(DType::float32, {4})));
  EXPECT_FALSE(has_scaled_rows(HostTensor(DType::float32, {0, 4})));
  EXPECT_FALSE(has_scaled_rows(HostTensor(DType::int32, {2, 2})));
  const auto vector = HostTensor::of<float>({2}, {0.1F, 3});
  EXPECT_EQ(as_kept(vector, WeightsType::int8).to_floats(), vector.to_floats());
  EXPECT_EQ(as_kept(vector, WeightsType::float16).dtype(), DType::float16);
  EXPECT_EQ(as_kept(vector, WeightsType::bfloat16).dtype(), DType::bfloat16);
}

}  // namespace
}  // namespace mog::io

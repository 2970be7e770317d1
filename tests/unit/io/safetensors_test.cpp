#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

std::string with_header(std::string header, const std::string& data) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>(header.size() >> shift & 0xFFU);
  }
  return bytes + header + data;
}

TEST(Safetensors, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.safetensors");
  const std::map<std::string, HostTensor> tensors = {
      {"b", HostTensor::of<float>({2, 3}, {0, -1.5F, 2, 3, 4, 5})},
      {"a", HostTensor::of<std::int64_t>({2}, {1, -7})},
      {"half", HostTensor::of<float>({3}, {1, 2, 3}).to(DType::float16)},
      {"brain", HostTensor::of<float>({1}, {0.5F}).to(DType::bfloat16)},
      {"scalar", HostTensor::of<float>({}, {7})},
      {"nothing", HostTensor(DType::float32, {0, 4})}};
  write_tensors(path, tensors, {{"who", "test \"x\""}});
  const TensorList list = list_tensors(path);
  EXPECT_EQ(list.metadata.at("who"), "test \"x\"");
  for (const TensorInfo& info : list.tensors) {
    EXPECT_EQ(info.offset % static_cast<std::uint64_t>(size_bytes(*info.host_dtype())), 0U) << info.name;
  }
  const auto back = read_tensors(path);
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(back.at(name).shape(), tensor.shape()) << name;
    EXPECT_EQ(back.at(name).dtype(), tensor.dtype()) << name;
    EXPECT_TRUE(std::ranges::equal(back.at(name).bytes(), tensor.bytes())) << name;
  }
  EXPECT_EQ(read_tensor(path, *list.find("b")).to_floats()[1], -1.5F);
  EXPECT_EQ(list.find("absent"), nullptr);
}

// Matrices in eight bits: no weight off by more than half a step, zeros stay, the rest is float32.
TEST(Safetensors, KeepsRowsInEightBits) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.safetensors");
  const std::vector<float> values = {1, -2, 0.003F, 0, 0, 0, 127, 1.5F, -127, 1e-30F, 0, -1e-31F};
  const std::map<std::string, HostTensor> tensors = {
      {"w", HostTensor::of<float>({4, 3}, values)},
      {"cube", HostTensor::of<float>({2, 2, 3}, values)},  // rows go along the last axis
      {"half", HostTensor::of<float>({1, 2}, {0.5F, -1}).to(DType::float16)},
      {"bias", HostTensor::of<float>({3}, {0.1F, 0.2F, 0.3F})}};
  write_weights(path, tensors, WeightsType::int8);
  const TensorList list = list_tensors(path);
  ASSERT_EQ(list.tensors.size(), 4U);  // scales belong to their matrices
  EXPECT_EQ(list.find("w")->dtype, "I8");
  EXPECT_TRUE(list.find("w")->scales_at.has_value());
  EXPECT_EQ(check_tensors(path).tensors.size(), 4U);
  const auto back = read_tensors(path);
  EXPECT_EQ(back.at("bias").to_floats(), tensors.at("bias").to_floats());
  EXPECT_EQ(back.at("half").to_floats(), (std::vector<float>{64 / 127.0F, -1}));  // 63.5 to the even one
  const std::vector<float> read = back.at("w").to_floats();
  const float largest[] = {2, 0, 127, 1e-30F};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_LE(std::abs(read[i] - values[i]), 0.5F * largest[i / 3] / 127 * 1.0001F) << i;
  }
  EXPECT_EQ(read[3], 0);
  EXPECT_EQ(read[6], 127);
  EXPECT_EQ(read_tensor(path, *list.find("w")).to_floats(), read);
  EXPECT_EQ(back.at("cube").to_floats(), read);
  EXPECT_EQ(back.at("cube").shape(), (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_EQ(as_kept(tensors.at("w"), WeightsType::int8).to_floats(), read);
  // What is read and kept again is the same file.
  write_weights(folder.file("again.safetensors"), back, WeightsType::int8);
  EXPECT_EQ(read_tensors(folder.file("again.safetensors")).at("w").to_floats(), read);
}

TEST(Safetensors, RefusesWhatIsNoRowInEightBits) {
  const TemporaryFolder folder;
  const auto file = [&](const char* scales, const std::string& bytes) {
    const std::string header =
        std::string(R"({"w":{"dtype":"I8","shape":[1,4],"data_offsets":[0,4]},)") + scales;
    return folder.write("m.safetensors", with_header(header, "\x01\x02\x03\x04" + bytes));
  };
  const auto bytes_of = [](float value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  constexpr const char* kScale = R"("w_scale":{"dtype":"F32","shape":[1,1],"data_offsets":[4,8]}})";
  EXPECT_EQ(read_tensors(file(kScale, bytes_of(0.5F))).at("w").to_floats(),
            (std::vector<float>{0.5F, 1, 1.5F, 2}));
  for (const float bad : {-1.0F, 1e38F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const auto path = file(kScale, bytes_of(bad));
    EXPECT_THROW(read_tensors(path), FormatError);
    EXPECT_THROW(check_tensors(path), FormatError);
  }
  // Without scales of its rows it is what it says.
  const auto alone =
      file(R"("w_scale":{"dtype":"F16","shape":[2],"data_offsets":[4,8]}})", std::string(4, '\0'));
  EXPECT_EQ(list_tensors(alone).tensors.size(), 2U);
  EXPECT_THROW(read_tensors(alone), ModelError);
  const std::map<std::string, HostTensor> clash = {{"w", HostTensor::of<float>({1, 1}, {1})},
                                                   {"w_scale", HostTensor::of<float>({1}, {1})}};
  EXPECT_THROW(write_weights(folder.file("clash"), clash, WeightsType::int8), ModelError);
  const std::map<std::string, HostTensor> bad = {
      {"w", HostTensor::of<float>({1, 1}, {std::numeric_limits<float>::infinity()})}};
  EXPECT_THROW(write_weights(folder.file("bad"), bad, WeightsType::int8), ModelError);
}

TEST(Safetensors, ReadsTensorsThatAreNotAligned) {
  const TemporaryFolder folder;
  const float value = 2.5F;
  const std::string data = "\x01" + std::string(reinterpret_cast<const char*>(&value), 4);
  const auto path =
      folder.write("m.safetensors", with_header(R"({"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                                R"("f":{"shape":[1,1],"data_offsets":[1,5],"dtype":"F32"}})",
                                                data));
  EXPECT_EQ(read_tensors(path).at("f").to_floats(), std::vector<float>{2.5F});
}

TEST(Safetensors, NamesTheTensorWithNan) {
  const TemporaryFolder folder;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::string data(4 * 5000, '\0');
    data.replace(4 * 4321, 4, reinterpret_cast<const char*>(&bad), 4);
    const auto path =
        folder.write("m.safetensors",
                     with_header(R"({"w.x":{"dtype":"F32","shape":[5000],"data_offsets":[0,20000]}})", data));
    for (const bool keep : {false, true}) {
      try {
        keep ? static_cast<void>(read_tensors(path)) : static_cast<void>(check_tensors(path));
        ADD_FAILURE();
      } catch (const FormatError& error) {
        EXPECT_NE(std::string(error.what()).find("w.x"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("4322"), std::string::npos) << error.what();
      }
    }
    EXPECT_EQ(list_tensors(path).tensors.size(), 1U);
    EXPECT_THROW(write_tensors(folder.file("n"), {{"w", HostTensor::of<float>({1}, {bad})}}), ModelError);
    EXPECT_FALSE(std::filesystem::exists(folder.file("n")));
  }
}

TEST(Safetensors, ChecksSparseFilesWithoutReadingTheHoles) {
  const TemporaryFolder folder;
  const std::uint64_t size = std::uint64_t{1} << 36U;
  const std::string header = R"({"w":{"dtype":"F32","shape":[)" + std::to_string(size / 4) +
                             R"(],"data_offsets":[0,)" + std::to_string(size) + "]}}";
  const auto path = folder.write("m.safetensors", with_header(header, ""));
  std::error_code error;
  std::filesystem::resize_file(path, 8 + header.size() + size, error);
  if (error) {
    GTEST_SKIP() << "the file system has no sparse files of 64 GiB: " << error.message();
  }
  EXPECT_EQ(check_tensors(path).tensors.at(0).elements(), static_cast<std::int64_t>(size / 4));
}

TEST(Safetensors, RefusesTypesTheHostLacks) {
  const TemporaryFolder folder;
  const auto path = folder.write(
      "m.safetensors", with_header(R"({"t":{"dtype":"I16","shape":[1],"data_offsets":[0,2]}})", "ab"));
  EXPECT_EQ(list_tensors(path).tensors.at(0).dtype, "I16");
  EXPECT_THROW(read_tensors(path), ModelError);
}

TEST(Safetensors, ReadsTheGoldenFiles) {
  MOG_REQUIRE_SHARED(golden, "golden/models/half_weight_gate/expected.safetensors");
  const auto tensors = read_tensors(golden);
  EXPECT_EQ(tensors.at("s1.source_ids").dtype(), DType::int64);
  EXPECT_EQ(tensors.at("s1.source_ids").values<std::int64_t>()[4], 2);
  EXPECT_EQ(tensors.at("s2.encoder.layers.0.attention").shape(), (std::vector<std::int64_t>{3, 4, 11, 11}));
}

}  // namespace
}  // namespace mog::io

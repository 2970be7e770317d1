#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/checkpoint/float_values.h"
#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/weights_file.h"
#include "io/recording/errors.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

const std::filesystem::path kData = mog::test::data_dir() / "weights";

// More than two blocks, the last one in part.
constexpr std::int64_t kMany = (std::int64_t{1} << 19U) + 7;

std::vector<float> wave(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(static_cast<float>(i) * 0.37F) * std::exp2(static_cast<float>(i % 41) - 20.0F);
  }
  return values;
}

const TensorInfo& find(const TensorList& list, const std::string& name) {
  const TensorInfo* const info = list.find(name);
  EXPECT_NE(info, nullptr) << name;
  return *info;
}

HostTensor read(const TensorFile& file, const TensorInfo& info, DType type) {
  HostTensor tensor(type, info.shape);
  file.read_floats(info, 0, type, tensor.mutable_bytes());
  return tensor;
}

template <class Exception, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// From every floating type to every other one, to the last bit as a whole tensor is converted.
TEST(FloatValues, AreThoseOfAWholeTensor) {
  const HostTensor floats = HostTensor::of<float>({kMany}, wave(kMany));
  constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  for (const DType from : kTypes) {
    const HostTensor stored = floats.to(from);
    for (const DType to : kTypes) {
      HostTensor found(to, {kMany});
      convert_floats(from, stored.bytes(), to, found.mutable_bytes());
      EXPECT_TRUE(std::ranges::equal(found.bytes(), stored.to(to).bytes())) << name(from) << " " << name(to);
    }
  }
  std::vector<std::byte> place(4);
  const std::vector<std::byte> two(8);
  EXPECT_THROW(convert_floats(DType::float32, two, DType::float32, place), ShapeError);
  EXPECT_THROW(convert_floats(DType::int32, place, DType::float32, place), ShapeError);
}

TEST(FloatValues, AreReadWhereTheyAreUsed) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.safetensors");
  const HostTensor floats = HostTensor::of<float>({kMany}, wave(kMany));
  write_tensors(path, {{"brain", floats.to(DType::bfloat16)},
                       {"float", floats},
                       {"half", HostTensor::of<float>({3, 2}, {1, -2, 3, 4, 5.5F, 6}).to(DType::float16)},
                       {"none", HostTensor(DType::float32, {0, 3})}});
  const TensorList list = list_tensors(path);
  const TensorFile file(InputFile::open(path, "the weights"));
  for (const char* const tensor : {"brain", "float", "half", "none"}) {
    const TensorInfo& info = find(list, tensor);
    const HostTensor whole = read_tensor(path, info);
    for (const DType type : {DType::float32, DType::bfloat16, DType::float64}) {
      EXPECT_TRUE(std::ranges::equal(read(file, info, type).bytes(), whole.to(type).bytes()))
          << tensor << " " << name(type);
    }
  }
  std::vector<float> some(3);
  file.read_floats(find(list, "half"), 2, DType::float32, std::as_writable_bytes(std::span(some)));
  EXPECT_EQ(some, (std::vector<float>{3, 4, 5.5F}));
}

TEST(FloatValues, OfEightBitRowsHaveTheirScales) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.safetensors");
  write_weights(path, {{"w", HostTensor::of<float>({kMany / 5, 5}, wave(kMany / 5 * 5))}}, WeightsType::int8);
  const TensorList list = list_tensors(path);
  const TensorInfo& info = find(list, "w");
  ASSERT_TRUE(info.scales_at);
  const HostTensor whole = read_tensor(path, info);
  const TensorFile file(InputFile::open(path, "the weights"));
  EXPECT_TRUE(std::ranges::equal(read(file, info, DType::float32).bytes(), whole.bytes()));
  EXPECT_TRUE(
      std::ranges::equal(read(file, info, DType::bfloat16).bytes(), whole.to(DType::bfloat16).bytes()));
}

// The tensor is named, and nothing crashes.
TEST(FloatValues, OfAFileThatChangesAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.safetensors");
  write_tensors(
      path, {{"a", HostTensor::of<float>({1000}, wave(1000))}, {"b", HostTensor::of<float>({2}, {1, 2})}});
  const TensorList list = list_tensors(path);
  const TensorInfo& last = find(list, "b");
  const TensorInfo& first = find(list, "a");
  {
    const TensorFile file(InputFile::open(path, "the weights"));
    std::filesystem::resize_file(path, list.file_bytes - 4);
    const std::string text = message_of<FormatError>([&] { read(file, last, DType::float32); });
    EXPECT_NE(text.find("m.safetensors: tensor \"b\": "), std::string::npos) << text;
    EXPECT_NE(text.find("cut short"), std::string::npos) << text;
    // Its own bytes are there, but the file is no longer what was checked.
    EXPECT_NE(message_of<FormatError>([&] { read(file, first, DType::bfloat16); }).find("\"a\""),
              std::string::npos);
  }
  std::filesystem::resize_file(path, list.file_bytes);
  {
    const TensorFile file(InputFile::open(path, "the weights"));
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(7));
    const std::string text = message_of<FormatError>([&] { read(file, first, DType::float32); });
    EXPECT_NE(text.find("was changed while it was read"), std::string::npos) << text;
  }
  {  // a value that was sound when the file was looked at
    std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(first.offset) + 40);
    stream.write("\xff\xff\xff\x7f", 4);
    stream.close();
    const TensorFile file(InputFile::open(path, "the weights"));
    const std::string text = message_of<FormatError>([&] { read(file, first, DType::float64); });
    EXPECT_NE(text.find("tensor \"a\": element 11 is NaN or infinite"), std::string::npos) << text;
  }
}

// Values that lie in a file as they are do not go through the loader's memory.
TEST(FloatValues, OfForeignFilesAreReadInPlace) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.safetensors");
  const HostTensor brain = HostTensor::of<float>({kMany}, wave(kMany)).to(DType::bfloat16);
  write_tensors(path, {{"brain", brain}, {"ids", HostTensor::of<std::int64_t>({2}, {5, -6})}});
  WeightsFile file = open_weights(path);
  ASSERT_TRUE(file.read_in_place("brain"));
  EXPECT_TRUE(std::ranges::equal(file.read("brain").bytes(), brain.bytes()));
  EXPECT_EQ(file.read("ids").values<std::int64_t>()[1], -6);
  HostTensor widened(DType::float32, {kMany});
  file.read_floats("brain", 0, DType::float32, widened.mutable_bytes());
  EXPECT_TRUE(std::ranges::equal(widened.bytes(), brain.to(DType::float32).bytes()));
  EXPECT_THROW(file.read_floats("absent", 0, DType::float32, {}), ModelError);
  // Replaced by another one, the file that was opened stays.
  write_tensors(path, {{"brain", HostTensor::of<float>({1}, {1})}});
  EXPECT_TRUE(std::ranges::equal(file.read("brain").bytes(), brain.bytes()));
  file = open_weights(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_NE(message_of<FormatError>([&] { file.read("brain"); }).find("tensor \"brain\""), std::string::npos);
  EXPECT_THROW(open_weights(path), FormatError);
  WeightsOptions list;
  list.values = false;
  write_tensors(path, {{"brain", brain}});
  EXPECT_THROW(open_weights(path, list).read("brain"), UsageError);
}

// From any element on, in any type, to the last bit as the whole tensor is unpacked.
TEST(FloatValues, OfBlocksAreUnpackedWhereTheyAreRead) {
  const WeightsFile file = open_weights(kData / "blocks.gguf");
  const std::map<std::string, HostTensor> expected = read_tensors(kData / "blocks.safetensors");
  std::size_t unpacked = 0;
  for (const auto& [name, whole] : expected) {
    const TensorInfo* const info = file.find(name);
    if (info == nullptr || name.starts_with("key:") || whole.empty() || whole.dtype() != DType::float32) {
      continue;
    }
    ASSERT_TRUE(file.read_in_place(name)) << name;
    ++unpacked;
    for (const DType type : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
      const HostTensor wanted = whole.to(type);
      const std::int64_t width = size_bytes(type);
      for (const std::int64_t first :
           {std::int64_t{0}, std::int64_t{1}, std::int64_t{31}, whole.size() / 2 + 3}) {
        for (const std::int64_t count : {std::int64_t{1}, std::int64_t{40}, whole.size() - first}) {
          if (first + count > whole.size()) {
            continue;
          }
          std::vector<std::byte> to(static_cast<std::size_t>(count * width));
          file.read_floats(name, static_cast<std::uint64_t>(first), type, to);
          EXPECT_TRUE(std::ranges::equal(
              to, wanted.bytes().subspan(static_cast<std::size_t>(first * width), to.size())))
              << name << " from " << first;
        }
      }
    }
  }
  EXPECT_GE(unpacked, 8U);
}

// Damaged between opening and reading.
TEST(FloatValues, OfBlocksThatChangeAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.gguf");
  std::filesystem::copy_file(kData / "blocks.gguf", path);
  const WeightsFile file = open_weights(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  bool refused = false;
  for (const TensorInfo& info : file.tensors()) {
    try {
      file.read(info.name);
    } catch (const FormatError& error) {
      refused = true;
      EXPECT_NE(std::string(error.what()).find("tensor \"" + info.name + "\": the file has"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace mog::io

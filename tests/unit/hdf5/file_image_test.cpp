// Files built in memory and chunks stored as they are: what HDF5 reads back, checksums verified by HDF5.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "child.h"
#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/file_image.h"
#include "io/hdf5/file/fletcher32.h"
#include "io/hdf5/file/hdf5_dataset.h"
#include "io/hdf5/recording/shard_buffer.h"
#include "io/recording/errors.h"
#include "samples.h"

namespace mog::io {
namespace {

using test::TemporaryDirectory;

const h5::FlatDataset kFacts = {"/values", DType::uint8, "byte", "bytes", "of a test"};

std::vector<std::uint8_t> noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(random());
  }
  return bytes;
}

void write(const std::filesystem::path& path, const std::vector<std::uint8_t>& values, FileImage* image) {
  const h5::WriteScope scope;
  PartFile part(path);
  h5::File file = create_hdf5(part, image);
  h5::write_flat(file.get(), kFacts, {h5::bytes_of(values)}, 0, path);
  close_hdf5(std::move(file), path);
  if (image != nullptr) {
    image->save(part);
  }
  part.publish();
}

std::vector<std::uint8_t> read(const std::filesystem::path& path, std::size_t size) {
  const h5::Lock lock;
  const h5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const h5::Dataset dataset(H5Dopen2(file.get(), kFacts.path.c_str(), H5P_DEFAULT));
  std::vector<std::uint8_t> values(size);
  h5::read_flat(dataset.get(), DType::uint8, 0, size, values.data(), path, kFacts.path);
  return values;
}

// The definition, word by word, as HDF5 computes it.
std::uint32_t by_definition(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t sum = 0;
  std::uint32_t total = 0;
  const auto fold = [](std::uint32_t value) { return (value & 0xFFFFU) + (value >> 16U); };
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const std::uint32_t low = i + 1 < bytes.size() ? bytes[i + 1] : 0;
    sum = fold(sum + (std::uint32_t{bytes[i]} << 8U | low));
    total = fold(total + sum);
  }
  return fold(total) << 16U | fold(sum);
}

TEST(Fletcher32, EqualsTheDefinitionForAllSizesAndForExtremeWords) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::vector<std::uint8_t> bytes = noise(size, static_cast<unsigned>(size));
    EXPECT_EQ(h5::fletcher32(std::as_bytes(std::span(bytes))), by_definition(bytes)) << size;
  }
  for (const std::size_t size : {8192U, 8224U, 100'001U, 524'288U}) {
    for (const std::vector<std::uint8_t>& bytes :
         {noise(size, 7), std::vector<std::uint8_t>(size, 0xFF), std::vector<std::uint8_t>(size, 0)}) {
      EXPECT_EQ(h5::fletcher32(std::as_bytes(std::span(bytes))), by_definition(bytes)) << size;
    }
  }
}

TEST(FileImage, HoldsWhatHdf5WritesToADisk) {
  const TemporaryDirectory directory;
  FileImage image;
  // Small; past the page cache with an end inside a page; smaller again in the same memory.
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{70'001}, std::size_t{9'000'007}, std::size_t{1'000}}) {
    const std::vector<std::uint8_t> values = noise(size, 3);
    write(directory / "image", values, &image);
    write(directory / "direct", values, nullptr);
    EXPECT_EQ(std::filesystem::file_size(directory / "image"),
              std::filesystem::file_size(directory / "direct"));
    EXPECT_EQ(image.size(), std::filesystem::file_size(directory / "image"));
    EXPECT_EQ(read(directory / "image", size), values);
    EXPECT_EQ(read(directory / "direct", size), values);
    EXPECT_FALSE(std::filesystem::exists(directory / "image.image"));
  }
}

TEST(FileImage, ADiskThatFillsUpIsAStorageError) {
  const TemporaryDirectory directory;
  const std::vector<std::uint8_t> values = noise(9'000'000, 1);
  const test::Ending ending = test::run_in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    FileImage image;
    rlimit limits{};
    ::getrlimit(RLIMIT_FSIZE, &limits);
    limits.rlim_cur = 5'000'001;
    ::setrlimit(RLIMIT_FSIZE, &limits);
    try {
      write(directory / "image", values, &image);
    } catch (const StorageError& error) {
      if (error.exit_code() == ExitCode::no_space) {
        limits.rlim_cur = limits.rlim_max;
        ::setrlimit(RLIMIT_FSIZE, &limits);
        write(directory / "image", values, &image);  // the same memory serves again
        return;
      }
      throw;
    }
    throw UsageError("nothing failed");
  });
  EXPECT_EQ(ending.exit_code, 0) << "signal " << ending.signal << ' ' << ending.message;
  EXPECT_EQ(read(directory / "image", values.size()), values);
}

TEST(FileImage, AFlippedByteIsFoundByHdf5) {
  const TemporaryDirectory directory;
  FileImage image;
  const std::vector<std::uint8_t> values(4000, 0xAB);
  write(directory / "image", values, &image);
  std::FILE* const file = std::fopen((directory / "image").c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  std::vector<char> bytes(std::filesystem::file_size(directory / "image"));
  ASSERT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
  const std::string run(100, static_cast<char>(0xAB));
  const auto at = std::search(bytes.begin(), bytes.end(), run.begin(), run.end()) - bytes.begin();
  std::fseek(file, static_cast<long>(at) + 50, SEEK_SET);
  std::fputc(0xAA, file);
  std::fclose(file);
  EXPECT_THROW(read(directory / "image", values.size()), FormatError);
}

}  // namespace
}  // namespace mog::io

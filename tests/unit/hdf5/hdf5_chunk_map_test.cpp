// Values read beside HDF5 are those that HDF5 reads, or it is asked.
#include "io/hdf5/file/hdf5_chunk_map.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "io/hdf5/file/hdf5_dataset.h"
#include "samples.h"

namespace mog::io::h5 {
namespace {

using test::TemporaryDirectory;

constexpr std::uint64_t kElements = 600'001;  // float32: five chunks, the last one not full

std::vector<float> values() {
  std::vector<float> result(kElements);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<float>(i * 7919 % 100'003) / 3.0F;
  }
  return result;
}

// Of one dataset "/v".
void write(const std::filesystem::path& path, const std::vector<float>& stored, int deflate_level) {
  const Lock lock;
  const Properties access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);  // as shards are
  const File file(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()));
  write_flat(file.get(), {"/v", DType::float32, "token", "1", "values"}, {bytes_of(stored)}, deflate_level,
             path);
}

struct Opened {
  explicit Opened(const std::filesystem::path& path)
      : file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)),
        dataset(H5Dopen2(file.get(), "/v", H5P_DEFAULT)),
        map(ChunkMap::of(file, dataset, sizeof(float))) {}
  Lock lock;
  File file;
  Dataset dataset;
  std::optional<ChunkMap> map;
};

bool read(const ChunkMap& map, std::uint64_t first, std::vector<float>& to) {
  return map.read(first, to.size(), reinterpret_cast<std::byte*>(to.data()));
}

TEST(ChunkMap, ReadsWhatWasWritten) {
  const TemporaryDirectory directory;
  const std::vector<float> stored = values();
  write(directory / "v.h5", stored, 0);
  const Opened opened(directory / "v.h5");
  ASSERT_TRUE(opened.map);
  const std::uint64_t chunk = chunk_elements(kElements, sizeof(float));
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, chunk - 1, chunk, 2 * chunk + 5, kElements - 1}) {
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, chunk, chunk + 1, kElements - first}) {
      if (count <= kElements - first) {
        std::vector<float> found(count);
        ASSERT_TRUE(read(*opened.map, first, found)) << first << " " << count;
        EXPECT_TRUE(
            std::equal(found.begin(), found.end(), stored.begin() + static_cast<std::ptrdiff_t>(first)))
            << first << " " << count;
      }
    }
  }
  std::vector<float> too_many(2);
  EXPECT_FALSE(read(*opened.map, kElements - 1, too_many));
  EXPECT_FALSE(read(*opened.map, UINT64_MAX, too_many));
}

// The commonest case: HDF5 has an index of its own for it.
TEST(ChunkMap, OneChunkAndOneElement) {
  for (const std::size_t elements : {std::size_t{1}, std::size_t{2}, std::size_t{1000}}) {
    const TemporaryDirectory directory;
    std::vector<float> stored = values();
    stored.resize(elements);
    write(directory / "v.h5", stored, 0);
    const Opened opened(directory / "v.h5");
    ASSERT_TRUE(opened.map) << elements;
    std::vector<float> found(elements);
    ASSERT_TRUE(read(*opened.map, 0, found));
    EXPECT_EQ(found, stored);
  }
}

TEST(ChunkMap, LeavesToHdf5WhatIsCompressed) {
  const TemporaryDirectory directory;
  write(directory / "v.h5", values(), 4);
  EXPECT_FALSE(Opened(directory / "v.h5").map);
}

TEST(ChunkMap, NoticesEveryDamagedChunkAndNoOther) {
  const TemporaryDirectory directory;
  const auto path = directory / "v.h5";
  write(path, values(), 0);
  std::uint64_t place = 0;
  const std::uint64_t chunk = chunk_elements(kElements, sizeof(float));
  {
    const Opened opened(path);
    const hsize_t third = 2 * chunk;
    unsigned filters = 0;
    haddr_t address = 0;
    hsize_t bytes = 0;
    ASSERT_GE(H5Dget_chunk_info_by_coord(opened.dataset.get(), &third, &filters, &address, &bytes), 0);
    place = address + 1000;
  }
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(place));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(place));
  file.put(static_cast<char>(byte ^ 1));
  file.close();
  const Opened opened(path);
  ASSERT_TRUE(opened.map);
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::vector<float> found(10);
    EXPECT_EQ(read(*opened.map, i * chunk, found), i != 2) << i;
  }
}

TEST(ChunkMap, IsReadBySeveralThreadsAtOnce) {
  const TemporaryDirectory directory;
  const std::vector<float> stored = values();
  write(directory / "v.h5", stored, 0);
  const Opened opened(directory / "v.h5");
  ASSERT_TRUE(opened.map);
  std::vector<std::jthread> threads;
  std::vector<int> wrong(4);
  for (std::size_t thread = 0; thread < wrong.size(); ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<float> found(1000);
      for (std::uint64_t first = thread * 100; first + found.size() <= kElements; first += 30'011) {
        wrong[thread] +=
            !read(*opened.map, first, found) ||
            !std::equal(found.begin(), found.end(), stored.begin() + static_cast<std::ptrdiff_t>(first));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace mog::io::h5

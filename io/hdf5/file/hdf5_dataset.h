// Flat datasets: one dimension, whole chunks, fletcher32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/file/hdf5_handle.h"
#include "io/recording/host_tensor.h"

namespace mog::io::h5 {

// Bytes that stand one after another in a dataset, wherever they lie in memory.
using Pieces = std::vector<std::span<const std::byte>>;

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// Elements of a chunk of a dataset of `elements` elements: all chunks of one dataset are (nearly) equally
// full, 256 to 512 KiB each; a smaller dataset is one chunk.
std::uint64_t chunk_elements(std::uint64_t elements, std::int64_t element_bytes);

// A new, empty group whose links lie in its header (no B-trees), with a `description`.
Group create_group(hid_t parent, const char* path, std::string_view description,
                   const std::filesystem::path& file);

struct FlatDataset {
  std::string path;
  DType dtype = DType::uint8;
  std::string axes;
  std::string units;
  std::string description;
};

// The bytes of a dataset that lie in no one place: they are asked for in order, some at a time.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  virtual std::uint64_t size_bytes() const = 0;
  virtual void rewind() = 0;  // to the first of them
  virtual void read(std::byte* to, std::size_t bytes) = 0;
};

// Creates the dataset with as many elements as `pieces` or `source` hold, and writes them chunk by chunk.
// `deflate_level` 0: only the checksum. Throws StorageError, and what `source` throws.
Dataset write_flat(hid_t file_id, const FlatDataset& facts, const Pieces& pieces, int deflate_level,
                   const std::filesystem::path& file);
Dataset write_flat(hid_t file_id, const FlatDataset& facts, ByteSource& source, int deflate_level,
                   const std::filesystem::path& file);

// A dataset whose elements lie in other files, one after another.
struct SourceBlock {
  std::string file;
  std::uint64_t elements = 0;
};
Dataset write_virtual(hid_t file_id, const FlatDataset& facts, const std::vector<SourceBlock>& blocks,
                      const std::filesystem::path& file);

// Elements [first, first + count) of a one-dimensional dataset of `dtype` into `to`. Throws FormatError
// naming `path` when the data cannot be read (a checksum does not hold, the file ends).
void read_flat(hid_t dataset, DType dtype, std::uint64_t first, std::uint64_t count, void* to,
               const std::filesystem::path& file, std::string_view path);

}  // namespace mog::io::h5

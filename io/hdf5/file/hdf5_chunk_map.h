// Where the values of a flat dataset lie in its file, so that they are read without HDF5: its one lock, its
// look-up by name and its word-by-word checksum take several times as long as the reading itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "io/hdf5/file/hdf5_handle.h"

namespace mog::io::h5 {

class ChunkMap {
 public:
  // Of a one-dimensional dataset of `element_bytes` as stored; nothing where only HDF5 can read it: other
  // filters than fletcher32, chunks that were never written or are beyond any of ours, a file that is no
  // plain file. Takes h5::Lock.
  static std::optional<ChunkMap> of(const File& file, const Dataset& dataset, std::int64_t element_bytes);

  // Elements [first, first + count) into `to`; false when the file ends before or a checksum does not hold:
  // HDF5 then says what is wrong. Safe from several threads, as long as the file stays open.
  bool read(std::uint64_t first, std::uint64_t count, std::byte* to) const;

 private:
  ChunkMap() = default;
  bool read_chunk(std::size_t chunk, std::byte* bytes) const;

  int descriptor_ = -1;  // HDF5's own
  std::uint64_t element_bytes_ = 1;
  std::uint64_t chunk_elements_ = 1;
  std::uint64_t elements_ = 0;
  std::vector<std::uint64_t> addresses_;  // [chunk], in bytes from the file's beginning
};

}  // namespace mog::io::h5

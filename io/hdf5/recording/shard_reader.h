// Reads one shard. Everything about it is checked when it is opened, except the values themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/file/hdf5_chunk_map.h"
#include "io/hdf5/file/hdf5_dataset.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_texts.h"
#include "io/recording/sentence_recording.h"

namespace mog::io {

// The attributes of the root of any HDF5 file of ours.
struct RootFacts {
  std::string version;  // "1.0"
  std::string kind;     // "shard" or "recording"
  std::int64_t part = 1;
  std::int64_t parts = 1;
  std::int64_t sentences = 0;
};

struct OpenedHdf5 {
  h5::File file;
  std::uint64_t bytes = 0;
};

// Opens a regular file read-only, after looking at its first bytes. Throws FormatError (no HDF5 file, a web
// page, cut short …), StorageError (cannot be opened).
OpenedHdf5 open_hdf5(const std::filesystem::path& path);
// Throws FormatError when the file is no recording, or one of a newer major version.
RootFacts read_root(const h5::File& file, const std::filesystem::path& path);

// Safe from several threads: HDF5 is called under h5::Lock, plain values are read beside it.
class ShardReader {
 public:
  // Has mog-loader open `path` first (see recording_check.h), then opens it here.
  static std::shared_ptr<const ShardReader> open_checked(const std::filesystem::path& path);
  // Reads a little of everything: what a check does with a shard.
  void sample() const;

  // Whether mog-loader has just checked the structure and every quantity of the file; then they are only
  // checked again where they are used.
  enum class Checks : std::uint8_t { all, done };
  // Throws FormatError naming file, dataset and defect.
  explicit ShardReader(std::filesystem::path path, Checks checks = Checks::all);
  ShardReader(std::filesystem::path path, OpenedHdf5 file, Checks checks = Checks::all);

  const std::filesystem::path& path() const noexcept { return path_; }
  const RootFacts& root() const noexcept { return root_; }
  const RecordingHeader& header() const noexcept { return header_; }
  const ShardTable& table() const noexcept { return table_; }

  // Checks UTF-8 and that all places lie inside the text.
  Sentence sentence(std::int64_t row) const;
  // The values of rows [first, first + count), flat; `schema` is one of this header's.
  HostTensor read(std::int64_t first, std::int64_t count, const QuantitySchema& schema) const;
  // A block of the values of one row; reads the rows of maps that it lies in, whole.
  HostTensor read_block(std::int64_t row, const QuantitySchema& schema, const TensorBlock& block) const;
  // Reads these rows a piece at a time and keeps nothing: throws where a value cannot be read.
  void touch(std::int64_t first, std::int64_t count, const QuantitySchema& schema) const;
  // Elements [first, first + count) of a dataset that has `elements`, as they are stored.
  void read_stored(const h5::FlatDataset& facts, std::uint64_t elements, std::uint64_t first,
                   std::uint64_t count, std::byte* to) const;

 private:
  void touch(const QuantitySchema& schema, std::uint64_t begin, std::uint64_t end) const;
  struct Opened {
    h5::Dataset dataset;
    std::uint64_t elements = 0;
  };
  // A dataset of the right type and one dimension; throws FormatError.
  Opened open(const h5::FlatDataset& facts) const;
  // The same, with as many elements as its offsets say.
  Opened open_long(const h5::FlatDataset& facts, std::uint64_t elements) const;
  // Where its values lie; nullptr where only HDF5 can read them.
  const h5::ChunkMap* chunks(const h5::FlatDataset& facts, std::uint64_t elements) const;
  void require_table(const Opened& opened, const h5::FlatDataset& facts, std::uint64_t expected) const;
  template <class T>
  std::vector<T> read_all(const h5::FlatDataset& facts, std::uint64_t expected) const;
  std::vector<std::uint64_t> read_offsets(const h5::FlatDataset& facts) const;
  void read_header();
  void read_table();
  void read_value_offsets();
  void check_quantities() const;
  const ShardTexts& texts() const;
  [[noreturn]] void refuse(std::string_view object, const std::string& what) const;

  std::filesystem::path path_;
  h5::File file_;
  RootFacts root_;
  RecordingHeader header_;
  ShardTable table_;
  mutable std::mutex chunks_mutex_;  // of the next; never held while HDF5 works
  mutable std::map<std::string, std::optional<h5::ChunkMap>> chunks_;  // by the dataset's path
  mutable std::optional<ShardTexts> texts_;                            // read at the first sentence()
};

}  // namespace mog::io

// The sentences of one shard while it fills, and its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/file/file_image.h"
#include "io/hdf5/file/hdf5_dataset.h"
#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/recording/sentence_recording.h"

namespace mog::io {

// A batch whose quantities were checked against the header, converted, and cut into one block a sentence.
struct CheckedBatch {
  std::vector<HostTensor> tensors;                              // one a quantity, in the header's order
  std::vector<std::vector<std::span<const std::byte>>> blocks;  // [quantity][sentence], of `tensors`
};
// Throws ShapeError when a quantity is missing, comes twice, is unknown or has another number of values than
// the sentences need, or a text place is beyond 2^31.
CheckedBatch check_batch(const RecordingHeader& header, const RecordingBatch& batch);

class ShardBuffer {
 public:
  explicit ShardBuffer(std::size_t quantities) : blocks_(quantities) {}

  // Takes sentence `index` of the batch; its tensors are kept alive until the buffer goes.
  void add(const RecordingBatch& batch, const CheckedBatch& checked, std::size_t index);
  bool empty() const noexcept { return sentences_.empty(); }
  std::int64_t sentences() const noexcept { return static_cast<std::int64_t>(sentences_.size()); }
  std::int64_t size_bytes() const noexcept { return size_bytes_; }  // of values and texts

  // Upper bound of the file's size, uncompressed.
  std::uint64_t file_bytes(const RecordingHeader& header) const;
  // What the journal says of it, without the file's name and size.
  JournalShard journal_entry() const;

  // Writes the shard's HDF5 file, sentences sorted by number: built in `image` if there is one, else by HDF5
  // on the disk. Throws StorageError.
  void write_file(const PartFile& file, const RecordingHeader& header, std::int64_t part, std::int64_t parts,
                  int deflate_level, FileImage* image = nullptr) const;

 private:
  std::vector<std::size_t> order() const;  // of the sentences, by number
  std::vector<Sentence> sentences_;
  std::vector<std::vector<std::span<const std::byte>>> blocks_;  // [quantity][sentence]
  std::vector<HostTensor> tensors_;                              // owners of the blocks
  std::int64_t size_bytes_ = 0;
};

// Bytes of one sentence's values, text and rows in a shard, without the spellings of tokens and words.
std::int64_t sentence_bytes(const RecordingHeader& header, const SentenceSize& size);
// Bytes of a shard without sentences, within some kB.
std::uint64_t shard_overhead_bytes(const RecordingHeader& header);

// The attributes of the root of a shard or of recording.h5.
void write_root(hid_t file_id, const RecordingHeader& header, const char* kind, std::int64_t part,
                std::int64_t parts, std::int64_t sentences, const std::filesystem::path& file);
// Its groups, and /header.
void write_frame(hid_t file_id, const RecordingHeader& header, const std::filesystem::path& file);
// The attributes that only quantities have: extents, offsets, layer, of 8 bits the step.
void write_quantity_attributes(hid_t dataset, const QuantitySchema& schema,
                               const std::filesystem::path& file);
// A new file in the newest format, all attributes and links in headers, without times.
// Lives in `image` if there is one.
h5::File create_hdf5(const PartFile& part, FileImage* image = nullptr);
// Closes and reports what closing says. Throws StorageError.
void close_hdf5(h5::File file, const std::filesystem::path& path);

}  // namespace mog::io

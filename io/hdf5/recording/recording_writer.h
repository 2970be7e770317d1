// Writes a recording directory: shards, journal, manifest, and at the end one virtual file over all.
// The format is docs/recording-format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::io {

struct RecordingWriterOptions {
  // A shard is closed when the first of these is reached; a killed program loses at most the shard that
  // was open and the one that was being written.
  std::int64_t shard_bytes = std::int64_t{32} << 20;  // small enough that writing overlaps with computing
  std::int64_t shard_sentences = 2000;
  std::int64_t shard_seconds = 30;
  // Closed shards become one file of up to so many bytes as the recording goes on (shard_join.h); 0: never.
  std::int64_t joined_bytes = std::int64_t{1} << 30;
  int deflate_level = 0;  // 0: not compressed; 1–9: shuffle + deflate on the quantities
  bool resume =
      false;  // go on with an existing directory; without it the directory must not exist or be empty
  // `--shard i/n`: this recording holds part i of n of the corpus. Kept in the manifest.
  std::int64_t part = 1;
  std::int64_t parts = 1;
};

// Small shards are joined once they are many; where the disk has no room for that, they stay.
//
// Order of calls: begin, write…, finish; commit at any time between. A sentence counts as recorded when its
// shard stands under its final name and the journal has its line. One thread calls; a second, owned one
// writes full shards, so that computing and writing overlap; at most two shards are in memory.
//
// `write` keeps references to the batch's tensors (they are immutable) until their shard is written.
// Errors of the writing thread are thrown by the next call. After an error nothing more is written.
//
// Throws UsageError when the directory is there already (or, resuming, belongs to another model, corpus
// or choice of quantities); StorageError with Cause::no_space, naming what was needed and what is free,
// when the disk is full, else with Cause::other; ShapeError when a quantity has another number of values
// than its sentences need.
class RecordingWriter final : public RecordingSink {
 public:
  explicit RecordingWriter(std::filesystem::path directory, RecordingWriterOptions options = {});
  // Commits what was written; errors are dropped here: call commit() or finish() to see them.
  ~RecordingWriter() override;

  // Creates or, resuming, opens the directory: unfinished files are removed, `recorded()` is filled.
  // Float values are converted to the schema's dtype; bfloat16 schemas are refused (UsageError).
  void begin(const RecordingHeader& header) override;
  void write(const RecordingBatch& batch) override;
  // Makes all written sentences durable (SIGINT, checkpoints). The recording stays incomplete.
  void commit();
  // Commits, writes recording.h5 and the final manifest: the recording is complete.
  void finish() override;
  // Takes back a recording that begin() began: its files, and the directory if it was made for them. One that
  // was there before stays as far as it was committed. Nothing can be written afterwards.
  void discard() noexcept;

  // Numbers of the sentences that the directory held when begin() opened it, ascending.
  const std::vector<std::int64_t>& recorded() const;
  std::int64_t bytes_written() const;  // of closed shards

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// What of a sentence decides the size of its recording.
struct SentenceSize {
  std::int64_t tokens = 0;
  std::int64_t words = 0;
  std::int64_t target_tokens = 0;
  std::int64_t text_bytes = 0;
};

// Bytes that a recording of these sentences takes on disk, uncompressed; within some per cent.
std::uint64_t estimate_bytes(const RecordingHeader& header, const std::vector<SentenceSize>& sentences,
                             const RecordingWriterOptions& options = {});

}  // namespace mog::io

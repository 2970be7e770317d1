// Reads a recording: its directory, its recording.h5, or one shard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::io {

// What `mog describe` says of the files of a recording.
struct RecordingFacts {
  std::string format_version;  // "1.0"
  bool complete = false;       // finish() was reached
  std::int64_t part = 1;       // `--shard part/parts`
  std::int64_t parts = 1;
  std::int64_t sentences = 0;
  std::int64_t size_bytes = 0;  // of the shards
  struct Shard {
    std::filesystem::path file;
    std::int64_t sentences = 0;
    std::int64_t size_bytes = 0;
  };
  std::vector<Shard> shards;
};

// What validate() has to say of files in which nothing is damaged.
struct ValidationReport {
  bool summed = false;             // every file carries a sum, and it holds
  std::vector<std::string> notes;  // what a person should know: files without sums, unfinished ones
};

// Trusts nothing: links, external storage, foreign virtual datasets, unknown filters, variable-length
// values and impossible sizes are refused before any data are read or memory is taken for them.
//
// Opening reads the manifest, the journal and the first shard's tables; other shards are opened and checked
// on first use, so a defect there shows when it is met: check() looks at the first ones, validate() reads
// every value of all. HDF5 libraries without thread support are common, so all calls into it are
// serialised by one lock of the process; const functions are safe from several threads.
//
// Throws FormatError naming file, dataset and defect; StorageError when the path cannot be read.
class RecordingReader final : public RecordingSource {
 public:
  explicit RecordingReader(const std::filesystem::path& path);
  ~RecordingReader() override;

  const RecordingHeader& header() const override;
  std::int64_t size() const override;
  Sentence sentence(std::int64_t index) const override;
  std::int64_t number(std::int64_t index) const override;
  std::vector<std::int64_t> token_counts() const override;
  std::vector<std::int64_t> word_counts() const override;
  HostTensor read(std::int64_t index, const QuantityName& name) const override;
  HostTensor read_block(std::int64_t index, const QuantityName& name,
                        const TensorBlock& block) const override;
  // One contiguous read a shard.
  HostTensor read_packed(std::int64_t first, std::int64_t count, const QuantityName& name) const override;

  const RecordingFacts& facts() const;
  // Sentence numbers (places in the corpus, from 1), ascending: index → number.
  const std::vector<std::int64_t>& numbers() const;
  // Opens the shards, at most the first 24, and checks their structure, tables and offsets; where these are
  // all, recording.h5 too. Returns how many. Throws Interrupted between two of them.
  std::int64_t check(std::stop_token stop = {}) const;
  // Checks recording.h5, then shard by shard what check() does, every value and text, so every checksum, and
  // every byte for its sum; `progress(done, total)` counts shards and may stop the work by returning false.
  ValidationReport validate(const std::function<bool(std::int64_t, std::int64_t)>& progress = {}) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether `path` looks like a recording (a directory with a manifest of ours, or an HDF5 file); reads a few
// bytes, never throws, never blocks on a pipe.
bool looks_like_recording(const std::filesystem::path& path) noexcept;

}  // namespace mog::io

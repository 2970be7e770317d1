// A recording's directory in the hands of its one writer. All that is written or removed there is so under
// the lock of the journal: which of several writers began, and who goes on, is decided by who has it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/manifest.h"
#include "io/hdf5/recording/recording_writer.h"

namespace mog::io {

class ShardReader;  // shard_reader.h

// One thread at a time.
class RecordingFolder {
 public:
  RecordingFolder(std::filesystem::path directory, const RecordingWriterOptions& options)
      : directory_(std::move(directory)), options_(options) {}

  // Creates or, resuming, opens the directory, with errors as RecordingWriter says. A recording has one
  // header: what was said of it at its beginning goes on to hold.
  void begin(const RecordingHeader& header);
  const RecordingHeader& header() const noexcept { return header_; }
  // Numbers of the sentences that it held then, ascending.
  const std::vector<std::int64_t>& recorded() const noexcept { return recorded_; }

  // A complete recording that gets more sentences is incomplete again, before its first new shard.
  void reopen();
  std::string next_shard() const;  // its name
  std::filesystem::path file(std::string_view name) const { return directory_ / name; }
  // Names a shard in the journal. When that fails, the shard is removed unless the journal may hold it.
  void add(const JournalShard& shard);
  // Makes one file of small shards where there are enough of them (shard_join.h); `finished`: no further one
  // will come. Does nothing to a complete recording, or where the disk has no room for it.
  void join(bool finished);
  // Writes recording.h5 and the final manifest.
  void complete();
  // Takes back what begin() began and everything since; what was there before stays.
  void discard() noexcept;
  std::int64_t bytes_written() const noexcept { return bytes_; }  // of shards

 private:
  void create_directory();
  void refuse_foreign() const;
  void start_fresh();
  void resume();
  void take_header(const Manifest& old);
  void take_journal(const JournalContent& content);
  void remove_leftovers(const JournalContent& content) const;
  void count(const JournalShard& shard);
  void begin_journal();
  void hold(const JournalShard& shard, std::uint64_t line_bytes);
  std::vector<std::shared_ptr<const ShardReader>> open_last(std::size_t count, std::size_t spared) const;
  void join_last(std::size_t count, std::size_t spared);
  void replace_joined(JournalShard joined, std::size_t first, std::size_t count);
  Manifest manifest(bool complete) const;

  std::filesystem::path directory_;
  RecordingWriterOptions options_;
  RecordingHeader header_;
  JournalWriter journal_;
  bool created_directory_ = false;
  bool fresh_ = false;  // begun by this object
  bool was_complete_ = false;
  std::vector<std::int64_t> recorded_;
  // A shard that may still be joined, and where its line begins in the journal, in bytes.
  struct Small {
    JournalShard entry;
    std::uint64_t line_begin = 0;
  };
  std::vector<Small> small_;  // the last ones of the journal
  std::uint64_t journal_bytes_ = 0;
  bool joins_ = true;  // until the disk has no room
  std::vector<std::string> shards_;
  std::size_t found_shards_ = 0;  // the first of them, written by an earlier run
  std::int64_t next_shard_ = 1;
  std::int64_t sentences_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace mog::io

// journal.jsonl: what a recording holds for certain. One line a shard, appended after the shard stands under
// its final name. Where shards are joined, a new journal takes the old one's place as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/file/durable_file.h"
#include "io/statistics/number_ranges.h"

namespace mog::io {

// `numbers` ascending.
std::vector<NumberRange> to_ranges(const std::vector<std::int64_t>& numbers);

struct JournalShard {
  std::string file;  // "shard-00001.h5"
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;
  std::int64_t size_bytes = 0;
  std::string sha256;                // of the file; empty in older recordings
  std::vector<NumberRange> numbers;  // ascending, as many as `sentences`
  // Sentence by sentence, so that a list of them needs no shard; empty in older recordings.
  std::vector<std::int64_t> sentence_tokens;
  std::vector<std::int64_t> sentence_words;
};

struct JournalContent {
  bool begun = false;  // the first line is there
  std::int64_t part = 1;
  std::int64_t parts = 1;
  std::vector<JournalShard> shards;
  std::vector<std::uint64_t> line_begins;  // where the line of each begins, in bytes
  bool has_others = false;                 // lines of later versions
  std::uint64_t sound_bytes = 0;           // without a torn last line
  std::uint64_t torn_bytes = 0;            // of that line
};

// One line, with its checksum and its line feed.
std::string begin_line(std::int64_t part, std::int64_t parts);
std::string shard_line(const JournalShard& shard);

// A last line that a killed program left unfinished is left out; any other damage is a FormatError that names
// the line. Checks that every shard has a name of its own and every sentence is in one shard only.
JournalContent read_journal(const std::filesystem::path& path);

// Appends lines so that each is on the disk when `append` returns. Holds a lock on the file: a second writer
// of the same recording gets a StorageError.
class JournalWriter {
 public:
  JournalWriter() = default;
  // Opens the file, creates it where it is not there, and takes the lock. Throws UsageError for a link, a
  // pipe or a file with further names: what is written there would change something else.
  explicit JournalWriter(const std::filesystem::path& path);
  bool was_empty() const noexcept { return was_empty_; }  // when the lock was taken
  void cut(std::uint64_t sound_bytes);                    // drops a torn last line
  void append(std::string_view line);
  // A new journal of the first bytes of the old one and `lines` takes its name and its lock. Whoever reads
  // finds one of the two.
  void replace(std::uint64_t kept_bytes, std::string_view lines);
  // After append() or replace() threw: the lines may be in the file all the same, now or after the next
  // start of the machine, so what they name must stay.
  bool may_hold_line() const noexcept { return may_hold_line_; }

 private:
  static void lock(const FileDescriptor& file);
  void require_own_file();
  bool still_named() const;
  FileDescriptor file_;
  FileDescriptor next_;  // that takes its place
  bool was_empty_ = false;
  bool may_hold_line_ = false;
};

}  // namespace mog::io

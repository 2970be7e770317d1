// journal.jsonl: what a recording holds for certain. One line a shard, appended after the shard stands under
// its final name; nothing is ever changed in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/durable_file.h"

namespace mog::io {

// Sentence numbers [first, last].
struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

// `numbers` ascending.
std::vector<NumberRange> to_ranges(const std::vector<std::int64_t>& numbers);

struct JournalShard {
  std::string file;  // "shard-00001.h5"
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;
  std::int64_t size_bytes = 0;
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
  std::uint64_t sound_bytes = 0;  // without a torn last line
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
  // Opens the file, creates it where it is not there, and takes the lock.
  explicit JournalWriter(const std::filesystem::path& path);
  void cut(std::uint64_t sound_bytes);  // drops a torn last line
  void append(std::string_view line);

 private:
  FileDescriptor file_;
};

}  // namespace mog::io

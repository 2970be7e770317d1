// Where the sentences of a recording lie: which shards, which rows; without opening the shards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/manifest.h"
#include "io/hdf5/recording/recording_reader.h"

namespace mog::io {

struct OpenedHdf5;  // shard_reader.h

// One sentence's place.
struct Place {
  std::int32_t shard = 0;
  std::int32_t row = 0;
};

struct RecordingFiles {
  RecordingFacts facts;
  RecordingHeader header;
  std::vector<JournalShard> journal;  // one a shard
  std::vector<std::int64_t> numbers;  // index → sentence number, ascending
  std::vector<Place> places;          // index → place
  // SHA-256 of recording.h5 and the journal, by name; empty in older and in incomplete recordings.
  std::map<std::string, std::string> sums;
  bool summed_manifest = false;
  std::uint64_t torn_bytes = 0;  // of the journal's last line

  std::vector<std::int64_t> numbers_of(std::size_t shard) const;
};

// Reads manifest and journal of a recording directory. Throws FormatError naming file and defect.
RecordingFiles open_directory(const std::filesystem::path& directory);
// The directory of a table of contents (recording.h5), opened. Throws FormatError, also when it is alone.
RecordingFiles files_beside(const std::filesystem::path& table);
// Fills numbers and places from the journal entries.
void index_sentences(RecordingFiles& files);
// Read every byte of a shard, or of the files in `directory` that the manifest has a sum of. Throw
// FormatError when a sum is another; without a sum they do nothing.
void check_sum(const std::filesystem::path& shard, const JournalShard& entry);
void check_file_sums(const std::filesystem::path& directory, const RecordingFiles& files);
// What validate() says of a recording whose sums hold as far as there are any.
ValidationReport report_on(const std::filesystem::path& directory, const RecordingFiles& files);
// Checks recording.h5, opened from `path`: its structure, and that its virtual datasets stay in the
// recording.
void check_virtual_file(const OpenedHdf5& file, const std::filesystem::path& path,
                        const RecordingFiles& files);

}  // namespace mog::io

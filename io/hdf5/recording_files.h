// Where the sentences of a recording lie: which shards, which rows; without opening the shards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/journal.h"
#include "io/hdf5/manifest.h"
#include "io/hdf5/recording_reader.h"

namespace mog::io {

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

  std::vector<std::int64_t> numbers_of(std::size_t shard) const;
};

// Reads manifest and journal of a recording directory. Throws FormatError naming file and defect.
RecordingFiles open_directory(const std::filesystem::path& directory);
// Fills numbers and places from the journal entries.
void index_sentences(RecordingFiles& files);
// Checks recording.h5: its structure, and that its virtual datasets stay in the recording.
void check_virtual_file(const std::filesystem::path& path, const RecordingFiles& files);

}  // namespace mog::io

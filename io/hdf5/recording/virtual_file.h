// recording.h5: all shards in one file, for h5py and whoever else reads HDF5.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::io {

// Of more shards it holds no virtual dataset, only the table of the sentences.
inline constexpr std::size_t kMostSources = 100;

// Writes `directory`/recording.h5 over the shards of these names, in this order: where each sentence lies,
// offsets anew (they count over all shards), everything else virtual. The first `found` shards were there
// before this process and are opened by mog-loader first (recording_check.h); the rest it has just written
// itself. Returns the file's SHA-256. Throws FormatError when a shard is damaged, StorageError when writing
// fails.
std::string write_virtual_file(const std::filesystem::path& directory, const std::vector<std::string>& shards,
                               std::size_t found, const RecordingHeader& header, std::int64_t part,
                               std::int64_t parts);

}  // namespace mog::io

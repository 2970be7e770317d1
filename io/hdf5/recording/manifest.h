// manifest.json: what a recording is, and whether it is complete.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "io/recording/sentence_recording.h"

namespace mog::io {

struct Manifest {
  std::string version;  // "1.0"
  bool complete = false;
  std::int64_t part = 1;
  std::int64_t parts = 1;
  std::int64_t sentences = 0;  // counted when the recording was completed
  std::int64_t tokens = 0;
  std::int64_t shards = 0;
  // SHA-256 of the files beside it, by name; empty while the recording is incomplete, and in older ones.
  std::map<std::string, std::string> files;
  bool summed = false;  // it has a sum of itself, which holds; older ones have none
  RecordingHeader header;
};

// With the sum of itself. A link in its place is replaced.
void write_manifest(const std::filesystem::path& path, const Manifest& manifest);
// Throws FormatError: no JSON, no recording, a newer major version, a sum that does not hold, a key that is
// missing.
Manifest read_manifest(const std::filesystem::path& path);

// Throws FormatError unless `version` is one that this program reads: "1.N".
void require_version(const std::string& version, const std::filesystem::path& path);

// What two headers of one recording must have in common: the model (all but its name and the spelling of its
// configuration), corpus, target, precision, quantities. Empty when they agree, else one sentence on the
// first difference.
std::string difference(const RecordingHeader& expected, const RecordingHeader& found);
// The same, of everything in the model card and the quantities.
std::string full_difference(const RecordingHeader& expected, const RecordingHeader& found);

}  // namespace mog::io

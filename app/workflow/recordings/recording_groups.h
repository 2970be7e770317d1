// Recordings that stand together: the parts of one run join, and each group has a label.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/recording_label.h"

namespace mog::app {

using RecordingReaderPointer = std::unique_ptr<io::RecordingReader>;

struct RecordingPart {
  RecordingReaderPointer reader;
  std::filesystem::path path;  // as it was given
};

// A recording, or the parts of one.
struct RecordingGroup {
  std::vector<RecordingPart> parts;
  RecordingLabel label;  // by the first part; empty where no other group stands beside it
};

// Parts of one run over one corpus join, everything else is a group of its own; groups keep the order in
// which they were named.
std::vector<RecordingGroup> group_by_run(std::span<const std::filesystem::path> paths);
// The same for tables; `notes` gets what is missing (missing_of in open_recording.h), each said once. Throws
// UsageError for no path, and for sentences that are named twice (tell_apart).
std::vector<RecordingGroup> open_recording_groups(const std::vector<std::filesystem::path>& paths,
                                                  std::vector<std::string>* notes = nullptr);

// refuse_repeated() and labels_of() of groups that stand together.
void tell_apart(std::span<RecordingGroup* const> groups);

// What was opened, and the path that was given for it.
struct SourceAtPath {
  const RecordingSource* source;
  std::filesystem::path path;
};
// Throws UsageError where two recordings hold the same file, whatever paths and links lead to it.
void refuse_repeated(std::span<const SourceAtPath> sources);
// The name that a recording was given, else its model's; equal ones with their paths.
std::vector<RecordingLabel> labels_of(std::span<const SourceAtPath> sources);

std::vector<const RecordingSource*> sources_of(const RecordingGroup& group);

}  // namespace mog::app

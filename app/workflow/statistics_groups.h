// Recordings that are counted together, and filters that the jobs of statistics share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/workflow/statistics_job.h"
#include "io/hdf5/recording_reader.h"

namespace mog::app {

using RecordingReaderPointer = std::unique_ptr<io::RecordingReader>;

// Parts of one run over one corpus join, everything else is a group of its own; groups keep the order in
// which they were named. Throws UsageError for no path.
std::vector<std::vector<RecordingReaderPointer>> open_recording_groups(
    const std::vector<std::filesystem::path>& paths);

// Empty when all layers are kept.
std::function<bool(std::int64_t layer)> layer_filter(const StatisticsOptions& options);

}  // namespace mog::app

// Reads a recording from end to end: the work behind `mog validate`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/common/progress.h"

namespace mog::app {

struct ValidationSummary {
  std::filesystem::path path;
  std::string name;  // of the recording; empty: none
  bool complete = false;
  std::int64_t sentences = 0;
  std::int64_t shards = 0;
  std::int64_t quantities = 0;
  std::int64_t size_bytes = 0;
  bool summed = false;  // every file carries a sum, and it holds
  std::vector<std::string> notes;
};

// Checks structure, tables, offsets, every value, and the sum of every file. Throws FormatError naming file
// and dataset, Interrupted.
ValidationSummary validate_recording(const std::filesystem::path& path, std::stop_token stop = {},
                                     const ProgressCallback& progress = {});
std::string to_json(const ValidationSummary& summary);

}  // namespace mog::app

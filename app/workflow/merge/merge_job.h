// Parts of a corpus that were counted apart, added up: the work behind `mog merge`.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/table.h"
#include "io/statistics/partial_statistics.h"

namespace mog::app {

// The table of what was counted. Throws FormatError when the sums are not those of its header and settings.
analysis::Table table_of(const io::PartialStatistics& statistics, std::string_view place);

// Adds up the files, each once. Throws UsageError: parts that counted something else, of another number of
// parts, that came twice, and, unless `allow_missing` (then `notes` has it), parts that are missing or not
// complete; ModelError: of another model, corpus or precision; FormatError, StorageError.
io::PartialStatistics merge_statistics(std::span<const std::filesystem::path> files, bool allow_missing,
                                       std::vector<std::string>& notes);

}  // namespace mog::app

// Learnt ensembles as a JSON file (docs/json.md, Head ensembles).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/workflow/syntax/learn_job.h"

namespace mog::app {

std::string ensembles_text(const LearntEnsembles& learnt);
// Throws FormatError naming `path` and the key that is missing or wrong.
LearntEnsembles parse_ensembles(std::string_view text, const std::filesystem::path& path);
// Throws StorageError, FormatError.
LearntEnsembles read_ensembles(const std::filesystem::path& path);

}  // namespace mog::app

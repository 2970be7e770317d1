// How two recordings are paired and what is tested of the pairs: of `mog stats --against` and the figure
// corpus-difference.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "app/workflow/statistics_job.h"

namespace mog::cli {

// --pair-by, --allow-partial, --permutations. `of`: what they belong to, as --help says it; `group`: under
// which heading.
void add_pairing_options(CLI::App& command, app::StatisticsOptions& job, const std::string& of,
                         const std::string& group = "");

}  // namespace mog::cli

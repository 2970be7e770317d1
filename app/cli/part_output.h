// Commands whose parts are kept as files for `mog merge`.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>

#include "app/cli/context.h"
#include "app/workflow/tasks/shard.h"
#include "io/statistics/partial_statistics.h"

namespace mog::cli {

// Whether `output` is such a file. Throws UsageError for a part with another output.
bool keeps_part(const std::filesystem::path& output, const app::Shard& shard);

// The choices of a command as text, but for what may differ between parts: files, part, threads, device.
std::string call_of(const CLI::App& command);

void write_part(Context& context, const io::PartialStatistics& part, const std::filesystem::path& output);

}  // namespace mog::cli

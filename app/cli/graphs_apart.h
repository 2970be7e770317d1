// Graphs in files: one a file (--output-dir), or a word about those that share one.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/context.h"

namespace mog::cli {

void add_output_dir(CLI::App& command, std::filesystem::path& directory);
// Throws UsageError where the format has no graph a file, or a file is asked for too.
void check_output_dir(const std::filesystem::path& directory, const CLI::App& command,
                      std::string_view format);
// graph-1.graphml, graph-2.graphml … in a folder that is new or empty; throws UsageError for another.
void write_apart(Context& context, const std::filesystem::path& directory, std::string_view format,
                 const std::vector<std::string>& documents);
// Readers take the first graph of a GraphML document and say nothing of the others: a note says it.
void note_joint_graphs(Context& context, std::string_view format, std::string_view document);

}  // namespace mog::cli

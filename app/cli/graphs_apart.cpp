#include "app/cli/graphs_apart.h"

#include <fmt/format.h>

#include "app/cli/idle_options.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::cli {

namespace fs = std::filesystem;

void add_output_dir(CLI::App& command, fs::path& directory) {
  command.add_option(
      "--output-dir", directory,
      "One graph a file, in this new or empty folder (graphml, dot): many readers take the first graph "
      "of a GraphML file alone");
}

void check_output_dir(const fs::path& directory, const CLI::App& command, std::string_view format) {
  if (directory.empty()) {
    return;
  }
  if (format != "graphml" && format != "dot") {
    throw UsageError(
        fmt::format("--output-dir {}: one graph a file goes with --format graphml or dot, not {}",
                    directory.string(), format));
  }
  if (given(command, "--output")) {
    throw UsageError("--output and --output-dir exclude each other: one file, or one a graph");
  }
  std::error_code error;
  if (fs::exists(directory, error) &&
      !(fs::is_directory(directory, error) && fs::is_empty(directory, error))) {
    throw UsageError(fmt::format("--output-dir {}: it is there and is no empty folder; give a new one",
                                 directory.string()));
  }
}

void write_apart(Context& context, const fs::path& directory, std::string_view format,
                 const std::vector<std::string>& documents) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw StorageError(fmt::format("--output-dir {}: {}", directory.string(), error.message()));
  }
  for (std::size_t i = 0; i < documents.size(); ++i) {
    context.write(directory / fmt::format("graph-{}.{}", i + 1, format), documents[i]);
  }
  context.console.note(fmt::format("wrote {}: {}", directory.string(),
                                   counted(static_cast<std::int64_t>(documents.size()), "graph")));
}

void note_joint_graphs(Context& context, std::string_view format, std::string_view document) {
  std::int64_t graphs = 0;
  for (std::size_t at = document.find("<graph id="); at != std::string_view::npos;
       at = document.find("<graph id=", at + 1)) {
    ++graphs;
  }
  if (format == "graphml" && graphs > 1) {
    context.console.note(
        fmt::format("{} graphs in one GraphML document: many readers (networkx, igraph, Gephi) take the "
                    "first and say nothing of "
                    "the others; --output-dir DIR writes one graph a file",
                    graphs));
  }
}

}  // namespace mog::cli

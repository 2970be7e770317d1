#include "app/cli/shard_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "io/recording/errors.h"

namespace mog::cli {

app::Shard ShardOption::shard(Context& context) const {
  if (text.empty()) {
    if (!index.empty()) {
      throw UsageError("--index: an index is read where a part is; give --shard, too");
    }
    return {};
  }
  app::Shard shard = app::parse_shard(text, app::process_environment());
  shard.index = index;
  if (!shard.source.empty()) {
    context.console.note(fmt::format("part {} of {} ({})", shard.part, shard.parts, shard.source));
  }
  return shard;
}

std::filesystem::path ShardOption::path(const std::filesystem::path& output, const app::Shard& shard) const {
  const bool of_many = !shard.source.empty() && !shard.whole();  // all tasks have the same command line
  if (of_many && !output.empty() && output != "-" && output.string().find("{part}") == std::string::npos) {
    throw UsageError(fmt::format("--shard auto: all {} tasks would write to {}; put {{part}} into the name",
                                 shard.parts, output.string()));
  }
  return text.empty() ? output : app::path_of_part(output, shard);
}

void add_shard_option(CLI::App& command, ShardOption& options) {
  command.add_option("--shard", options.text,
                     "i/n: only the i-th of n parts of the corpus; auto: as Slurm, mpirun or RANK and "
                     "WORLD_SIZE say. {part} in the output's name becomes i (docs/scale.md)");
  command.add_option("--index", options.index,
                     "Folder of the index by which parts are found; by default that of the corpus");
}

}  // namespace mog::cli

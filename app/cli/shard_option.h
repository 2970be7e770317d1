// `--shard` and `--index`, for every command that reads a corpus of which tasks can take parts.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>

#include "app/cli/context.h"
#include "app/workflow/tasks/shard.h"

namespace mog::cli {

struct ShardOption {
  std::string text;
  std::filesystem::path index;

  // The whole where --shard was not given. `auto` says on stderr which part it is. Throws UsageError.
  app::Shard shard(Context& context) const;
  // An output path, with the number of the part for "{part}"; as it is where --shard was not given.
  std::filesystem::path path(const std::filesystem::path& output, const app::Shard& shard) const;
};
// `options` must outlive the parsing.
void add_shard_option(CLI::App& command, ShardOption& options);

}  // namespace mog::cli

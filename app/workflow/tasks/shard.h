// Which part of a corpus a command works on: `--shard i/n`, `--shard auto`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/workflow/tasks/task_place.h"

namespace mog::app {

struct Shard {
  std::int64_t part = 1;  // from 1
  std::int64_t parts = 1;
  std::filesystem::path index{};  // folder of the corpus's index (io/text/corpus_index.h); empty: beside it
  std::string source{};           // the variables that `auto` was read from; empty: it was given
  bool whole() const noexcept { return parts == 1; }
};

// "2/4", or "auto": task_place() of the environment. Throws UsageError.
Shard parse_shard(std::string_view text, const Environment& environment);
// Throws UsageError unless 1 <= part <= parts.
void require_shard(const Shard& shard);

// `path` with the part's number for each "{part}", with as many digits as the last part has: of 2/12
// "out/{part}.rec" is out/02.rec.
std::filesystem::path path_of_part(const std::filesystem::path& path, const Shard& shard);

}  // namespace mog::app

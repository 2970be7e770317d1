// How far a task of a run is, and how fast: what other programs read of the files that it writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace mog::app {

// Sentences that are safe on the disk, and the stamp of the file that says so: that of the last commit.
struct TaskProgress {
  std::int64_t sentences = 0;
  std::optional<std::filesystem::file_time_type> stamp{};
};

// Of a task of `mog COMMAND` that writes to `output`. Nothing of a command whose sentences cannot be counted,
// and of a damaged file, which is the task's own business.
TaskProgress task_progress(std::string_view command, const std::filesystem::path& output);

// Of what a task has kept beyond `before` since it wrote `start`; 0 where that is nothing, and where its
// clock was put back meanwhile.
double sentences_per_s(const TaskProgress& progress, std::int64_t before, const std::filesystem::path& start);

}  // namespace mog::app

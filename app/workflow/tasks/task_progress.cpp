// Speed is taken from the stamps of two files that the task itself wrote: the one in its beginning, the other
// at its last commit. One clock set both, that of its machine or of the file server. This machine's clock is
// not asked; it may be hours off.
#include "app/workflow/tasks/task_progress.h"

#include <algorithm>
#include <chrono>

#include "io/hdf5/recording/recorded_count.h"
#include "io/recording/errors.h"
#include "io/statistics/partial_statistics.h"

namespace mog::app {
namespace {

namespace fs = std::filesystem;

std::optional<fs::file_time_type> stamp_of(const fs::path& file) {
  std::error_code error;
  const fs::file_time_type stamp = fs::last_write_time(file, error);
  return error ? std::nullopt : std::optional(stamp);
}

}  // namespace

TaskProgress task_progress(std::string_view command, const fs::path& output) {
  try {
    if (command == "record") {
      const std::int64_t sentences = io::recorded_sentences(output);
      return {sentences, stamp_of(io::journal_of(output))};
    }
    if (output.extension() == io::kPartialExtension) {
      const std::int64_t sentences = io::counted_sentences(output);
      return {sentences, stamp_of(output)};
    }
  } catch (const Error&) {
    return {};
  }
  return {};
}

double sentences_per_s(const TaskProgress& progress, std::int64_t before, const fs::path& start) {
  const std::optional<fs::file_time_type> began = stamp_of(start);
  if (!began || !progress.stamp || *progress.stamp < *began || progress.sentences <= before) {
    return 0;
  }
  constexpr double kFinestStamp = 1;  // second, of some file systems
  const double seconds = std::chrono::duration<double>(*progress.stamp - *began).count();
  return static_cast<double>(progress.sentences - before) / std::max(seconds, kFinestStamp);
}

}  // namespace mog::app

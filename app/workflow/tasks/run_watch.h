// Watching a run of many tasks until none of them is left in the queue: the work behind `mog status --watch`.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>

#include "app/workflow/tasks/run_folder.h"

namespace mog::app {

struct WatchOptions {
  std::chrono::milliseconds every{10'000};
  bool resubmit = false;      // what failed or was lost
  std::int64_t attempts = 3;  // of one task, all together; then it is left as it is
};

// What was seen, and the tasks that were submitted again upon it.
using WatchCallback = std::function<void(const RunStatus&, std::span<const std::int64_t>)>;

// The last look. A queue that does not answer is asked again, one that refuses a submission so many times. A
// task that is lost is submitted again when two looks say so: its last file may come later than the queue
// forgets it. Throws as run_status() and submit_again(), UsageError where there is no squeue, Interrupted
// (the tasks go on).
RunStatus watch_run(const std::filesystem::path& run, const WatchOptions& options, const WatchCallback& seen,
                    const std::stop_token& stop);

}  // namespace mog::app

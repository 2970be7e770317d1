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

// The last look. A queue that does not answer is asked again. Throws as run_status() and submit_again(),
// Interrupted (the tasks go on).
RunStatus watch_run(const std::filesystem::path& run, const WatchOptions& options, const WatchCallback& seen,
                    const std::stop_token& stop);

}  // namespace mog::app

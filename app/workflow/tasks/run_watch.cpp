#include "app/workflow/tasks/run_watch.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <vector>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

// False: it was stopped before the time was over.
bool wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

bool is_over(const RunStatus& status, std::span<const std::int64_t> again) {
  return again.empty() && status.queue_problem.empty() && status.count(TaskState::running) == 0 &&
         status.count(TaskState::waiting) == 0;
}

}  // namespace

RunStatus watch_run(const std::filesystem::path& run, const WatchOptions& options, const WatchCallback& seen,
                    const std::stop_token& stop) {
  while (true) {
    RunStatus status = run_status(run);
    std::vector<std::int64_t> again;
    if (options.resubmit && status.queue_problem.empty()) {
      again = submit_again(run, status, options.attempts);
    }
    seen(status, again);
    if (is_over(status, again)) {
      return status;
    }
    if (!wait(options.every, stop)) {
      throw Interrupted(fmt::format("watching {}: interrupted; its tasks go on", run.string()));
    }
  }
}

}  // namespace mog::app

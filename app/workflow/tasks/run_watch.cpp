#include "app/workflow/tasks/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <utility>
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

constexpr int kMostRefusals = 10;  // of sbatch, one after the other

// Looks at a run, again and again.
class Watch {
 public:
  Watch(const std::filesystem::path& run, const WatchOptions& options) : run_(run), options_(options) {}

  // One look; `again`: what was submitted upon it.
  RunStatus look(std::vector<std::int64_t>& again) {
    RunStatus status = run_status(run_);
    if (status.queue_problem.find("there is no such program") != std::string::npos &&
        status.count(TaskState::unknown) > 0) {
      throw UsageError(fmt::format("watching {}: {}", run_.string(), status.queue_problem));
    }
    const std::set<std::int64_t> before = std::exchange(lost_, lost_tasks(status));
    fresh_.clear();
    std::ranges::set_difference(lost_, before, std::inserter(fresh_, fresh_.end()));
    if (options_.resubmit && status.queue_problem.empty()) {
      submit(status, again);
    }
    return status;
  }

  bool is_over(const RunStatus& status, std::span<const std::int64_t> again) const {
    return again.empty() && fresh_.empty() && refusals_ == 0 && status.count(TaskState::unknown) == 0 &&
           status.count(TaskState::running) == 0 && status.count(TaskState::waiting) == 0;
  }

 private:
  static std::set<std::int64_t> lost_tasks(const RunStatus& status) {
    std::set<std::int64_t> lost;
    for (std::int64_t task = 1; task <= status.run.tasks; ++task) {
      if (status.tasks[static_cast<std::size_t>(task - 1)].state == TaskState::lost) {
        lost.insert(task);
      }
    }
    return lost;
  }

  void submit(RunStatus& status, std::vector<std::int64_t>& again) {
    RunStatus sure = status;
    for (const std::int64_t task : fresh_) {
      sure.tasks[static_cast<std::size_t>(task - 1)].state = TaskState::unknown;
    }
    try {
      again = submit_again(run_, sure, options_.attempts);
      refusals_ = 0;
    } catch (const UsageError& error) {
      if (++refusals_ == kMostRefusals) {
        throw;
      }
      status.queue_problem = error.what();
    }
  }

  const std::filesystem::path& run_;
  const WatchOptions& options_;
  // Whether a lost one ended well may be said later than the queue forgets it: it counts from the second look
  // on.
  std::set<std::int64_t> lost_;
  std::set<std::int64_t> fresh_;  // for the first time
  int refusals_ = 0;
};

}  // namespace

RunStatus watch_run(const std::filesystem::path& run, const WatchOptions& options, const WatchCallback& seen,
                    const std::stop_token& stop) {
  Watch watch(run, options);
  while (true) {
    std::vector<std::int64_t> again;
    RunStatus status = watch.look(again);
    seen(status, again);
    if (watch.is_over(status, again)) {
      return status;
    }
    if (!wait(options.every, stop)) {
      throw Interrupted(fmt::format("watching {}: interrupted; its tasks go on", run.string()));
    }
  }
}

}  // namespace mog::app

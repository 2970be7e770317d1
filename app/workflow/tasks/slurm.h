// Array jobs of Slurm: their script, submitting them, asking after them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mog::app {

// What sbatch is asked for; empty or 0: what the cluster gives.
struct SlurmOptions {
  std::string partition{};
  std::string time{};  // "2:00:00", as sbatch has it
  std::string gpus{};  // of each task: "1", "a100:2"
  std::int64_t cpus = 0;
  std::string memory{};      // of each task: "16G"
  std::int64_t at_once = 0;  // tasks that run at the same time
  std::string name{};
};

// The script of one task: it goes to `directory`, runs `command` with "--shard I/tasks" behind it, and leaves
// in `state` I.start (seconds since 1970) and, whatever comes, I.exit (the exit code). Throws UsageError for
// an option that does not fit on a line of its own.
std::string slurm_script(const SlurmOptions& options, std::span<const std::string> command,
                         const std::filesystem::path& directory, const std::filesystem::path& state,
                         std::int64_t tasks);

// "1-4,7,9-10"; numbers ascending.
std::string array_text(std::span<const std::int64_t> tasks);

// Submits those tasks of the script by sbatch; their output is appended to logs/I.log. The job's number.
// Throws UsageError with what sbatch says.
std::int64_t submit_array(const std::filesystem::path& script, const std::filesystem::path& logs,
                          std::span<const std::int64_t> tasks, std::int64_t at_once);

enum class QueueState : std::uint8_t {
  waiting,
  running,
  held,  // Slurm could not start it, and will not try again by itself
};
struct QueuedTask {
  QueueState state = QueueState::waiting;
  std::int64_t job = 0;
};
// The tasks of these jobs that squeue still knows. Throws UsageError with what squeue says.
std::map<std::int64_t, QueuedTask> queued_tasks(std::span<const std::int64_t> jobs);
// Lets a held task go. Throws UsageError with what scontrol says.
void release_task(std::int64_t job, std::int64_t task);

}  // namespace mog::app

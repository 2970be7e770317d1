// The folder of a run of many tasks: what was launched, and how far each task is.
//
//   run.json      the command, the corpus, the jobs that were submitted
//   task.sh       what each task runs
//   state/I.*     when task I began, how it ended, how often it was submitted
//   logs/I.log    what it said
//   part-I.rec    what it made, unless the command says otherwise
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/workflow/tasks/slurm.h"

namespace mog::app {

struct LaunchOptions {
  std::filesystem::path run;  // a new folder
  std::int64_t tasks = 1;
  SlurmOptions slurm;
  std::vector<std::string> command;  // of mog: "record", "--model", "M", …
  bool submit = true;                // else the files are written only
};

struct Run {
  std::int64_t tasks = 1;
  std::vector<std::string> command{};  // as each task runs it, without --shard; the program first
  std::filesystem::path output{};      // with {part} for the task's number; empty: the command says it
  std::int64_t sentences = 0;          // of the corpus
  std::int64_t at_once = 0;
  std::vector<std::int64_t> jobs{};  // of Slurm, in the order in which they were submitted
};

// Makes the index of the corpus, the folder and its files, and submits all tasks. `program` is mog itself. A
// recording goes to part-{part}.rec and is begun with --resume, so that a task that is submitted again goes
// on. `mog train` has no corpus and no
// output of its own; its tasks share a sweep. Throws UsageError: a command without --shard, without --input,
// with an output that all tasks share, a folder that is not empty, what sbatch says.
Run launch(const LaunchOptions& options, const std::filesystem::path& program);

enum class TaskState : std::uint8_t {
  waiting,  // in the queue
  running,
  held,  // in the queue, but Slurm will not start it by itself: its node or controller failed
  done,
  failed,  // ended with an exit code
  lost,    // neither in the queue nor ended: killed, out of time or memory, its machine gone
  idle,    // never submitted
  unknown  // it did not end, and the queue cannot be asked
};
std::string_view name(TaskState state) noexcept;

struct TaskStatus {
  TaskState state = TaskState::idle;
  int exit_code = 0;
  std::int64_t sentences = 0;  // recorded so far
  std::int64_t attempts = 0;   // how often it was submitted
  std::int64_t job = 0;        // of the queue; 0: it is not there
};

struct RunStatus {
  Run run{};
  std::vector<TaskStatus> tasks{};  // [task - 1]
  std::int64_t sentences = 0;       // recorded by all
  double per_second = 0;            // of those that run, up to what each has on the disk
  double left_s = -1;               // for what they and the waiting have to do; -1: unknown
  std::string queue_problem{};      // what squeue says where it does not answer; empty: it does
  std::int64_t count(TaskState state) const;
};

// Throws UsageError for a folder that is none, FormatError for a damaged one.
RunStatus run_status(const std::filesystem::path& run);

// Submits what failed, was lost or never submitted, and was submitted less than `most_attempts` times (0:
// however often); lets go what is held. Where sbatch refuses nothing has changed. The tasks, ascending; none:
// nothing was to be done. Throws UsageError with what sbatch says, or squeue where it does not answer.
std::vector<std::int64_t> submit_again(const std::filesystem::path& run, const RunStatus& status,
                                       std::int64_t most_attempts = 0);

}  // namespace mog::app

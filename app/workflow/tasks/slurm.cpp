// Options that a person may want to change stand in the script as #SBATCH lines; paths and tasks are given to
// sbatch as arguments, where no quoting is needed. A task's part is $SLURM_ARRAY_TASK_ID of a number written
// into the script: of tasks submitted again the array has gaps, and --shard auto would refuse it.
//
// Traps: % has a meaning in the names of logs and is doubled. squeue fails where it knows none of the jobs
// any more, which is no error here.
#include "app/workflow/tasks/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "app/workflow/common/shell_line.h"
#include "app/workflow/tasks/program.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::string quoted(const std::filesystem::path& path) {
  const std::string words[] = {path.string()};
  return shell_line(words);
}

void add_option(std::string& script, std::string_view name, const std::string& value) {
  if (value.empty()) {
    return;
  }
  const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '#' && c != '\\';
  });
  if (!plain) {
    throw UsageError(fmt::format("{} \"{}\": a word without spaces and quotes is wanted", name, value));
  }
  script += fmt::format("#SBATCH {}={}\n", name, value);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value)
                                                                                : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  return text;
}

[[noreturn]] void refuse(const char* program, const ProgramResult& result) {
  throw UsageError(fmt::format("{} failed (exit {}): {}", program, result.exit_code,
                               trimmed(result.errors.empty() ? result.output : result.errors)));
}

QueueState state_of(std::string_view state, std::string_view reason) {
  // "launch failed requeued held", after a node or the controller failed; what a person holds is theirs.
  if (reason.find("requeued held") != std::string_view::npos) {
    return QueueState::held;
  }
  constexpr std::string_view kWaiting[] = {"PENDING",     "CONFIGURING",  "REQUEUED",     "REQUEUE_HOLD",
                                           "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
  return std::find(std::begin(kWaiting), std::end(kWaiting), state) != std::end(kWaiting)
             ? QueueState::waiting
             : QueueState::running;
}

}  // namespace

std::string slurm_script(const SlurmOptions& options, std::span<const std::string> command,
                         const std::filesystem::path& directory, const std::filesystem::path& state,
                         std::int64_t tasks) {
  std::string script = "#!/bin/sh\n";
  add_option(script, "--job-name", options.name);
  add_option(script, "--partition", options.partition);
  add_option(script, "--time", options.time);
  add_option(script, "--gpus-per-task", options.gpus);
  add_option(script, "--cpus-per-task", options.cpus > 0 ? std::to_string(options.cpus) : "");
  add_option(script, "--mem", options.memory);
  script += "#SBATCH --ntasks=1\n";
  script += fmt::format(R"(task=$SLURM_ARRAY_TASK_ID
state={}
cd {} || {{ echo 1 >"$state/$task.exit"; exit 1; }}
rm -f "$state/$task.exit"
date +%s >"$state/$task.start"
{} --shard "$task/{}"
code=$?
echo "$code" >"$state/$task.exit.part"
mv "$state/$task.exit.part" "$state/$task.exit"
exit "$code"
)",
                        quoted(state), quoted(directory), shell_line(command), tasks);
  return script;
}

std::string array_text(std::span<const std::int64_t> tasks) {
  std::string text;
  for (std::size_t begin = 0; begin < tasks.size();) {
    std::size_t end = begin + 1;
    while (end < tasks.size() && tasks[end] == tasks[end - 1] + 1) {
      ++end;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ",", tasks[begin]);
    if (end - begin > 1) {
      text += fmt::format("-{}", tasks[end - 1]);
    }
    begin = end;
  }
  return text;
}

std::int64_t submit_array(const std::filesystem::path& script, const std::filesystem::path& logs,
                          std::span<const std::int64_t> tasks, std::int64_t at_once) {
  std::string log = logs.string();
  for (auto at = log.find('%'); at != std::string::npos; at = log.find('%', at + 2)) {
    log.insert(at, 1, '%');
  }
  const ProgramResult result = run_program(
      {"sbatch", "--parsable",
       fmt::format("--array={}{}", array_text(tasks), at_once > 0 ? fmt::format("%{}", at_once) : ""),
       fmt::format("--output={}/%a.log", log), "--open-mode=append", script.string()});
  if (result.exit_code != 0) {
    refuse("sbatch", result);
  }
  // "123", or "123;cluster"
  const std::string_view said = trimmed(result.output);
  const std::optional<std::int64_t> job = whole_number(said.substr(0, said.find(';')));
  if (!job) {
    throw UsageError(fmt::format("sbatch said \"{}\"; expected the number of a job", said));
  }
  return *job;
}

std::map<std::int64_t, QueuedTask> queued_tasks(std::span<const std::int64_t> jobs) {
  std::map<std::int64_t, QueuedTask> tasks;
  if (jobs.empty()) {
    return tasks;
  }
  const ProgramResult result =
      run_program({"squeue", "--noheader", "--array", fmt::format("--jobs={}", fmt::join(jobs, ",")),
                   "--format=%K|%F|%T|%r"});
  if (result.exit_code != 0) {
    if (result.errors.find("Invalid job id") != std::string::npos) {
      return tasks;
    }
    refuse("squeue", result);
  }
  std::string_view rest = result.output;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto next = [&] {
      const std::string_view word = line.substr(0, line.find('|'));
      line.remove_prefix(std::min(word.size() + 1, line.size()));
      return trimmed(word);
    };
    const std::optional<std::int64_t> task = whole_number(next());
    const std::optional<std::int64_t> job = whole_number(next());
    const std::string_view state = next();
    if (task && job) {
      tasks[*task] = {state_of(state, next()), *job};
    }
  }
  return tasks;
}

void release_task(std::int64_t job, std::int64_t task) {
  const ProgramResult result = run_program({"scontrol", "release", fmt::format("{}_{}", job, task)});
  if (result.exit_code != 0) {
    refuse("scontrol", result);
  }
}

}  // namespace mog::app

// Each task leaves two small files, so that nothing depends on how long Slurm remembers a job, or on
// accounting, which many clusters do not have. The queue is asked first and the files are read after it: a
// task that ends in between is seen as ended, never as lost.
//
// What a task had recorded is kept in I.before when it is submitted again, so that its speed is that of its
// last beginning.
#include "app/workflow/tasks/run_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "app/workflow/tasks/shard.h"
#include "app/workflow/tasks/task_progress.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/statistics/partial_statistics.h"
#include "io/text/corpus_index.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "io/text/output_file.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kFile = "run.json";
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;
constexpr std::int64_t kMostTasks = 4'000'000;  // Slurm's own limit of an array

fs::path state_file(const fs::path& run, std::int64_t task, const char* what) {
  return run / "state" / fmt::format("{}.{}", task, what);
}

// A whole number in a small file of ours; nothing where it is absent or half written.
std::optional<std::int64_t> number_in(const fs::path& path) {
  std::string text;
  try {
    text = io::read_file(path, "the state of a task", 64);
  } catch (const UsageError&) {
    return std::nullopt;  // it is not there
  }
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end > text.data() ? std::optional(value) : std::nullopt;
}

void write_run(const fs::path& folder, const Run& run) {
  const Json json = {{"format", "mog-run"},    {"version", 1},         {"tasks", run.tasks},
                     {"command", run.command}, {"output", run.output}, {"sentences", run.sentences},
                     {"at_once", run.at_once}, {"jobs", run.jobs}};
  io::write_file(folder / kFile, json.dump(2) + "\n");
}

Run read_run(const fs::path& folder) {
  const fs::path path = folder / kFile;
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw UsageError(fmt::format("{}: it is no run of tasks ({} is not there); `mog launch` makes one",
                                 folder.string(), kFile));
  }
  const std::string text = io::read_file(path, "the run", kMostBytes);
  io::check_json(text, path.string());
  const Json json = Json::parse(text);
  const auto refuse = [&](const std::string& why) {
    throw FormatError(fmt::format("reading {}: {}", path.string(), why));
  };
  if (!json.is_object() || json.value("format", "") != "mog-run" || json.value("version", 0) != 1) {
    refuse("expected a run, \"format\": \"mog-run\" of version 1");
  }
  Run run;
  try {
    json.at("tasks").get_to(run.tasks);
    json.at("command").get_to(run.command);
    run.output = json.at("output").get<std::string>();
    json.at("sentences").get_to(run.sentences);
    json.at("at_once").get_to(run.at_once);
    json.at("jobs").get_to(run.jobs);
  } catch (const Json::exception& wrong) {
    refuse(wrong.what());
  }
  if (run.tasks < 1 || run.tasks > kMostTasks) {
    refuse(fmt::format("{} tasks; expected 1 to {}", run.tasks, kMostTasks));
  }
  return run;
}

// The value of "--input X", "--input=X" or "-i X" among the words of a command; empty: none.
std::string value_of(const std::vector<std::string>& words, const std::string& name,
                     const std::string& letter) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if ((words[i] == name || (!letter.empty() && words[i] == letter)) && i + 1 < words.size()) {
      return words[i + 1];
    }
    if (words[i].starts_with(name + "=")) {
      return words[i].substr(name.size() + 1);
    }
  }
  return "";
}

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Tasks share the runs of a sweep and its folder, not a corpus.
bool trains(const std::vector<std::string>& words) {
  return words.front() == "train";
}

// Parts are files for `mog merge`.
bool counts(const std::vector<std::string>& words) {
  constexpr std::string_view kCounting[] = {"stats", "ablate", "faithfulness", "syntax"};
  return std::ranges::find(kCounting, words.front()) != std::end(kCounting);
}

// What the tasks share out is not a text: a treebank or a recording, of which each finds its part by itself.
bool without_index(const std::vector<std::string>& words) {
  return trains(words) || words.front() == "syntax" ||
         (words.front() == "ablate" && value_of(words, "--input", "-i").empty());
}

void check_files(const std::vector<std::string>& words) {
  const bool gold =
      words.front() == "ablate" && !(value_of(words, "--conllu", "") + value_of(words, "--iob2", "")).empty();
  if (value_of(words, "--input", "-i").empty() && words.front() != "syntax" && !gold) {
    throw UsageError("launching tasks: say what they read by --input in the command");
  }
  for (const char* const option : {"--output", "--trace", "--record", "--sentence-values"}) {
    const std::string output = value_of(words, option, std::string_view(option) == "--output" ? "-o" : "");
    if (!output.empty() && output.find("{part}") == std::string::npos) {
      throw UsageError(
          fmt::format("launching tasks: all would write to {}; put {{part}} into the name, or leave {} out",
                      output, option));
    }
  }
  const std::string output = value_of(words, "--output", "-o");
  if (counts(words) && !output.empty() && fs::path(output).extension() != io::kPartialExtension) {
    throw UsageError(
        fmt::format("launching tasks: {} is no name of sums; parts are counted into files that end in {}",
                    output, io::kPartialExtension));
  }
}

void check_command(const LaunchOptions& options) {
  const std::vector<std::string>& words = options.command;
  const std::vector<std::string> known = {"record", "stats",     "ablate",    "faithfulness", "syntax",
                                          "parse",  "translate", "summarize", "train"};
  if (words.empty()) {
    throw UsageError(
        "launching tasks: behind -- comes the command that each runs, for example -- record -m M -i "
        "corpus.txt");
  }
  if (!has_word(known, words.front())) {
    throw UsageError(fmt::format("launching tasks of `mog {}`: it has no --shard; use {}{}", words.front(),
                                 fmt::join(known, ", "), did_you_mean(words.front(), known)));
  }
  if (has_word(words, "--shard") || !value_of(words, "--shard", "").empty()) {
    throw UsageError("launching tasks: each gets its own --shard; leave it out");
  }
  if (!trains(words)) {
    check_files(words);
  }
  if (options.tasks < 1 || options.tasks > kMostTasks) {
    throw UsageError(fmt::format("--tasks {}: from 1 to {}", options.tasks, kMostTasks));
  }
}

// The command as each task runs it.
void complete_command(Run& run, const fs::path& folder, const std::vector<std::string>& words,
                      const fs::path& program) {
  const std::map<std::string, std::string> endings = {{"record", "rec"}, {"parse", "conllu"}};
  run.command = {program.string()};
  run.command.insert(run.command.end(), words.begin(), words.end());
  run.output = value_of(words, "--output", "-o");
  if (run.output.empty() && !trains(words)) {
    const auto found = endings.find(words.front());
    const std::string ending = counts(words) ? "sums" : found == endings.end() ? "txt" : found->second;
    run.output = folder / ("part-{part}." + ending);
    run.command.insert(run.command.end(), {"--output", run.output.string()});
  }
  if (!run.output.empty()) {
    run.output = fs::absolute(run.output);
  }
  const bool goes_on = words.front() == "record" || words.front() == "stats" || trains(words);
  if (goes_on && !has_word(words, "--resume") && !has_word(words, "--overwrite")) {
    run.command.emplace_back("--resume");
  }
  if (!value_of(words, "--record", "").empty() && !has_word(words, "--overwrite")) {
    run.command.emplace_back("--overwrite");  // of an attempt before
  }
  if (!has_word(words, "--quiet")) {
    run.command.emplace_back("--quiet");
  }
}

// Before any task needs it; every task would make it otherwise.
std::int64_t index_corpus(const std::vector<std::string>& words) {
  if (without_index(words)) {
    return 0;
  }
  const std::string folder = value_of(words, "--index", "");
  const std::int64_t sentences = io::open_corpus_index(value_of(words, "--input", "-i"), folder).sentences;
  constexpr std::string_view kWithTarget[] = {"record", "ablate", "faithfulness"};
  const std::string target = value_of(words, "--target", "");
  std::error_code error;
  if (std::ranges::find(kWithTarget, words.front()) != std::end(kWithTarget) &&
      fs::is_regular_file(target, error)) {
    io::open_corpus_index(target, folder);
  }
  return sentences;
}

std::vector<std::int64_t> all_tasks(std::int64_t tasks) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t task = 1; task <= tasks; ++task) {
    numbers.push_back(task);
  }
  return numbers;
}

}  // namespace

std::string_view name(TaskState state) noexcept {
  switch (state) {
    case TaskState::waiting:
      return "waiting";
    case TaskState::running:
      return "running";
    case TaskState::held:
      return "held";
    case TaskState::done:
      return "done";
    case TaskState::failed:
      return "failed";
    case TaskState::lost:
      return "lost";
    case TaskState::idle:
      return "idle";
    case TaskState::unknown:
      break;
  }
  return "unknown";
}

std::int64_t RunStatus::count(TaskState state) const {
  return std::count_if(tasks.begin(), tasks.end(),
                       [&](const TaskStatus& task) { return task.state == state; });
}

Run launch(const LaunchOptions& options, const fs::path& program) {
  check_command(options);
  const fs::path folder = fs::absolute(options.run);
  std::error_code error;
  if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error))) {
    throw UsageError(
        fmt::format("launching into {}: it is there and not empty; choose another name, or see "
                    "`mog status`",
                    options.run.string()));
  }
  Run run{.tasks = options.tasks, .at_once = options.slurm.at_once};
  complete_command(run, folder, options.command, program);
  SlurmOptions slurm = options.slurm;
  slurm.name = slurm.name.empty() ? "mog-" + options.command.front() : slurm.name;
  const std::string script =
      slurm_script(slurm, run.command, fs::current_path(), folder / "state", run.tasks);
  run.sentences = index_corpus(options.command);
  fs::create_directories(folder / "state", error);
  fs::create_directories(folder / "logs", error);
  if (error) {
    throw StorageError(fmt::format("launching into {}: {}", folder.string(), error.message()));
  }
  io::write_file(folder / "task.sh", script);
  write_run(folder, run);
  if (options.submit) {
    run.jobs.push_back(submit_array(folder / "task.sh", folder / "logs", all_tasks(run.tasks), run.at_once));
    write_run(folder, run);
  }
  return run;
}

RunStatus run_status(const fs::path& folder) {
  RunStatus status{.run = read_run(folder)};
  std::map<std::int64_t, QueuedTask> queue;
  try {
    queue = queued_tasks(status.run.jobs);
  } catch (const UsageError& error) {
    status.queue_problem = error.what();
  }
  const std::string command = status.run.command.size() > 1 ? status.run.command[1] : std::string();
  for (std::int64_t task = 1; task <= status.run.tasks; ++task) {
    TaskStatus one;
    const TaskProgress kept =
        task_progress(command, path_of_part(status.run.output, {.part = task, .parts = status.run.tasks}));
    one.sentences = kept.sentences;
    const std::optional<std::int64_t> exit = number_in(state_file(folder, task, "exit"));
    const auto queued = queue.find(task);
    const bool begins = queued != queue.end() && queued->second.state != QueueState::running;
    if (exit && !begins) {  // of a task that waits it is the end of an attempt before
      one.exit_code = static_cast<int>(*exit);
      one.state = *exit == 0 ? TaskState::done : TaskState::failed;
    } else if (queued != queue.end()) {
      one.job = queued->second.job;
      one.state = queued->second.state == QueueState::running ? TaskState::running
                  : queued->second.state == QueueState::held  ? TaskState::held
                                                              : TaskState::waiting;
    } else {
      one.state = status.run.jobs.empty()        ? TaskState::idle
                  : status.queue_problem.empty() ? TaskState::lost
                                                 : TaskState::unknown;
    }
    one.attempts = number_in(state_file(folder, task, "attempts")).value_or(status.run.jobs.empty() ? 0 : 1);
    if (one.state == TaskState::running) {
      const std::int64_t before = number_in(state_file(folder, task, "before")).value_or(0);
      status.per_second += sentences_per_s(kept, before, state_file(folder, task, "start"));
    }
    status.sentences += one.sentences;
    status.tasks.push_back(one);
  }
  if (status.per_second > 0 && status.run.sentences > 0) {
    status.left_s = static_cast<double>(std::max<std::int64_t>(status.run.sentences - status.sentences, 0)) /
                    status.per_second;
  }
  return status;
}

namespace {

// What is kept of the last attempt would be taken for the end of the next; put aside, it comes back where the
// next one is never begun.
void put_aside(const fs::path& folder, std::span<const std::int64_t> tasks) {
  std::error_code error;
  for (const std::int64_t task : tasks) {
    fs::remove(state_file(folder, task, "last_exit"), error);  // of an attempt before that one
    fs::rename(state_file(folder, task, "exit"), state_file(folder, task, "last_exit"), error);
    fs::remove(state_file(folder, task, "start"), error);
  }
}

void put_back(const fs::path& folder, std::span<const std::int64_t> tasks) {
  std::error_code error;
  for (const std::int64_t task : tasks) {
    fs::rename(state_file(folder, task, "last_exit"), state_file(folder, task, "exit"), error);
  }
}

void count_attempt(const fs::path& folder, std::int64_t task, const TaskStatus& status) {
  io::write_file(state_file(folder, task, "before"), std::to_string(status.sentences) + "\n");
  io::write_file(state_file(folder, task, "attempts"), std::to_string(status.attempts + 1) + "\n");
}

// False: it was let go, or has ended, meanwhile.
bool released(std::int64_t job, std::int64_t task) {
  try {
    release_task(job, task);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

std::vector<std::int64_t> submit_again(const fs::path& folder, const RunStatus& status,
                                       std::int64_t most_attempts) {
  if (!status.queue_problem.empty()) {
    throw UsageError(fmt::format("submitting tasks of {} again: nobody knows which of them run, {}",
                                 folder.string(), status.queue_problem));
  }
  std::vector<std::int64_t> open;
  std::vector<std::int64_t> held;
  for (std::int64_t task = 1; task <= status.run.tasks; ++task) {
    const TaskStatus& one = status.tasks[static_cast<std::size_t>(task - 1)];
    if (most_attempts > 0 && one.attempts >= most_attempts) {
      continue;
    }
    if (one.state == TaskState::held) {
      held.push_back(task);
    } else if (one.state == TaskState::failed || one.state == TaskState::lost ||
               one.state == TaskState::idle) {
      open.push_back(task);
    }
  }
  std::vector<std::int64_t> all;
  if (!open.empty()) {
    Run run = status.run;
    const fs::path place = fs::absolute(folder);
    put_aside(folder, open);
    try {
      run.jobs.push_back(submit_array(place / "task.sh", place / "logs", open, run.at_once));
    } catch (...) {
      put_back(folder, open);
      throw;
    }
    write_run(folder, run);
    all = open;
  }
  for (const std::int64_t task : held) {
    if (released(status.tasks[static_cast<std::size_t>(task - 1)].job, task)) {
      all.push_back(task);
    }
  }
  std::sort(all.begin(), all.end());
  for (const std::int64_t task : all) {
    count_attempt(folder, task, status.tasks[static_cast<std::size_t>(task - 1)]);
  }
  return all;
}

}  // namespace mog::app

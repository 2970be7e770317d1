#include "app/cli/command_launch.h"
#include "app/cli/number_check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/workflow/common/text_format.h"
#include "app/workflow/tasks/run_folder.h"
#include "app/workflow/tasks/run_watch.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct LaunchChoices {
  std::string launcher;
  app::LaunchOptions job;
  bool dry = false;
};

void launch(Context& context, LaunchChoices& choices) {
  if (choices.launcher != "slurm") {
    throw unknown_choice("mog launch", choices.launcher, {"slurm"});
  }
  choices.job.submit = !choices.dry;
  const app::Run run = app::launch(choices.job, std::filesystem::read_symlink("/proc/self/exe"));
  if (context.json) {
    const nlohmann::ordered_json json = {{"path", choices.job.run.string()},
                                         {"task_count", run.tasks},
                                         {"sentences", run.sentences},
                                         {"job_ids", run.jobs}};
    context.print(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return;
  }
  const std::string place = choices.job.run.string();
  context.print(choices.dry ? fmt::format("{0}/task.sh: written, not submitted; `mog status {0} --resubmit` "
                                          "submits its {1}\n",
                                          place, counted(run.tasks, "task"))
                            : fmt::format("{}: {} in job {}; `mog status {}` says how far\n", place,
                                          counted(run.tasks, "task"), run.jobs.back(), place));
}

constexpr app::TaskState kStates[] = {app::TaskState::done, app::TaskState::running, app::TaskState::waiting,
                                      app::TaskState::held, app::TaskState::failed,  app::TaskState::lost,
                                      app::TaskState::idle, app::TaskState::unknown};

std::string text_of(const std::filesystem::path& run, const app::RunStatus& status) {
  std::vector<std::string> counts;
  for (const app::TaskState state : kStates) {
    if (const std::int64_t count = status.count(state); count > 0) {
      counts.push_back(fmt::format("{} {}", app::grouped(count), app::name(state)));
    }
  }
  std::string text =
      fmt::format("{}: {}: {}\n", run.string(), counted(status.run.tasks, "task"), app::joined(counts, ", "));
  if (status.sentences > 0) {
    text += status.run.sentences > 0
                ? fmt::format("{} of {} {}", app::grouped(status.sentences),
                              app::grouped(status.run.sentences), plural(status.run.sentences, "sentence"))
                : fmt::format("{} {}", app::grouped(status.sentences), plural(status.sentences, "sentence"));
    if (status.left_s >= 0) {
      text += fmt::format(", {:.3g} a second, {} left", status.per_second, app::duration_text(status.left_s));
    }
    text += "\n";
  }
  if (!status.queue_problem.empty()) {
    text += fmt::format("nobody knows which of the unknown ones run: {}\n", status.queue_problem);
  }
  for (std::size_t at = 0; at < status.tasks.size(); ++at) {
    const app::TaskStatus& task = status.tasks[at];
    const std::string log = (run / "logs" / fmt::format("{}.log", at + 1)).string();
    if (task.state == app::TaskState::failed) {
      text += fmt::format("task {} failed, exit {}{}: see {}\n", at + 1, task.exit_code,
                          task.attempts > 1 ? fmt::format(", begun {} times", task.attempts) : "", log);
    } else if (task.state == app::TaskState::held) {
      text += fmt::format("task {} is held: Slurm could not start it; --resubmit lets it go\n", at + 1);
    } else if (task.state == app::TaskState::lost) {
      text += fmt::format("task {} is lost, it is not in the queue and did not end: see {}\n", at + 1, log);
    }
  }
  return text;
}

nlohmann::ordered_json json_of(const std::filesystem::path& run, const app::RunStatus& status,
                               const std::vector<std::int64_t>& again) {
  nlohmann::ordered_json json = {{"path", run.string()}, {"task_count", status.run.tasks}};
  for (const app::TaskState state : kStates) {
    std::vector<std::size_t> tasks;
    for (std::size_t at = 0; at < status.tasks.size(); ++at) {
      if (status.tasks[at].state == state) {
        tasks.push_back(at + 1);
      }
    }
    json[std::string(app::name(state))] = tasks;
  }
  json["sentences"] = status.run.sentences;
  json["recorded"] = status.sentences;
  json["sentences_per_s"] = status.per_second;
  json["left_s"] =
      status.left_s < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(status.left_s);
  json["resubmitted"] = again;
  json["queue_problem"] = status.queue_problem;
  return json;
}

struct StatusChoices {
  std::filesystem::path run;
  bool resubmit = false;
  bool watch = false;
  double every_s = 10;
  std::int64_t attempts = app::WatchOptions{}.attempts;
};

void print_status(Context& context, const StatusChoices& choices, const app::RunStatus& status,
                  const std::vector<std::int64_t>& again) {
  if (context.json) {
    context.print(json_of(choices.run, status, again)
                      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                  "\n");
    return;
  }
  context.print(text_of(choices.run, status));
  if (choices.resubmit && !(choices.watch && again.empty())) {
    context.print(again.empty() ? "nothing to submit again\n"
                                : fmt::format("submitted again: {}\n", app::array_text(again)));
  }
}

// A bar of sentences, or of tasks where they write none that can be counted.
app::Progress progress_of(const app::RunStatus& status) {
  app::Progress progress;
  const bool sentences = status.sentences > 0 && status.run.sentences > 0;
  progress.done = sentences ? status.sentences : status.count(app::TaskState::done);
  progress.total = sentences ? status.run.sentences : status.run.tasks;
  progress.unit = sentences ? "sentences" : "tasks";
  progress.message = status.queue_problem.empty()
                         ? fmt::format("{} running, {} waiting", status.count(app::TaskState::running),
                                       status.count(app::TaskState::waiting))
                         : "the queue does not answer";
  return progress;
}

void watch(Context& context, const StatusChoices& choices) {
  std::vector<std::int64_t> all_again;
  const auto seen = [&](const app::RunStatus& status, std::span<const std::int64_t> again) {
    if (!again.empty()) {
      context.console.end_progress();
      context.console.note(fmt::format("submitted again: {}", app::array_text(again)));
      all_again.insert(all_again.end(), again.begin(), again.end());
    }
    context.console.progress(progress_of(status));
  };
  const app::RunStatus status =
      app::watch_run(choices.run,
                     {.every = std::chrono::milliseconds(std::llround(choices.every_s * 1000)),
                      .resubmit = choices.resubmit,
                      .attempts = choices.attempts},
                     seen, context.stop());
  context.console.end_progress();
  std::sort(all_again.begin(), all_again.end());
  all_again.erase(std::unique(all_again.begin(), all_again.end()), all_again.end());
  print_status(context, choices, status, all_again);
  if (const std::int64_t done = status.count(app::TaskState::done); done < status.run.tasks) {
    throw Error(fmt::format("{}: {} of {} did not end well", choices.run.string(), status.run.tasks - done,
                            counted(status.run.tasks, "task")));
  }
}

void say_status(Context& context, const StatusChoices& choices) {
  if (choices.watch) {
    watch(context, choices);
    return;
  }
  const app::RunStatus status = app::run_status(choices.run);
  print_status(context, choices, status,
               choices.resubmit ? app::submit_again(choices.run, status) : std::vector<std::int64_t>{});
}

}  // namespace

void add_launch(CLI::App& app, Context& context) {
  const auto choices = std::make_shared<LaunchChoices>();
  app::SlurmOptions& slurm = choices->job.slurm;
  CLI::App* const command = app.add_subcommand(
      "launch", "Run a command as many tasks of a cluster, each on its part of the corpus");
  command->add_option("LAUNCHER", choices->launcher, "slurm: an array job")->required();
  command->add_option("RUN", choices->job.run, "New folder of the run: its script, logs and parts")
      ->required();
  command->add_option("COMMAND", choices->job.command,
                      "Behind --: record, stats, ablate, faithfulness, syntax, parse, translate, summarize "
                      "or train with its options, without --shard");
  command
      ->add_option("--tasks", choices->job.tasks,
                   "Parts of the corpus, or of the runs of a sweep, a task each")
      ->required();
  command->add_option("--partition", slurm.partition, "As sbatch has it");
  command->add_option("--time", slurm.time, "Limit of one task, as sbatch has it: 2:00:00");
  command->add_option("--gpus", slurm.gpus, "Of each task: 1, a100:1");
  command->add_option("--cpus", slurm.cpus, "Of each task")->check(CLI::PositiveNumber);
  command->add_option("--memory", slurm.memory, "Of each task: 16G");
  command->add_option("--at-once", slurm.at_once, "Most tasks that run at the same time")
      ->check(CLI::PositiveNumber);
  command->add_option("--job-name", slurm.name, "What the queue calls it");
  command->add_flag("--dry-run", choices->dry, "Write the script, submit nothing");
  context.add_common_options(*command);
  command->footer(examples(
      {"mog launch slurm run --tasks 8 --partition gpu --gpus 1 --time 2:00:00 -- record -m M -i corpus.txt",
       "mog launch slurm run --tasks 100 --at-once 20 -- parse -i corpus.txt", "mog status run --resubmit",
       "mog stats run/part-*.rec"}));
  command->callback(
      [&context, choices] { context.action = [&context, choices] { launch(context, *choices); }; });
}

void add_status(CLI::App& app, Context& context) {
  const auto choices = std::make_shared<StatusChoices>();
  CLI::App* const command = app.add_subcommand("status", "How far the tasks of `mog launch` are");
  command->add_option("RUN", choices->run, "Folder of the run")->required();
  command->add_flag("--resubmit", choices->resubmit,
                    "Submit again what failed, was lost or was never submitted; let go what the queue holds");
  CLI::Option* const watched =
      command->add_flag("--watch", choices->watch,
                        "Look again and again until no task is left in the queue; with --resubmit until all "
                        "are done. Exit code 1: not all ended well");
  command->add_option("--every", choices->every_s, "Seconds between two looks of --watch")
      ->capture_default_str()
      ->needs(watched)
      ->check(between(0.1, 86'400.0));
  command->add_option("--attempts", choices->attempts, "How often --watch --resubmit lets one task begin")
      ->capture_default_str()
      ->needs(watched)
      ->check(CLI::Range(1, 1000));
  context.add_common_options(*command);
  command->footer(examples({"mog status run", "mog status run --resubmit",
                            "mog status run --watch --resubmit", "mog status run --json"}));
  command->callback(
      [&context, choices] { context.action = [&context, choices] { say_status(context, *choices); }; });
}

}  // namespace mog::cli

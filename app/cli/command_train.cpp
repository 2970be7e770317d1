#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/context.h"
#include "app/cli/processes_option.h"
#include "app/cli/shard_option.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/experiment/train_config.h"
#include "app/workflow/experiment/train_sweep.h"
#include "app/workflow/train/sweep_job.h"
#include "app/workflow/train/train_inputs.h"
#include "app/workflow/train/train_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path config;
  app::TrainJobOptions job;
  bool check = false;
  std::filesystem::path start;
  std::filesystem::path teacher;
  std::vector<std::string> runs;  // of a sweep
  ShardOption shard;              // of these
  ProcessesOption processes;      // of one run
  app::WatchOptions watch;
  bool table = false;
  std::function<bool()> seed_given;
};

std::string validation_text(const app::TrainReport& report) {
  std::string text = fmt::format("step {}, epoch {}: loss {:.4f}", report.step, report.epoch,
                                 report.distillation.empty() ? report.loss : report.total);
  for (const auto& [name, value] : report.distillation) {
    text += fmt::format(", {} {:.4f}", name, value);
  }
  for (const auto& [name, value] : report.dev) {
    text += fmt::format(", dev {} {:.4f}", name, value);
  }
  if (report.token_cosine) {
    text += fmt::format(", token cosine {:.2f}", *report.token_cosine);
  }
  return text + (report.best ? "  (best)" : "");
}

// --start and --teacher; what they replaced, or why not.
void replace_models(app::TrainConfig& config, const Options& options, bool& start, bool& teacher) {
  if (!options.start.empty() && !config.start.model.empty()) {
    config.start.model = options.start;
    start = true;
  }
  if (!options.teacher.empty() && config.distills()) {
    config.distill.teacher = options.teacher;
    teacher = true;
  }
}

void check_replaced(const Options& options, bool start, bool teacher) {
  if (!options.start.empty() && !start) {
    throw UsageError("--start " + options.start.string() + ": " + options.config.string() +
                     " has no section [start]");
  }
  if (!options.teacher.empty() && !teacher) {
    throw UsageError("--teacher " + options.teacher.string() + ": " + options.config.string() +
                     " has no section [distill]");
  }
}

void take_watch(Options& options) {
  if (!options.watch.corpus.empty()) {
    options.job.watch = options.watch;
    app::check_watch(options.watch);
  } else if (options.watch.sentences != app::WatchOptions{}.sentences) {
    throw UsageError("--watch-sentences: it needs a corpus; give --watch CORPUS");
  } else if (!options.watch.quantities.empty()) {
    throw UsageError("--watch-quantity " + options.watch.quantities +
                     ": it needs a corpus; give --watch CORPUS");
  }
}

void connect(Context& context, app::TrainJobOptions& job) {
  job.stop = context.stop();
  job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  job.note = [&](const std::string& message) { context.console.note(message); };
  job.progress = [&](const app::TrainReport& report) {
    if (!report.dev.empty()) {
      context.console.note(validation_text(report));
    }
    const bool by_steps = report.steps > 0;
    context.console.progress(
        {by_steps ? report.step : report.epoch, by_steps ? report.steps : report.epochs,
         by_steps ? "updates" : "epochs",
         fmt::format("training, loss {:.4f}, {:.0f} tokens/s",
                     report.distillation.empty() ? report.loss : report.total, report.tokens_per_second)});
  };
}

// All at once, with the folder in which they were looked for.
void refuse_missing(const app::TrainConfig& config, const Options& options,
                    const std::vector<std::filesystem::path>& missing) {
  if (missing.empty()) {
    return;
  }
  std::string text =
      fmt::format("{}: {} of the data {} not there; --data names another folder than {}",
                  options.config.string(), missing.size() == 1 ? "a file" : "files",
                  missing.size() == 1 ? "is" : "are", app::data_root(config, options.job).string());
  for (const std::filesystem::path& file : missing) {
    text += "\n     " + file.string();
  }
  throw UsageError(text);
}

// Tasks share the runs of a sweep; one run is not divided.
app::Shard shard_of_sweep(Context& context, const Options& options) {
  if (!options.shard.text.empty() && options.table) {
    throw UsageError("--shard: --table trains nothing; leave one of the two out");
  }
  return options.shard.shard(context);
}

void check_sweep(Context& context, const app::Sweep& sweep, const std::vector<std::size_t>& chosen) {
  nlohmann::ordered_json json = {{"sound", true}, {"runs", nlohmann::ordered_json::array()}};
  std::string text = fmt::format(
      "{}: sound, {} of {}\n  {:<32} {:>10}  parameters besides vocabulary and "
      "heads\n",
      sweep.file.string(), chosen.size(), counted(static_cast<std::int64_t>(sweep.runs.size()), "run"), "run",
      "seed");
  for (const std::size_t index : chosen) {
    const app::SweepRun& run = sweep.runs[index];
    const std::int64_t parameters = app::inner_parameters(run.config);
    text += fmt::format("  {:<32} {:>10}  {}\n", run.name, run.seed, app::grouped(parameters));
    nlohmann::ordered_json item = {{"run", run.name}, {"seed", run.seed}, {"inner_parameters", parameters}};
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
      item["values"][sweep.axes[axis]] = run.values[axis];
    }
    json["runs"].push_back(item);
  }
  context.print(context.json ? json.dump(2) + "\n" : text);
}

void train_sweep(Context& context, Options& options, app::Sweep sweep) {
  if (!options.processes.text.empty()) {
    throw UsageError("--processes: " + options.config.string() +
                     " is a sweep; its runs are shared out whole, with --shard");
  }
  if (options.seed_given()) {
    throw UsageError("--seed: " + options.config.string() + " is a sweep; its seeds are sweep.seeds");
  }
  bool start = false;
  bool teacher = false;
  for (app::SweepRun& run : sweep.runs) {
    replace_models(run.config, options, start, teacher);
  }
  check_replaced(options, start, teacher);
  app::SweepJobOptions job;
  job.train = options.job;
  job.runs = options.runs;
  job.shard = shard_of_sweep(context, options);
  job.table_only = options.table;
  if (options.check) {
    const std::vector<std::size_t> chosen = app::chosen_runs(sweep, job);
    if (!context.json) {  // with --json one document, the runs or the error
      check_sweep(context, sweep, chosen);
    }
    std::vector<std::filesystem::path> missing;
    for (const std::size_t run : chosen) {
      for (const std::filesystem::path& file : app::missing_inputs(sweep.runs[run].config, options.job)) {
        if (std::find(missing.begin(), missing.end(), file) == missing.end()) {
          missing.push_back(file);
        }
      }
    }
    refuse_missing(sweep.runs.front().config, options, missing);
    if (context.json) {
      check_sweep(context, sweep, chosen);
    }
    return;
  }
  connect(context, job.train);
  job.begin = [&](const app::SweepRun& run, std::int64_t number, std::int64_t count) {
    context.console.end_progress();
    context.console.note(fmt::format("Run {} of {}: {}.", number, count, run.name));
  };
  app::SweepJob sweeping(std::move(sweep), std::move(job));
  const app::SweepTable table = sweeping.run();
  context.console.end_progress();
  context.print(context.json ? app::to_json(table) + "\n" : app::to_markdown(table));
}

// The job's copy of the processes is the only one: where it ends, the others notice.
app::TrainResult run(const app::TrainConfig& config, Options& options, const JoinedProcesses& processes) {
  try {
    return app::TrainJob(config, std::move(options.job)).run();
  } catch (const Error& error) {
    const std::string lost = error.exit_code() == ExitCode::other ? processes.lost() : std::string();
    if (lost.empty()) {
      throw;
    }
    throw Error(error.what() + lost);
  }
}

void train(Context& context, Options& options) {
  take_watch(options);
  if (std::optional<app::Sweep> sweep = app::read_sweep(options.config)) {
    train_sweep(context, options, std::move(*sweep));
    return;
  }
  for (const auto& [name, given] :
       {std::pair("--table", options.table), std::pair("--runs", !options.runs.empty()),
        std::pair("--shard", !options.shard.text.empty())}) {
    if (given) {
      throw UsageError(std::string(name) + ": " + options.config.string() + " has no section [sweep]");
    }
  }
  options.processes.check();
  app::TrainConfig config = app::read_train_config(options.config);
  if (options.seed_given()) {
    config.training.trainer.seed = context.seed;
  }
  bool start = false;
  bool teacher = false;
  replace_models(config, options, start, teacher);
  check_replaced(options, start, teacher);
  if (options.check) {
    if (!context.json) {
      context.print(options.config.string() + ": sound\n");
    }
    refuse_missing(config, options, app::missing_inputs(config, options.job));
    if (context.json) {
      context.print("{\"sound\": true}\n");
    }
    return;
  }
  connect(context, options.job);
  JoinedProcesses processes(context, options.processes);
  options.job.device.device = processes.device(options.job.device.device);
  options.job.processes = processes.join();
  const app::TrainResult result = run(config, options, processes);
  context.console.end_progress();
  if (!processes.first()) {
    return;
  }
  const nlohmann::ordered_json json = {
      {"path", result.directory.string()},     {"updates", result.steps}, {"epochs", result.epochs},
      {"stopped_early", result.stopped_early}, {"dev", result.dev},       {"test", result.test}};
  if (context.json) {
    context.print(json.dump(2) + "\n");
    return;
  }
  std::string text =
      fmt::format("{}: {}, {}{}\n", result.directory.string(), counted(result.steps, "update"),
                  counted(result.epochs, "epoch"), result.stopped_early ? ", stopped early" : "");
  for (const auto& [name, value] : result.dev) {
    text += fmt::format("  dev {:<16} {:.4f}\n", name, value);
  }
  for (const auto& [name, value] : result.test) {
    text += fmt::format("  test {:<15} {:.4f}\n", name, value);
  }
  context.print(text);
}

}  // namespace

void add_train(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("train", "Train a model, or a sweep of models, after a TOML file");
  command->add_option("CONFIG", options->config, "TOML (docs/training.md)")->required();
  command->add_option("--data", options->job.data_root,
                      "Folder of the data, in place of the configuration's");
  command->add_option("--start", options->start, "Model directory to start from, in place of start.model");
  command->add_option("--teacher", options->teacher,
                      "Model directory to learn from, in place of distill.teacher");
  command->add_option("--output,-o", options->job.output, "Model directory, in place of the configuration's");
  command->add_flag("--resume", options->job.resume, "Go on from the last checkpoint");
  command->add_flag("--overwrite", options->job.overwrite,
                    "Start anew although a checkpoint or a model is there");
  command
      ->add_option("--runs", options->runs,
                   "Only these runs of a sweep: names with * ? [ ], or K/N for every N-th from the K-th")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_option(
      "--shard", options->shard.text,
      "Of these runs every n-th from the i-th: i/n; auto: as Slurm, mpirun or RANK and WORLD_SIZE "
      "say (docs/scale.md)");
  add_processes_option(*command, options->processes);
  const std::string watched = "Watching";
  command
      ->add_option("--watch", options->watch.corpus,
                   "Text or treebank whose quantities are counted before the first update and at every "
                   "validation, into OUTPUT.training/trajectory.csv (mog figure trajectory)")
      ->group(watched);
  command
      ->add_option(
          "--watch-quantity", options->watch.quantities,
          "As mog stats --quantity, token_cosine and, of a treebank, uuas; by default what the model "
          "has without the attention grammar")
      ->group(watched);
  command->add_option("--watch-sentences", options->watch.sentences, "The first so many of the corpus")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
      ->group(watched);
  command->add_flag("--table", options->table, "Train nothing: the table of a sweep from what is there");
  command->add_flag("--check", options->check,
                    "Only read and check the configuration, and look for the files of the data");
  context.add_common_options(*command);
  options->seed_given = [command] { return command->get_option("--seed")->count() > 0; };
  command->footer(
      examples({"mog train tagger.toml", "mog train tagger.toml --resume",
                "mog train tagger.toml --data ../data --output my-model --device cuda",
                "mog train distilled.toml --start minilm --teacher minilm --output student",
                "mog train variants.toml --output variants --runs 'gate-*' --resume",
                "srun -n 4 mog train variants.toml --output variants --shard auto --resume",
                "mog train tagger.toml --watch dev.conllu", "mog train tagger.toml --processes 4 --threads 1",
                "srun -n 8 mog train tagger.toml --processes auto"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { train(context, *options); }; });
}

}  // namespace mog::cli

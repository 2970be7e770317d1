#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/context.h"
#include "app/workflow/train_config.h"
#include "app/workflow/train_job.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path config;
  app::TrainJobOptions job;
  bool check = false;
  std::filesystem::path start;
  std::filesystem::path teacher;
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

void train(Context& context, Options& options) {
  app::TrainConfig config = app::read_train_config(options.config);
  if (options.seed_given()) {
    config.training.trainer.seed = context.seed;
  }
  if (!options.start.empty()) {
    if (config.start.model.empty()) {
      throw UsageError("--start " + options.start.string() + ": " + options.config.string() +
                       " has no section [start]");
    }
    config.start.model = options.start;
  }
  if (!options.teacher.empty()) {
    if (!config.distills()) {
      throw UsageError("--teacher " + options.teacher.string() + ": " + options.config.string() +
                       " has no section [distill]");
    }
    config.distill.teacher = options.teacher;
  }
  if (options.check) {
    context.print(context.json ? "{\"sound\": true}\n" : options.config.string() + ": sound\n");
    return;
  }
  options.job.stop = context.stop();
  options.job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  options.job.note = [&](const std::string& message) { context.console.note(message); };
  options.job.progress = [&](const app::TrainReport& report) {
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
  const app::TrainResult result = app::TrainJob(config, options.job).run();
  context.console.end_progress();
  const nlohmann::ordered_json json = {
      {"directory", result.directory.string()}, {"steps", result.steps}, {"epochs", result.epochs},
      {"stopped_early", result.stopped_early},  {"dev", result.dev},     {"test", result.test}};
  if (context.json) {
    context.print(json.dump(2) + "\n");
    return;
  }
  std::string text = fmt::format("{}: {} updates, {} epochs{}\n", result.directory.string(), result.steps,
                                 result.epochs, result.stopped_early ? ", stopped early" : "");
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
  CLI::App* const command = app.add_subcommand("train", "Train a model after a TOML file");
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
  command->add_flag("--check", options->check, "Only read and check the configuration");
  context.add_common_options(*command);
  options->seed_given = [command] { return command->get_option("--seed")->count() > 0; };
  command->footer(examples({"mog train tagger.toml", "mog train tagger.toml --resume",
                            "mog train tagger.toml --data ../data --output my-model --device cuda",
                            "mog train distilled.toml --start minilm --teacher minilm --output student"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { train(context, *options); }; });
}

}  // namespace mog::cli

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/context.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/models/randomize_job.h"

namespace mog::cli {
namespace {

struct Options {
  app::RandomizeOptions job;
  std::string weights = "fresh";
};

void randomize(Context& context, Options& options) {
  options.job.method = app::parse_random_weights(options.weights);
  options.job.seed = context.seed;
  options.job.source = app::model_path(options.job.source);
  const app::RandomizeSummary summary = app::randomize_model(options.job, context.device_options());
  if (context.json) {
    const nlohmann::ordered_json json = {{"path", summary.path},
                                         {"tensor_count", summary.tensors},
                                         {"parameters", summary.parameters},
                                         {"kept", summary.kept}};
    context.print(json.dump(2) + "\n");
    return;
  }
  if (!context.quiet) {
    context.print(fmt::format("{}: {} tensors ({} parameters) without training, {} kept\n", summary.path,
                              summary.tensors, summary.parameters, summary.kept));
  }
}

}  // namespace

void add_randomize(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "randomize", "Write a copy of a model with random weights: the control beside a trained one");
  command->add_option("MODEL", options->job.source, "Model directory")->required();
  command->add_option("--output,-o", options->job.output, "The new model directory")->required();
  command
      ->add_option(
          "--weights", options->weights,
          "fresh: drawn as training draws them at its start; permute: each tensor's own values in random "
          "places")
      ->capture_default_str();
  command
      ->add_option("--branch-scale", options->job.branch_scale,
                   "fresh: factor on out_proj, low and fc2 weights (training.branch_scale)")
      ->capture_default_str();
  command->add_option("--keep", options->job.keep,
                      "Tensors whose names start so stay as they are, for example encoder.embed_");
  command->add_flag("--overwrite", options->job.overwrite, "Replace the model that --output holds");
  context.add_common_options(*command);
  command->footer(examples({"mog randomize resources/models/tagger-en-graph --output random-1 --seed 1",
                            "mog randomize M --weights permute --seed 2 --output permuted-2",
                            "mog randomize M --keep encoder.embed_ --output random-layers"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { randomize(context, *options); }; });
}

}  // namespace mog::cli

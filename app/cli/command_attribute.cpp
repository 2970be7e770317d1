#include "app/cli/command_attribute.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/table_output.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/effects/attribute_job.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path model;
  app::AttributeOptions job;
  std::string by = "part";
  bool check = false;
  std::filesystem::path output = "-";
};

void attribute(Context& context, Options& options) {
  options.job.rows = app::parse_logit_rows(options.by);
  const TableOutput output(context, options.output);
  const app::LoadedModel loaded = app::load_for_running(
      app::model_path(options.model), context.device_options(context.threads == 0 ? 1 : context.threads));
  const app::AttributeResult result = app::run_attribution(loaded, options.job);
  if (options.check && !(result.residual() <= result.tolerance)) {
    throw ModelError(
        fmt::format("the parts of the logit sum to something else: {:.3g} of the greatest of them apart, "
                    "allowed are {:.3g}; "
                    "--precision float64 tells rounding from a defect",
                    result.residual(), result.tolerance));
  }
  const analysis::Table table = result.table();
  output.write(context, table);
  for (const std::string& note : result.notes) {
    context.console.note(note);
  }
  if (options.check) {
    context.console.note(fmt::format("the parts sum to the logit, {:.6g}, up to {:.2g} of the greatest",
                                     result.parts.logit, result.residual()));
  }
}

}  // namespace

void add_attribute(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::AttributeOptions& job = options->job;
  CLI::App* const command =
      app.add_subcommand("attribute", "What each head, layer and bias adds to the logit of the next token");
  command
      ->add_option("MODEL,--model,-m", options->model,
                   "Model directory, of a model that predicts the next token")
      ->required();
  command->add_option("--text", job.text, "What the model reads")->required();
  command->add_option("--answer", job.answer,
                      "The token whose logit is taken apart: a text that is one token (\" Paris\", with its "
                      "space), a token as "
                      "the vocabulary spells it, or id:N; by default the most probable one");
  command->add_option("--against", job.against,
                      "The token whose logit is taken away, so that the difference is taken apart");
  command->add_option(
      "--position", job.position,
      "Token behind which the logit stands, from 1, from the end -1; by default the last one");
  command
      ->add_option("--by", options->by,
                   "part (heads, attention bias and feed-forward block of each layer, embedding, biases), "
                   "layer (attention and feed-forward block), source (heads by the token that they read)")
      ->capture_default_str();
  command->add_flag("--check", options->check,
                    "Whether all parts sum to the logit of the forward pass; else an error (5)");
  command->add_option("--output,-o", options->output, ".csv or .jsonl; - is standard output")
      ->capture_default_str();
  context.add_common_options(*command);
  command->footer(
      examples({"mog attribute gpt2 --text \"The capital of France is\" --answer \" Paris\" --against "
                "\" Rome\" -o parts.csv",
                "mog attribute gpt2 --text \"The keys to the cabinet\" --by source --check -o sources.csv",
                "mog figure logit-parts parts.csv -o parts.svg"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { attribute(context, *options); }; });
}

}  // namespace mog::cli

#include "app/cli/command_patch.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/cli/table_output.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/effects/patch_job.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path model;
  app::PatchOptions job;
  std::string into = "corrupt";
  std::string places;
  std::string layers;
  std::string method = "both";
  std::filesystem::path output = "-";
};

void patch(const CLI::App& command, Context& context, Options& options) {
  app::PatchOptions& job = options.job;
  job.directions = app::parse_directions(options.into);
  if (!options.places.empty()) {
    job.places = app::parse_places(options.places);
  }
  if (!options.layers.empty()) {
    job.layers = app::parse_layers(options.layers);
  }
  if (options.method != "both" && options.method != "exact" && options.method != "gradient") {
    throw unknown_choice("--method", options.method, {"both", "exact", "gradient"});
  }
  job.exact = options.method != "gradient";
  job.estimate = options.method != "exact";
  if (job.head_positions && !job.places.empty() &&
      std::find(job.places.begin(), job.places.end(), model::PatchPlace::head) == job.places.end()) {
    throw UsageError("--head-positions: it is of heads; add head to --places");
  }
  if (!job.exact && command.count("--batch-tokens") > 0) {
    throw UsageError("--batch-tokens: it is of patched runs; --method gradient makes none");
  }
  const TableOutput output(context, options.output);
  const app::LoadedModel loaded = app::load_for_running(
      app::model_path(options.model), context.device_options(context.threads == 0 ? 1 : context.threads));
  const app::PatchResult result = app::run_patching(loaded, job, context.stop(), context.console.callback());
  const analysis::Table table = result.table();
  output.write(context, table);
  for (const std::string& note : result.notes) {
    context.console.note(note);
  }
  if (result.clean_value == result.corrupt_value) {
    context.console.note("the model says the same of both texts: effects have no scale and are left empty");
  }
}

}  // namespace

void add_patch(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::PatchOptions& job = options->job;
  CLI::App* const command = app.add_subcommand(
      "patch",
      "Put activations of one text into the run of another: which layers, tokens and heads carry "
      "the answer");
  command->add_option("MODEL,--model,-m", options->model, "Model directory")->required();
  command->add_option("--clean", job.clean, "The text that the model answers well")->required();
  command->add_option("--corrupt", job.corrupt, "The same with a word or two exchanged; as many tokens")
      ->required();
  command->add_option(
      "--answer", job.answer,
      "The token whose logit is read: a text that is one token (\" Paris\", with its space), a token as the "
      "vocabulary spells it, or id:N. Without it the cosine of the encoder's output to that of the clean "
      "text is read");
  command->add_option("--against", job.against, "The token whose logit is taken away from that of --answer");
  command->add_flag("--best-answers", job.best_answers,
                    "Read the token that the model finds most probable behind the clean text, less the one "
                    "behind the corrupt text");
  command->add_option("--position", job.position,
                      "Token that is read, from 1, from the end -1; by default the last one, and for the "
                      "cosine the mean over tokens");
  command
      ->add_option("--into", options->into,
                   "Whose run gets the other's activations: corrupt (denoising: what suffices), clean "
                   "(noising: what is needed) or both")
      ->capture_default_str();
  command->add_option(
      "--places", options->places,
      "residual (state behind a layer, layer 0: behind the embedding), attention and feed_forward (what the "
      "blocks of a layer add), all three token by token, head (output of a head, all tokens at once); commas "
      "between, by default all");
  command->add_flag("--head-positions", job.head_positions, "Heads token by token, not all tokens at once");
  command->add_option("--layers", options->layers,
                      "For example 1-6 or 1,3; by default all, and the embedding");
  command
      ->add_option("--method", options->method,
                   "exact (patched runs), gradient (their first-order estimate, attribution patching) or "
                   "both, with their rank correlation")
      ->capture_default_str();
  command->add_option("--batch-tokens", job.batch_tokens, "Tokens of one packed batch of patched runs")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command->add_option("--output,-o", options->output, ".csv or .jsonl; - is standard output")
      ->capture_default_str();
  context.add_common_options(*command);
  command->footer(examples(
      {"mog patch gpt2 --clean \"The capital of France is\" --corrupt \"The capital of Italy is\" --answer "
       "\" Paris\" --against \" Rome\" -o patch.csv",
       "mog patch gpt2 --clean \"The keys are\" --corrupt \"The key are\" --answer \" lost\" --places head "
       "--into both -o heads.csv",
       "mog patch all-MiniLM-L6-v2 --clean \"A man sings.\" --corrupt \"A man sleeps.\" -o cosine.csv",
       "mog figure patching patch.csv -o patch.svg"}));
  command->callback([&context, options, command] {
    context.action = [&context, options, command] { patch(*command, context, *options); };
  });
}

}  // namespace mog::cli

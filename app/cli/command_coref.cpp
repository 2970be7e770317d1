#include "app/cli/command_coref.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/cli/idle_options.h"
#include "app/cli/words_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/parse/coref_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  WordsOption words;
  app::CorefJobOptions job;
  std::string baseline;
  std::int64_t refinements = -1;
  bool without_singletons = false;
  std::filesystem::path output = "-";
};

void coref(Context& context, const CLI::App& command, Options& options) {
  if (!options.baseline.empty()) {
    const OptionUse uses[] = {{"--device", false, "a model"},
                              {"--precision", false, "a model"},
                              {"--layers-in-memory", false, "a model"}};
    refuse_idle_options(*command.get_parent(), "coref", uses);
    refuse_idle_options(command, "coref", uses);
    options.job.baseline = analysis::parse_coreference_baseline(options.baseline);
    if (options.refinements >= 0 || options.without_singletons) {
      throw UsageError(
          "--refinements and --no-singletons are for a model; a baseline has one chain for every "
          "mention that is there");
    }
  }
  if (!options.job.model.empty()) {
    options.job.model = app::model_path(options.job.model);
  }
  if (options.refinements >= 0) {
    options.job.chains.refinements = options.refinements;
  }
  options.job.singletons = !options.without_singletons;
  options.job.words = options.words.cut();
  options.job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  options.job.chains.stop = context.stop();
  options.job.progress = context.console.callback();
  const app::CorefJobResult result = app::run_coref_job(options.job);
  context.console.end_progress();
  if (result.apart > 0) {
    context.console.note(counted(result.apart, "mention") +
                         " set apart: CoNLL-2012 cannot say that two of one chain cross");
  }
  if (result.windows > 0) {
    context.console.note(counted(static_cast<std::int64_t>(result.documents.size()), "document") + ", " +
                         counted(result.windows, "window") + ", " + counted(result.rounds, "round"));
  }
  context.write(options.output,
                context.json ? app::coref_json(result.documents) : app::coref_text(result.documents));
}

}  // namespace

void add_coref(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("coref", "Which mentions of a document are of one thing, by a model or a baseline");
  command->add_option("--model,-m", options->job.model, "Model directory of coreference");
  command
      ->add_option(
          "INPUT,--input,-i", options->job.input,
          "Documents in CoNLL-2012 (*.conll, *_conll), or a folder of such files; for a model also text, "
          "one sentence a line; - is standard input")
      ->required();
  command->add_option(
      "--baseline", options->baseline,
      "Without a model, for mentions that are there: same-head (mentions of the same head word are "
      "one chain) or nearest (and pronouns of the third person go with the nearest other mention "
      "before them)");
  command->add_option("--output,-o", options->output, "CoNLL-2012; - is standard output")
      ->capture_default_str();
  command
      ->add_option("--refinements", options->refinements,
                   "Most rounds in which the chains are read again; by default as the model was trained")
      ->check(CLI::Range(0, 1000));
  command
      ->add_option("--window", options->job.chains.window,
                   "Tokens that are read at once; by default as the model was trained")
      ->check(CLI::Range(8, 1'000'000));
  command
      ->add_option("--overlap", options->job.chains.overlap,
                   "Tokens that neighbouring windows share; by default as the model was trained")
      ->check(CLI::Range(0, 1'000'000));
  command->add_flag("--no-singletons", options->without_singletons, "Chains of one mention are left out");
  add_words_option(*command, options->words);
  context.add_common_options(*command);
  command->footer(
      examples({"mog coref -m COREF -i story.txt --json", "mog coref -m COREF -i test -o found.conll",
                "mog coref gold.conll --baseline same-head -o found.conll",
                "mog evaluate --hypothesis found.conll --reference gold.conll"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { coref(context, *command, *options); };
  });
}

}  // namespace mog::cli

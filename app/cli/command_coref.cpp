#include "app/cli/command_coref.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/workflow/evaluate/coref_job.h"
#include "io/recording/counted.h"

namespace mog::cli {
namespace {

struct Options {
  app::CorefOptions job;
  std::string baseline;
  std::filesystem::path output = "-";
};

void coref(Context& context, Options& options) {
  options.job.baseline = analysis::parse_coreference_baseline(options.baseline);
  const app::CorefResult result = app::run_coref_job(options.job);
  if (result.apart > 0) {
    context.console.note(counted(result.apart, "mention") +
                         " set apart: CoNLL-2012 cannot say that two of one chain cross");
  }
  context.write(options.output,
                context.json ? app::coref_json(result.documents) : app::coref_text(result.documents));
}

}  // namespace

void add_coref(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "coref", "Which mentions of a document are of one thing, by a baseline without a model");
  command
      ->add_option("INPUT,--input,-i", options->job.input,
                   "Documents with mentions in CoNLL-2012, or a folder of such files; - is standard input")
      ->required();
  command
      ->add_option("--baseline", options->baseline,
                   "same-head (mentions of the same head word are one chain) or nearest (and pronouns of the "
                   "third person go with the nearest other mention before them)")
      ->required();
  command->add_option("--output,-o", options->output, "CoNLL-2012; - is standard output")
      ->capture_default_str();
  context.add_common_options(*command);
  command->footer(examples({"mog coref gold.conll --baseline same-head -o found.conll",
                            "mog evaluate --hypothesis found.conll --reference gold.conll"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { coref(context, *options); }; });
}

}  // namespace mog::cli

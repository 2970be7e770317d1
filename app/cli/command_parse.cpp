#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

#include "app/cli/context.h"
#include "app/cli/words_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/parse/parse_job.h"
#include "io/recording/counted.h"

namespace mog::cli {
namespace {

constexpr const char* kBundled = "parser-en";

struct Options {
  WordsOption words;
  app::ParseJobOptions job;
  std::string format = "conllu";
  std::int64_t refinements = -1;
};

void parse(Context& context, Options& options) {
  options.job.format = app::parse_parse_format(context.json ? "jsonl" : options.format);
  options.job.words = options.words.cut();
  options.job.print = [&context](std::string_view text) { context.print(text); };
  options.job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  options.job.stop = context.stop();
  options.job.progress = context.console.callback();
  options.job.model = app::model_path(options.job.model.empty() ? kBundled : options.job.model);
  if (options.refinements >= 0) {
    options.job.refinements = options.refinements;
  }
  const app::ParseResult result = app::run_parse_job(options.job);
  context.console.end_progress();
  context.console.note(
      counted(result.sentences, "sentence") + ", " + counted(result.words, "word") + ", " +
      (result.transitions > 0 ? counted(result.transitions, "transition") : counted(result.rounds, "round")));
}

}  // namespace

void add_parse(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("parse", "Dependency trees of a text by a trained parser");
  command->add_option(
      "--model,-m", options->job.model,
      "Model directory of a parser, or the name of a bundled one; by default parser-en (English)");
  command
      ->add_option("--input,-i", options->job.input,
                   "Text, one sentence a line, or .conllu; - is standard input")
      ->required();
  command->add_option("--output,-o", options->job.output, "File; standard output by default");
  command->add_option("--format", options->format, "conllu or jsonl")->capture_default_str();
  command->add_option("--trace", options->job.trace,
                      "Also writes the tree of every round, with what changed, or every transition with its "
                      "state, as JSON lines to this file");
  command
      ->add_option("--refinements", options->refinements,
                   "Most rounds in which the tree is read again; by default as the model was trained")
      ->check(CLI::Range(0, 1000));
  command->add_flag("--projective", options->job.projective, "Trees without crossing arcs alone (Eisner)");
  command->add_option("--max-sentences", options->job.max_sentences, "Only the first so many")
      ->check(CLI::NonNegativeNumber);
  add_words_option(*command, options->words);
  context.add_common_options(*command);
  command->footer(examples({"mog parse -i text.txt -o text.conllu",
                            "mog parse -m PARSER -i treebank.conllu --trace rounds.jsonl -o parsed.conllu",
                            "echo 'The dog sleeps.' | mog parse -i - --json"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { parse(context, *options); }; });
}

}  // namespace mog::cli

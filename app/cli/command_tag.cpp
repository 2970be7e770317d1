#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

#include "app/cli/context.h"
#include "app/cli/words_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/evaluate/tag_job.h"
#include "io/recording/counted.h"

namespace mog::cli {
namespace {

struct Options {
  WordsOption words;
  app::TagJobOptions job;
  std::string format = "tsv";
};

void tag(Context& context, Options& options) {
  const std::string format = context.json ? "jsonl" : options.format;
  options.job.format = app::parse_tag_format(format);
  options.job.words = options.words.cut();
  options.job.print = [&context](std::string_view text) { context.print(text); };
  options.job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  options.job.stop = context.stop();
  options.job.progress = context.console.callback();
  options.job.model = app::model_path(options.job.model);
  const app::TagResult result = app::run_tag_job(options.job);
  context.console.end_progress();
  context.console.note(counted(result.sentences, "sentence") + ", " + counted(result.words, "word"));
}

}  // namespace

void add_tag(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("tag", "Tag the words of a text with a trained tagger");
  command->add_option("--model,-m", options->job.model,
                      "Model directory with tagging heads, or the name of a bundled model; by default "
                      "tagger-en-distilled. Models of "
                      "other programs have no tagging heads (mog train starts a tagger from one)");
  command
      ->add_option("--input,-i", options->job.input,
                   "Text, one sentence a line, or .conllu; - is standard input")
      ->required();
  command->add_option("--output,-o", options->job.output, "File; standard output by default");
  command->add_option("--format", options->format, "tsv, jsonl or conllu")->capture_default_str();
  command->add_option("--max-sentences", options->job.max_sentences, "Only the first so many");
  add_words_option(*command, options->words);
  context.add_common_options(*command);
  command->footer(examples({"mog tag -i text.txt", "mog tag -m tagger-en-graph -i text.txt --format conllu",
                            "echo 'The dog sleeps .' | mog tag -m M -i - --json"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { tag(context, *options); }; });
}

}  // namespace mog::cli

#include "app/cli/command_tokenize.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/workflow/common/resources.h"
#include "app/workflow/models/tokenize_job.h"
#include "io/text/output_file.h"

namespace mog::cli {
namespace {

struct Options {
  app::TokenizeOptions job;
  std::string format;
  std::filesystem::path output = "-";
  bool bare = false;
};

void tokenize(Context& context, Options options) {
  options.job.tokenizer = app::model_path(options.job.tokenizer);
  options.job.frame = !options.bare;
  options.job.format = app::parse_tokenize_format(!options.format.empty() ? options.format
                                                  : context.json          ? "json"
                                                                          : "pieces");
  if (options.output == "-") {
    app::tokenize(
        options.job, [&](std::string_view line) { context.print(line); }, context.stop());
    return;
  }
  io::OutputFile file(options.output, io::Links::follow);
  const auto lines = app::tokenize(
      options.job, [&](std::string_view line) { file.write(line); }, context.stop());
  file.commit();
  context.console.note("wrote " + options.output.string() + ", " + std::to_string(lines) + " lines");
}

}  // namespace

void add_tokenize(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("tokenize", "Cut lines of text into the pieces that a model sees");
  command
      ->add_option(
          "TOKENIZER", options->job.tokenizer,
          "A tokenizer.json, a model directory, or a Hugging Face folder (tokenizer.json; vocab.txt; "
          "vocab.json with merges.txt)")
      ->required();
  command->add_option("--input,-i", options->job.input, "One sentence a line; - is standard input")
      ->capture_default_str();
  command->add_option("--format", options->format,
                      "pieces, ids, or json (a line: pieces, ids, words from 1, bytes of the text); "
                      "pieces where not given, with --json json");
  command->add_option("--output,-o", options->output, "A file; - is standard output")->capture_default_str();
  command->add_flag("--no-special", options->bare, "Without the special tokens around a sentence");
  context.add_common_options(*command);
  command->footer(examples({"mog tokenize tokenizer.json --input corpus.txt --format ids",
                            "echo 'Old men sleep.' | mog tokenize minilm/ --json"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { tokenize(context, *options); }; });
}

}  // namespace mog::cli

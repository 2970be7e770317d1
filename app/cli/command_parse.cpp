#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "app/cli/context.h"
#include "app/cli/figure_look.h"
#include "app/cli/idle_options.h"
#include "app/cli/shard_option.h"
#include "app/cli/words_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/parse/parse_job.h"
#include "io/recording/counted.h"

namespace mog::cli {
namespace {

constexpr const char* kBundled = "parser-en";

struct Options {
  WordsOption words;
  ShardOption shard;
  app::ParseJobOptions job;
  std::string format = "conllu";
  std::int64_t refinements = -1;
  std::vector<std::string> forced;
  std::vector<std::string> forbidden;
  FigureLook look;
  std::string picture = "arcs";
  std::int64_t step = 0;
  std::string csv;
  std::string data;
};

void refuse_idle(const CLI::App& command, const Options& options) {
  const bool drawn = !options.look.draw.output.empty();
  const bool made = drawn || !options.csv.empty() || !options.data.empty();
  const OptionUse uses[] = {{"--draw", made, "--svg, --csv and --data"},
                            {"--step", made, "--svg, --csv and --data"},
                            {"--preset", drawn, "--svg"},
                            {"--width", drawn, "--svg"},
                            {"--caption", drawn, "--svg"},
                            {"--title", made, "--svg, --csv and --data"},
                            {"--font", drawn, "--svg"},
                            {"--theme", drawn, "--svg"},
                            {"--mark", made, "--svg, --csv and --data"},
                            {"--dpi", drawn, "--svg"},
                            {"--scale", drawn, "--svg"},
                            {"--letters", drawn, "--svg"},
                            {"--x-limits", false, "`mog figure`"},
                            {"--y-limits", false, "`mog figure`"}};
  refuse_idle_options(command, "parse", uses);
}

// The picture of the sentence, and the numbers behind it.
void draw(Context& context, const CLI::App& command, const Options& options,
          const app::ParsedSentence& parsed) {
  const app::ParsePicture picture = app::parse_parse_picture(options.picture);
  analysis::FigureData figure = app::parse_picture(parsed, picture, options.step);
  apply_look(figure, command, options.look);
  if (!options.look.draw.output.empty()) {
    context.console.notes(Drawer().draw(figure, options.look.draw));
  }
  app::PictureCommand line{.model = options.job.model.string(),
                           .input = options.job.input.string(),
                           .words = options.job.words,
                           .choice = {options.job.refinements, options.job.projective, parsed.constraints},
                           .picture = picture,
                           .step = options.step,
                           .marks = options.look.draw.marks};
  const app::FigureFacts facts = app::picture_facts(parsed, line);
  if (!options.csv.empty()) {
    context.write(options.csv, app::figure_csv(figure, facts));
  }
  if (!options.data.empty()) {
    app::save_figure_data(figure, facts, options.data);
  }
}

void take_arcs(Options& options) {
  for (const std::string& text : options.forced) {
    options.job.constraints.forced.push_back(app::parse_tree_arc("--force", text));
  }
  for (const std::string& text : options.forbidden) {
    options.job.constraints.forbidden.push_back(app::parse_tree_arc("--forbid", text));
  }
}

void parse(Context& context, const CLI::App& command, Options& options) {
  refuse_idle(command, options);
  take_arcs(options);
  app::parse_parse_picture(options.picture);
  if (!options.look.draw.output.empty()) {
    finish_look(options.look);
  }
  options.job.format = app::parse_parse_format(context.json ? "jsonl" : options.format);
  options.job.words = options.words.cut();
  options.job.shard = options.shard.shard(context);
  options.job.output = options.shard.path(options.job.output, options.job.shard);
  options.job.trace = options.shard.path(options.job.trace, options.job.shard);
  options.job.print = [&context](std::string_view text) { context.print(text); };
  options.job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  options.job.stop = context.stop();
  options.job.progress = context.console.callback();
  options.job.model = app::model_path(options.job.model.empty() ? kBundled : options.job.model);
  if (options.refinements >= 0) {
    options.job.refinements = options.refinements;
  }
  if (!options.look.draw.output.empty() || !options.csv.empty() || !options.data.empty()) {
    options.job.look = [&](const app::ParsedSentence& parsed) { draw(context, command, options, parsed); };
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
  command->add_flag("--projective", options->job.projective,
                    "The best tree without crossing arcs; a transition parser has no SWAP then");
  command
      ->add_option("--force", options->forced,
                   "WORD:HEAD, an arc that the tree of the only sentence has, in every round; 0 is the root")
      ->allow_extra_args(false);
  command->add_option("--forbid", options->forbidden, "WORD:HEAD, an arc that it has not")
      ->allow_extra_args(false);
  command->add_option("--max-sentences", options->job.max_sentences, "Only the first so many")
      ->check(CLI::NonNegativeNumber);
  add_shard_option(*command, options->shard);
  add_words_option(*command, options->words);
  command->add_option("--svg", options->look.draw.output,
                      "Also draws the tree of the only sentence (F.svg, F.pdf or F.png)");
  command
      ->add_option("--draw", options->picture,
                   "arcs, or matrix: probabilities of all arcs, of a transition parser of its actions")
      ->capture_default_str();
  command
      ->add_option("--step", options->step,
                   "Which round is drawn, or which state of a transition parser; by default the last")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--csv", options->csv, "The numbers behind the picture; - is standard output");
  command->add_option("--data", options->data, "The numbers as HDF5");
  add_look_options(*command, options->look);
  for (const char* const of_axes : {"--x-limits", "--y-limits"}) {
    command->get_option(of_axes)->group("");
  }
  context.add_common_options(*command);
  command->footer(examples({"mog parse -i text.txt -o text.conllu",
                            "mog parse -m PARSER -i treebank.conllu --trace rounds.jsonl -o parsed.conllu",
                            "mog parse -i text.txt -o part2.conllu --shard 2/4",
                            "echo 'The dog sleeps.' | mog parse -i - --forbid 2:3 --svg tree.svg",
                            "echo 'The dog sleeps.' | mog parse -i - --json"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { parse(context, *command, *options); };
  });
}

}  // namespace mog::cli

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/cli/choice_options.h"
#include "app/cli/context.h"
#include "app/cli/draw.h"
#include "app/cli/graphs_apart.h"
#include "app/cli/idle_options.h"
#include "app/cli/words_option.h"
#include "app/workflow/recordings/open_recording.h"
#include "app/workflow/recordings/recorded_text.h"
#include "app/workflow/trees/grammar_options.h"
#include "app/workflow/trees/trees_job.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

constexpr std::size_t kMostExact = 12;  // words that mode exact takes

struct Options {
  std::vector<std::filesystem::path> sources;  // a recording or its parts; of `text` a model
  std::optional<std::int64_t> sentence;
  std::optional<std::string> text;
  WordsOption words;
  app::TreesOptions trees;
  app::GrammarTexts grammar;
  ChoiceOptions grammar_options;
  std::optional<std::int64_t> top;
  std::optional<std::int64_t> beam;
  std::string mode;
  std::string format = "text";
  std::filesystem::path output = "-";
  std::filesystem::path output_dir;
  std::filesystem::path svg;
};

// As CoNLL-U needs a tree over all words, the mode is one that finds them unless another is asked for.
app::TreesMode mode_of(const Options& options, app::TreesFormat format, std::size_t words) {
  if (!options.mode.empty()) {
    return app::parse_trees_mode(options.mode);
  }
  if (format != app::TreesFormat::conllu) {
    return app::TreesMode::free;
  }
  return words <= kMostExact ? app::TreesMode::exact : app::TreesMode::beam;
}

// Where no list is asked for: the best over all words, and the best of each number of leaves.
std::string overview(const RecordingSource& source, std::int64_t index, const Options& options,
                     std::size_t words) {
  app::TreesOptions of_whole = options.trees;
  of_whole.mode = words <= kMostExact ? app::TreesMode::exact : app::TreesMode::beam;
  of_whole.top = 1;
  app::TreesOptions by_leaves = options.trees;
  by_leaves.mode = app::TreesMode::by_leaves;
  by_leaves.top = options.trees.top + 1;  // a word alone is no line
  const std::vector<app::SentenceTrees> found = app::find_all_trees(source, index, by_leaves);
  try {
    return app::print_overview(app::find_all_trees(source, index, of_whole), found);
  } catch (const UsageError& too_long) {  // for a graph over all words, not for small ones
    std::vector<app::SentenceTrees> none = found;
    for (app::SentenceTrees& one : none) {
      one.derivations.clear();
      one.notes = {too_long.what()};
    }
    return app::print_overview(none, found);
  }
}

// The recording that is named, or one in memory of the text.
std::shared_ptr<const RecordingSource> open_source(Context& context, const Options& options) {
  if (!options.text) {
    for (const std::filesystem::path& path : options.sources) {
      app::refuse_model("trees", path,
                        "--text \"The sentence .\" runs a sentence through it, `mog record` a corpus");
    }
    std::shared_ptr<const RecordingSource> source = app::open_recording(options.sources);
    context.console.notes(app::missing_of(app::readers_of(*source)));
    return source;
  }
  if (options.sources.size() > 1) {
    throw UsageError(
        fmt::format("trees: with --text it runs one model, {} were named", options.sources.size()));
  }
  app::check_grammar_of_text("trees", options.trees.grammar);
  return app::record_text(
      {.model = options.sources.empty() ? std::filesystem::path() : options.sources.front(),
       .text = *options.text,
       .words = options.words.cut(),
       .capture = app::grammar_capture(),
       .device = context.device_options(context.threads == 0 ? 1 : context.threads),
       .command_line = context.command_line,
       .stop = context.stop()});
}

void trees(Context& context, const CLI::App& command, Options& options) {
  const OptionUse uses[] = {
      {"--format", !(context.json && options.format != "json"), "output without --json"},
      {"--sentence", !options.text, "recordings"},
      {"--words", options.text.has_value(), "--text"},
  };
  refuse_idle_options(command, "trees", uses);
  if (!options.text && (options.sources.empty() || !options.sentence)) {
    throw UsageError(
        "trees: which sentence? Give RECORDING --sentence N, or MODEL --text \"The sentence .\"");
  }
  const app::TreesFormat format = app::parse_trees_format(context.json ? "json" : options.format);
  if (!options.mode.empty()) {
    options.mode = context.names_of_today(app::NameOf::mode, options.mode);
    app::parse_trees_mode(options.mode);  // before the recording is opened
  }
  const std::string format_name = context.json ? "json" : options.format;
  check_output_dir(options.output_dir, command, format_name);
  options.grammar_options.take("trees");
  options.trees.grammar = app::parse_grammar_options(options.grammar);
  if (!options.svg.empty()) {
    check_draw_options({.output = options.svg});
    if (options.trees.owner == "all") {
      throw UsageError("--svg draws one tree: it does not go with --owner all");
    }
  }
  const std::shared_ptr<const RecordingSource> source = open_source(context, options);
  const std::int64_t index = app::sentence_index(*source, options.sentence.value_or(1));
  const Sentence sentence = source->sentence(index);
  const auto pieces = std::count_if(sentence.tokens.begin(), sentence.tokens.end(),
                                    [](const Token& token) { return token.word >= 0; });
  const std::size_t words =
      options.grammar.keep_pieces ? static_cast<std::size_t>(pieces) : sentence.words.size();
  options.trees.mode = mode_of(options, format, words);
  options.trees.top = options.top.value_or(format == app::TreesFormat::conllu ? 1 : 5);
  if (options.beam && options.trees.mode != app::TreesMode::beam) {
    throw UsageError("--beam goes with --mode beam");
  }
  options.trees.beam = options.beam.value_or(64);
  const bool in_short = format == app::TreesFormat::text && !context.verbose;
  options.trees.distributions =
      format == app::TreesFormat::json || (format == app::TreesFormat::text && !in_short);
  options.trees.progress = context.console.callback();
  if (options.text) {
    options.trees.stop = context.stop();  // a run under way has taken the signal already
  }
  const bool first = format == app::TreesFormat::text && options.mode.empty() && !options.trees.each_order;
  std::vector<app::SentenceTrees> found;
  if (!first || context.verbose || !options.svg.empty()) {
    found = app::find_all_trees(*source, index, options.trees);
  }
  std::string text = first ? overview(*source, index, options, words) : "";
  if (!first || context.verbose) {  // what --verbose adds to the overview is of the best of all
    text += (first ? "\n" : "") + (in_short ? app::print_in_short(found) : app::print_trees(found, format));
  }
  context.console.end_progress();
  if (options.output_dir.empty()) {
    note_joint_graphs(context, format_name, text);
    context.write(options.output, text);
  } else {
    write_apart(context, options.output_dir, format_name, app::print_trees_apart(found, format));
  }
  if (!options.svg.empty()) {
    context.console.notes(Drawer().draw(app::draw_best_tree(*source, index, options.trees, found.front()),
                                        {.output = options.svg}));
    context.console.note("wrote " + options.svg.string());
  }
}

}  // namespace

void add_trees(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("trees", "The best multi-order graphs of a sentence, with weights and orders");
  command->add_option("SOURCE", options->sources,
                      "A recording with attention maps and gates, or the parts of one; with --text a model: "
                      "its folder or the name "
                      "of a bundled one (tagger-en-distilled by default)");
  command->add_option("--sentence,-n", options->sentence, "Place of the sentence in its corpus, from 1");
  command->add_option("--text", options->text,
                      "The sentence itself, run through the model; no recording is needed");
  command->add_option("--owner", options->trees.owner,
                      "Graphs of one word, WORD@POSITION (from 1), or of every word (all), instead of the "
                      "whole sentence");
  command->add_option(
      "--mode", options->mode,
      "By default the best graph over all words and the best with 2, 3 … K + 1 leaves (other formats than "
      "text, and "
      "--verbose: free). free: the K best of all; by-leaves: the best for each number of leaves (words with "
      "repeats) "
      "up to K; trees over "
      "all words without overlap: exact: the K best (at most 12 words); projective: the K best whose steps "
      "join neighbours; beam: the K best that a beam search finds (inexact, any length)");
  command->add_option("--top,-k", options->top, "K: how many different graphs; 5 by default, 1 for CoNLL-U")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}));
  command->add_flag("--each-order", options->trees.each_order,
                    "exact, projective, beam: the best tree for each number of words up to K instead");
  command->add_option("--beam", options->beam, "Sets of words that --mode beam keeps; 64 by default")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  command
      ->add_option("--layer", options->trees.layer,
                   "With --owner: graphs made up to this layer; the last by default")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  app::declare(options->grammar_options.choices, options->grammar);
  options->grammar_options.add_to(*command);
  command
      ->add_option(
          "--format", options->format,
          "text, json, dot, graphml or conllu (the best tree over all words; layer and part in MISC)")
      ->capture_default_str();
  command->add_option("--output,-o", options->output, "File; - is standard output")->capture_default_str();
  add_output_dir(*command, options->output_dir);
  command->add_option("--svg", options->svg,
                      "Draw the best one too (.svg, .pdf or .png); free and by-leaves: with up to 6 leaves");
  add_words_option(*command, options->words);
  context.add_common_options(*command);
  command->footer(examples({"mog trees corpus.rec --sentence 3", "mog trees --text 'The dog sleeps .'",
                            "mog trees tagger-en-graph --text \"I don't know .\" --words ud-en",
                            "mog trees corpus.rec -n 3 --owner dog@4 --top 10",
                            "mog trees corpus.rec -n 3 --mode by-leaves --top 8",
                            "mog trees corpus.rec -n 3 --owner all --json --heads contribution",
                            "mog trees corpus.rec -n 3 --mode exact --each-order --top 12",
                            "mog trees corpus.rec -n 3 --format conllu --output tree.conllu",
                            "mog trees corpus.rec -n 3 --format graphml --output tree.graphml",
                            "mog trees corpus.rec -n 3 --svg tree.svg"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { trees(context, *command, *options); };
  });
}

}  // namespace mog::cli

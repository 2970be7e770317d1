#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/cli/choice_options.h"
#include "app/cli/context.h"
#include "app/cli/draw.h"
#include "app/cli/idle_options.h"
#include "app/cli/number_check.h"
#include "app/cli/part_output.h"
#include "app/cli/shard_option.h"
#include "app/cli/syntax_learn.h"
#include "app/workflow/recordings/open_recording.h"
#include "app/workflow/syntax/syntax_job.h"
#include "app/workflow/syntax/syntax_part.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> recordings;  // one, or its parts
  app::SyntaxOptions job;
  std::string sources = "attention,joins";
  std::string direction = "both";
  std::string root = "tree";
  std::string punctuation = "in";
  std::string mismatch = "error";
  std::string by;
  app::GrammarTexts grammar;
  ChoiceOptions grammar_options;
  std::filesystem::path output = "-";
  std::filesystem::path trees;
  std::string tree_of = "best";
  DrawOptions draw;
  LearnTexts learn;
  ShardOption shard;
};

void read_choices(Context& context, Options& options) {
  app::SyntaxOptions& job = options.job;
  job.sources = app::parse_syntax_sources(context.names_of_today(app::NameOf::source, options.sources));
  job.direction = app::parse_direction_choice(options.direction);
  job.root = app::parse_root_choice(options.root);
  job.mismatch = app::parse_mismatch_policy(options.mismatch);
  options.grammar_options.take("syntax");
  job.grammar = app::parse_grammar_options(options.grammar);
  if (options.punctuation != "in" && options.punctuation != "out") {
    throw unknown_choice("--punct", options.punctuation, {"in", "out"});
  }
  job.punctuation = options.punctuation == "in";
  if (!options.by.empty() && options.by != "deprel") {
    throw UsageError("--by " + options.by + ": allowed is deprel" + did_you_mean(options.by, {"deprel"}));
  }
  job.relations = options.by == "deprel";
  job.threads = context.threads;
  job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
}

// Text for people, a table or lines by the extension, one document with --json.
std::string result_text(const Context& context, const Options& options, const app::SyntaxResult& result) {
  const std::string extension = options.output.extension().string();
  const auto table = [&] {
    return options.job.relations ? app::relation_table(result) : app::score_table(result);
  };
  if (options.output != "-" && extension == ".csv") {
    return analysis::to_csv(table());
  }
  if (options.output != "-" && extension == ".jsonl") {
    return analysis::to_json_lines(table());
  }
  const bool json = context.json || (options.output != "-" && extension == ".json");
  return json ? app::to_json(result) : app::to_text(result);
}

void note_skipped(Context& context, const std::vector<app::SkippedSentence>& skipped) {
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(kShown, skipped.size()); ++i) {
    const app::SkippedSentence& sentence = skipped[i];
    context.console.note(
        fmt::format("left out: sentence {} (line {}): {}", sentence.number, sentence.line, sentence.reason));
  }
  if (skipped.size() > kShown) {
    context.console.note(fmt::format("left out: {} more; --json lists all", skipped.size() - kShown));
  }
}

void check_effects(const CLI::App& command, const Options& options) {
  using app::SyntaxSource;
  const app::SyntaxOptions& job = options.job;
  const auto asks = [&](std::initializer_list<SyntaxSource> sources) {
    return std::any_of(sources.begin(), sources.end(), [&](SyntaxSource source) {
      return std::find(job.sources.begin(), job.sources.end(), source) != job.sources.end();
    });
  };
  const bool maps = asks({SyntaxSource::attention, SyntaxSource::joins, SyntaxSource::presence,
                          SyntaxSource::k_best, SyntaxSource::by_leaves});
  const bool grammar = job.sources != std::vector{SyntaxSource::attention};
  const std::string_view of_maps = "sources of weights (attention, joins, presence, k-best, by-leaves)";
  const std::string_view of_grammar = "sources of the attention grammar (joins, presence, k-best, …)";
  const OptionUse uses[] = {
      {"--top", asks({SyntaxSource::k_best, SyntaxSource::by_leaves}), "--sources k-best and by-leaves"},
      {"--beam", asks({SyntaxSource::mog_beam}), "--sources mog-beam"},
      {"--direction", maps, of_maps},
      {"--projective", maps || job.draws > 0, of_maps},
      {"--confidence", job.bootstrap.resamples > 0, "--bootstrap above 0"},
      {"--tree-of", !options.trees.empty(), "--trees"},
      {"--theme", !options.draw.output.empty(), "--svg"},
      {"--index", false, "commands that read a text; a recording needs no index"},
      {"--heads", grammar, of_grammar},
      {"--gate", grammar, of_grammar},
      {"--pi", grammar, of_grammar},
      {"--rho", grammar, of_grammar},
      {"--residual-share", grammar, of_grammar},
      {"--target", grammar, of_grammar},
  };
  refuse_idle_options(command, "syntax", uses);
}

void run_part(Context& context, const CLI::App& command, const Options& options, const app::Shard& shard) {
  if (options.learn.wanted() || !options.draw.output.empty() || !options.trees.empty()) {
    throw UsageError(fmt::format("--output {}: --learn, --svg and --trees are of a whole recording",
                                 options.output.string()));
  }
  const std::shared_ptr<const RecordingSource> source = app::open_recording(options.recordings);
  context.console.notes(app::missing_of(app::readers_of(*source)));
  const app::SyntaxPartSummary summary = app::compare_part(*source, options.job, shard, call_of(command),
                                                           context.stop(), context.console.callback());
  context.console.end_progress();
  for (const std::string& note : summary.notes) {
    context.console.note("note: " + note);
  }
  note_skipped(context, summary.skipped);
  write_part(context, summary.partial, options.output);
}

void syntax(Context& context, const CLI::App& command, Options& options) {
  check_learn_options(command, options.learn);
  read_choices(context, options);
  if (!options.learn.wanted()) {
    check_effects(command, options);
  }
  const app::Shard shard = options.shard.shard(context);
  options.output = options.shard.path(options.output, shard);
  const bool part = keeps_part(options.output, shard);
  const std::string extension = options.output.extension().string();
  if (options.output != "-" && !part && extension != ".csv" && extension != ".jsonl" &&
      extension != ".json" && extension != ".txt") {
    throw UsageError("--output " + options.output.string() +
                     ": the extensions are .csv, .jsonl, .json, .txt and, for mog merge, .sums");
  }
  if (part) {
    run_part(context, command, options, shard);
    return;
  }
  if (options.learn.wanted()) {
    run_learn(context, options.learn, options.job, options.recordings, options.output, options.trees);
    return;
  }
  if (!options.draw.output.empty()) {
    check_draw_options(options.draw);
  }
  const std::shared_ptr<const RecordingSource> source = app::open_recording(options.recordings);
  context.console.notes(app::missing_of(app::readers_of(*source)));
  const RecordingSource& reader = *source;
  if (!options.trees.empty()) {
    app::check_row(reader, options.job, options.tree_of);
  }
  const app::SyntaxResult result =
      app::compare_syntax(reader, options.job, context.stop(), context.console.callback());
  context.console.end_progress();
  for (const std::string& note : result.notes) {
    context.console.note("note: " + note);
  }
  note_skipped(context, result.skipped);
  context.write(options.output, result_text(context, options, result));
  if (options.output != "-") {
    context.console.note("wrote " + options.output.string());
  }
  if (!options.draw.output.empty()) {
    context.console.notes(Drawer().draw(app::syntax_figure(result), options.draw));
    context.console.note("wrote " + options.draw.output.string());
  }
  if (!options.trees.empty()) {
    const app::SyntaxRow row = app::find_row(result, options.tree_of);
    const std::int64_t written = app::write_trees(reader, options.job, row, options.trees, context.stop());
    context.console.note(
        fmt::format("wrote {}: {} of {}", options.trees.string(), counted(written, "tree"), row.name()));
  }
}

}  // namespace

void add_syntax(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::SyntaxOptions& job = options->job;
  CLI::App* const command = app.add_subcommand(
      "syntax", "How close trees from a recording come to gold dependency trees (UAS, UUAS)");
  command
      ->add_option("RECORDING", options->recordings,
                   "A recording of the treebank's words, with attention maps (and gates)")
      ->required();
  command
      ->add_option("--treebank,-t", job.treebank,
                   "Gold trees, CoNLL-U; sentence n of the recording is its sentence n")
      ->required();
  command
      ->add_option(
          "--sources", options->sources,
          "What trees are made from (commas between): attention (every map and the mean of its "
          "heads), joins (expected joins of the attention grammar: all, each layer and part), "
          "presence, k-best (joins of the --top best graphs of every word), by-leaves (joins of every "
          "word's best graph of 2 to --top leaves), mog-tree (best projective graph over the "
          "sentence), mog-beam (best graph of a beam search)")
      ->capture_default_str();
  command
      ->add_option("--direction", options->direction,
                   "Which end of an attention weight or join is the dependent's head: query, key or both")
      ->capture_default_str();
  command->add_flag("--projective", job.projective,
                    "Trees without crossing edges (Eisner); by default any tree (Edmonds)");
  command
      ->add_option("--root", options->root,
                   "tree: its own; gold: the gold root is given, and does not count as a word")
      ->capture_default_str();
  command
      ->add_option("--punct", options->punctuation,
                   "in, or out: words with UPOS PUNCT do not count (they stay in the trees)")
      ->capture_default_str();
  command
      ->add_option(
          "--mismatch", options->mismatch,
          "Sentences whose words are not the recording's, or that the treebank has no more: error, or "
          "skip (reported)")
      ->capture_default_str();
  command->add_option("--by", options->by, "deprel: the best head and the best offset of each relation");
  command->add_option("--top", job.top, "k-best: graphs of each word; by-leaves: the most leaves")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
  command->add_option("--beam", job.beam, "mog-beam: sets of words kept of each symbol and number of words")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{4096}));
  command->add_option("--random-trees", job.draws, "Random trees a sentence")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  command->add_option("--bootstrap", job.bootstrap.resamples, "Resamples of the intervals; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  command->add_option("--confidence", job.bootstrap.confidence, "Of the intervals")
      ->capture_default_str()
      ->check(between(0.01, 0.9999));
  command
      ->add_option(
          "--output,-o", options->output,
          "F.csv or .jsonl: every row; .json: the document of --json; .txt; .sums: for mog merge; - is "
          "standard output")
      ->capture_default_str();
  app::declare(options->grammar_options.choices, options->grammar, false);
  options->grammar_options.add_to(*command, "Of the attention grammar: all sources but attention");
  command->add_option("--trees", options->trees, "Write trees as CoNLL-U to this file");
  command
      ->add_option("--tree-of", options->tree_of,
                   "Which ones: best (by UUAS), or a row's name, for example attention:3:high:2:query")
      ->capture_default_str();
  command->add_option("--svg", options->draw.output, "Draw UUAS by layer and by head (.svg, .pdf or .png)");
  command->add_option("--theme", options->draw.theme, "light, dark or high-contrast")->capture_default_str();
  add_learn_options(*command, options->learn);
  add_shard_option(*command, options->shard);
  context.add_common_options(*command);
  command->footer(examples(
      {"mog record -m tagger-en-graph -i en_pud.conllu -o pud.rec --capture attention,gates",
       "mog syntax pud.rec --treebank en_pud.conllu", "mog syntax pud.rec -t en_pud.conllu -o scores.csv",
       "mog syntax pud.rec -t en_pud.conllu --punct out --by deprel --svg syntax.svg",
       "mog syntax pud.rec -t en_pud.conllu --projective --root gold --json",
       "mog syntax pud.rec -t en_pud.conllu --sources joins --heads contribution --gate share",
       "mog syntax pud.rec -t en_pud.conllu --trees trees.conllu --tree-of joins:query",
       "mog syntax pud.rec -t en_pud.conllu --learn 100 --learn-from dev.rec --learn-treebank dev.conllu"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { syntax(context, *command, *options); };
  });
}

}  // namespace mog::cli

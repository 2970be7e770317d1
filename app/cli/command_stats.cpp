#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/cli/choice_options.h"
#include "app/cli/context.h"
#include "app/cli/idle_options.h"
#include "app/cli/stats_running.h"
#include "app/cli/table_output.h"
#include "app/workflow/statistics/paired_job.h"
#include "app/workflow/statistics/statistics_texts.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  app::StatisticsOptions job;
  app::StatisticsTexts texts;
  std::string mismatch = "error";
  app::GrammarTexts grammar;
  ChoiceOptions grammar_options;
  ChoiceOptions pairing_options;
  bool trend = false;
  bool dimensions = false;
  RunningTexts running;
  std::filesystem::path output = "-";
};

// Options of the attention grammar. grammar: something that is asked for is computed from one.
void check_grammar_effects(const CLI::App& command, const app::StatisticsOptions& job, bool grammar) {
  using analysis::WordMeasure;
  const auto asks = [&](std::initializer_list<WordMeasure> measures) {
    return std::any_of(measures.begin(), measures.end(), [&](WordMeasure measure) {
      return std::find(job.word_measures.begin(), job.word_measures.end(), measure) !=
             job.word_measures.end();
    });
  };
  const std::string_view of_grammar = "quantities of the attention grammar (leaves, joins, …)";
  const OptionUse uses[] = {
      {"--orders", asks({WordMeasure::leaves_mass, WordMeasure::distinct_mass}),
       "--quantity leaves-mass and distinct-mass"},
      {"--samples", asks({WordMeasure::distinct, WordMeasure::distinct_mass, WordMeasure::simple}),
       "--quantity distinct, distinct-mass and simple"},
      {"--heads", grammar, of_grammar},
      {"--gate", grammar, of_grammar},
      {"--pi", grammar, of_grammar},
      {"--rho", grammar, of_grammar},
      {"--residual-share", grammar, of_grammar},
      {"--sink", grammar, of_grammar},
      {"--target", grammar, of_grammar},
      {"--keep-pieces", grammar, of_grammar},
  };
  refuse_idle_options(command, "stats", uses);
}

bool asks_leaves(const app::StatisticsOptions& job) {
  return std::find(job.measures.begin(), job.measures.end(), analysis::Measure::leaves) != job.measures.end();
}

// Every option that only some quantities, bins or reports know.
void check_effects(const CLI::App& command, const app::StatisticsOptions& job, bool trend, bool dimensions) {
  using analysis::WordMeasure;
  const bool named = !job.names.empty() || job.relations;
  const auto trees =
      std::count(job.word_measures.begin(), job.word_measures.end(), WordMeasure::layers_needed);
  const auto layerless =
      trees + std::count(job.word_measures.begin(), job.word_measures.end(), WordMeasure::edges);
  const bool recorded = named || !job.measures.empty();
  const auto measures = static_cast<std::ptrdiff_t>(job.word_measures.size());
  const bool binned = job.by_length || job.by_position;
  const bool paired = !job.against.empty();
  const OptionUse uses[] = {
      {"--permutations", paired, "--against"},
      {"--pair-by", paired, "--against"},
      {"--allow-partial", paired, "--against"},
      {"--bins", binned, "--by layer,length and --by layer,position"},
      {"--bootstrap", !dimensions, "tables of means and --trend"},
      {"--confidence", !dimensions && job.bootstrap.resamples > 0, "tables with --bootstrap above 0"},
      {"--average", !trend && !dimensions && !named && !paired,
       "tables of means; trends and --against count every sentence the same, recorded quantities by name "
       "every token"},
      {"--words", !named && (!job.measures.empty() || measures > trees),
       "quantities of words; neither gold trees (layers-needed) nor recorded quantities by name"},
      {"--layers", recorded || measures > layerless,
       "quantities by layer; edges and layers-needed have none"},
      {"--minimum", (trend || dimensions) && !paired, "--trend and --dimensions"},
      {"--mismatch", !job.treebank.empty() && !paired, "--treebank"},
      {"--treebank", !named && !paired,
       "quantities of words; recorded quantities by name are read as they are"},
      {"--quantiles", !trend && !dimensions && !paired && !job.relations && !job.relative, "tables of means"},
  };
  refuse_idle_options(command, "stats", uses);
  const bool grammar = !job.word_measures.empty() || asks_leaves(job);
  check_grammar_effects(command, job, grammar && !job.recordings.empty() && !paired);
}

// What is counted while a model runs.
void stats_of_run(Context& context, const CLI::App& command, Options& options) {
  if (!options.job.recordings.empty()) {
    throw UsageError("--model: statistics are of a run or of recordings; leave out " +
                     options.job.recordings.front().string());
  }
  const OptionUse uses[] = {{"--bins",
                             options.texts.by.find("length") != std::string::npos ||
                                 options.texts.by.find("position") != std::string::npos,
                             "--by layer,length and --by layer,position"},
                            {"--bootstrap", !options.dimensions, "tables of means and --trend"},
                            {"--average", !options.dimensions && !options.trend, "tables of means"},
                            {"--quantiles", !options.dimensions && !options.trend, "tables of means"},
                            {"--confidence", !options.dimensions && options.job.bootstrap.resamples > 0,
                             "tables with --bootstrap above 0"},
                            {"--minimum", options.dimensions || options.trend, "--trend and --dimensions"},
                            {"--mismatch", options.texts.by.find("upos") != std::string::npos, "--by upos"}};
  refuse_idle_options(command, "stats", uses);
  options.grammar_options.take("stats");
  app::RunningRequest request{.texts = options.texts,
                              .bootstrap = options.job.bootstrap,
                              .dimensions = options.dimensions,
                              .trend = options.trend,
                              .minimum_sentences = options.job.minimum_sentences,
                              .quantiles = options.job.quantiles,
                              .relative = options.job.relative,
                              .mismatch = options.mismatch,
                              .grammar = options.grammar,
                              .orders = options.job.orders,
                              .samples = options.job.samples};
  request.texts.quantity = context.names_of_today(app::NameOf::quantity, options.texts.quantity);
  request.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  app::StatisticsOptions asked;
  app::take(request.texts, asked);
  check_grammar_effects(command, asked, !asked.word_measures.empty() || asks_leaves(asked));
  run_running(context, options.running, request, options.output);
}

void stats(Context& context, const CLI::App& command, Options& options) {
  check_running_options(command, options.running);
  if (options.trend && options.dimensions) {
    throw UsageError("--trend and --dimensions exclude each other");
  }
  if (options.running.wanted()) {
    stats_of_run(context, command, options);
    return;
  }
  if (options.job.recordings.empty() && options.job.treebank.empty()) {
    throw UsageError("RECORDINGS is required\n     `mog stats --help` lists the options");
  }
  app::StatisticsTexts texts = options.texts;
  texts.quantity = context.names_of_today(app::NameOf::quantity, texts.quantity);
  if (!options.job.against.empty() && !given(command, "--by")) {
    texts.by = "layer";
  }
  app::take(texts, options.job);
  options.job.report = options.trend        ? app::StatisticsReport::trends
                       : options.dimensions ? app::StatisticsReport::dimensions
                                            : app::StatisticsReport::means;
  options.job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  const TableOutput output(context, options.output);
  options.grammar_options.take("stats");
  options.pairing_options.take("stats");
  options.job.grammar = app::parse_grammar_options(options.grammar);
  options.job.skip_mismatches = app::parse_mismatch(options.mismatch);
  check_effects(command, options.job, options.trend, options.dimensions);
  std::vector<std::string> notes;
  const analysis::Table table =
      app::StatisticsJob(options.job).run(context.stop(), context.console.callback(), &notes);
  context.console.end_progress();
  for (const std::string& note : notes) {
    context.console.note(note);
  }
  output.write(context, table);
}

}  // namespace

void add_stats(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("stats", "Tables by layer and sentence length, with bootstrap intervals");
  command->add_option("RECORDINGS", options->job.recordings,
                      "Recordings; the parts of a --shard run join (none: --treebank with layers-needed)");
  command
      ->add_option(
          "--quantity", options->texts.quantity,
          "Commas between: gate, share, entropy, max, leaves, sink; of the attention grammar too: "
          "leaves-mass, "
          "joins, edges, bands, part-leaves, distinct, distinct-mass, simple, layers-needed; relations of a "
          "graph that attention reads; or names of recorded quantities, * for any piece: "
          "encoder.*.split.norm (every entry has rows of its own)")
      ->capture_default_str();
  command
      ->add_option(
          "--by", options->texts.by,
          "layer, then length, position (of the word) or upos (--treebank; with --model: of --input), "
          "head (commas between); "
          "--against: layer, or layer,head")
      ->capture_default_str();
  command
      ->add_option("--bins", options->texts.bins,
                   "Width of the length bins in words, or their lower ends: 0,10,20,40")
      ->capture_default_str();
  command->add_option("--bootstrap", options->job.bootstrap.resamples, "Resamples of the intervals; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  command->add_option("--confidence", options->job.bootstrap.confidence, "Of the intervals")
      ->capture_default_str();
  command->add_option("--average", options->texts.average, "micro: words count the same; macro: sentences do")
      ->capture_default_str();
  command->add_option("--words", options->texts.words,
                      "Only these words of each sentence: 1-8, 8 (the first 8), 3- (from the third)");
  command->add_option("--layers", options->texts.layers, "Only these layers, for example 2-6");
  command->add_flag("--quantiles", options->job.quantiles,
                    "Median and quartiles too (q25, q50, q75), each to 1/512 of itself, with intervals");
  command->add_flag(
      "--trend", options->trend,
      "Instead: does it rise with layer and length? Rank correlation and difference of the ends, "
      "every sentence counting the same");
  command->add_flag("--dimensions", options->dimensions,
                    "Instead: the gate dimension by dimension (recorded with --capture gates)");
  command
      ->add_option("--minimum", options->job.minimum_sentences,
                   "--trend, --dimensions: sentences that the shortest and the longest bin must have")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command->add_option("--treebank", options->job.treebank,
                      "CoNLL-U of the recorded sentences: parts of speech (--by layer,upos), gold trees");
  command
      ->add_option("--mismatch", options->mismatch,
                   "Sentences whose words cannot be the treebank's: error, or skip (noted)")
      ->capture_default_str();
  command
      ->add_option("--orders", options->job.orders,
                   "leaves-mass, distinct-mass: the greatest number of leaves or distinct words")
      ->capture_default_str();
  command
      ->add_option(
          "--samples", options->job.samples,
          "distinct, distinct-mass, simple: derivations drawn a word in sentences of more than 12 words")
      ->capture_default_str();
  command
      ->add_option("--against", options->job.against,
                   "Instead: differences to this recording of the same sentences, paired by sentence, with p "
                   "adjusted for all rows of a quantity (its --shard parts: once for each)")
      ->allow_extra_args(false);
  app::declare_pairing(options->pairing_options.choices, options->job);
  options->pairing_options.add_to(*command, "Of --against");
  command->add_flag("--relative", options->job.relative, "Differences to the shortest bin");
  app::declare(options->grammar_options.choices, options->grammar);
  options->grammar_options.add_to(*command, "Of the attention grammar (leaves, joins, edges, …)");
  add_running_options(*command, options->running);
  command
      ->add_option("--output,-o", options->output,
                   ".csv or .jsonl; - is standard output (CSV, with --json lines); with --model also .sums, "
                   "for mog merge")
      ->capture_default_str();
  context.add_common_options(*command);
  command->footer(
      examples({"mog stats corpus.rec", "mog stats corpus.rec --quantity gate,share --output weights.csv",
                "mog stats part*.rec --quantity entropy --by layer,length,head --bins 0,10,20,40",
                "mog stats corpus.rec random.rec --trend --layers 2-6 --output trend.csv",
                "mog stats new.rec --against old.rec --quantity gate,entropy -o differences.csv",
                "mog stats corpus.rec --by layer,position --bins 5", "mog stats corpus.rec --words 1-8",
                "mog stats gates.rec --dimensions", "mog stats maps.rec --quantity leaves,joins,bands",
                "mog stats maps.rec --quantity distinct,simple --by layer,upos --treebank gold.conllu",
                "mog stats maps.rec --quantity leaves,joins --trend --heads contribution",
                "mog stats --quantity layers-needed --treebank gold.conllu",
                "mog stats parts.rec --quantity 'encoder.*.full.logit_terms.covariance_sums' --by layer",
                "mog stats parser.rec --quantity relations --by layer -o relations.csv",
                "mog stats corpus.rec --relative --json | jq .difference",
                "mog stats -m M -i corpus.txt --quantity gate,entropy --quantiles -o weights.csv",
                "mog stats -m M -i gold.conllu --by layer,upos --quantity gate,joins",
                "mog stats -m M -i corpus.txt --shard 3/200 -o part003.sums"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { stats(context, *command, *options); };
  });
}

}  // namespace mog::cli

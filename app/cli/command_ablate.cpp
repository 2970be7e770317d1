#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/cli/context.h"
#include "app/cli/idle_options.h"
#include "app/cli/number_check.h"
#include "app/cli/part_output.h"
#include "app/cli/shard_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/effects/ablate_job.h"
#include "app/workflow/effects/effects_partial.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path model;
  app::AblateOptions job;
  std::string layers;
  std::string parts;
  std::string terms;
  std::string graph_terms;
  std::filesystem::path output = "-";
  ShardOption shard;
};

void ablate(Context& context, const CLI::App& command, Options& options) {
  if (!options.layers.empty()) {
    options.job.layers = app::parse_layers(options.layers);
  }
  if (!options.parts.empty()) {
    options.job.cuts = app::parse_cuts(options.parts);
  }
  if (!options.terms.empty()) {
    options.job.terms = app::parse_terms(options.terms);
  }
  if (!options.graph_terms.empty()) {
    options.job.graph_terms = app::parse_graph_terms(options.graph_terms);
  }
  options.job.shard = options.shard.shard(context);
  options.job.precision = context.parsed_precision();
  options.output = options.shard.path(options.output, options.job.shard);
  const bool part = keeps_part(options.output, options.job.shard);
  const std::string extension = options.output.extension().string();
  const bool lines = context.json || extension == ".jsonl" || extension == ".json";
  if (options.output != "-" && !part && !lines && extension != ".csv") {
    throw UsageError("--output " + options.output.string() +
                     ": the extensions are .csv, .jsonl and, for mog merge, .sums");
  }
  options.job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  const app::LoadedModel loaded = app::load_for_running(
      app::model_path(options.model), context.device_options(context.threads == 0 ? 1 : context.threads));
  const std::vector<app::Cut>& cuts = options.job.cuts;
  const bool all_parts =
      cuts.empty() && !options.job.heads && options.job.terms.empty() && options.job.graph_terms.empty();
  const bool gate = std::find(cuts.begin(), cuts.end(), app::Cut(app::Cut::Kind::gate)) != cuts.end() ||
                    (all_parts && loaded.model->system().main().gate == GateKind::update);
  const OptionUse uses[] = {{"--gate", gate, "--parts gate"},
                            {"--each-head", !options.job.graph_terms.empty(), "--graph-terms"}};
  refuse_idle_options(command, "ablate", uses);
  const app::AblateMeasured measured =
      app::measure_ablation(loaded, options.job, context.stop(), context.console.callback());
  context.console.end_progress();
  if (part) {
    write_part(context, app::to_partial(measured, options.job, call_of(command)), options.output);
    return;
  }
  const analysis::Table table = measured.result(options.job.bootstrap).table();
  context.write(options.output, lines ? analysis::to_json_lines(table) : analysis::to_csv(table));
  if (options.output != "-") {
    context.console.note("wrote " + options.output.string() + ", " + std::to_string(table.rows.size()) +
                         " rows");
  }
}

}  // namespace

void add_ablate(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::AblateOptions& job = options->job;
  CLI::App* const command = app.add_subcommand("ablate",
                                               "Cut parts, heads or score terms of layers: change of the "
                                               "encoder's output and of the tags, beside gate and share");
  command->add_option("MODEL,--model,-m", options->model, "Model directory")->required();
  command->add_option("--input,-i", job.input, "Text, one sentence a line; - is standard input");
  command->add_option(
      "--target", job.target,
      "Translations of the text, line by line: the decoder's output is compared at every token");
  command->add_option("--conllu", job.gold.conllu,
                      "Instead, a gold treebank: the tagger is scored before and after");
  command->add_option("--iob2", job.gold.iob2, "Gold entities of the same sentences");
  command->add_option("--data", job.data_root, "Folder that the gold files are relative to");
  command->add_option("--layers", options->layers, "Layers to cut, for example 1-6 or 1,3; all by default");
  command->add_option(
      "--parts", options->parts,
      "high, middle1, middle2, low, full, new (high and both middle parts), block (all that the attention "
      "block adds), feed_forward (all that the feed-forward block adds); of a GRU or LSTM below, recurrent "
      "(of two directions forward, backward, forward_below, "
      "…), layer (its input is handed on); gate (set to --gate); with --target, of a global representation, "
      "global (all of it) and capsules (each by itself). The bias of a part's output map is cut with "
      "it. By default all that a layer has");
  command->add_flag(
      "--heads", job.heads,
      "Every attention head of these layers, by itself; the bias of the output map stays, also where "
      "all heads are cut");
  command->add_option(
      "--terms", options->terms,
      "Terms of the attention scores of a plain Transformer: pp,pi,ip,ii,bp,bi, pp+ii together, "
      "all (each by itself)");
  command->add_option(
      "--graph-terms", options->graph_terms,
      "Terms of attention that reads a graph: content, relation_key, relation_query, relation_value, several "
      "together with +, graph (all of relations together), all (each by itself). The graph is the one that "
      "the model reads uncut");
  command->add_flag("--each-head", job.each_head, "Graph terms of every head by itself");
  command->add_flag("--together", job.together,
                    "Each cut in all layers at once, not one layer after another");
  command->add_option("--factor", job.factor, "On the part; 0 cuts it")->capture_default_str();
  command->add_option(
      "--mean", job.mean,
      "Text, one sentence a line, whose means take the place of what is cut (mean ablation): of a head the "
      "mean of what it takes of its keys, of a part that of its output, over all tokens of words. It may be "
      "the input itself. With --factor F: mean + F · (value − mean). By default the place is taken by zeros");
  command->add_option("--gate", job.gate, "What part gate sets the gate to")
      ->capture_default_str()
      ->check(between(0.0, 1.0));
  command->add_option("--sentences", job.sentences, "Only the first so many; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  command
      ->add_option("--bootstrap", job.bootstrap.resamples,
                   "Resamples of the intervals over sentences; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  command->add_option("--batch-tokens", job.batch_tokens, "Tokens of one packed batch")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  add_shard_option(*command, options->shard);
  command
      ->add_option("--output,-o", options->output,
                   ".csv or .jsonl; .sums: for mog merge; - is standard output")
      ->capture_default_str();
  context.add_common_options(*command);
  command->footer(
      examples({"mog ablate M --input corpus.txt --output effects.csv",
                "mog ablate M --conllu en_ewt-test.conllu --iob2 en_ewt-test.iob2 -o effects.csv",
                "mog ablate M --input corpus.txt --parts new,low --layers 2-6 --sentences 500",
                "mog ablate all-MiniLM-L6-v2 --input corpus.txt --terms all --together -o terms.csv",
                "mog ablate M --input corpus.txt --heads -o heads.csv",
                "mog ablate M --input corpus.txt --mean corpus.txt --parts full,feed_forward -o means.csv",
                "mog ablate M --conllu en_ewt-dev.conllu --graph-terms graph,all -o terms.csv",
                "mog ablate M --input test.de --target test.en --parts global,capsules -o effects.csv"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { ablate(context, *command, *options); };
  });
}

}  // namespace mog::cli

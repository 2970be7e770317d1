#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/context.h"
#include "app/cli/draw.h"
#include "app/cli/figure_look.h"
#include "app/cli/grammar_arguments.h"
#include "app/cli/idle_options.h"
#include "app/cli/pairing_arguments.h"
#include "app/workflow/diagram_job.h"
#include "app/workflow/figure_file.h"
#include "app/workflow/figure_job.h"
#include "app/workflow/gold_overlay.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  app::FigureOptions job;
  FigureLook look;
  std::string quantity = "gate";
  std::string part;
  std::string bins = "10";
  std::string by = "layer,length";
  std::string words;  // which words of the sentences; with `text` how it is cut
  std::optional<std::string> text;
  std::string layers;
  app::GrammarTexts grammar;
  std::filesystem::path csv;
  std::filesystem::path data;
  bool no_special_tokens = false;
  std::string colours = "even";
  std::string block;
  std::int64_t former_leaves = 0;  // --order, as --leaves was called
};

// "1-2": queries of the first text, keys of the second; 0 is all.
analysis::PairBlock parse_block(const std::string& text) {
  analysis::PairBlock block;
  const std::size_t dash = text.find('-');
  const auto number = [&](std::string_view digits) {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (dash == std::string::npos || error != std::errc() || end != digits.data() + digits.size() ||
        value < 0) {
      throw UsageError("--block " + text + ": expected QUERY-KEY, the numbers of two texts, for example 1-2");
    }
    return value;
  };
  block.query = number(std::string_view(text).substr(0, dash));
  block.key =
      number(dash == std::string::npos ? std::string_view() : std::string_view(text).substr(dash + 1));
  return block;
}

void list_figures(Context& context) {
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const app::FigureKind& kind : app::figure_kinds()) {
    text +=
        fmt::format("{:<25} {}{}\n", kind.name, kind.description, kind.of_sentence ? " (--sentence)" : "");
    json.push_back(
        {{"kind", kind.name}, {"description", kind.description}, {"of_sentence", kind.of_sentence}});
  }
  for (const app::FigureKind& kind : app::table_figure_kinds()) {
    text += fmt::format("{:<25} {}\n", kind.name, kind.description);
  }
  for (const app::FigureKind& kind : app::diagram_kinds()) {
    text += fmt::format("{:<25} {}\n", kind.name, kind.description);
  }
  context.print(context.json ? json.dump(2) + "\n" : text);
}

// Every option that only some figures know.
void check_effects(const CLI::App& command, const Options& options) {
  using analysis::WordMeasure;
  const app::StatisticsOptions& job = options.job.statistics;
  const std::string_view kind = options.job.kind;
  const auto is = [&](std::initializer_list<std::string_view> kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  const bool weights = kind.starts_with("weight-");
  const bool orders = is({"leaves-by-layer", "leaves-distribution", "joins-by-part", "order-bands"});
  const bool needed = kind == "layers-needed";
  const bool by_quantity = is({"quantity-by-layer", "share-bars"});
  const bool binned = weights || kind == "leaves-by-layer" || needed;
  const bool paired = kind == "corpus-difference";
  const bool plot = kind == "plot";
  const bool table = std::any_of(app::table_figure_kinds().begin(), app::table_figure_kinds().end(),
                                 [&](const app::FigureKind& one) { return one.name == kind; });
  const bool diagram = app::is_diagram(kind);
  const bool tree = is({"tree", "forest", "arcs"});
  const bool grammar = tree || orders || needed || is({"posterior-arcs", "information-flow"});
  const bool bars = is({"token-bars", "head-bars"});
  const bool attention = is({"attention", "attention-arcs", "attention-difference"});
  const bool overview = kind == "attention-overview";
  const bool sampled =
      std::any_of(job.word_measures.begin(), job.word_measures.end(), [&](WordMeasure measure) {
        return kind == "leaves-by-layer"
                   ? measure == WordMeasure::distinct || measure == WordMeasure::simple
                   : kind == "leaves-distribution" && measure == WordMeasure::distinct_mass;
      });
  const std::string extension = options.look.draw.output.extension().string();
  const bool pixels = extension == ".png" || extension == ".PNG";
  const bool of_sentence = !weights && !paired && !orders && !needed && !by_quantity && !table && !diagram;
  const std::string_view plots = "figures of many sentences";
  const std::string_view trees = "figures of trees, leaves and orders";
  const std::string_view recorded = "recordings; --text is the sentence itself";
  const OptionUse uses[] = {
      {"--quantity",
       weights || paired || by_quantity ||
           is({"leaves-by-layer", "leaves-distribution", "quantity-map", "token-bars"}),
       "figures of weights, corpus-difference, leaves-by-layer, leaves-distribution, quantity-by-layer, "
       "share-bars, quantity-map and token-bars"},
      {"--token", bars, "token-bars and head-bars"},
      {"--key", bars, "token-bars and head-bars"},
      {"--gold", app::takes_gold(kind), "attention-arcs and arcs"},
      {"--ancestors", kind == "information-flow", "information-flow"},
      {"--descendants", kind == "information-flow", "information-flow"},
      {"--bins", binned && (job.by_length || job.by_position),
       "figures of weights, leaves-by-layer and layers-needed, by length or position"},
      {"--by", binned, "figures of weights, leaves-by-layer and layers-needed"},
      {"--words", weights || paired || orders || options.text,
       "figures of weights, leaves and orders, corpus-difference (which words), and --text (how it is cut)"},
      {"--layers", weights || paired || orders || by_quantity, "figures by layer"},
      {"--bootstrap", weights || paired || orders || needed || by_quantity, plots},
      {"--permutations", paired, "corpus-difference"},
      {"--pair-by", paired, "corpus-difference"},
      {"--allow-partial", paired, "corpus-difference"},
      {"--minimum", weights, "figures of weights"},
      {"--treebank", orders || needed, "figures of leaves and orders"},
      {"--orders", kind == "leaves-distribution", "leaves-distribution"},
      {"--samples", sampled,
       "leaves-by-layer of distinct or simple, and leaves-distribution of distinct-mass (--quantity)"},
      {"--x", plot, "plot"},
      {"--y", plot || kind == "effects", "plot and effects"},
      {"--low", plot, "plot"},
      {"--high", plot, "plot"},
      {"--lines", plot, "plot"},
      {"--where", plot, "plot"},
      {"--x-title", plot, "plot"},
      {"--y-title", plot, "plot"},
      {"--zero", plot, "plot"},
      {"--text", of_sentence, "figures of one sentence; of many, `mog record` a corpus first"},
      {"--sentence", of_sentence && !options.text, options.text ? recorded : "figures of one sentence"},
      {"--layer", attention || tree || is({"gate-dimensions", "posterior-arcs", "layer-step", "head-bars"}),
       "maps of attention, head-bars, gate-dimensions, trees (with --owner) and layer-step; of many "
       "sentences it is "
       "--layers"},
      {"--part", attention || overview || is({"attention-grid", "head-bars"}),
       "maps of attention and head-bars"},
      {"--head", attention || weights || is({"quantity-map", "token-bars"}),
       "attention, attention-arcs, attention-difference, quantity-map, token-bars and figures of weights"},
      {"--other", is({"attention-difference", "gate-difference"}),
       "attention-difference and gate-difference"},
      {"--by-word",
       attention ||
           is({"gate", "gate-dimensions", "gate-difference", "quantity-map", "token-bars", "head-bars"}),
       "attention, attention-arcs, gate, their differences, quantity-map, token-bars and head-bars"},
      {"--colours",
       is({"attention", "attention-difference", "attention-grid", "attention-overview", "quantity-map"}),
       "attention, attention-difference, attention-grid, attention-overview and quantity-map"},
      {"--block", attention, "attention, attention-arcs and attention-difference"},
      {"--from", kind == "attention-arcs", "attention-arcs"},
      {"--at-most", is({"attention-arcs", "posterior-arcs"}), "attention-arcs and posterior-arcs"},
      {"--special-tokens", kind == "attention-arcs", "attention-arcs"},
      {"--owner", tree || kind == "posterior-arcs", "tree, forest, arcs and posterior-arcs"},
      {"--leaves", tree, "tree, forest and arcs"},
      {"--order", tree, "tree, forest and arcs"},
      {"--top", tree, "tree, forest and arcs"},
      {"--projective", tree, "tree, forest and arcs"},
      {"--threshold", is({"attention-arcs", "posterior-arcs", "information-flow"}),
       "attention-arcs, posterior-arcs and information-flow"},
      {"--no-special-tokens",
       is({"attention", "attention-difference", "gate", "gate-difference", "gate-dimensions",
           "quantity-map"}),
       "attention, gate, their differences, gate-dimensions and quantity-map"},
      {"--expression", diagram, "diagrams of expressions (kinds, iterations, layer-step, sentence-mog)"},
      {"--sentence-text", diagram, "diagrams of expressions"},
      {"--heads", grammar || attention || overview, "maps of attention, figures of trees, leaves and orders"},
      {"--gate", grammar, trees},
      {"--pi", grammar, trees},
      {"--rho", grammar, trees},
      {"--residual-share", grammar, trees},
      {"--target", grammar, trees},
      {"--keep-pieces", grammar, trees},
      {"--dpi", pixels && !given(command, "--scale"), "PNG files, without --scale"},
      {"--scale", pixels, "PNG files"},
      {"--letters", !pixels, "SVG and PDF files"},
  };
  refuse_idle_options(command, fmt::format("figure {}", kind), uses);
}

void figure(Context& context, const CLI::App& command, Options& options) {
  if (options.job.kind == "list") {
    list_figures(context);
    return;
  }
  if (options.former_leaves > 0) {
    options.job.leaves = options.former_leaves;
    context.console.note("--order is called --leaves now: words with repeats are leaves");
  }
  options.job.kind = context.names_of_today(app::Choice::figure, options.job.kind);
  app::find_figure_kind(options.job.kind);
  if (options.look.draw.output.empty()) {
    throw UsageError("figure " + options.job.kind + ": give --output F.svg, F.pdf or F.png");
  }
  finish_look(options.look);
  app::StatisticsOptions& statistics = options.job.statistics;
  app::parse_quantities(context.names_of_today(app::Choice::quantity, options.quantity), statistics);
  statistics.bins = analysis::LengthBins::parse(options.bins);
  if (options.text) {
    options.job.text = {.text = *options.text,
                        .words = model::parse_word_cut(options.words.empty() ? "auto" : options.words),
                        .device = context.device_options(context.threads == 0 ? 1 : context.threads),
                        .command_line = context.command_line};
    options.job.sentence = 1;
  } else if (!options.words.empty()) {
    statistics.words = analysis::WordRange::parse(options.words);
  }
  if (!options.layers.empty()) {
    statistics.layers = app::parse_layers(options.layers);
  }
  app::parse_by(options.job.kind == "corpus-difference" ? "layer" : options.by, statistics);
  statistics.by_head = options.job.head > 0;
  statistics.grammar = app::parse_grammar_options(options.grammar);
  statistics.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  if (!options.part.empty()) {
    options.job.part = app::parse_part(options.part, statistics.recordings);
  }
  options.job.special_tokens = !options.no_special_tokens;
  options.job.colours = analysis::parse_spacing(options.colours);
  check_effects(command, options);
  if (!options.block.empty()) {
    options.job.block = parse_block(options.block);
  }
  const app::FigureSources sources = app::open_figure_sources(options.job, context.stop());
  analysis::FigureData data =
      app::make_figure(options.job, sources, context.stop(), context.console.callback());
  context.console.end_progress();
  apply_look(data, command, options.look);
  context.console.notes(Drawer().draw(data, options.look.draw));
  if (!options.csv.empty() || !options.data.empty()) {
    const std::vector<std::string>& marks = options.look.draw.marks;
    const app::FigureFacts facts = sources.empty() ? app::figure_facts(options.job, marks)
                                                   : app::figure_facts(options.job, sources, marks);
    if (!options.csv.empty()) {
      context.write(options.csv, app::figure_csv(data, facts));
    }
    if (!options.data.empty()) {
      app::save_figure_data(data, facts, options.data);
    }
  }
  if (context.json) {
    nlohmann::ordered_json json = {
        {"kind", options.job.kind}, {"path", options.look.draw.output.string()}, {"caption", data.caption}};
    if (!options.csv.empty()) {
      json["csv_path"] = options.csv.string();
    }
    if (!options.data.empty()) {
      json["data_path"] = options.data.string();
    }
    context.print(json.dump(2) + "\n");
  } else {
    context.console.note("wrote " + options.look.draw.output.string());
  }
}

}  // namespace

void add_figure(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::FigureOptions& job = options->job;
  CLI::App* const command =
      app.add_subcommand("figure", "Draw figures as SVG, PDF or PNG, without a display (`mog figure list`)");
  command->add_option("KIND", job.kind, "Which figure, or `list`")->required();
  command->add_option("RECORDINGS", job.statistics.recordings,
                      "Recordings; with --text a model, its folder or the name of a bundled one "
                      "(tagger-en-distilled by default); for plot tables; for diagrams files of expressions");
  command->add_option("--output,-o", options->look.draw.output, "F.svg, F.pdf or F.png");
  command->add_option("--csv", options->csv, "The numbers behind the figure too; - is standard output");
  command->add_option("--data", options->data,
                      "The numbers as HDF5 too: values, axes, words, names of quantities, where they come "
                      "from");
  const std::string plots = "Figures of many sentences";
  command
      ->add_option(
          "--quantity", options->quantity,
          "gate, share, entropy, max or leaves (corpus-difference too); leaves-by-layer: leaves, distinct or "
          "simple; "
          "leaves-distribution: leaves-mass or distinct-mass; quantity-by-layer, share-bars, quantity-map, "
          "token-bars: the name of a recorded quantity")
      ->capture_default_str()
      ->group(plots);
  command->add_option("--bins", options->bins, "Width of the length bins in words, or their lower ends")
      ->capture_default_str()
      ->group(plots);
  command->add_option("--by", options->by, "layer,length or layer,position (of the word in its sentence)")
      ->capture_default_str()
      ->group(plots);
  command
      ->add_option("--words", options->words,
                   "Only these words of each sentence: 1-8, 8, 3-; with --text how it is cut: auto (as the "
                   "model was trained), spaces, ud-en, characters")
      ->group(plots);
  command->add_option("--layers", options->layers, "Only these layers, for example 2-6")->group(plots);
  command->add_option("--bootstrap", job.statistics.bootstrap.resamples, "Resamples of the bands; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
      ->group(plots);
  add_pairing_options(*command, job.statistics, "corpus-difference", plots);
  command->add_option("--minimum", job.minimum_sentences, "Bins with fewer sentences are left out")
      ->capture_default_str()
      ->group(plots);
  command
      ->add_option("--treebank", job.statistics.treebank,
                   "CoNLL-U of the recorded sentences: layers-needed, --by layer,upos")
      ->group(plots);
  command
      ->add_option("--orders", job.statistics.orders,
                   "leaves-distribution: the greatest number of leaves or distinct words")
      ->capture_default_str()
      ->group(plots);
  command->add_option("--samples", job.statistics.samples, "Derivations drawn a word for distinct words")
      ->capture_default_str()
      ->group(plots);
  const std::string table = "plot: lines from CSV tables (in the place of RECORDINGS)";
  command->add_option("--x", job.plot.x, "Column of the x axis")->group(table);
  command
      ->add_option("--y", job.plot.y,
                   "Column of the y axis; rows of one line and x are averaged, their band is "
                   "from the least to the greatest")
      ->group(table);
  command->add_option("--low", job.plot.low, "Column of the band's lower end")->group(table);
  command->add_option("--high", job.plot.high, "Column of its upper end")->group(table);
  command->add_option("--lines", job.plot.lines, "Column whose texts make a line each")->group(table);
  command->add_option("--where", job.plot.where, "COLUMN=TEXT: only such rows; several must all hold")
      ->group(table);
  command->add_option("--x-title", job.plot.x_title, "In the place of the column's name")->group(table);
  command->add_option("--y-title", job.plot.y_title, "In the place of the column's name")->group(table);
  command->add_flag("--zero", job.plot.zero_line, "A line at 0")->group(table);
  const std::string one = "Figures of one sentence";
  command->add_option("--sentence,-n", job.sentence, "Its place in the corpus, from 1")->group(one);
  command
      ->add_option("--text", options->text,
                   "The sentence itself, run through the model; no recording is needed")
      ->group(one);
  command->add_option("--other", job.other, "differences: the sentence of the second recording")->group(one);
  command->add_option("--layer", job.layer, "From 1; by default the mean over layers (trees: the last)")
      ->group(one);
  command
      ->add_option("--part", options->part,
                   "high, middle1, middle2, full, self, cross; by default all of the encoder or their mean")
      ->group(one);
  command->add_option("--head", job.head, "From 1; by default the mean over heads")->group(one);
  command
      ->add_option("--token", job.token,
                   "token-bars: its place, from 1, special tokens counted; head-bars: the query")
      ->group(one);
  command
      ->add_option("--key", job.key,
                   "token-bars: of a map this key alone, counted like --token; head-bars: the key")
      ->group(one);
  command->add_option("--owner", job.owner, "Trees of one word, WORD@POSITION")->group(one);
  command
      ->add_option("--leaves", job.leaves,
                   "tree, arcs: the best with so many leaves; forest: the best for each number")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{64}))
      ->group(one);
  command->add_option("--order", options->former_leaves, "Former name of --leaves")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{64}))
      ->excludes("--leaves")
      ->group("");
  command->add_option("--top", job.top, "Instead, tree, arcs: which of the best of all; forest: how many")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}))
      ->group(one);
  command
      ->add_flag("--projective", job.projective,
                 "Instead: the best over all words whose steps join neighbours")
      ->group(one);
  command
      ->add_option(
          "--threshold", job.threshold,
          "Weaker arcs and edges are left out (attention-arcs: 0.1; posterior-arcs: a fifth of the greatest; "
          "information-flow: about two a word and layer)")
      ->group(one);
  command
      ->add_option("--ancestors", job.ancestors,
                   "information-flow: only what flowed into this state, WORD@LAYER, for example 4@2")
      ->group(one);
  command
      ->add_option(
          "--gold", job.gold,
          "attention-arcs, arcs: CoNLL-U of the recorded sentences; the tree is drawn below the words, "
          "with attachment scores")
      ->group(one);
  command->add_option("--descendants", job.descendants, "information-flow: only what it flows into")
      ->group(one);
  command->add_flag("--no-special-tokens", options->no_special_tokens, "Maps without </s>")->group(one);
  const std::string maps =
      "attention, attention-arcs (--by-word: gates, quantity-map, token-bars, head-bars too)";
  command
      ->add_flag("--by-word", job.by_word,
                 "Words in the place of pieces: rows averaged, columns summed; gates averaged")
      ->group(maps);
  command
      ->add_option("--block", options->block,
                   "Of a pair of texts in one input: QUERY-KEY, for example 1-2; 0 is all")
      ->group(maps);
  command->add_option("--from", job.from, "Arcs of one word of the figure, from 1")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->group(maps);
  command->add_option("--at-most", job.at_most, "The strongest arcs that are kept")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->group(maps);
  command
      ->add_option("--colours", options->colours,
                   "even, or root: by the square root of the weight, which tells small weights apart")
      ->group(maps)
      ->capture_default_str();
  command->add_flag("--special-tokens", job.special_words, "Arcs from and to </s> too")->group(maps);
  add_grammar_options(*command, options->grammar,
                      "Of the attention grammar: trees and orders (attention, attention-arcs, "
                      "attention-overview: --heads alone)");
  const std::string diagrams = "kinds, iterations, layer-step, sentence-mog: diagrams of expressions";
  command
      ->add_option("--expression", job.expressions,
                   "As `mog expr` takes it; several may be given; by default the paper's")
      ->allow_extra_args(false)
      ->group(diagrams);
  command
      ->add_option("--sentence-text", job.sentence_text,
                   "The words of the sentence, with spaces between; names must be words of it")
      ->group(diagrams);
  add_look_options(*command, options->look);
  context.add_common_options(*command);
  command->footer(examples(
      {"mog figure list",
       "mog figure tree --text 'The dog sleeps .' -o tree.svg",
       "mog figure attention tagger-en-graph --text \"I don't know .\" --layer 2 --part high -o map.png",
       "mog figure weight-by-layer corpus.rec --output weights.svg",
       "mog figure weight-by-layer corpus.rec -o weights.pdf --preset acl --caption none --title ''",
       "mog figure weight-difference corpus.rec -o difference.pdf --preset column --csv -",
       "mog figure leaves-by-layer maps.rec -o orders.svg",
       "mog figure leaves-by-layer en.rec de.rec random.rec -o models.svg --preset page",
       "mog figure order-bands maps.rec -o bands.svg --preset page",
       "mog figure attention corpus.rec -n 3 --layer 2 --part high --head 1 -o map.png",
       "mog figure attention text.rec -n 3 --layer 2 --part cross -o cross.svg",
       "mog figure attention-arcs corpus.rec -n 3 --heads 1,3 --from 4 --threshold 0.02 -o arcs.svg",
       "mog figure attention-difference a.rec b.rec -n 3 --layer 2 --part high -o difference.svg",
       "mog figure corpus-difference a.rec b.rec --quantity entropy -o corpora.svg",
       "mog figure quantity-by-layer parts.rec --quantity 'encoder.*.split.norm' -o split.svg",
       "mog figure share-bars parts.rec --quantity 'encoder.*.pseudo_gate.projection' -o shares.svg",
       "mog figure token-bars parts.rec -n 3 --token 5 --quantity 'encoder.*.split' -o parts.svg",
       "mog figure token-bars parts.rec -n 3 --token 5 --quantity encoder.3.full.logit_terms --head 4 -o "
       "score.svg",
       "mog figure attention-arcs pud.rec -n 3 --layer 2 --part high --gold en_pud.conllu -o gold.svg",
       "mog figure information-flow maps.rec -n 3 --ancestors 4@6 -o flow.svg",
       "mog figure head-bars maps.rec -n 3 --layer 2 --part high --by-word --token 4 --key 2 -o heads.svg",
       "mog figure quantity-map maps.rec -n 3 --quantity encoder.6.alti.product --by-word -o alti.svg",
       "mog figure plot scores.csv --x layers --y value --lines model --where task=upos -o depth.svg",
       "mog figure tree corpus.rec -n 3 --owner dog@4 -o tree.svg",
       "mog figure kinds -o kinds.svg",
       "mog figure sentence-mog --expression '((saw)->saw U (dog)->dog)->saw U (cat)->cat' --sentence-text "
       "'dog saw cat' -o saw.svg"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { figure(context, *command, *options); };
  });
}

}  // namespace mog::cli

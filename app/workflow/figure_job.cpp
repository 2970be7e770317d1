#include "app/workflow/figure_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/derivation_figures.h"
#include "analysis/figure_data/order_figures.h"
#include "analysis/figure_data/quantity_figures.h"
#include "app/workflow/diagram_job.h"
#include "app/workflow/grammar_options.h"
#include "app/workflow/named_quantities.h"
#include "app/workflow/trees_job.h"
#include "app/workflow/word_statistics_job.h"
#include "io/hdf5/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::array<FigureKind, 21> kKinds = {{
    {"weight-by-layer", "mean weight by layer, one line a length bin (MoG paper, Figures 4(b), 5)", false},
    {"weight-by-length", "mean weight by sentence length, one line a layer", false},
    {"weight-difference", "the same as difference to the shortest bin (earlier version, Figure 5)", false},
    {"weight-panels", "weight by layer, one panel a recording, for example one a model depth", false},
    {"attention", "attention map of one layer, part and head (or means of them); GRU, LSTM: carry weights",
     true},
    {"attention-grid", "attention of one part, a thumbnail a layer and head", true},
    {"attention-arcs", "attention weights above a threshold as arcs over the words", true},
    {"gate", "gate by layer and token, mean over dimensions", true},
    {"gate-dimensions", "gate of one layer by token and dimension", true},
    {"tree", "the best derivation with --order leaves (default: up to 6) as a binary tree over the words",
     true},
    {"forest", "several derivations over one sentence (--top: how many, or --order)", true},
    {"arcs", "the joins of that derivation as arcs over the words", true},
    {"posterior-arcs", "expected joins above a threshold as arcs, all derivations counted", true},
    {"weight-panels-difference", "weight-difference, one panel a recording", false},
    {"order-by-layer", "expected order by layer (--quantity order, distinct, simple), one line a length bin",
     false},
    {"order-distribution",
     "P(order = k), one line a layer (--orders; --quantity distinct-mass: distinct words)", false},
    {"joins-by-part", "expected joins by layer, one line a part", false},
    {"order-bands", "orders that each part makes against its bands, exact and nominal", false},
    {"quantity-by-layer",
     "a recorded quantity by layer, one line an entry (--quantity 'encoder.*.split.norm')", false},
    {"quantity-map", "a recorded map of tokens on tokens (--quantity encoder.6.alti.product)", true},
    {"layers-needed", "layers that gold trees need by length, beside the trees found (--treebank)", false},
}};

analysis::FigureData weight(const FigureOptions& options, const std::stop_token& stop,
                            const ProgressCallback& progress) {
  if (wants_word_statistics(options.statistics)) {
    throw UsageError(
        fmt::format("figure {}: it shows gate, share, entropy, max or a recorded order by layer, length or "
                    "position; orders have figures of their own (`mog figure list`)",
                    options.kind));
  }
  const std::vector<analysis::LengthStatistics> statistics =
      gather_statistics(options.statistics, stop, progress);
  analysis::WeightFigureOptions weight_options;
  weight_options.head = options.head;
  weight_options.minimum_sentences = options.minimum_sentences;
  if (options.kind == "weight-by-length") {
    weight_options.view = analysis::WeightView::by_length;
  } else if (options.kind == "weight-difference" || options.kind == "weight-panels-difference") {
    weight_options.view = analysis::WeightView::difference_by_length;
  }
  if (options.kind.starts_with("weight-panels")) {
    return analysis::weight_panels(statistics, weight_options);
  }
  if (statistics.size() > 1) {
    throw UsageError(
        fmt::format("figure {}: {} statistics come from these recordings and quantities, it shows one; "
                    "use weight-panels for several",
                    options.kind, statistics.size()));
  }
  return analysis::weight_figure(statistics.front(), weight_options);
}

// One line an entry of a quantity, all sentence lengths together.
analysis::FigureData by_layer(const FigureOptions& options, const std::stop_token& stop,
                              const ProgressCallback& progress) {
  StatisticsOptions statistics = options.statistics;
  if (statistics.names.size() != 1 || statistics.recordings.size() != 1) {
    throw UsageError(
        "figure quantity-by-layer: it shows one quantity of one recording; give --quantity "
        "'encoder.*.split.norm' or its like");
  }
  statistics.by_length = false;
  statistics.by_head = false;
  const analysis::Table table = StatisticsJob(statistics).run(stop, progress);
  PlotOptions plot;
  plot.x = "layer";
  plot.y = "mean";
  if (statistics.bootstrap.resamples > 0) {
    plot.low = "low";
    plot.high = "high";
  }
  plot.lines = "entry";
  plot.y_title = statistics.names.front();
  analysis::FigureData figure = plot_table(table, plot, statistics.recordings.front().filename().string());
  const io::RecordingReader reader(statistics.recordings.front());
  std::string level;
  for (const QuantitySchema& schema : reader.header().quantities) {
    if (level.empty() && matches_name(statistics.names.front(), schema.name.text())) {
      level = analysis::level_text(schema.name);
    }
  }
  figure.caption = analysis::caption(
      reader.header().model, reader.header().provenance.corpus_name,
      fmt::format("{} sentences", reader.size()),
      (level.empty() ? "" : level + "; ") + "mean over words or sentences, bands: bootstrap over sentences");
  return figure;
}

analysis::FigureData map_figure(const FigureOptions& options, const RecordingSource& source,
                                std::int64_t index) {
  if (options.statistics.names.size() != 1) {
    throw UsageError(
        "figure quantity-map: it shows one recorded map; give --quantity encoder.6.alti.product or its like");
  }
  return analysis::quantity_map_figure(source, index, QuantityName::parse(options.statistics.names.front()),
                                       options.head, {.special_tokens = options.special_tokens});
}

bool is_of_words(std::string_view kind) {
  return kind.starts_with("order-") || kind == "joins-by-part" || kind == "layers-needed";
}

// Figures of orders: the measures that each of them needs, all sentences together where it shows one group.
analysis::FigureData of_words(const FigureOptions& options, const std::stop_token& stop,
                              const ProgressCallback& progress) {
  using analysis::WordMeasure;
  StatisticsOptions statistics = options.statistics;
  const std::vector<WordMeasure> asked = statistics.word_measures;
  const auto one_of = [&](std::initializer_list<WordMeasure> allowed) {
    for (const WordMeasure measure : asked) {
      if (std::find(allowed.begin(), allowed.end(), measure) != allowed.end()) {
        return measure;
      }
    }
    return *allowed.begin();
  };
  statistics.measures.clear();
  const bool by_group = options.kind == "order-by-layer" || options.kind == "layers-needed";
  if (!by_group) {
    statistics.by_length = statistics.by_position = statistics.by_upos = false;
  }
  if (options.kind == "order-by-layer") {
    statistics.word_measures = {one_of({WordMeasure::order, WordMeasure::distinct, WordMeasure::simple})};
  } else if (options.kind == "order-distribution") {
    statistics.word_measures = {one_of({WordMeasure::order_mass, WordMeasure::distinct_mass})};
  } else if (options.kind == "joins-by-part") {
    statistics.word_measures = {WordMeasure::joins};
  } else if (options.kind == "order-bands") {
    statistics.word_measures = {WordMeasure::bands, WordMeasure::part_order};
  } else {
    statistics.word_measures = {WordMeasure::layers_needed};
  }
  const std::vector<analysis::WordStatistics> found = gather_word_statistics(statistics, stop, progress);
  if (options.kind == "order-by-layer") {
    return analysis::order_by_layer_figure(found);
  }
  if (options.kind == "order-distribution") {
    return analysis::order_distribution_figure(found);
  }
  if (options.kind == "joins-by-part") {
    return analysis::joins_by_part_figure(found);
  }
  if (options.kind == "layers-needed") {
    return analysis::layers_needed_figure(found);
  }
  // Of each recording bands and orders.
  std::vector<analysis::WordStatistics> bands;
  std::vector<analysis::WordStatistics> orders;
  for (std::size_t i = 0; i < found.size(); ++i) {
    (i % 2 == 0 ? bands : orders).push_back(found[i]);
  }
  return analysis::order_bands_figure(bands, orders);
}

bool has_grammar(const FigureKind& kind) {
  constexpr std::array<std::string_view, 4> kTrees = {"tree", "forest", "arcs", "posterior-arcs"};
  return is_of_words(kind.name) || std::find(kTrees.begin(), kTrees.end(), kind.name) != kTrees.end();
}

std::vector<Part> parts_of(const FigureOptions& options, const RecordingSource& source) {
  if (options.part != Part::none) {
    return {options.part};
  }
  return analysis::attention_parts(source.header());
}

// One derivation: of a number of leaves, or of a rank.
const analysis::Derivation& chosen_tree(const FigureOptions& options, const SentenceTrees& trees) {
  if (trees.derivations.empty()) {
    throw UsageError(fmt::format("figure {}: sentence {} has no derivation of {}", options.kind, trees.number,
                                 trees.goal));
  }
  const analysis::Derivation& last = trees.derivations.back();
  if (trees.mode == TreesMode::by_order) {
    if (options.order > 0 && last.entry.leaves != options.order) {
      throw UsageError(fmt::format("figure {}: sentence {} has no derivation of {} with {} leaves",
                                   options.kind, trees.number, trees.goal, options.order));
    }
  } else if (trees.mode == TreesMode::free &&
             static_cast<std::int64_t>(trees.derivations.size()) < options.top) {
    throw UsageError(fmt::format("figure {}: sentence {} has {} different derivations of {}, not {}",
                                 options.kind, trees.number, trees.derivations.size(), trees.goal,
                                 options.top));
  }
  return last;
}

analysis::FigureData derivation(const FigureOptions& options, const RecordingSource& source,
                                std::int64_t index) {
  if ((options.order > 0) + (options.top > 0) + options.projective > 1) {
    throw UsageError(
        fmt::format("figure {}: --order, --top and --projective exclude each other", options.kind));
  }
  const bool forest = options.kind == "forest";
  TreesOptions tree_options;
  const bool free = !options.projective && (options.top > 0 || (forest && options.order == 0));
  tree_options.mode = options.projective ? TreesMode::projective
                      : free             ? TreesMode::free
                                         : TreesMode::by_order;
  if (free) {
    tree_options.top = options.top > 0 ? options.top : 3;
  } else if (options.projective) {
    tree_options.top = 1;
  } else {
    tree_options.top =
        options.order > 0 ? options.order : leaves_to_show(source.sentence(index).words.size());
  }
  tree_options.owner = options.owner;
  tree_options.layer = options.layer;
  tree_options.grammar = options.statistics.grammar;
  tree_options.distributions = options.kind == "posterior-arcs";
  const SentenceTrees trees = find_trees(source, index, tree_options);
  const std::vector<std::string>& words = trees.grammar->words();
  const std::int64_t layers = trees.grammar->layers();
  const auto text_of = [&](const std::string& what) {
    analysis::SentenceFigureText text;
    text.caption =
        analysis::caption(source.header().model, source.header().provenance.corpus_name,
                          fmt::format("sentence {}, {}, {}", trees.number, trees.goal, what),
                          "summary: " + grammar_text(tree_options.grammar, trees.sentence->choices));
    return text;
  };
  if (options.kind == "posterior-arcs") {
    return analysis::posterior_arcs(trees.posteriors, trees.grammar->parts(), words, options.threshold,
                                    text_of("expected joins of all derivations"));
  }
  if (forest) {
    return analysis::forest_figure(
        trees.derivations, words, layers,
        text_of(options.projective ? std::string("the best whole tree whose steps join neighbours")
                : free             ? fmt::format("the {} best", trees.derivations.size())
                       : fmt::format("the best for each number of leaves up to {}", tree_options.top)));
  }
  const analysis::Derivation& chosen = chosen_tree(options, trees);
  const std::string what = options.projective ? "the best whole tree whose steps join neighbours"
                           : free             ? fmt::format("number {} of the best", options.top)
                                              : fmt::format("the best with {} leaves", chosen.entry.leaves);
  if (options.kind == "arcs") {
    return analysis::derivation_arcs(chosen, words, text_of(what));
  }
  return analysis::tree_figure(chosen, words, layers, text_of(what));
}

analysis::FigureData of_sentence(const FigureOptions& options, const RecordingSource& source) {
  const std::int64_t index = sentence_index(source, options.sentence);
  const analysis::TokenOptions tokens{.special_tokens = options.special_tokens};
  if (options.kind == "attention") {
    return analysis::attention_figure(source, index, options.layer, options.part, options.head, tokens);
  }
  if (options.kind == "attention-grid") {
    const std::vector<Part> parts = parts_of(options, source);
    if (parts.empty()) {
      throw UsageError(
          "figure attention-grid: the recording holds no attention maps; record with --capture "
          "attention");
    }
    return analysis::attention_grid(source, index, parts.front());
  }
  if (options.kind == "attention-arcs") {
    return analysis::attention_arcs(source, index, options.layer, parts_of(options, source), options.head,
                                    {.threshold = options.threshold});
  }
  if (options.kind == "quantity-map") {
    return map_figure(options, source, index);
  }
  if (options.kind == "gate") {
    return analysis::gate_figure(source, index, tokens);
  }
  if (options.kind == "gate-dimensions") {
    if (options.layer == 0) {
      throw UsageError("figure gate-dimensions: give --layer, it shows one layer");
    }
    return analysis::gate_dimensions_figure(source, index, options.layer, tokens);
  }
  return derivation(options, source, index);
}

}  // namespace

std::span<const FigureKind> figure_kinds() {
  return kKinds;
}

const FigureKind& table_figure_kind() {
  static constexpr FigureKind kPlot = {
      "plot", "lines from the columns of CSV tables (--x, --y), for example scores by depth", false};
  return kPlot;
}

const FigureKind& find_figure_kind(std::string_view name) {
  if (name == table_figure_kind().name) {
    return table_figure_kind();
  }
  for (const FigureKind& kind : diagram_kinds()) {
    if (name == kind.name) {
      return kind;
    }
  }
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const FigureKind& kind) { return kind.name == name; });
  if (found == kKinds.end()) {
    std::string all;
    for (const FigureKind& kind : kKinds) {
      all += (all.empty() ? "" : ", ") + std::string(kind.name);
    }
    std::string diagrams;
    for (const FigureKind& kind : diagram_kinds()) {
      diagrams += (diagrams.empty() ? "" : ", ") + std::string(kind.name);
    }
    throw UsageError(
        fmt::format("figure {}: there is no such figure; there are {}, of tables {}, and of expressions {}",
                    name, all, table_figure_kind().name, diagrams));
  }
  return *found;
}

analysis::FigureData make_figure(const FigureOptions& options, std::stop_token stop,
                                 const ProgressCallback& progress) {
  const FigureKind& kind = find_figure_kind(options.kind);
  if (!is_default(options.statistics.grammar) && !has_grammar(kind)) {
    throw UsageError(fmt::format("figure {}: {}: only trees and orders depend on an attention grammar",
                                 options.kind, chosen_text(options.statistics.grammar)));
  }
  if (is_diagram(kind.name)) {
    return make_diagram({.kind = options.kind,
                         .expressions = options.expressions,
                         .files = options.statistics.recordings,
                         .sentence = options.sentence_text,
                         .layer = options.layer});
  }
  if (options.statistics.recordings.empty() && kind.name != "layers-needed") {
    throw UsageError(fmt::format("figure {}: no recording was named", options.kind));
  }
  if (kind.name == table_figure_kind().name) {
    return plot_files(options.statistics.recordings, options.plot);
  }
  if (is_of_words(kind.name)) {
    return of_words(options, stop, progress);
  }
  if (kind.name == "quantity-by-layer") {
    return by_layer(options, stop, progress);
  }
  if (!kind.of_sentence) {
    return weight(options, stop, progress);
  }
  if (options.sentence < 1) {
    throw UsageError(
        fmt::format("figure {}: give --sentence N, the place of the sentence in its corpus", kind.name));
  }
  if (options.statistics.recordings.size() > 1) {
    throw UsageError(fmt::format("figure {}: it shows one sentence of one recording, {} were named",
                                 kind.name, options.statistics.recordings.size()));
  }
  const io::RecordingReader reader(options.statistics.recordings.front());
  return of_sentence(options, reader);
}

}  // namespace mog::app

#include "app/workflow/figure_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/order_figures.h"
#include "analysis/figure_data/quantity_figures.h"
#include "analysis/statistics/sentence_key.h"
#include "app/workflow/diagram_job.h"
#include "app/workflow/grammar_options.h"
#include "app/workflow/named_quantities.h"
#include "app/workflow/paired_job.h"
#include "app/workflow/recorded_text.h"
#include "app/workflow/statistics_groups.h"
#include "app/workflow/trees_job.h"
#include "app/workflow/word_statistics_job.h"
#include "io/hdf5/recording_reader.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::array<FigureKind, 29> kKinds = {{
    {"weight-by-layer", "mean weight by layer, one line a length bin (MoG paper, Figures 4(b), 5)", false},
    {"weight-by-length", "mean weight by sentence length, one line a layer", false},
    {"weight-difference", "the same as difference to the shortest bin (earlier version, Figure 5)", false},
    {"weight-panels", "weight by layer, one panel a recording, for example one a model depth", false},
    {"attention", "attention map of one layer, part and head (or means of them); GRU, LSTM: carry weights",
     true},
    {"attention-grid", "attention of one part, a thumbnail a layer and head", true},
    {"attention-overview", "thumbnails of all layers and heads on one scale, with their means", true},
    {"attention-arcs", "attention weights above a threshold as arcs over the words", true},
    {"attention-difference", "a map of two recordings or sentences (--other) and their difference", true},
    {"gate-difference", "the gate of two recordings or sentences and their difference", true},
    {"corpus-difference",
     "two recordings of the same sentences: second less first by layer, tested (--quantity)", false},
    {"gate", "gate by layer and token, mean over dimensions", true},
    {"gate-dimensions", "gate of one layer by token and dimension", true},
    {"tree", "the best derivation with --leaves leaves (default: up to 6) as a binary tree over the words",
     true},
    {"forest", "several derivations over one sentence (--top: how many, or --leaves)", true},
    {"arcs", "the joins of that derivation as arcs over the words", true},
    {"posterior-arcs", "expected joins above a threshold as arcs, all derivations counted", true},
    {"information-flow",
     "states of the words by layer and what each takes from others (--ancestors, --descendants WORD@LAYER)",
     true},
    {"head-bars", "one pair of words by head (--layer, --part, --token the query, --key)", true},
    {"weight-panels-difference", "weight-difference, one panel a recording", false},
    {"leaves-by-layer",
     "expected leaves by layer, one line a length bin (--quantity distinct: the order; simple)", false},
    {"leaves-distribution",
     "P(leaves = k), one line a layer (--orders; --quantity distinct-mass: P(order = k))", false},
    {"joins-by-part", "expected joins by layer, one line a part", false},
    {"order-bands", "leaves of what each part makes against its order bands, exact and nominal", false},
    {"quantity-by-layer",
     "a recorded quantity by layer, one line an entry (--quantity 'encoder.*.split.norm')", false},
    {"share-bars",
     "recorded shares by layer as stacked bars (--quantity 'encoder.*.full.logit_terms.covariance_sums')",
     false},
    {"token-bars",
     "what one token consists of or attends by (--token N --quantity 'encoder.*.split', "
     "encoder.3.full.logit_terms --head 4)",
     true},
    {"quantity-map", "a recorded map of tokens on tokens (--quantity encoder.6.alti.product)", true},
    {"layers-needed", "layers that gold trees need by length, beside the trees found (--treebank)", false},
}};

analysis::FigureData weight(const FigureOptions& options, const std::stop_token& stop,
                            const ProgressCallback& progress) {
  if (wants_word_statistics(options.statistics)) {
    throw UsageError(
        fmt::format("figure {}: it shows gate, share, entropy, max or recorded leaves by layer, length or "
                    "position; leaves and orders have figures of their own (`mog figure list`)",
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

// Entries of a quantity by layer, all sentence lengths together: lines, or stacked bars.
analysis::FigureData by_layer(const FigureOptions& options, const std::stop_token& stop,
                              const ProgressCallback& progress) {
  StatisticsOptions statistics = options.statistics;
  if (statistics.names.size() != 1 || statistics.recordings.size() != 1) {
    throw UsageError(
        fmt::format("figure {}: it shows one quantity of one recording; give --quantity "
                    "'encoder.*.split.norm' or its like",
                    options.kind));
  }
  const bool stacked = options.kind == "share-bars";
  const io::RecordingReader reader(statistics.recordings.front());
  const RecordingHeader& header = reader.header();
  const std::vector<QuantityName> names = one_quantity(options, header);
  if (stacked && !analysis::entries_add_up(*header.find(names.front()))) {
    throw UsageError(
        fmt::format("figure share-bars: the entries of {} do not add up to a whole; quantity-by-layer "
                    "shows them as lines",
                    names.front().text()));
  }
  statistics.by_length = false;
  statistics.by_head = false;
  const analysis::Table table = StatisticsJob(statistics).run(stop, progress);
  analysis::FigureData figure = analysis::layer_figure(table, statistics.names.front(), stacked);
  const std::string level = analysis::level_text(names.front());
  figure.caption = analysis::caption(header.model, header.provenance.corpus_name,
                                     counted(analysis::most_sentences(figure), "sentence") +
                                         analysis::bands_clause(figure, statistics.bootstrap),
                                     (level.empty() ? "" : level + "; ") + "mean over words or sentences");
  return figure;
}

bool is_of_words(std::string_view kind) {
  return kind.starts_with("leaves-") || kind == "order-bands" || kind == "joins-by-part" ||
         kind == "layers-needed";
}

// Figures of leaves and orders: the measures that each of them needs, all sentences together where it shows
// one group.
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
  const bool by_group = options.kind == "leaves-by-layer" || options.kind == "layers-needed";
  if (!by_group) {
    statistics.by_length = statistics.by_position = statistics.by_upos = false;
  }
  if (options.kind == "leaves-by-layer") {
    statistics.word_measures = {one_of({WordMeasure::leaves, WordMeasure::distinct, WordMeasure::simple})};
  } else if (options.kind == "leaves-distribution") {
    statistics.word_measures = {one_of({WordMeasure::leaves_mass, WordMeasure::distinct_mass})};
  } else if (options.kind == "joins-by-part") {
    statistics.word_measures = {WordMeasure::joins};
  } else if (options.kind == "order-bands") {
    statistics.word_measures = {WordMeasure::bands, WordMeasure::part_leaves};
  } else {
    statistics.word_measures = {WordMeasure::layers_needed};
  }
  const std::vector<analysis::WordStatistics> found = gather_word_statistics(statistics, stop, progress);
  if (options.kind == "leaves-by-layer") {
    return analysis::leaves_by_layer_figure(found);
  }
  if (options.kind == "leaves-distribution") {
    return analysis::leaves_distribution_figure(found);
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

// The number in `second` of the text that is sentence `number` of `first`: the same where both have it there.
std::int64_t number_of_same_text(const RecordingSource& first, const RecordingSource& second,
                                 const FigureOptions& options) {
  const Sentence sentence = first.sentence(sentence_index(first, options.sentence));
  const std::uint64_t key = analysis::sentence_key(sentence);
  if (const auto at = find_sentence(second, options.sentence);
      at && analysis::sentence_key(second.sentence(*at)) == key) {
    return options.sentence;
  }
  for (std::int64_t at = 0; at < second.size(); ++at) {
    if (analysis::sentence_key(second.sentence(at)) == key) {
      return second.number(at);
    }
  }
  throw UsageError(fmt::format(
      "figure {}: \"{}\" (sentence {}) is not in the second recording ({} sentences of {}); name "
      "the sentence there with --other N, where another text is to be compared",
      options.kind, sentence.text, options.sentence, second.size(), second.header().provenance.corpus_name));
}

analysis::FigureData of_two(const FigureOptions& options, const FigureSources& sources) {
  const RecordingSource& first = *sources.front();
  const RecordingSource& second = *sources.back();
  if (sources.size() < 2) {
    return make_difference(options, first, second);
  }
  const auto& paths = options.statistics.recordings;
  const std::vector<SourceAtPath> both = {{&first, paths.front()}, {&second, paths.back()}};
  refuse_repeated(both);
  FigureOptions of_both = options;
  if (options.other == 0 && options.sentence > 0) {
    of_both.other = number_of_same_text(first, second, options);
  }
  const std::vector<RecordingLabel> labels = labels_of(both);
  return make_difference(of_both, first, second, sentence_title(labels[0], options.sentence),
                         sentence_title(labels[1], of_both.other));
}

bool has_grammar(const FigureKind& kind) {
  constexpr std::array<std::string_view, 5> kTrees = {"tree", "forest", "arcs", "posterior-arcs",
                                                      "information-flow"};
  return is_of_words(kind.name) || std::find(kTrees.begin(), kTrees.end(), kind.name) != kTrees.end();
}

}  // namespace

std::string sentence_title(const RecordingLabel& recording, std::int64_t number) {
  return fmt::format("{}, sentence {}", recording.text, number);
}

// The names of a recording that fit the one pattern given; they must be one quantity.
std::vector<QuantityName> one_quantity(const FigureOptions& options, const RecordingHeader& header) {
  const std::vector<std::string>& patterns = options.statistics.names;
  if (patterns.size() != 1) {
    throw UsageError(
        fmt::format("figure {}: it shows one quantity; give --quantity with a recorded name", options.kind));
  }
  std::vector<QuantityName> names;
  for (const QuantitySchema& schema : header.quantities) {
    if (!matches_name(patterns.front(), schema.name.text())) {
      continue;
    }
    if (!names.empty() && (names.front().quantity() != schema.name.quantity() ||
                           names.front().reduction() != schema.name.reduction() ||
                           names.front().part() != schema.name.part())) {
      throw UsageError(fmt::format("figure {}: --quantity {} is {} and {}; it shows one quantity",
                                   options.kind, patterns.front(), names.front().text(), schema.name.text()));
    }
    names.push_back(schema.name);
  }
  if (names.empty()) {
    throw UsageError(fmt::format("figure {}: --quantity {}: the recording of {} does not hold it",
                                 options.kind, patterns.front(), header.model.name));
  }
  std::sort(names.begin(), names.end(), [](const QuantityName& left, const QuantityName& right) {
    // The whole encoder comes after its layers.
    const auto place = [](const QuantityName& name) {
      return name.layer() > 0 ? name.layer() : std::numeric_limits<std::int64_t>::max();
    };
    return place(left) < place(right);
  });
  return names;
}

std::span<const FigureKind> figure_kinds() {
  return kKinds;
}

std::span<const FigureKind> table_figure_kinds() {
  static constexpr FigureKind kTables[] = {
      {"plot", "lines from the columns of CSV tables (--x, --y), for example scores by depth", false},
      {"faithfulness", "agreement and effects of attributions, from a table of mog faithfulness", false},
      {"faithfulness-curves", "effect of erasing and keeping growing fractions, from such a table", false},
      {"effects", "effects of cuts, from a table of mog ablate (--y: the measure, by default pooled)",
       false}};
  return kTables;
}

const FigureKind& find_figure_kind(std::string_view name) {
  for (const FigureKind& kind : table_figure_kinds()) {
    if (name == kind.name) {
      return kind;
    }
  }
  for (const FigureKind& kind : diagram_kinds()) {
    if (name == kind.name) {
      return kind;
    }
  }
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const FigureKind& kind) { return kind.name == name; });
  if (found == kKinds.end()) {
    std::vector<std::string> names;
    for (const std::span<const FigureKind> kinds :
         {figure_kinds(), table_figure_kinds(), std::span<const FigureKind>(diagram_kinds())}) {
      for (const FigureKind& kind : kinds) {
        names.emplace_back(kind.name);
      }
    }
    throw UsageError(fmt::format("figure {}: there is no such figure{} `mog figure list` names them", name,
                                 nearest_names(name, names).empty() ? ";" : did_you_mean(name, names)));
  }
  return *found;
}

analysis::FigureData make_figure(const FigureOptions& options, std::stop_token stop,
                                 const ProgressCallback& progress) {
  return make_figure(options, open_figure_sources(options, stop), stop, progress);
}

analysis::FigureData make_figure(const FigureOptions& options, const FigureSources& sources,
                                 std::stop_token stop, const ProgressCallback& progress) {
  const FigureKind& kind = find_figure_kind(options.kind);
  analysis::WordGrammarOptions grammar = options.statistics.grammar;
  if (kind.name == "attention" || kind.name == "attention-arcs" || kind.name == "attention-overview" ||
      kind.name == "attention-difference") {
    grammar.heads.clear();  // the heads of the mean
  }
  if (!is_default(grammar) && !has_grammar(kind)) {
    throw UsageError(
        fmt::format("figure {}: {}: only trees, leaves and orders depend on an attention grammar",
                    options.kind, chosen_text(options.statistics.grammar)));
  }
  if (is_diagram(kind.name)) {
    return make_diagram({.kind = options.kind,
                         .expressions = options.expressions,
                         .files = options.statistics.recordings,
                         .sentence = options.sentence_text,
                         .layer = options.layer});
  }
  if (options.statistics.recordings.empty() && sources.empty() && kind.name != "layers-needed") {
    throw UsageError(fmt::format("figure {}: no recording was named", options.kind));
  }
  if (kind.name == "plot") {
    return plot_files(options.statistics.recordings, options.plot);
  }
  if (kind.name == "effects") {
    return effects_files(options.statistics.recordings, options.plot.y.empty() ? "pooled" : options.plot.y);
  }
  if (kind.name == "faithfulness" || kind.name == "faithfulness-curves") {
    return faithfulness_files(options.statistics.recordings, kind.name == "faithfulness-curves");
  }
  if (!kind.of_sentence) {
    for (const std::filesystem::path& recording : options.statistics.recordings) {
      refuse_model("figure " + options.kind, recording,
                   "it shows many sentences: record a corpus with `mog record -m MODEL -i CORPUS -o FOLDER`");
    }
  }
  if (is_of_words(kind.name)) {
    return of_words(options, stop, progress);
  }
  if (kind.name == "quantity-by-layer" || kind.name == "share-bars") {
    return by_layer(options, stop, progress);
  }
  if (kind.name == "corpus-difference") {
    return make_corpus_difference(options, std::move(stop), progress);
  }
  if (!kind.of_sentence) {
    return weight(options, stop, progress);
  }
  return is_difference(kind) ? of_two(options, sources)
                             : make_sentence_figure(options, *sources.front(), stop, progress);
}

}  // namespace mog::app

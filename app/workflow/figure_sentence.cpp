// Figures of one sentence: maps, gates, derivations.
#include <fmt/format.h>

#include <utility>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/bar_figures.h"
#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/derivation_figures.h"
#include "analysis/figure_data/difference_figures.h"
#include "analysis/figure_data/head_bars.h"
#include "analysis/figure_data/information_flow.h"
#include "analysis/figure_data/quantity_figures.h"
#include "app/workflow/figure_job.h"
#include "app/workflow/gold_overlay.h"
#include "app/workflow/grammar_options.h"
#include "app/workflow/trees_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr double kArcThreshold = 0.1;

analysis::FigureData map_figure(const FigureOptions& options, const RecordingSource& source,
                                std::int64_t index) {
  if (options.statistics.names.size() != 1) {
    throw UsageError(
        "figure quantity-map: it shows one recorded map; give --quantity encoder.6.alti.product or its like");
  }
  return analysis::quantity_map_figure(
      source, index, QuantityName::parse(options.statistics.names.front()), options.head,
      {.special_tokens = options.special_tokens, .by_word = options.by_word});
}

analysis::FigureData token_bars(const FigureOptions& options, const RecordingSource& source,
                                std::int64_t index) {
  if (options.token < 1) {
    throw UsageError("figure token-bars: give --token N, its place in the sentence, special tokens counted");
  }
  const std::vector<QuantityName> names = one_quantity(options, source.header());
  return analysis::token_bars(
      source, index, names,
      {.token = options.token, .key = options.key, .head = options.head, .by_word = options.by_word});
}

// What only maps of attention have.
void check_attention_choices(const FigureOptions& options) {
  const bool map = options.kind == "attention" || options.kind == "attention-arcs" ||
                   options.kind == "attention-difference";
  const bool arcs = options.kind == "attention-arcs";
  const auto refuse = [&](const char* option, const char* kinds) {
    throw UsageError(fmt::format("figure {}: {} is for {}", options.kind, option, kinds));
  };
  if (map && options.head > 0 && !options.statistics.grammar.heads.empty()) {
    throw UsageError(fmt::format("figure {}: --head and --heads exclude each other", options.kind));
  }
  const bool gates =
      options.kind == "gate" || options.kind == "gate-dimensions" || options.kind == "gate-difference";
  if (options.by_word && !map && !gates && options.kind != "quantity-map" && options.kind != "token-bars" &&
      options.kind != "head-bars") {
    refuse("--by-word", "maps, gates, token-bars and head-bars");
  }
  if (!options.block.all() && !map) {
    refuse("--block", "maps of attention");
  }
  if ((options.gold_words != nullptr || !options.gold.empty()) && !takes_gold(options.kind)) {
    refuse("--gold", "attention-arcs and arcs");
  }
  if ((options.from > 0 || options.special_words) && !arcs) {
    refuse(options.from > 0 ? "--from" : "--special-tokens", "attention-arcs");
  }
}

std::vector<Part> parts_of(const FigureOptions& options, const RecordingSource& source) {
  if (options.part != Part::none) {
    return {options.part};
  }
  return options.layer > 0 ? analysis::parts_of_layer(source.header(), options.layer)
                           : analysis::attention_parts(source.header());
}

// One derivation: of a number of leaves, or of a rank.
const analysis::Derivation& chosen_tree(const FigureOptions& options, const SentenceTrees& trees) {
  if (trees.derivations.empty()) {
    throw UsageError(fmt::format("figure {}: sentence {} has no derivation of {}{}", options.kind,
                                 trees.number, trees.goal,
                                 trees.notes.empty() ? "" : ": " + trees.notes.back()));
  }
  const analysis::Derivation& last = trees.derivations.back();
  if (trees.mode == TreesMode::by_leaves) {
    if (options.leaves > 0 && last.entry.leaves != options.leaves) {
      throw UsageError(fmt::format("figure {}: sentence {} has no derivation of {} with {} leaves",
                                   options.kind, trees.number, trees.goal, options.leaves));
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
                                std::int64_t index, const std::stop_token& stop,
                                const ProgressCallback& progress) {
  if ((options.leaves > 0) + (options.top > 0) + options.projective > 1) {
    throw UsageError(
        fmt::format("figure {}: --leaves, --top and --projective exclude each other", options.kind));
  }
  const bool forest = options.kind == "forest";
  TreesOptions tree_options;
  const bool free = !options.projective && (options.top > 0 || (forest && options.leaves == 0));
  tree_options.mode = options.projective ? TreesMode::projective
                      : free             ? TreesMode::free
                                         : TreesMode::by_leaves;
  if (free) {
    tree_options.top = options.top > 0 ? options.top : 3;
  } else if (options.projective) {
    tree_options.top = 1;
  } else {
    tree_options.top =
        options.leaves > 0 ? options.leaves : leaves_to_show(source.sentence(index).words.size());
  }
  tree_options.owner = options.owner;
  tree_options.layer = options.layer;
  tree_options.grammar = options.statistics.grammar;
  tree_options.distributions = options.kind == "posterior-arcs";
  tree_options.stop = stop;
  tree_options.progress = progress;
  const SentenceTrees trees = find_trees(source, index, tree_options);
  const std::vector<std::string>& words = trees.grammar->words();
  const auto text_of = [&](const std::string& what) {
    return derivation_text(source, trees.number, trees.goal_in_words, what, tree_options.grammar,
                           trees.sentence->choices);
  };
  if (options.kind == "posterior-arcs") {
    return analysis::posterior_arcs(trees.posteriors, trees.grammar->parts(), words, options.threshold,
                                    text_of("expected joins of all derivations"), options.at_most);
  }
  if (forest && trees.derivations.empty()) {
    chosen_tree(options, trees);  // says why there is none
  }
  if (forest) {
    return analysis::forest_figure(
        trees.derivations, words, trees.last_layer,
        text_of(options.projective ? std::string("the best whole tree whose steps join neighbours")
                : free             ? fmt::format("the {} best", trees.derivations.size())
                       : fmt::format("the best for each number of leaves up to {}", tree_options.top)));
  }
  const analysis::Derivation& chosen = chosen_tree(options, trees);
  const std::string what = options.projective ? "the best whole tree whose steps join neighbours"
                           : free             ? number_of_best(options.top)
                                              : best_with_leaves(chosen.entry.leaves);
  if (options.kind == "arcs") {
    return analysis::derivation_arcs(chosen, words, text_of(what));
  }
  return analysis::tree_figure(chosen, words, trees.last_layer, text_of(what));
}

}  // namespace

analysis::FlowOptions flow_options(const FigureOptions& options) {
  if (!options.ancestors.empty() && !options.descendants.empty()) {
    throw UsageError("figure information-flow: --ancestors and --descendants exclude each other");
  }
  analysis::FlowOptions flow;
  flow.threshold = options.threshold;
  const bool out = !options.descendants.empty();
  if (out || !options.ancestors.empty()) {
    flow.state = analysis::parse_flow_state(out ? options.descendants : options.ancestors, out);
  }
  return flow;
}

namespace {

analysis::TokenOptions token_options(const FigureOptions& options) {
  return {.special_tokens = options.special_tokens,
          .by_word = options.by_word,
          .heads = options.statistics.grammar.heads,
          .block = options.block};
}

analysis::FigureData of_sentence(const FigureOptions& options, const RecordingSource& source,
                                 const std::stop_token& stop, const ProgressCallback& progress) {
  const std::int64_t index = sentence_index(source, options.sentence);
  const analysis::TokenOptions tokens = token_options(options);
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
    const bool both = source.header().stack().has(PartRole::direction) && options.part == Part::none;
    return analysis::attention_grid(source, index, both ? Part::none : parts.front());
  }
  if (options.kind == "attention-overview") {
    const analysis::OverviewOptions overview{.part = options.part, .heads = options.statistics.grammar.heads};
    return analysis::overview_figure(analysis::attention_overview(source, index, overview, stop), source,
                                     index, overview);
  }
  if (options.kind == "attention-arcs") {
    analysis::ArcOptions arcs{
        .threshold = options.threshold.value_or(kArcThreshold), .at_most = options.at_most, .tokens = tokens};
    arcs.tokens.special_tokens = options.special_words;
    if (options.from > 0) {
      arcs.from = options.from - 1;
    }
    return analysis::attention_arcs(source, index, options.layer, parts_of(options, source), options.head,
                                    arcs);
  }
  if (options.kind == "quantity-map") {
    return map_figure(options, source, index);
  }
  if (options.kind == "token-bars") {
    return token_bars(options, source, index);
  }
  if (options.kind == "head-bars") {
    return analysis::head_bars(source, index,
                               {.layer = options.layer,
                                .part = options.part,
                                .query = options.token,
                                .key = options.key,
                                .by_word = options.by_word});
  }
  if (options.kind == "information-flow") {
    return analysis::InformationFlow(source, index, options.statistics.grammar).figure(flow_options(options));
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
  return derivation(options, source, index, stop, progress);
}

}  // namespace

analysis::SentenceFigureText derivation_text(const RecordingSource& source, std::int64_t number,
                                             const std::string& goal, const std::string& what,
                                             const analysis::WordGrammarOptions& grammar,
                                             const analysis::GrammarChoices& choices) {
  analysis::SentenceFigureText text;
  text.carried = source.header().stack().carried();
  text.caption = analysis::caption(source.header().model, source.header().provenance.corpus_name,
                                   fmt::format("sentence {}, {}, {}", number, goal, what),
                                   "summary: " + grammar_text(grammar, choices));
  return text;
}

std::string best_with_leaves(std::int64_t leaves) {
  return fmt::format("the best with {} leaves", leaves);
}

std::string number_of_best(std::int64_t rank) {
  return fmt::format("number {} of the best", rank);
}

analysis::FigureData make_difference(const FigureOptions& options, const RecordingSource& first,
                                     const RecordingSource& second, const std::string& first_name,
                                     const std::string& second_name) {
  if (options.sentence < 1) {
    throw UsageError(
        fmt::format("figure {}: give --sentence N, the place of the sentence in its corpus", options.kind));
  }
  check_attention_choices(options);
  analysis::ComparisonOptions comparison{
      .what = options.kind == "gate-difference" ? analysis::Compared::gate : analysis::Compared::attention,
      .layer = options.layer,
      .part = options.part,
      .head = options.head,
      .tokens = token_options(options)};
  analysis::FigureData figure = analysis::difference_figure(
      {first, sentence_index(first, options.sentence), first_name},
      {second, sentence_index(second, options.other > 0 ? options.other : options.sentence), second_name},
      comparison);
  if (comparison.what == analysis::Compared::attention) {
    analysis::set_spacing(figure, options.colours);
  }
  return figure;
}

analysis::FigureData make_sentence_figure(const FigureOptions& options, const RecordingSource& source,
                                          std::stop_token stop, const ProgressCallback& progress) {
  const FigureKind& kind = find_figure_kind(options.kind);
  if (!kind.of_sentence) {
    throw UsageError(fmt::format("figure {}: it is no figure of one sentence", kind.name));
  }
  if (options.sentence < 1) {
    throw UsageError(
        fmt::format("figure {}: give --sentence N, the place of the sentence in its corpus", kind.name));
  }
  check_attention_choices(options);
  analysis::FigureData figure = of_sentence(options, source, stop, progress);
  if (!analysis::set_spacing(figure, options.colours) && options.colours != FigureOptions().colours) {
    throw UsageError(fmt::format("figure {}: --colours {} is for scales that begin at 0", kind.name,
                                 analysis::name(options.colours)));
  }
  if (options.gold_words != nullptr || !options.gold.empty()) {
    const std::shared_ptr<const TreebankWords> gold =
        options.gold_words != nullptr ? options.gold_words
                                      : std::make_shared<const TreebankWords>(options.gold, stop);
    std::string why;
    if (!add_gold(figure, options, source, sentence_index(source, options.sentence), *gold, why)) {
      throw FormatError(fmt::format("figure {}: {}", options.kind, why));
    }
  }
  return figure;
}

}  // namespace mog::app

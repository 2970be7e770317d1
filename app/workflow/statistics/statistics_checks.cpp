#include "app/workflow/statistics/statistics_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"

namespace mog::app {

using analysis::WordMeasure;

namespace {

bool has_layers_needed(const StatisticsOptions& options) {
  return std::find(options.word_measures.begin(), options.word_measures.end(), WordMeasure::layers_needed) !=
         options.word_measures.end();
}

// Choices that none of the measures depends on.
void check_word_grammar(const StatisticsOptions& options) {
  const auto has = [&](WordMeasure measure) {
    const auto& asked = options.word_measures;
    return std::find(asked.begin(), asked.end(), measure) != asked.end();
  };
  if (options.grammar.target != analysis::TargetWeights::uniform && !has(WordMeasure::edges) &&
      !has(WordMeasure::layers_needed)) {
    throw UsageError(
        fmt::format("--target {} weighs the words of the whole sentence: of these quantities only edges and "
                    "layers-needed depend on it",
                    name(options.grammar.target)));
  }
  if (options.grammar.keep_pieces && has(WordMeasure::layers_needed)) {
    throw UsageError("--keep-pieces: layers-needed counts words, not pieces of them");
  }
}

}  // namespace

bool wants_word_statistics(const StatisticsOptions& options) {
  return options.by_upos || !options.word_measures.empty();
}

void check_statistics_report(const StatisticsOptions& options) {
  if (options.relative && options.by_upos) {
    throw UsageError(
        "--relative: differences are to the shortest bin; parts of speech (--by upos) have none");
  }
  if (options.relative && !options.by_length && !options.by_position) {
    throw UsageError(
        "--relative: differences are to the shortest bin; without bins there is one alone (--by layer,length "
        "or layer,position)");
  }
  if (options.quantiles && (options.report != StatisticsReport::means || options.relative)) {
    throw UsageError("--quantiles: they stand beside means; leave out --trend, --dimensions and --relative");
  }
  if (options.report == StatisticsReport::means) {
    return;
  }
  const std::string report = options.report == StatisticsReport::trends ? "--trend" : "--dimensions";
  if (options.by_position || !options.by_length) {
    throw UsageError(report + ": its bins are of sentence length; leave --by as layer,length");
  }
  if (options.relative) {
    throw UsageError(report + ": it gives differences already; leave out --relative");
  }
  if (options.by_head && options.report == StatisticsReport::dimensions) {
    throw UsageError("--dimensions: the gate has no heads; leave --by as layer,length");
  }
  if (options.report == StatisticsReport::dimensions &&
      options.measures != std::vector{analysis::Measure::gate}) {
    throw UsageError("--dimensions: only --quantity gate has dimensions");
  }
}

void check_statistics_grammar(const StatisticsOptions& options) {
  if (is_default(options.grammar)) {
    return;
  }
  const bool order = std::find(options.measures.begin(), options.measures.end(), analysis::Measure::leaves) !=
                     options.measures.end();
  if ((options.word_measures.empty() && !order) || options.recordings.empty()) {
    throw UsageError(
        fmt::format("{}: only quantities of the attention grammar of a recording depend on it (--quantity "
                    "order, joins, edges, …)",
                    chosen_text(options.grammar)));
  }
}

void check_statistics_treebank(const StatisticsOptions& options) {
  if (!options.treebank.empty() && !wants_word_statistics(options)) {
    throw UsageError(
        "--treebank: it gives parts of speech (--by layer,upos), gold trees (--quantity layers-needed) and "
        "the "
        "words of quantities of the attention grammar (joins, edges, leaves-mass, …); what is asked for here "
        "is read as it was recorded");
  }
}

void check_word_choices(const StatisticsOptions& options) {
  check_word_grammar(options);
  if (options.by_head && options.measures.empty()) {
    throw UsageError("--by head: quantities of the attention grammar have no heads (--heads chooses them)");
  }
  if (has_layers_needed(options) && (options.by_upos || options.by_position)) {
    throw UsageError("--quantity layers-needed: a tree has one length; leave --by as layer,length");
  }
}

void check_word_request(const StatisticsOptions& options) {
  check_word_choices(options);
  if (options.recordings.empty() && (options.word_measures.size() != 1 || !has_layers_needed(options))) {
    throw UsageError(
        "statistics: no recording was named; without one there is --quantity layers-needed alone");
  }
}

void check_relations(const StatisticsOptions& options) {
  if (!options.measures.empty() || !options.names.empty() || wants_word_statistics(options)) {
    throw UsageError("--quantity: relations have a table of their own; ask for them alone");
  }
  if (options.report != StatisticsReport::means || options.relative || options.by_position ||
      options.quantiles || options.averaging != analysis::Averaging::micro) {
    throw UsageError(
        "--quantity: relations are counted by layer, length and head; leave out --trend, --dimensions, "
        "--relative, --quantiles, --average and --by position");
  }
}

std::function<bool(std::int64_t layer)> layer_filter(const StatisticsOptions& options) {
  if (options.layers.empty()) {
    return {};
  }
  CaptureSet set;
  set.layers = options.layers;
  return [set](std::int64_t layer) { return set.keeps_layer(layer); };
}

}  // namespace mog::app

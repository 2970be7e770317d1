#include "app/workflow/statistics/word_measuring.h"

#include <algorithm>
#include <utility>

#include "analysis/mog/grammar/from_recording.h"
#include "app/workflow/statistics/layers_needed.h"
#include "app/workflow/statistics/statistics_checks.h"
#include "app/workflow/trees/grammar_options.h"

namespace mog::app {

using analysis::WordMeasure;

analysis::WordMeasureOptions measure_options(const StatisticsOptions& options, const std::stop_token& stop) {
  return {.orders = options.orders,
          .samples = options.samples,
          .seed = options.bootstrap.seed,
          .keeps_layer = layer_filter(options),
          .control = {.stop = stop}};
}

ChosenGrammar grammar_of(const RecordingSource& source, std::int64_t index,
                         const analysis::WordGrammarOptions& options) {
  analysis::WordGrammar built = analysis::build_word_grammar(source, index, options);
  std::string text = grammar_text(options, built.choices);
  return {analysis::AttentionGrammar(std::move(built.input)), std::move(built.word_of_token),
          std::move(text)};
}

std::vector<std::int64_t> of_grammar_words(const ChosenGrammar& chosen, const Sentence& sentence,
                                           const std::vector<std::int64_t>& of_words) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(chosen.grammar.word_count()));
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (const std::int64_t word = chosen.word_of_token[token]; word >= 0) {
      result.at(static_cast<std::size_t>(word)) =
          of_words.at(static_cast<std::size_t>(sentence.tokens[token].word));
    }
  }
  return result;
}

bool has_words(const Sentence& sentence) {
  return std::any_of(sentence.tokens.begin(), sentence.tokens.end(),
                     [](const Token& token) { return token.word >= 0; });
}

std::vector<analysis::WordSeries> series_in(const ChosenGrammar& chosen, WordMeasure measure, bool with_gold,
                                            const analysis::WordMeasureOptions& options) {
  return measure == WordMeasure::layers_needed
             ? layers_needed_series(true, with_gold)
             : analysis::series_of(measure, chosen.grammar.rules(), chosen.grammar.layers(), options);
}

analysis::WordStatistics word_statistics_head(const StatisticsOptions& options, const ModelCard& model,
                                              const std::string& corpus) {
  analysis::WordStatistics head;
  head.averaging = options.averaging;
  head.by = options.by_upos ? "upos" : options.by_position ? "position" : "length";
  head.quantiles = options.quantiles;
  head.keep_means = options.report == StatisticsReport::trends;
  head.words = options.words;
  head.bootstrap = options.bootstrap;
  head.samples = options.samples;
  head.model = model;
  head.corpus_name = corpus;
  return head;
}

}  // namespace mog::app

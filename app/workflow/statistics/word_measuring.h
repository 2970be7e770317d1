// What statistics by words are made of, whether sentences are recorded (word_statistics_job.cpp) or pass by
// (running_grammar.cpp): the attention grammar of a sentence, the series of its measures, the head of a
// table.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/statistics/word_measures.h"
#include "app/workflow/statistics/statistics_job.h"

namespace mog::app {

analysis::WordMeasureOptions measure_options(const StatisticsOptions& options,
                                             const std::stop_token& stop = {});

// The attention grammar of a sentence, and what was chosen for it.
struct ChosenGrammar {
  analysis::AttentionGrammar grammar;
  std::vector<std::int64_t> word_of_token;
  std::string text;
};
// Throws as build_word_grammar().
ChosenGrammar grammar_of(const RecordingSource& source, std::int64_t index,
                         const analysis::WordGrammarOptions& options);

// Of each word of the grammar (a piece, where pieces are kept) what its word of the sentence has.
std::vector<std::int64_t> of_grammar_words(const ChosenGrammar& chosen, const Sentence& sentence,
                                           const std::vector<std::int64_t>& of_words);

bool has_words(const Sentence& sentence);

// Of a measure of a grammar; with_gold: trees of a treebank stand beside the recording.
std::vector<analysis::WordSeries> series_in(const ChosenGrammar& chosen, analysis::WordMeasure measure,
                                            bool with_gold, const analysis::WordMeasureOptions& options);

// Name, units and series of the measure are still to be set.
analysis::WordStatistics word_statistics_head(const StatisticsOptions& options, const ModelCard& model,
                                              const std::string& corpus);

}  // namespace mog::app

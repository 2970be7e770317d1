// Layers that trees need: of a gold tree, and of the tree found for a recorded sentence.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/search_control.h"
#include "analysis/statistics/word_statistics.h"
#include "io/text/conllu.h"

namespace mog::app {

std::vector<analysis::WordSeries> layers_needed_series(bool with_recording, bool with_gold);

// Of the gold tree and of the best derivation with as many leaves as the sentence has words; either may be
// null, as the series say. `words`: of the sentence. Throws Interrupted.
analysis::SentenceValues layers_needed(const io::TreebankSentence* gold, std::int64_t number,
                                       std::int64_t words, const std::vector<analysis::WordSeries>& series,
                                       const analysis::AttentionGrammar* grammar,
                                       const analysis::SearchControl& control);

}  // namespace mog::app

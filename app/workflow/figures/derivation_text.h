// The lines under a figure of derivations.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/figure_data/derivation_figures.h"
#include "analysis/mog/grammar/from_recording.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// `goal`: "TOP" or "R[6,2]"; `what`: "number 2 of the best".
analysis::SentenceFigureText derivation_text(const RecordingSource& source, std::int64_t number,
                                             const std::string& goal, const std::string& what,
                                             const analysis::WordGrammarOptions& grammar,
                                             const analysis::GrammarChoices& choices);
std::string best_with_leaves(std::int64_t leaves);  // "the best with 3 leaves"
std::string number_of_best(std::int64_t rank);      // "number 2 of the best"

}  // namespace mog::app

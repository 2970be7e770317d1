#include "app/workflow/figures/derivation_text.h"

#include <fmt/format.h>

#include "analysis/figure_data/builders.h"
#include "app/workflow/trees/grammar_options.h"

namespace mog::app {

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

}  // namespace mog::app

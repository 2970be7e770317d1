// The attention grammar of one recorded sentence and the searches over it, for `mog trees`, figures and the
// window alike. The grammar is built once; every search is made when it is first asked for and keeps what it
// found for the next question. For one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/search/best_by_leaves.h"
#include "analysis/mog/search/best_simple.h"
#include "analysis/mog/search/k_best.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// What all trees of one sentence share. Immutable.
struct TreesOfSentence {
  std::int64_t number = 0;  // of the sentence in its corpus
  std::string text;
  std::string model;
  std::vector<std::int64_t> word_of_token;                // WordGrammar's
  std::vector<std::vector<std::vector<double>>> dropped;  // WordGrammar's
  std::optional<double> dropped_top;
  std::optional<double> kept_sink;  // WordGrammar's
  std::vector<std::vector<std::vector<double>>> head_weights;
  analysis::GrammarChoices choices;
  std::vector<std::string> notes;
};

// Derivations, best first or by ascending number of leaves or words.
struct FoundTrees {
  std::vector<analysis::Derivation> derivations;
  bool ended_by_limit = false;  // the last group of ties may be incomplete
};

class TreeSearch {
 public:
  // `index` from 0. Throws UsageError (no words, a missing quantity), FormatError (values that are no
  // probabilities). control: asked and told by every search.
  TreeSearch(const RecordingSource& source, std::int64_t index,
             const analysis::WordGrammarOptions& options = {}, analysis::SearchControl control = {});

  const std::shared_ptr<const TreesOfSentence>& about() const { return about_; }
  const std::shared_ptr<const analysis::AttentionGrammar>& grammar() const { return grammar_; }

  // The k best of all expressions.
  FoundTrees best(const analysis::Goal& goal, std::int64_t k);
  // The best for each number of leaves, from 1 to `most_leaves`; a shallow model has fewer.
  FoundTrees best_by_leaves(const analysis::Goal& goal, std::int64_t most_leaves);
  // Trees over all words without overlap: the `top` best, or the best for each number of words up to `top`.
  // `options` without its control; they are those of the first question.
  FoundTrees best_whole(analysis::SimpleSearch how, const analysis::SimpleTreesOptions& options,
                        const analysis::Goal& goal, std::int64_t top, bool each_order);

  // How many leaves the derivations of a goal have, and which joins.
  struct Distributions {
    analysis::LeavesDistribution leaves;
    double expected_leaves = 0;
    analysis::EdgePosteriors posteriors;
  };
  Distributions distributions(const analysis::Goal& goal);

 private:
  analysis::SearchControl control_;
  std::shared_ptr<const TreesOfSentence> about_;
  std::shared_ptr<const analysis::AttentionGrammar> grammar_;
  std::unique_ptr<analysis::KBest> k_best_;
  std::unique_ptr<analysis::BestByLeaves> by_leaves_;
  std::unique_ptr<analysis::SimpleTrees> whole_;
  std::optional<analysis::LeavesDistributions> leaves_;
  std::vector<double> expected_;
};

}  // namespace mog::app

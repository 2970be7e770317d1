#include "app/workflow/trees/tree_search.h"

#include <fmt/format.h>

#include <utility>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::int64_t kMostLeaves = 64;  // of a distribution of leaves, one by one

std::vector<analysis::Derivation> those_there_are(std::vector<std::optional<analysis::Derivation>> all) {
  std::vector<analysis::Derivation> found;
  for (std::optional<analysis::Derivation>& one : all) {
    if (one) {
      found.push_back(std::move(*one));
    }
  }
  return found;
}

}  // namespace

TreeSearch::TreeSearch(const RecordingSource& source, std::int64_t index,
                       const analysis::WordGrammarOptions& options, analysis::SearchControl control)
    : control_(std::move(control)) {
  const Sentence sentence = source.sentence(index);
  if (sentence.words.empty()) {
    throw UsageError(fmt::format("trees of sentence {}: it has no words", sentence.number));
  }
  analysis::WordGrammar built = analysis::build_word_grammar(source, index, options);
  auto about = std::make_shared<TreesOfSentence>();
  about->number = sentence.number;
  about->text = sentence.text;
  about->model = source.header().model.name;
  about->word_of_token = std::move(built.word_of_token);
  about->dropped = std::move(built.dropped);
  about->dropped_top = built.dropped_top;
  about->kept_sink = built.kept_sink;
  about->head_weights = std::move(built.head_weights);
  about->choices = std::move(built.choices);
  about->notes = std::move(built.notes);
  about_ = std::move(about);
  grammar_ = std::make_shared<const analysis::AttentionGrammar>(std::move(built.input));
}

FoundTrees TreeSearch::best(const analysis::Goal& goal, std::int64_t k) {
  if (!k_best_) {
    k_best_ = std::make_unique<analysis::KBest>(*grammar_,
                                                analysis::KBestOptions{.control = {.stop = control_.stop}});
  }
  const analysis::KBestList list = k_best_->list(goal, k);
  return {k_best_->derivations(list), list.ended_by_limit};
}

FoundTrees TreeSearch::best_by_leaves(const analysis::Goal& goal, std::int64_t most_leaves) {
  if (!by_leaves_ || by_leaves_->most_leaves() != most_leaves) {
    by_leaves_ = std::make_unique<analysis::BestByLeaves>(*grammar_, most_leaves, control_);
  }
  return {those_there_are(by_leaves_->all(goal)), false};
}

FoundTrees TreeSearch::best_whole(analysis::SimpleSearch how, const analysis::SimpleTreesOptions& options,
                                  const analysis::Goal& goal, std::int64_t top, bool each_order) {
  if (!whole_) {
    analysis::SimpleTreesOptions own = options;
    own.control = control_;
    whole_ = std::make_unique<analysis::SimpleTrees>(*grammar_, how, own);
  }
  if (each_order) {
    return {those_there_are(whole_->each_order(goal, top)), false};
  }
  analysis::SimpleTrees::List list = whole_->best(goal, top);
  return {std::move(list.derivations), list.ended_by_limit};
}

TreeSearch::Distributions TreeSearch::distributions(const analysis::Goal& goal) {
  const analysis::SearchControl control{.stop = control_.stop};
  if (!leaves_) {
    leaves_ = analysis::leaves_distributions(*grammar_, kMostLeaves, control);
    expected_ = analysis::expected_leaves(*grammar_);
  }
  const std::int32_t symbol =
      goal.is_top() ? grammar_->top_symbol() : grammar_->r_symbol(goal.layer, goal.word);
  Distributions found;
  found.expected_leaves = expected_.at(static_cast<std::size_t>(symbol));
  found.leaves = goal.is_top() ? leaves_->top
                               : leaves_->words.at(static_cast<std::size_t>(goal.layer - 1))
                                     .at(static_cast<std::size_t>(goal.word));
  found.posteriors = analysis::edge_posteriors(*grammar_, goal, control);
  return found;
}

}  // namespace mog::app

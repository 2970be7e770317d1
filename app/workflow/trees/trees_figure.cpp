// One tree of `mog trees` as a figure, with the choices behind it in the caption.
#include <fmt/format.h>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/derivation_figures.h"
#include "app/workflow/trees/grammar_options.h"
#include "app/workflow/trees/trees_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

// Free lists lead with atoms: a figure shows the best with up to 6 leaves.
SentenceTrees with_leaves(const RecordingSource& source, std::int64_t index, TreesOptions options,
                          std::size_t words) {
  options.mode = TreesMode::by_leaves;
  options.top = leaves_to_show(words);
  options.distributions = false;
  return find_trees(source, index, options);
}

std::string what_text(const SentenceTrees& trees, const analysis::Derivation& tree) {
  switch (trees.mode) {
    case TreesMode::exact:
      return trees.each_order ? fmt::format("the best tree of {} words", tree.entry.order)
                              : "the best whole tree";
    case TreesMode::projective:
      return "the best whole tree whose steps join neighbours";
    case TreesMode::beam:
      return "the best whole tree that a beam search found";
    case TreesMode::free:
    case TreesMode::by_leaves:
      break;
  }
  return fmt::format("the best with {} leaves", tree.entry.leaves);
}

}  // namespace

analysis::FigureData draw_best_tree(const RecordingSource& source, std::int64_t index,
                                    const TreesOptions& options, const SentenceTrees& found) {
  const bool by_leaves = options.mode == TreesMode::free || options.mode == TreesMode::by_leaves;
  const SentenceTrees trees =
      by_leaves ? with_leaves(source, index, options, found.grammar->words().size()) : found;
  if (trees.derivations.empty()) {
    throw UsageError(fmt::format("drawing sentence {}: there is no tree of {} to draw{}", trees.number,
                                 trees.goal, trees.notes.empty() ? "" : ": " + trees.notes.back()));
  }
  const analysis::Derivation& tree =
      by_leaves || trees.each_order ? trees.derivations.back() : trees.derivations.front();
  analysis::SentenceFigureText text;
  text.carried = source.header().stack().carried();
  text.caption = analysis::caption(
      source.header().model, source.header().provenance.corpus_name,
      fmt::format("sentence {}, {}, {}", trees.number, trees.goal_in_words, what_text(trees, tree)),
      "summary: " + grammar_text(options.grammar, trees.sentence->choices));
  return analysis::tree_figure(tree, trees.grammar->words(), trees.last_layer, text, trees.grammar.get());
}

}  // namespace mog::app

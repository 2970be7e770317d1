// Derivations of one sentence: a tree, a forest, arcs, and the expected joins of all.
#include <fmt/format.h>

#include <optional>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/derivation_figures.h"
#include "analysis/figure_data/information_flow.h"
#include "app/workflow/figures/derivation_text.h"
#include "app/workflow/figures/gold_overlay.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/trees/trees_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr const char* kWhole = "the best whole tree whose steps join neighbours";

// What all figures of derivations share.
class OfGrammar : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    choices.number("layer", search_.layer, "From 1; by default the last");
    choices.text("owner", search_.owner, "Trees of one word, WORD@POSITION");
    grammar_.declare(choices);
  }
  void check(const FigureRequest& request) override {
    grammar_.parse();
    if (request.text) {
      check_grammar_of_text(figure_text(request), grammar_.options);
    }
  }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return is_of_grammar(header, name) && (search_.layer == 0 || name.layer() <= search_.layer);
  }

 protected:
  SentenceTrees find(const RecordingSource& source, std::int64_t index, const FigureInputs& inputs) {
    search_.grammar = grammar_.options;
    search_.stop = inputs.stop;
    search_.progress = inputs.progress;
    return find_trees(source, index, search_);
  }
  analysis::SentenceFigureText text_of(const RecordingSource& source, const SentenceTrees& trees,
                                       const std::string& what) const {
    return derivation_text(source, trees.number, trees.goal_in_words, what, search_.grammar,
                           trees.sentence->choices);
  }

  TreesOptions search_{.distributions = false};

 private:
  GrammarChoice grammar_;
};

// One derivation: of a number of leaves, of a rank, or the best over all words that joins neighbours.
class OfDerivations : public OfGrammar {
 public:
  void declare(Choices& choices) override {
    OfGrammar::declare(choices);
    Choice& leaves =
        choices.number("leaves", leaves_,
                       "The best with so many leaves (default: as many as words, at most 6); forest: "
                       "the best for each number up to it",
                       1, 64);
    leaves.former = "order";
    choices.number("top", top_, "Instead: which of the best of all; forest: how many (default: 3)", 1, 1000);
    choices.flag("projective", projective_, "Instead: the best over all words whose steps join neighbours");
    choices.exclude({"leaves", "top", "projective"});
  }

 protected:
  bool free() const { return search_.mode == TreesMode::free; }

  SentenceTrees search(const RecordingSource& source, std::int64_t index, bool by_rank,
                       const FigureInputs& inputs) {
    search_.mode = projective_ ? TreesMode::projective : by_rank ? TreesMode::free : TreesMode::by_leaves;
    if (by_rank && !projective_) {
      search_.top = top_ > 0 ? top_ : 3;
    } else if (projective_) {
      search_.top = 1;
    } else {
      search_.top = leaves_ > 0 ? leaves_ : leaves_to_show(source.sentence(index).words.size());
    }
    return find(source, index, inputs);
  }

  const analysis::Derivation& chosen(const SentenceTrees& trees, const FigureRequest& request) const {
    if (trees.derivations.empty()) {
      throw UsageError(fmt::format("{}: sentence {} has no derivation of {}{}", figure_text(request),
                                   trees.number, trees.goal,
                                   trees.notes.empty() ? "" : ": " + trees.notes.back()));
    }
    const analysis::Derivation& last = trees.derivations.back();
    if (trees.mode == TreesMode::by_leaves) {
      if (leaves_ > 0 && last.entry.leaves != leaves_) {
        throw UsageError(fmt::format("{}: sentence {} has no derivation of {} with {} leaves",
                                     figure_text(request), trees.number, trees.goal, leaves_));
      }
    } else if (trees.mode == TreesMode::free && static_cast<std::int64_t>(trees.derivations.size()) < top_) {
      throw UsageError(fmt::format("{}: sentence {} has {} different derivations of {}, not {}",
                                   figure_text(request), trees.number, trees.derivations.size(), trees.goal,
                                   top_));
    }
    return last;
  }

  std::string what(const analysis::Derivation& derivation) const {
    return projective_ ? kWhole : free() ? number_of_best(top_) : best_with_leaves(derivation.entry.leaves);
  }

  std::int64_t leaves_ = 0;
  std::int64_t top_ = 0;
  bool projective_ = false;
};

class Tree : public OfDerivations {
 public:
  void declare(Choices& choices) override {
    OfDerivations::declare(choices);
    choices.flag("all-words", all_words_,
                 "A column for each word of the sentence, not only for those of the graph");
    choices.real(
        "flow", flow_,
        "Behind the tree, with this opacity (to 0.4): the two words that each word reads most, by layer", 0,
        0.4);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs& inputs) override {
    const SentenceTrees trees = search(source, index, top_ > 0, inputs);
    const analysis::Derivation& shown = chosen(trees, request);
    analysis::FigureData figure =
        analysis::tree_figure(shown, trees.grammar->words(), trees.last_layer,
                              text_of(source, trees, what(shown)), trees.grammar.get());
    auto& tree = std::get<analysis::TreeFigure>(figure.body);
    tree.all_words = all_words_;
    if (flow_ > 0) {
      tree.flow = analysis::strongest_keys(analysis::InformationFlow(source, index, search_.grammar));
      tree.flow_opacity = flow_;
    }
    return figure;
  }

 private:
  bool all_words_ = false;
  double flow_ = 0;
};

class Arcs : public OfDerivations {
 public:
  void declare(Choices& choices) override {
    OfDerivations::declare(choices);
    choices.path(
        "gold", gold_,
        "CoNLL-U of the recorded sentences; the tree is drawn below the words, with attachment scores");
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs& inputs) override {
    const SentenceTrees trees = search(source, index, top_ > 0, inputs);
    const analysis::Derivation& shown = chosen(trees, request);
    analysis::FigureData figure =
        analysis::derivation_arcs(shown, trees.grammar->words(), text_of(source, trees, what(shown)));
    if (!gold_.empty()) {
      std::string why;
      if (!add_gold_of_joins(figure, source, index, TreebankWords(gold_, inputs.stop), why)) {
        throw FormatError(fmt::format("{}: {}", figure_text(request), why));
      }
    }
    return figure;
  }

 private:
  std::filesystem::path gold_;
};

class Forest : public OfDerivations {
 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs& inputs) override {
    const SentenceTrees trees = search(source, index, top_ > 0 || leaves_ == 0, inputs);
    if (trees.derivations.empty()) {
      chosen(trees, request);  // says why there is none
    }
    return analysis::forest_figure(
        trees.derivations, trees.grammar->words(), trees.last_layer,
        text_of(source, trees,
                projective_ ? kWhole
                : free()    ? fmt::format("the {} best", trees.derivations.size())
                            : fmt::format("the best for each number of leaves up to {}", search_.top)),
        trees.grammar.get());
  }
};

class PosteriorArcs : public OfGrammar {
 public:
  PosteriorArcs() { search_.distributions = true; }
  void declare(Choices& choices) override {
    OfGrammar::declare(choices);
    choices.real("threshold", threshold_, "Weaker arcs are left out; a fifth of the greatest by default");
    choices.number("at-most", at_most_, "The strongest arcs that are kept", 1);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index, const FigureRequest&,
                                   const FigureInputs& inputs) override {
    search_.mode = TreesMode::by_leaves;
    search_.top = leaves_to_show(source.sentence(index).words.size());
    const SentenceTrees trees = find(source, index, inputs);
    return analysis::posterior_arcs(trees.posteriors, trees.grammar->parts(), trees.grammar->words(),
                                    threshold_, text_of(source, trees, "expected joins of all derivations"),
                                    at_most_);
  }

 private:
  std::optional<double> threshold_;
  std::int64_t at_most_ = 60;
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> trees_kinds() {
  using Of = FigureKind::Of;
  static const FigureKind kKinds[] = {
      {.name = "tree",
       .description =
           "the best derivation with --leaves leaves (default: up to 6) as a binary tree over the words",
       .of = Of::sentence,
       .example = "tree --text 'The dog sleeps .' -o tree.svg",
       .create = create<Tree>},
      {.name = "forest",
       .description = "several derivations over one sentence (--top: how many, or --leaves)",
       .of = Of::sentence,
       .title = MOG_TEXT("Guide", "The best graphs, as a forest"),
       .reading = MOG_TEXT(
           "Guide",
           "Several derivations of the sentence, one panel each, best first: joins stand at the height "
           "of their layer, over the words that they cover."),
       .example = "forest corpus.rec -n 3 --top 3 -o forest.svg",
       .create = create<Forest>},
      {.name = "arcs",
       .description = "the joins of that derivation as arcs over the words",
       .of = Of::sentence,
       .example = "arcs corpus.rec -n 3 --leaves 4 -o arcs.svg",
       .create = create<Arcs>},
      {.name = "posterior-arcs",
       .description = "expected joins above a threshold as arcs, all derivations counted",
       .of = Of::sentence,
       .title = MOG_TEXT("Guide", "Expected joins of the sentence"),
       .reading = MOG_TEXT("Guide",
                           "How often two words are joined in a derivation that is drawn by its weight, all "
                           "derivations counted; an arc leads from the owner to the word that joins it."),
       .example = "posterior-arcs corpus.rec -n 3 -o joins.svg",
       .create = create<PosteriorArcs>},
  };
  return kKinds;
}

}  // namespace mog::app

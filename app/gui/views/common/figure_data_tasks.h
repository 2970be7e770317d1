// What views ask of a recording, as functions for workers: read, reduce, return figures. No widget here.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/figure_data.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/figures/gold_overlay.h"
#include "app/workflow/syntax/treebank_words.h"
#include "app/workflow/trees/join_facts.h"
#include "app/workflow/trees/tree_search.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

using FigurePointer = std::shared_ptr<const analysis::FigureData>;

// A figure and the choices with which `mog figure` makes the same one (inputs left empty).
struct MadeFigure {
  FigurePointer figure;
  app::FigureRequest made_by;
};

// A treebank and where it was read from; none: nullptr.
struct GoldTreebank {
  std::shared_ptr<const app::TreebankWords> words;
  std::string path;
};

// How what is drawn fits the gold tree, or why there is none; neither without treebank.
struct GoldNote {
  std::optional<app::GoldFit> fit;
  std::string why;
};

// One attention map; part none: the mean over the parts of the layer; head 0: over the heads of `tokens`.
struct MapQuestion {
  std::int64_t index = 0;  // of the sentence
  std::int64_t layer = 1;
  Part part = Part::none;
  std::int64_t head = 0;
  analysis::TokenOptions tokens;
  bool special_words = false;  // special tokens under the arcs too
  double smallest_arc = 0.01;
  std::int64_t hanging = 0;  // strongest keys of a word as arcs below the matrix
  analysis::ColourScale::Colouring colours{};
  GoldTreebank gold;  // its tree of the sentence is drawn under the arcs
};

// Tokens of each row, column or word of a figure.
using TokenGroups = std::vector<std::vector<std::int64_t>>;
// The place whose group holds the token.
std::optional<std::int64_t> place_of(const TokenGroups& groups, std::optional<std::int64_t> token);

struct MapFigures {
  MadeFigure matrix;
  TokenGroups rows;
  TokenGroups columns;
  MadeFigure arcs;  // all arcs above a small weight; analysis::narrowed_arcs() takes what is drawn
  TokenGroups words;
  GoldNote gold;
  std::int64_t texts = 1;  // of a pair of texts in one input 2
};
MapFigures load_map(const RecordingSource& source, const MapQuestion& question);

// Which maps of a sentence thumbnails show.
struct GridQuestion {
  std::shared_ptr<const RecordingSource> source;
  std::int64_t index = 0;
  analysis::OverviewOptions options;
  analysis::ColourScale::Colouring colours{};
  friend bool operator==(const GridQuestion&, const GridQuestion&) = default;
};
std::shared_ptr<const analysis::AttentionOverview> load_grid(const GridQuestion& question,
                                                             const std::stop_token& stop);
// The figure of them all, as `mog figure attention-overview` draws it.
MadeFigure grid_figure(const GridQuestion& question, const analysis::AttentionOverview& maps);

// Token × layer; with a layer token × dimension. `tokens`: those of each place.
struct GateFigure {
  MadeFigure made;
  TokenGroups tokens;
};
GateFigure load_gates(const RecordingSource& source, std::int64_t index, std::int64_t layer, bool by_word,
                      const std::stop_token& stop);

// The multi-order graphs of one sentence: app::TreeSearch for several threads (they wait for each other). It
// is made with the first question.
class SentenceGraphs {
 public:
  SentenceGraphs(std::shared_ptr<const RecordingSource> source, std::int64_t index)
      : source_(std::move(source)), index_(index) {}

  struct Answer {
    analysis::Goal goal;
    std::vector<analysis::Derivation> derivations;
    bool ended_by_limit = false;
    bool by_leaves = false;
  };
  // The goal of a token's word in a layer; of the whole sentence where there is no such.
  analysis::Goal goal_of(std::optional<std::int64_t> token, std::int64_t layer);
  Answer best(const analysis::Goal& goal, std::int64_t k);
  // The best derivation for each number of leaves, 1 to `most_leaves` (less in a shallow model).
  Answer best_by_leaves(const analysis::Goal& goal, std::int64_t most_leaves);

  // What follows is there after the first of these questions.
  const std::vector<std::string>& words() const { return search_->grammar()->words(); }
  std::int64_t layers() const { return search_->grammar()->layers(); }
  const std::vector<std::string>& notes() const { return search_->about()->notes; }
  // What a first word takes of the attention of all others, in graphs that keep it; else nothing.
  std::optional<double> keptSink() const { return search_->about()->kept_sink; }
  // A derivation of an answer as `mog figure tree` or `mog figure arcs` draws it; row: its place in the
  // answer.
  // Arcs have the gold tree below, if there is one; `note` says how they fit it or why not.
  struct Look {
    bool as_tree = true;
    bool all_words = false;  // a tree has a column for each word
    double flow = 0;         // opacity of what the words take in, behind a tree; 0: not drawn
  };
  MadeFigure figure(const Answer& answer, std::size_t row, const Look& look, const GoldTreebank& gold,
                    GoldNote& note) const;
  // The bare tree of a derivation.
  FigurePointer thumbnail(const Answer& answer, std::size_t row) const;
  // What one of its joins, a node of its figure, is made of.
  std::shared_ptr<const app::JoinFacts> join(const Answer& answer, std::size_t row,
                                             const analysis::TreeFigure& tree, std::int64_t node) const;
  // Word of the graphs of a token; -1: none.
  std::int64_t word_of(std::int64_t token) const;
  // First token of a word; -1: none.
  std::int64_t token_of(std::int64_t word) const;

 private:
  app::TreeSearch& search();  // under the lock

  std::mutex mutex_;
  std::shared_ptr<const RecordingSource> source_;
  std::int64_t index_ = 0;
  std::unique_ptr<app::TreeSearch> search_;
  std::vector<analysis::TreeFlow> flow_;  // made with it
};

}  // namespace mog::gui

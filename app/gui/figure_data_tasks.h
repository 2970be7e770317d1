// What views ask of a recording, as functions for workers: read, reduce, return figures. No widget here.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/best_by_order.h"
#include "analysis/mog/from_recording.h"
#include "analysis/mog/k_best.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

using FigurePointer = std::shared_ptr<const analysis::FigureData>;

// One attention map; part none: the mean over the parts of the layer; head 0: the mean over heads.
struct MapQuestion {
  std::int64_t index = 0;  // of the sentence
  std::int64_t layer = 1;
  Part part = Part::none;
  std::int64_t head = 0;
};

struct MapFigures {
  FigurePointer matrix;                  // rows and columns are the tokens
  FigurePointer arcs;                    // all arcs above a small weight; narrow_arcs() takes what is drawn
  std::vector<std::int64_t> arc_tokens;  // [word of the arc figure] → token
};

// Parts whose maps the recording holds for this layer (a first layer may have one only).
std::vector<Part> parts_of_layer(const RecordingHeader& header, std::int64_t layer);
MapFigures load_map(const RecordingSource& source, const MapQuestion& question);

// The strongest arcs, at most `at_most` and above `threshold`; with `word` only those that start there.
FigurePointer narrow_arcs(const analysis::FigureData& arcs, std::optional<std::int64_t> word,
                          double threshold, std::int64_t at_most);

// Thumbnails of all maps: [layer][0: mean over heads, head 1 …], at most `cells` cells a side.
struct MapGrid {
  std::int64_t layers = 0;
  double greatest = 0;     // weight at the upper end of the scale that all share
  std::int64_t heads = 0;  // 0: only the mean over heads was recorded
  std::vector<std::vector<analysis::FigureData>> maps;
};
MapGrid load_grid(const RecordingSource& source, std::int64_t index, Part part, std::int64_t cells,
                  const std::stop_token& stop);

// The multi-order graphs of one sentence. What one search finds is kept for the next one; safe from several
// threads (they wait for each other).
class TreeSearch {
 public:
  TreeSearch(const RecordingSource& source, std::int64_t index);

  struct Answer {
    analysis::Goal goal;
    std::vector<analysis::Derivation> derivations;
    bool ended_by_limit = false;
  };
  Answer best(analysis::Goal goal, std::int64_t k);
  // The best derivation for each number of leaves, 1 to `most_leaves` (less in a shallow model).
  Answer best_by_order(analysis::Goal goal, std::int64_t most_leaves);

  const std::vector<std::string>& words() const { return grammar_.words(); }
  std::int64_t layers() const { return grammar_.layers(); }
  const std::vector<std::string>& notes() const { return notes_; }
  const Sentence& sentence() const { return sentence_; }
  const ModelCard& model() const { return model_; }
  const std::string& corpus() const { return corpus_; }
  // Word of a token and first token of a word; -1: none.
  std::int64_t word_of(std::int64_t token) const;
  std::int64_t token_of(std::int64_t word) const;

 private:
  TreeSearch(const RecordingSource& source, std::int64_t index, analysis::WordGrammar grammar);
  std::mutex mutex_;
  Sentence sentence_;
  ModelCard model_;
  std::string corpus_;
  std::vector<std::string> notes_;
  analysis::AttentionGrammar grammar_;
  analysis::KBest search_;
  std::unique_ptr<analysis::BestByOrder> by_order_;  // made when it is first asked for
};

}  // namespace mog::gui

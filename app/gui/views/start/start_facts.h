// What the first page says of the sentence that is open: counted by workers, so that its questions have
// answers.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "app/gui/views/common/figure_data_tasks.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

// The graph that a word is opened on: the most leaves, up to eight, whose weight is still 10⁻⁶.
struct StartGraph {
  std::int64_t token = -1;
  QString word;
  std::int64_t leaves = 0;
  double weight = 0;
  std::int64_t layer = 0;       // of its last join; 0: it is a word alone
  QString reached;              // the word that this join takes in
  std::int64_t goal_layer = 0;  // the graph is of the word in this layer
  MadeFigure made;
};
// Of `token`, or of the word of the sentence that has the largest one, punctuation aside; the heavier of two.
// Nothing where no word has a graph. Throws as the search.
std::optional<StartGraph> find_start_graph(SentenceGraphs& graphs, std::int64_t tokens,
                                           std::optional<std::int64_t> token, const std::stop_token& stop);

// The largest weight of attention from one word to another, special tokens and punctuation aside.
struct StartLook {
  std::int64_t layer = 0;
  Part part = Part::none;
  std::int64_t head = 0;
  std::int64_t token = -1;
  std::int64_t key = -1;
  QString word;
  QString looks_at;
  double weight = 0;
};
// Of `token`, or of any word. Nothing where no maps of single heads are recorded.
std::optional<StartLook> find_start_look(const RecordingSource& source, std::int64_t index,
                                         std::optional<std::int64_t> token, const std::stop_token& stop);

}  // namespace mog::gui

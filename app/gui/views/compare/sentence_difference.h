// Two sentences and their difference, as a function for workers. No widget here.
#pragma once

#include <QString>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/gui/session/selection_model.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "io/recording/recording_label.h"

namespace mog::gui {

// One of two that are compared.
struct ComparedSide {
  SentenceRef place;
  std::shared_ptr<const RecordingSource> source;
  QString name;          // "before", "after: …": of a change inside a model; else empty
  bool follows = false;  // the sentence that has the text of the other one is meant, wherever `place` is
  bool typed = false;    // the one at `place` is meant where it has that text, or none has
};

struct SentenceDifference {
  FigurePointer figure;  // nullptr: the first one has no sentence of that text
  app::FigureRequest made_by;
  TokenGroups rows;                  // tokens of the second sentence
  std::int64_t unchanged_layer = 0;  // whose map, which was asked for, the change leaves as it is; 0: none
};

// `request`: of an attention-difference or a gate-difference, sentences aside. `labels`: of the two
// recordings, or none. `special`: special tokens are shown.
//
// Of a change that comes after the map that is asked for, the map with the largest difference, or the gates.
SentenceDifference compare_sentences(ComparedSide first, const ComparedSide& second,
                                     const std::vector<RecordingLabel>& labels, app::FigureRequest request,
                                     bool special, const std::stop_token& stop);

}  // namespace mog::gui

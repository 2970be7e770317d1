// Two sentences and their difference, as a function for workers. No widget here.
#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "app/gui/session/selection_model.h"
#include "app/gui/views/figure_data_tasks.h"
#include "io/recording/recording_label.h"

namespace mog::gui {

// One of two that are compared.
struct ComparedSide {
  SentenceRef place;
  std::shared_ptr<const RecordingSource> source;
  QString name;  // "before", "after: …": of a change inside a model; else empty
};

struct SentenceDifference {
  FigurePointer figure;
  app::FigureRequest made_by;
  TokenGroups rows;                  // tokens of the second sentence
  std::int64_t unchanged_layer = 0;  // whose map, which was asked for, the change leaves as it is; 0: none
};

// `request`: of an attention-difference or a gate-difference, sentences aside. `labels`: of the two
// recordings, or none. `special`: special tokens are shown.
SentenceDifference compare_sentences(const ComparedSide& first, const ComparedSide& second,
                                     const std::vector<RecordingLabel>& labels, app::FigureRequest request,
                                     bool special);

}  // namespace mog::gui

// What a change of a run changed, as rows that lead there.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/effects/run_changes.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/views/inspector/rows.h"

namespace mog::gui {

// The changes as rows of a table: "until → telescope", its layer and part, before, after, difference.
std::vector<ValueRow> change_rows(const std::vector<analysis::RunChange>& changes, const Sentence& sentence,
                                  const RecordingHeader& header);
// Goes to what a change is of: layer, part, head, word, key.
void select_change(SelectionModel& selection, const analysis::RunChange& change, std::int64_t token,
                   std::int64_t key);

}  // namespace mog::gui

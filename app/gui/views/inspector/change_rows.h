// What a change of a run changed, as rows that lead there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/effects/run_changes.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/views/inspector/rows.h"
#include "app/workflow/record/next_tokens.h"

namespace mog::gui {

// The changes as rows of a table: "until → telescope", its layer and part, before, after, difference. What
// the two numbers are called for a screen reader; empty: before, after.
std::vector<ValueRow> change_rows(const std::vector<analysis::RunChange>& changes, const Sentence& sentence,
                                  const RecordingHeader& header, const QString& before = {},
                                  const QString& after = {});
// The same of the probability of an output token, at this place of the output of `source`.
ValueRow output_row(const app::NextToken& token, std::size_t place, const Sentence& source);
// Goes to what a change is of: layer, part, head, word, key.
void select_change(SelectionModel& selection, const analysis::RunChange& change, std::int64_t token,
                   std::int64_t key);

}  // namespace mog::gui

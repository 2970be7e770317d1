// Figures of the tables that `mog faithfulness` and `mog ablate` write.
#pragma once

#include <string>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

// A panel a measure (rank correlation with leave-one-out, comprehensiveness, sufficiency), a bar an
// attribution with its interval, the highest correlation first. `file` is named in messages. Throws
// UsageError for a table without the columns, or of several models, corpora, targets, erasures, choices of
// special tokens or units.
FigureData faithfulness_figure(const Table& table, const std::string& file);
// The effect of erasing, and of keeping, growing fractions: two panels, a line an attribution, with bands.
FigureData faithfulness_curves(const Table& table, const std::string& file);

// Effects of cuts (the column `measure`: change, cosine, pooled, TASK_changed, TASK_kl …, with its interval):
// heads as a heat map of layers and heads, a panel a part; cuts of one layer at a time as lines over layers
// with bands; cuts of several layers together as bars. Throws UsageError for a table without the columns, or
// of several models, corpora or factors.
FigureData effects_figure(const Table& table, const std::string& measure, const std::string& file);

}  // namespace mog::analysis

// Figures of the tables that `mog patch` writes.
#pragma once

#include <string>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

// A panel for each place and direction: layer × token for residual states and what the blocks add, layer ×
// head for heads (head × token where they were patched token by token), on one diverging scale. value: the
// column that is shown (effect, change, estimate, estimated_effect). `file` is named in messages. Throws
// UsageError for a table without the columns, of several models, texts or readings, or without a number in
// the column.
FigureData patching_figure(const Table& table, const std::string& value, const std::string& file);

}  // namespace mog::analysis

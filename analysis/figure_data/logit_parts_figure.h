// Figures of the tables that `mog attribute` writes.
#pragma once

#include <string>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

// What adds up to a logit: heads as a heat map of layers and heads (by source: layers and the tokens that
// they read, heads summed), all other parts as bars. `file` is named in messages. Throws UsageError for a
// table without the columns, without rows, or of several models, texts or logits.
FigureData logit_parts_figure(const Table& table, const std::string& file);

}  // namespace mog::analysis

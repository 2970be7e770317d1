// What the relations of a graph do to attention, from the table that `mog stats --quantity relations` writes.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

struct RelationFigureOptions {
  std::int64_t relations = 12;  // those with the most pairs
  std::int64_t layer = 0;       // of the panels by relation; 0: all layers
};

// Panels: the relations' share of the scores by relation, a line a direction; the attention that pairs of a
// relation get, and what content alone would give them, by relation; the share by layer, and by sentence
// length where the table has several bins, all relations together (pairs without one left out). Rows are
// pooled by their pairs; a point of one row has the row's interval. `file` is named in messages. Throws
// UsageError for a table without the columns, of several recordings or without a relation (of the layer).
FigureData relation_figure(const Table& table, const RelationFigureOptions& options, const std::string& file);

}  // namespace mog::analysis

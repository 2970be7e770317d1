// The errors of parsers, from the table that `mog evaluate --by … --format csv` writes.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

struct ParseErrorOptions {
  std::string measure = "LAS";  // as the table names it
  std::int64_t relations = 12;  // the most frequent of the reference
};

// A panel a grouping that the table has (F1 by length of the dependency, F1 by distance to the root, F1 by
// length of the sentence, recall by relation; McDonald and Nivre 2007), a line a system, with bands where ten
// sentences or more hold such words. `file` is named in messages. Throws UsageError for a table without the
// columns, of files of different references, or without rows of the measure by any grouping.
FigureData parse_errors_figure(const Table& table, const ParseErrorOptions& options, const std::string& file);

}  // namespace mog::analysis

// How a quantity moved while a model was trained: the figure of the tables of `mog train --watch`.
#pragma once

#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

struct TrajectoryOptions {
  std::string measure = {};    // empty: the first of the table
  std::string length = "all";  // a bin of sentence lengths, "all" or as the column `bin` has it
  std::string part = {};       // empty: a panel a part
  std::string head = {};       // "3"; empty: the mean over heads
  bool change_points = true;   // change_points.h, marked on each line
};

// What was read of one run, its file and what panels of several runs call it.
struct Trajectory {
  std::string file;
  Table table;
  std::string name = {};
};

// x: updates, a line a layer with its interval, a panel a run and part; all panels have one y axis. The
// caption lists the change points of each layer. Throws UsageError for tables without the columns, and for a
// measure, length, part or head that they do not have (naming those that they have).
FigureData trajectory_figure(const std::vector<Trajectory>& runs, const TrajectoryOptions& options = {});

}  // namespace mog::analysis

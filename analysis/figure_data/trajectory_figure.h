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
  std::string layer = {};      // "3"; empty: a line a layer
  std::string head = {};       // "3"; empty: the mean over heads
  bool together = false;       // several runs in one panel
  bool change_points = true;   // change_points.h, marked on each line
};

// What was read of one run, its file and what panels of several runs call it.
struct Trajectory {
  std::string file;
  Table table;
  std::string name = {};
};

// Throws UsageError for a table without rows or columns of `mog train --watch`, FormatError naming file and
// line for a row whose update, mean or interval is no number.
void check_trajectory(const Trajectory& run);

// What there is to choose in all runs: measures; of one of them (empty: the first) lengths, layers and heads,
// in the order of the first run. "" is a layer or head of its own: values that are of none.
struct TrajectoryChoices {
  std::vector<std::string> measures;
  std::vector<std::string> lengths;
  std::vector<std::string> layers;
  std::vector<std::string> heads;
};
TrajectoryChoices trajectory_choices(const std::vector<Trajectory>& runs, const std::string& measure);

// x: updates, a line a layer with its interval, a panel a run and part; all panels have one y axis. Runs
// together share the panel of a part: colours are layers and dashes runs, or, of one layer, both are runs.
// The caption lists the change points of each line. Throws as check_trajectory(), and UsageError for a
// measure, length, part, layer or head that the runs do not have (naming those that they have).
FigureData trajectory_figure(const std::vector<Trajectory>& runs, const TrajectoryOptions& options = {});

}  // namespace mog::analysis

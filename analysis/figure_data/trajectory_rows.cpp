#include "analysis/figure_data/trajectory_rows.h"

#include <fmt/format.h>

#include <string_view>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

void check_columns(const Trajectory& run) {
  for (const char* const name : {"update", "measure", "layer", "part", "head", "bin", "mean", "low", "high",
                                 "sentences", "tokens", "units", "model", "corpus"}) {
    if (std::find(run.table.columns.begin(), run.table.columns.end(), name) == run.table.columns.end()) {
      throw UsageError(fmt::format(
          "figure trajectory: {} has no column {}; it takes trajectory.csv of `mog train --watch`", run.file,
          name));
    }
  }
}

// What all runs have in a column, in the order of the first; empty measure: of any.
std::vector<std::string> in_all(const std::vector<Trajectory>& runs, const char* column,
                                const std::string& measure) {
  std::vector<std::string> kept;
  for (const Trajectory& run : runs) {
    const TrajectoryRows rows(run);
    const std::vector<std::string> found = rows.values(
        column, [&](std::size_t row) { return measure.empty() || rows.text(row, "measure") == measure; });
    if (&run == &runs.front()) {
      kept = found;
    }
    std::erase_if(kept, [&](const std::string& one) {
      return std::find(found.begin(), found.end(), one) == found.end();
    });
  }
  return kept;
}

}  // namespace

void check_trajectory(const Trajectory& run) {
  check_columns(run);
  if (run.table.rows.empty()) {
    throw UsageError(fmt::format("figure trajectory: {} has no rows", run.file));
  }
  for (const std::string_view name : {"update", "mean", "low", "high"}) {
    const std::size_t column = run.table.column(name);
    for (std::size_t row = 0; row < run.table.rows.size(); ++row) {
      const Cell& cell = run.table.rows[row][column];
      const bool absent = text_of(cell).empty() && name != "update";
      if (!absent && !std::isfinite(number_of(cell))) {
        throw FormatError(
            fmt::format("reading the trajectory {}, line {}: {} is \"{}\", expected a number; take the file "
                        "as `mog train "
                        "--watch` wrote it",
                        run.file, row + 2, name, text_of(cell)));
      }
    }
  }
}

TrajectoryChoices trajectory_choices(const std::vector<Trajectory>& runs, const std::string& measure) {
  TrajectoryChoices choices;
  choices.measures = in_all(runs, "measure", "");
  if (choices.measures.empty()) {
    return choices;
  }
  const auto at = std::find(choices.measures.begin(), choices.measures.end(), measure);
  const std::string& chosen = at == choices.measures.end() ? choices.measures.front() : *at;
  choices.lengths = in_all(runs, "bin", chosen);
  choices.layers = in_all(runs, "layer", chosen);
  choices.heads = in_all(runs, "head", chosen);
  return choices;
}

}  // namespace mog::analysis

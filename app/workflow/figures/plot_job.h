// Lines from the columns of a table: the figure `mog figure plot`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/figure_data/parse_figures.h"
#include "analysis/figure_data/relation_figures.h"
#include "analysis/figure_data/trajectory_figure.h"
#include "analysis/statistics/table.h"

namespace mog::app {

struct PlotOptions {
  std::string x = {};
  std::string y = {};
  std::string low = {};  // ends of the band; both or none
  std::string high = {};
  std::string lines = {};  // one line for each text in this column; empty: one line
  // "column=text": only rows that have it; "column=": those where it is empty.
  std::vector<std::string> where = {};
  std::string x_title = {};  // empty: the column's name
  std::string y_title = {};
  bool zero_line = false;
};

// x is numeric when every text of its column is a number, otherwise a category, in the order of the rows.
// Rows of the same line and x are taken together: their mean, with a band from the least to the greatest
// (several seeds). Throws UsageError for a column that is not there or no row that is left, FormatError for a
// y that is no number.
analysis::FigureData plot_table(const analysis::Table& table, const PlotOptions& options,
                                const std::string& file);

// Tables with the same columns, one after the other. Throws FormatError, UsageError, StorageError.
analysis::FigureData plot_files(const std::vector<std::filesystem::path>& files, const PlotOptions& options);
// The figures of tables that `mog ablate`, `mog train --watch` and `mog faithfulness` wrote. Throws the same.
analysis::FigureData effects_files(const std::vector<std::filesystem::path>& files,
                                   const std::string& measure);
// One of them, called after the model's folder. Throws as analysis::parse_csv and analysis::check_trajectory,
// StorageError.
analysis::Trajectory read_trajectory(const std::filesystem::path& file);
analysis::FigureData trajectory_files(const std::vector<std::filesystem::path>& files,
                                      const analysis::TrajectoryOptions& options);
analysis::FigureData faithfulness_files(const std::vector<std::filesystem::path>& files, bool curves);
// Of tables that `mog patch` wrote; value: the column that is shown.
analysis::FigureData patching_files(const std::vector<std::filesystem::path>& files,
                                    const std::string& value);
// Of tables that `mog attribute` wrote.
analysis::FigureData logit_parts_files(const std::vector<std::filesystem::path>& files);
// Of tables that `mog evaluate --by` wrote. Throws as analysis::parse_errors_figure, FormatError,
// StorageError.
analysis::FigureData parse_errors_files(const std::vector<std::filesystem::path>& files,
                                        const analysis::ParseErrorOptions& options);
// A table of `mog stats --quantity relations`.
analysis::FigureData relation_effects_files(const std::vector<std::filesystem::path>& files,
                                            const analysis::RelationFigureOptions& options);

}  // namespace mog::app

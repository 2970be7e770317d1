// The rows of a table of `mog train --watch` as its figure reads them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/figure_data/cell_values.h"
#include "analysis/figure_data/trajectory_figure.h"

namespace mog::analysis {

// Rows of one table, by the names of its columns. The run outlives it, and was checked.
class TrajectoryRows {
 public:
  explicit TrajectoryRows(const Trajectory& run) : run_(run) {}

  std::size_t size() const { return run_.table.rows.size(); }
  std::string text(std::size_t row, const char* column) const {
    return text_of(run_.table.rows[row][run_.table.column(column)]);
  }
  double number(std::size_t row, const char* column) const {
    return number_of(run_.table.rows[row][run_.table.column(column)]);
  }
  std::int64_t whole(std::size_t row, const char* column) const {
    const double value = number(row, column);
    return std::isfinite(value) ? static_cast<std::int64_t>(value) : 0;
  }
  // What the rows that `keeps` takes have in a column, in their order.
  template <class Keeps>
  std::vector<std::string> values(const char* column, const Keeps& keeps) const {
    std::vector<std::string> found;
    for (std::size_t row = 0; row < size(); ++row) {
      std::string value = text(row, column);
      if (keeps(row) && std::find(found.begin(), found.end(), value) == found.end()) {
        found.push_back(std::move(value));
      }
    }
    return found;
  }
  const std::string& file() const { return run_.file; }

 private:
  const Trajectory& run_;
};

}  // namespace mog::analysis

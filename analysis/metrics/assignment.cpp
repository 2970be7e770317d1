// Kuhn and Munkres, in the form with shortest augmenting paths (Jonker & Volgenant 1987). Rows come in one by
// one. Each row r and column c has a potential, u(r) + v(c) ≤ cost, with equality on the pairs so far; a new
// row is matched along the path whose reduced costs cost - u - v sum to least, found as Dijkstra's algorithm
// does, and the potentials rise by the lengths of paths. So the pairs are optimal after every row.
//
// Costs are the negated values. With more rows than columns the two sides change places, since every row that
// comes in must find a column.
#include "analysis/metrics/assignment.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class Matching {
 public:
  Matching(std::vector<double> costs, std::size_t rows, std::size_t columns)
      : columns_(columns),
        costs_(std::move(costs)),
        row_of_(columns, kNone),
        of_row_(rows, 0),
        of_column_(columns, 0) {}

  void add(std::size_t row);
  const std::vector<std::size_t>& row_of() const { return row_of_; }

 private:
  std::size_t columns_;
  std::vector<double> costs_;        // [row, column]
  std::vector<std::size_t> row_of_;  // [column]; kNone: free
  std::vector<double> of_row_;       // potentials
  std::vector<double> of_column_;
};

void Matching::add(std::size_t row) {
  std::vector<double> distance(columns_, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> before(columns_, kNone);  // the column before on the path; kNone: `row` itself
  std::vector<std::size_t> reached;                  // columns whose distance is final, the nearest first
  std::vector<char> done(columns_, 0);
  double length = 0;
  std::size_t at = kNone;
  for (std::size_t from = row; from != kNone; from = row_of_[at]) {
    std::size_t nearest = kNone;
    for (std::size_t column = 0; column < columns_; ++column) {
      if (done[column] != 0) {
        continue;
      }
      const double through = length + costs_[from * columns_ + column] - of_row_[from] - of_column_[column];
      if (through < distance[column]) {
        distance[column] = through;
        before[column] = at;
      }
      if (nearest == kNone || distance[column] < distance[nearest]) {
        nearest = column;
      }
    }
    at = nearest;
    length = distance[at];
    done[at] = 1;
    reached.push_back(at);
  }
  of_row_[row] += length;
  for (const std::size_t column : reached) {
    if (row_of_[column] != kNone) {
      of_row_[row_of_[column]] += length - distance[column];
    }
    of_column_[column] -= length - distance[column];
  }
  while (at != kNone) {
    const std::size_t previous = before[at];
    row_of_[at] = previous == kNone ? row : row_of_[previous];
    at = previous;
  }
}

}  // namespace

std::vector<std::int64_t> best_assignment(std::span<const double> values, std::int64_t rows,
                                          std::int64_t columns) {
  if (rows < 0 || columns < 0 || std::ssize(values) != rows * columns) {
    throw ShapeError(
        fmt::format("assignment: {} values for {} rows and {} columns", values.size(), rows, columns));
  }
  const bool turned = rows > columns;
  const auto less = static_cast<std::size_t>(turned ? columns : rows);
  const auto more = static_cast<std::size_t>(turned ? rows : columns);
  std::vector<double> costs(values.size());
  for (std::size_t row = 0; row < less; ++row) {
    for (std::size_t column = 0; column < more; ++column) {
      costs[row * more + column] = -values[turned ? column * less + row : row * more + column];
    }
  }
  Matching matching(std::move(costs), less, more);
  for (std::size_t row = 0; row < less; ++row) {
    matching.add(row);
  }
  std::vector<std::int64_t> result(static_cast<std::size_t>(rows), -1);
  for (std::size_t column = 0; column < matching.row_of().size(); ++column) {
    if (const std::size_t row = matching.row_of()[column]; row != kNone) {
      result[turned ? column : row] = static_cast<std::int64_t>(turned ? row : column);
    }
  }
  return result;
}

}  // namespace mog::analysis

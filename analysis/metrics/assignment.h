// The assignment problem: pairs of rows and columns with the greatest sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mog::analysis {

// values: [row, column], finite. The column of each row, -1 for a row without one: as many pairs as the
// smaller side has, each column at most once, the sum of their values the greatest. Of equal sums one, always
// the same. O(smaller² · larger). Throws ShapeError when the number of values is not rows · columns.
std::vector<std::int64_t> best_assignment(std::span<const double> values, std::int64_t rows,
                                          std::int64_t columns);

}  // namespace mog::analysis

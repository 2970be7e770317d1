// Where a series of numbers begins to go another way: what `mog figure trajectory` marks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mog::analysis {

// Fewest points between two changes, and before the first and behind the last.
inline constexpr std::size_t kLeastSegment = 3;

// The series as straight pieces, each by itself, as many as a penalised fit asks for: indices of the first
// point of every piece but the first, ascending. x ascends; points where y is not finite are left out. Empty
// for fewer than 2 kLeastSegment points and for a series that one line fits. Time O(n²), memory O(n).
std::vector<std::size_t> change_points(std::span<const double> x, std::span<const double> y);

}  // namespace mog::analysis

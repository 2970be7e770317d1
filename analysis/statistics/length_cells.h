// Intervals of the cells of LengthStatistics, from means that were resampled somehow.
#pragma once

#include <span>
#include <vector>

#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

// cell.low and cell.high, around its mean; both NaN below kFewestResampled sentences and without resamples.
void fill_interval(LengthCell& cell, std::span<const double> resampled, const BootstrapOptions& bootstrap);

// Differences of every cell to that of result.first_bin, draw by draw. resampled: [bin]: [series, resample],
// nothing in bins without sentences. Throws Interrupted.
void fill_differences(LengthStatistics& result, std::span<const std::vector<double>> resampled);

}  // namespace mog::analysis

#include "analysis/statistics/length_cells.h"

#include <algorithm>
#include <limits>

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void fill_interval(LengthCell& cell, std::span<const double> resampled, const BootstrapOptions& bootstrap) {
  cell.low = cell.high = kNone;
  if (cell.sentences < kFewestResampled || resampled.empty()) {
    return;
  }
  const Interval interval =
      holding(percentile_interval({resampled.begin(), resampled.end()}, bootstrap.confidence), cell.mean);
  cell.low = interval.low;
  cell.high = interval.high;
}

void fill_differences(LengthStatistics& result, std::span<const std::vector<double>> resampled) {
  const auto resamples = static_cast<std::size_t>(result.bootstrap.resamples);
  for (LengthCell& cell : result.cells) {
    cell.difference = cell.difference_low = cell.difference_high = kNone;
    if (cell.sentences == 0) {
      continue;
    }
    check_stop(result.bootstrap);
    const auto s = static_cast<std::size_t>(&cell - result.cells.data()) / resampled.size();
    const auto first = static_cast<std::size_t>(result.first_bin);
    const LengthCell& base = result.cells[s * resampled.size() + first];
    cell.difference = cell.mean - base.mean;
    const bool drawn = &cell == &base || std::min(cell.sentences, base.sentences) >= kFewestResampled;
    if (resamples == 0 || !drawn) {
      continue;
    }
    std::vector<double> differences(resamples);
    for (std::size_t i = 0; i < resamples; ++i) {
      differences[i] = resampled[static_cast<std::size_t>(cell.bin)][s * resamples + i] -
                       resampled[first][s * resamples + i];
    }
    const Interval interval =
        holding(percentile_interval(std::move(differences), result.bootstrap.confidence), cell.difference);
    cell.difference_low = interval.low;
    cell.difference_high = interval.high;
  }
}

}  // namespace mog::analysis

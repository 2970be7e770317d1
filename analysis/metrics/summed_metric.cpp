#include "analysis/metrics/summed_metric.h"

#include <utility>

namespace mog::analysis {

void SegmentStatistics::add(std::vector<double> segment) {
  sums.resize(segment.size());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] += segment[k];
  }
  segments.push_back(std::move(segment));
}

}  // namespace mog::analysis

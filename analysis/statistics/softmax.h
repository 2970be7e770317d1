// The softmax of a row of scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace mog::analysis {

// In place; of at least one score. Scores may be minus infinity, but not all of them.
inline void softmax(std::vector<double>& values) {
  const double most = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) {
    value = std::exp(value - most);
    sum += value;
  }
  for (double& value : values) {
    value /= sum;
  }
}

}  // namespace mog::analysis

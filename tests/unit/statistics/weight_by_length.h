// One recording counted at once.
#pragma once

#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

inline LengthStatistics weight_by_length(const RecordingSource& source, const LengthOptions& options = {}) {
  LengthAccumulator accumulator(options);
  accumulator.add(source);
  return accumulator.finish();
}

}  // namespace mog::analysis

// The linear part of a layer norm whose scale is known: rows v → weight · (v − mean v) / scale (internal to
// the engine; host memory, free of Torch).
#pragma once

#include <cstdint>

namespace mog::engine {

struct FrozenRows {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  // Row r takes scale[(r / repeated) * period + r % period]: blocks of `repeated` rows share `period` scales.
  std::int64_t repeated = 1;
  std::int64_t period = 1;
  bool centred = true;  // false: RMS norm, no mean is taken away
};

// out may be v. weight: [width]. One reading of v from memory where four tensor operations would make four:
// the sums of a row stay in the first cache.
void frozen_norm(const FrozenRows& rows, const float* v, const float* weight, const float* scale, float* out);
void frozen_norm(const FrozenRows& rows, const double* v, const double* weight, const double* scale,
                 double* out);

}  // namespace mog::engine

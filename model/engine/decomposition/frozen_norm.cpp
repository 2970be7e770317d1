#include "model/engine/decomposition/frozen_norm.h"

#include <cstddef>

#include "model/engine/common/vector_clones.h"

namespace mog::engine {
namespace {

constexpr std::size_t kLanes = 16;

template <class T>
inline __attribute__((always_inline)) void row_norm(const T* v, std::size_t width, const T* weight, T scale,
                                                    bool centred, T* out) {
  T mean = 0;
  if (centred) {
    T sums[kLanes] = {};
    std::size_t n = 0;
    for (; n + kLanes <= width; n += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += v[n + lane];
      }
    }
    for (; n < width; ++n) {
      sums[n % kLanes] += v[n];
    }
    for (const T sum : sums) {
      mean += sum;
    }
    mean /= static_cast<T>(width);
  }
  const T factor = T{1} / scale;
  for (std::size_t i = 0; i < width; ++i) {
    out[i] = (v[i] - mean) * factor * weight[i];
  }
}

template <class T>
inline __attribute__((always_inline)) void all_rows(const FrozenRows& rows, const T* v, const T* weight,
                                                    const T* scale, T* out) {
  const auto width = static_cast<std::size_t>(rows.width);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const std::int64_t place = row / rows.repeated * rows.period + row % rows.period;
    row_norm(v + row * rows.width, width, weight, scale[place], rows.centred, out + row * rows.width);
  }
}

MOG_VECTOR_CLONES void single(const FrozenRows& rows, const float* v, const float* weight, const float* scale,
                              float* out) {
  all_rows(rows, v, weight, scale, out);
}
MOG_VECTOR_CLONES void twice(const FrozenRows& rows, const double* v, const double* weight,
                             const double* scale, double* out) {
  all_rows(rows, v, weight, scale, out);
}

}  // namespace

void frozen_norm(const FrozenRows& rows, const float* v, const float* weight, const float* scale,
                 float* out) {
  single(rows, v, weight, scale, out);
}

void frozen_norm(const FrozenRows& rows, const double* v, const double* weight, const double* scale,
                 double* out) {
  twice(rows, v, weight, scale, out);
}

}  // namespace mog::engine

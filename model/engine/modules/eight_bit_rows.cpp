// A scale a row, not one for the whole matrix: a row is a token, so that what a sentence gives does not
// depend on the sentences beside it.
#include "model/engine/modules/eight_bit_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/engine/common/vector_clones.h"

namespace mog::engine {

MOG_VECTOR_CLONES void quantize_rows(const float* x, std::int64_t rows, std::int64_t width,
                                     std::int8_t* values, float* scales) {
  constexpr float kMost = 127.0F;
  constexpr float kLeast = 1e-36F;  // below it 127 / x is no number
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const from = x + row * width;
    std::int8_t* const to = values + row * width;
    float greatest = 0.0F;
    float sum = 0.0F;  // no number where one of the row is none
    for (std::int64_t i = 0; i < width; ++i) {
      greatest = std::max(greatest, std::abs(from[i]));
      sum += from[i] - from[i];
    }
    const bool finite = sum == 0.0F;
    const float factor = finite && greatest >= kLeast ? kMost / greatest : 0.0F;
    scales[row] =
        finite ? (greatest >= kLeast ? greatest / kMost : 0.0F) : std::numeric_limits<float>::quiet_NaN();
    for (std::int64_t i = 0; i < width; ++i) {
      to[i] = finite ? static_cast<std::int8_t>(static_cast<std::int32_t>(std::nearbyint(from[i] * factor)))
                     : std::int8_t{0};
    }
  }
}

MOG_VECTOR_CLONES void scale_sums(const std::int32_t* sums, std::int64_t rows, std::int64_t columns,
                                  const float* row_scales, const float* column_scales, const float* bias,
                                  float* out) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int32_t* const from = sums + row * columns;
    float* const to = out + row * columns;
    const float scale = row_scales[row];
    for (std::int64_t i = 0; i < columns; ++i) {
      to[i] = static_cast<float>(from[i]) * (scale * column_scales[i]);
    }
    for (std::int64_t i = 0; bias != nullptr && i < columns; ++i) {
      to[i] += bias[i];
    }
  }
}

}  // namespace mog::engine

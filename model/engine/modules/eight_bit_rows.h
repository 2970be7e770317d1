// Matrices of 8 bits whose rows have a scale each, and what becomes of their products. Free of Torch.
#pragma once

#include <cstdint>

namespace mog::engine {

// Rows of x [rows, width] in 8 bits: values [rows, width] from -127 to 127, scales [rows] with x ≈ scale ·
// value: the greatest entry of a row is 127, a row of zeros (or below 1e-36) has scale 0, one with an entry
// that is no number or infinite the scale NaN.
void quantize_rows(const float* x, std::int64_t rows, std::int64_t width, std::int8_t* values, float* scales);

// out [rows, columns] = sums · row_scales · column_scales + bias (null: none).
void scale_sums(const std::int32_t* sums, std::int64_t rows, std::int64_t columns, const float* row_scales,
                const float* column_scales, const float* bias, float* out);

}  // namespace mog::engine

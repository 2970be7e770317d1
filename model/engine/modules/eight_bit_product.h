// x·weightᵀ with factors of 8 bits and float32 everything else.
#pragma once

#include <ATen/ATen.h>

namespace mog::engine {

// A weight matrix [out, in] in 8 bits, with a scale a row (eight_bit_rows.h).
struct EightBitMatrix {
  at::Tensor values;  // [in, out] int8, a view of [out, in]
  at::Tensor scales;  // [out] float32
  bool defined() const { return values.defined(); }
};

// Of a float32 matrix on the processor.
EightBitMatrix to_eight_bits(const at::Tensor& weight);

// x [..., in] float32 is rounded to 8 bits row by row; sums of products are exact whole numbers. Not
// differentiable.
at::Tensor eight_bit_product(const at::Tensor& x, const EightBitMatrix& weight, const at::Tensor& bias);

}  // namespace mog::engine

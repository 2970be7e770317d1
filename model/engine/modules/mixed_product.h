// x·weightᵀ with bfloat16 factors and float32 everything else.
#pragma once

#include <ATen/ATen.h>

namespace mog::engine {

// x [token, in] and weight [out, in] float32 are rounded to bfloat16, multiplied (sums in float32, as the
// processor's matrix units and oneDNN do), and the product [token, out] comes back as float32. Gradients the
// same way: both products of the backward pass take bfloat16 factors. Differentiable in x and weight.
at::Tensor mixed_product(const at::Tensor& x, const at::Tensor& weight);

}  // namespace mog::engine

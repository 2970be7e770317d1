// x·weightᵀ + bias in float32, by the library that is faster on this processor.
#pragma once

#include <ATen/ATen.h>

namespace mog::engine {

// at::linear, or oneDNN's: MKL gives processors of other makers than Intel a path without AVX-512 (measured
// on an AMD EPYC of Zen 5, [512, 384] × [384, 1536] on one core: 82 against 186 billion operations a second;
// docs/benchmarks.md). Chosen by maker and instruction set, not by a race, so that one machine computes the
// same numbers every time; $MOG_PRODUCTS = mkl or onednn overrides it. oneDNN only in inference mode, on
// float32 in host memory and from 16 rows up; both sum in float32.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});
// added + x·weightᵀ; x and added: [row, …].
at::Tensor product_added(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& added);

}  // namespace mog::engine

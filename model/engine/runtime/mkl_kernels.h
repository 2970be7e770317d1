// Which kernels MKL takes on this processor.
#pragma once

#include <cstdint>

namespace mog::engine {

enum class MklKernels : std::uint8_t {
  own_choice,  // what MKL takes by itself: AVX-512 on Intel where it is there, AVX2 on AMD
  avx512,      // AVX-512, because the engine said that the processor has it
  not_asked,   // MKL did not ask: another library defined the question before the engine
};
// Of a LibTorch with MKL, after a product (which makes MKL choose).
MklKernels mkl_kernels() noexcept;

}  // namespace mog::engine

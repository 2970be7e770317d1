// What the processor can do, where LibTorch does not say it.
#pragma once

namespace mog::engine {

// Whether products of 8-bit numbers are exact here, and fast: the processor has VNNI. Without it their sums
// may overflow 16 bits.
bool has_eight_bit_products() noexcept;

// Whether products of bfloat16 numbers are instructions here (AVX512_BF16 or AMX): then they are faster than
// those of float32; elsewhere they are converted back and forth.
bool has_bfloat16_products() noexcept;

}  // namespace mog::engine

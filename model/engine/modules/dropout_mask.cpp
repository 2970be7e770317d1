// Masks from numbers that need no order: element i of a block is a mix of i and the block's key, so that the
// loop becomes vector instructions. ATen draws one after the other from a Mersenne Twister, which cost a
// sixth of an update of a small translator; this costs a fiftieth.
//
// The mix is Wellons' two-multiplication permutation of 32 bits (bias .17, the lowest known of its form),
// with the second half of the key between two of them. Blocks have keys of their own (SplitMix64).
#include "model/engine/modules/dropout_mask.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/engine/common/vector_clones.h"

namespace mog::engine {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

std::uint64_t split_mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline std::uint32_t permuted(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

// threshold: elements whose number is below it are dropped.
MOG_VECTOR_CLONES void fill_block(float* mask, std::uint32_t count, std::uint32_t threshold, float kept,
                                  std::uint32_t first, std::uint32_t second) {
  for (std::uint32_t i = 0; i < count; ++i) {
    mask[i] = permuted(permuted(i + first) ^ second) < threshold ? 0.0F : kept;
  }
}

}  // namespace

void fill_dropout_mask(std::span<float> mask, double probability, std::uint64_t key) {
  const auto threshold =
      static_cast<std::uint32_t>(std::lround(std::min(probability * 0x1p32, 0x1p32 - 1.0)));
  const auto kept = static_cast<float>(1.0 / (1.0 - probability));
  for (std::size_t start = 0, block = 0; start < mask.size(); start += kBlock, ++block) {
    const std::uint64_t mixed = split_mix(key + 0x9e3779b97f4a7c15ULL * block);
    fill_block(mask.data() + start, static_cast<std::uint32_t>(std::min(kBlock, mask.size() - start)),
               threshold, kept, static_cast<std::uint32_t>(mixed), static_cast<std::uint32_t>(mixed >> 32U));
  }
}

}  // namespace mog::engine

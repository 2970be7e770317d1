// The host twins. Compiled with -O3 and, where the compiler can, once per instruction set: the loop over keys
// is the only hot one, and the logarithm is written out so that it becomes vector instructions (libm's scalar
// logf would cost a tenth of a forward pass).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "model/engine/common/vector_clones.h"
#include "model/engine/cuda/map_kernels.h"

namespace mog::engine {
namespace {

constexpr std::size_t kLanes = 16;

// ln x for normal positive x: x = m·2^e with m in [√½, √2), ln m = 2·artanh((m-1)/(m+1)); relative error of
// the series below 1e-9, so float rounding decides.
inline float natural_log(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t exponent = (bits - 0x3F3504F3) >> 23;
  const auto m = std::bit_cast<float>(bits - exponent * (1 << 23));
  const float s = (m - 1.0F) / (m + 1.0F);
  const float s2 = s * s;
  const float series = 2.0F + s2 * (0.66666667F + s2 * (0.4F + s2 * (0.28571429F + s2 * 0.22222222F)));
  return static_cast<float>(exponent) * 0.693147181F + s * series;
}

// p·ln p; weights below the smallest normal number count as 0.
inline float weighted_log(float p) {
  constexpr float kSmallest = 1.17549435e-38F;
  const float value = p * natural_log(std::max(p, kSmallest));
  return p < kSmallest ? 0.0F : value;
}

MOG_VECTOR_CLONES float entropy(const float* row, std::size_t keys) {
  float sums[kLanes] = {};
  std::size_t n = 0;
  for (; n + kLanes <= keys; n += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += weighted_log(row[n + lane]);
    }
  }
  if (n < keys) {
    float rest[kLanes] = {};
    std::copy(row + n, row + keys, rest);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += weighted_log(rest[lane]);
    }
  }
  float total = 0.0F;
  for (const float sum : sums) {
    total += sum;
  }
  return -total;
}

// Calls visit(row, keys, row of the packed rows, element of the packed maps) for every real row.
template <class Visit>
void for_each_row(const MapBlock& block, const Visit& visit) {
  for (std::int64_t s = 0; s < block.sentences; ++s) {
    const std::int64_t* const entry = block.table + kTableColumns * s;
    for (std::int64_t h = 0; h < block.heads; ++h) {
      for (std::int64_t q = 0; q < entry[0]; ++q) {
        const float* const row = block.maps + ((s * block.heads + h) * block.queries + q) * block.keys;
        const std::int64_t packed_row = block.heads * entry[3] + h * entry[0] + q;
        const std::int64_t packed = block.heads * entry[2] + (h * entry[0] + q) * entry[1];
        visit(row, static_cast<std::size_t>(entry[1]), packed_row, packed);
      }
    }
  }
}

// Sentences of full extent lie packed already: they are one run of `count` elements.
template <class Copy>
void for_each_run(const MapBlock& block, const Copy& copy) {
  for (std::int64_t s = 0; s < block.sentences; ++s) {
    const std::int64_t* const entry = block.table + kTableColumns * s;
    const float* const maps = block.maps + s * block.heads * block.queries * block.keys;
    const std::int64_t packed = block.heads * entry[2];
    if (entry[0] == block.queries && entry[1] == block.keys) {
      copy(maps, block.heads * block.queries * block.keys, packed);
      continue;
    }
    for (std::int64_t row = 0; row < block.heads * entry[0]; ++row) {
      const std::int64_t h = row / entry[0];
      const std::int64_t q = row % entry[0];
      copy(maps + (h * block.queries + q) * block.keys, entry[1], packed + row * entry[1]);
    }
  }
}

class CpuMapKernels final : public MapKernels {
 public:
  void compact(const MapBlock& block, Float16* packed) const override {
    for_each_run(block, [&](const float* from, std::int64_t count, std::int64_t to) {
      const auto size = static_cast<std::size_t>(count);
      convert(std::span<const float>(from, size), std::span<Float16>(packed + to, size));
    });
  }
  void compact(const MapBlock& block, float* packed) const override {
    for_each_run(block, [&](const float* from, std::int64_t count, std::int64_t to) {
      std::memcpy(packed + to, from, static_cast<std::size_t>(count) * sizeof(float));
    });
  }
  void row_entropy(const MapBlock& block, float* packed) const override {
    for_each_row(block, [&](const float* row, std::size_t keys, std::int64_t to, std::int64_t) {
      packed[to] = entropy(row, keys);
    });
  }
  void row_max(const MapBlock& block, float* packed) const override {
    for_each_row(block, [&](const float* row, std::size_t keys, std::int64_t to, std::int64_t) {
      packed[to] = *std::max_element(row, row + keys);
    });
  }
};

}  // namespace

const MapKernels& cpu_map_kernels() {
  static const CpuMapKernels kernels;
  return kernels;
}

}  // namespace mog::engine

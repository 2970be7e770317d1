// Sixteen numbers side by side, for attention by rows on a processor (attention_kernels_cpu.cpp):
// exponentials and products, written so that they become the vector instructions of whoever includes them in
// a function that is compiled once per instruction set.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "model/engine/common/vector_clones.h"

namespace mog::engine::lanes {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kRows = 8;  // of a product at once: as many sums as the processor has in flight

// e^x for x from -87 to 0, 0 below: x = n·ln 2 + r with |r| ≤ ½·ln 2, and Taylor's series of e^r to the sixth
// power (relative error 2e-7). What is no number stays none.
MOG_IN_CLONES float exponential(float x) {
  constexpr float kLeast = -87.0F;
  constexpr float kRound = 12582912.0F;  // 1.5 · 2^23: what is added to it is rounded to a whole number
  const float bounded = x < kLeast ? kLeast : x;
  const float shifted = bounded * 1.44269504F + kRound;
  const float n = shifted - kRound;
  const float r = (bounded - n * 0.693359375F) + n * 2.12194440e-4F;
  const float series =
      1.0F + r * (1.0F + r * (0.5F + r * (0.16666667F +
                                          r * (0.041666667F + r * (0.0083333333F + r * 0.0013888889F)))));
  const auto exponent = std::bit_cast<std::int32_t>(shifted) << 23;
  const auto value = std::bit_cast<float>(std::bit_cast<std::int32_t>(series) + exponent);
  return x < kLeast ? 0.0F : value + (bounded - bounded);
}

// to[row, lane] (+)= Σ_k left[row, k] · right[k, lane] for kCount rows; steps are those from row to row.
struct Factors {
  const float* left;
  std::int64_t left_row;
  std::int64_t left_k;
  const float* right;
  std::int64_t right_k;
};
struct Product {
  float* values;
  std::int64_t row;
};
template <std::int64_t kCount, bool kAdd>
MOG_IN_CLONES void multiply_rows(const Factors& factors, std::int64_t count, const Product& to) {
  // Left alone until the vectorizer sees them: taken apart before, sixteen lanes are sixteen numbers.
  float sums[static_cast<std::size_t>(kCount)][kLanes];
  for (std::int64_t row = 0; row < kCount; ++row) {
    MOG_KEEP_LOOP for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      sums[row][lane] = kAdd ? to.values[row * to.row + lane] : 0.0F;
    }
  }
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t row = 0; row < kCount; ++row) {
      const float value = factors.left[row * factors.left_row + k * factors.left_k];
      MOG_KEEP_LOOP for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        sums[row][lane] += value * factors.right[k * factors.right_k + lane];
      }
    }
  }
  for (std::int64_t row = 0; row < kCount; ++row) {
    MOG_KEEP_LOOP for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      to.values[row * to.row + lane] = sums[row][lane];
    }
  }
}

template <bool kAdd>
MOG_IN_CLONES void multiply(Factors factors, std::int64_t rows, std::int64_t count, Product to) {
  const float* const left = factors.left;
  float* const values = to.values;
  const auto go_to = [&](std::int64_t row) {
    factors.left = left + row * factors.left_row;
    to.values = values + row * to.row;
  };
  std::int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    go_to(row);
    multiply_rows<kRows, kAdd>(factors, count, to);
  }
  if (!kAdd && row < rows && rows >= kRows) {  // some rows twice rather than all of the rest one by one
    go_to(rows - kRows);
    multiply_rows<kRows, kAdd>(factors, count, to);
    return;
  }
  for (; row < rows; ++row) {
    go_to(row);
    multiply_rows<1, kAdd>(factors, count, to);
  }
}

}  // namespace mog::engine::lanes

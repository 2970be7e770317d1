// How numbers go through the matrix units of a graphics card: blocks of products, and rows as four lanes hold
// them (C++17, for nvcc and the host). Why the terms come in this order: attention_tensor.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "model/engine/cuda/attention_block.h"
#include "model/engine/cuda/attention_rows.h"

namespace mog::engine {

// A 16 × 8 block of sums: values 0 and 1 are row lane / 4, columns 2·(lane % 4) and the next; values 2 and 3
// the same of the row eight below.
using TensorSums = float[4];

MOG_BOTH inline std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
MOG_BOTH inline float float_of(std::uint32_t bits) {
  float value = 0.0F;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
// Rounded to the eleven bits of TF32. What is no number stays none.
MOG_BOTH inline std::uint32_t tf32_of(float value) {
  return value != value ? 0x7FC00000U : (bits_of(value) + 0x1000U) & 0xFFFFE000U;
}

// Four bytes of neighbouring memory each; all of them lie as their size asks for.
template <unsigned kWords>
MOG_BOTH inline void load_words(const void* from, std::uint32_t (&to)[kWords]) {
#ifdef __CUDA_ARCH__
  if constexpr (kWords % 4 == 0) {
    MOG_UNROLL for (unsigned i = 0; i < kWords / 4; ++i) {
      const uint4 four = __ldg(static_cast<const uint4*>(from) + i);
      to[4 * i] = four.x;
      to[4 * i + 1] = four.y;
      to[4 * i + 2] = four.z;
      to[4 * i + 3] = four.w;
    }
  } else if constexpr (kWords % 2 == 0) {
    MOG_UNROLL for (unsigned i = 0; i < kWords / 2; ++i) {
      const uint2 two = __ldg(static_cast<const uint2*>(from) + i);
      to[2 * i] = two.x;
      to[2 * i + 1] = two.y;
    }
  } else {
    MOG_UNROLL for (unsigned i = 0; i < kWords; ++i) {
      to[i] = __ldg(static_cast<const std::uint32_t*>(from) + i);
    }
  }
#else
  memcpy(to, from, sizeof(to));
#endif
}

template <unsigned kWords>
MOG_BOTH inline void store_words(const std::uint32_t (&words)[kWords], void* to) {
#ifdef __CUDA_ARCH__
  MOG_UNROLL for (unsigned i = 0; i < kWords; i += 2) {
    static_cast<uint2*>(to)[i / 2] = make_uint2(words[i], words[i + 1]);
  }
#else
  memcpy(to, words, sizeof(words));
#endif
}

// How numbers go through the products. kSlice: words that a lane has of a row for the scores; kPiece: words
// that it has of a key's values.
template <int kWidth>
struct BFloat16Form {
  static constexpr unsigned kSlice = kWidth / 8;
  static constexpr unsigned kProducts = kWidth / 8;  // J
  static constexpr unsigned kPiece = kProducts / 2;
  static constexpr int kPerWord = 2;
  static constexpr AttentionNumbers kNumbers = AttentionNumbers::bfloat16;

  MOG_BOTH static std::uint32_t word(const void* values, std::int64_t index, std::int64_t real) {
    const auto* const from = static_cast<const std::uint16_t*>(values);
    return (real > 0 ? from[index] : 0U) |
           (real > 1 ? static_cast<std::uint32_t>(from[index + 1]) << 16U : 0U);
  }

  // scores += queries · keysᵀ; queries: of rows lane / 4 and eight below.
  template <class Warp>
  MOG_BOTH static void score(const Warp& warp, TensorSums& scores, const std::uint32_t (&queries)[2][kSlice],
                             const std::uint32_t (&keys)[kSlice]) {
    MOG_UNROLL for (unsigned s = 0; s < kSlice / 2; ++s) {
      const std::uint32_t left[4] = {queries[0][2 * s], queries[1][2 * s], queries[0][2 * s + 1],
                                     queries[1][2 * s + 1]};
      const std::uint32_t right[2] = {keys[2 * s], keys[2 * s + 1]};
      warp.multiply_bfloat16(scores, left, right);
    }
  }

  // Two neighbouring tiles of weights times the values of their sixteen keys.
  // values: of keys 2t and 2t + 1 of the first tile, then of the second.
  template <class Warp>
  MOG_BOTH static void add_values(const Warp& warp, TensorSums (&context)[kProducts], const TensorSums& first,
                                  const TensorSums& second, const std::uint32_t (&values)[4][kPiece]) {
    const std::uint32_t left[4] = {pair(first[0], first[1]), pair(first[2], first[3]),
                                   pair(second[0], second[1]), pair(second[2], second[3])};
    MOG_UNROLL for (unsigned j = 0; j < kPiece; ++j) {
      const std::uint32_t low[2] = {lower(values[0][j], values[1][j]), lower(values[2][j], values[3][j])};
      const std::uint32_t high[2] = {upper(values[0][j], values[1][j]), upper(values[2][j], values[3][j])};
      warp.multiply_bfloat16(context[2 * j], left, low);
      warp.multiply_bfloat16(context[2 * j + 1], left, high);
    }
  }

  // What a lane has of a row of the context, from column 2·J·t on.
  MOG_BOTH static void pack(const float (&row)[2 * kProducts], std::uint32_t (&words)[kProducts]) {
    MOG_UNROLL for (unsigned i = 0; i < kProducts; ++i) {
      words[i] = pair(row[2 * i], row[2 * i + 1]);
    }
  }
  static constexpr unsigned kContextWords = kProducts;

 private:
  MOG_BOTH static std::uint32_t pair(float low, float high) {
#ifdef __CUDA_ARCH__
    std::uint32_t packed;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
#else
    return rounded_bfloat16(low) | static_cast<std::uint32_t>(rounded_bfloat16(high)) << 16U;
#endif
  }
  // The halves of two words, in one instruction.
  MOG_BOTH static std::uint32_t lower(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
    return __byte_perm(a, b, 0x5410);
#else
    return (a & 0xFFFFU) | (b << 16U);
#endif
  }
  MOG_BOTH static std::uint32_t upper(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
    return __byte_perm(a, b, 0x7632);
#else
    return (a >> 16U) | (b & 0xFFFF0000U);
#endif
  }
};

template <int kWidth>
struct Float32Form {
  static constexpr unsigned kSlice = kWidth / 4;
  static constexpr unsigned kProducts = kWidth / 8;
  static constexpr unsigned kPiece = kProducts;
  static constexpr int kPerWord = 1;
  static constexpr AttentionNumbers kNumbers = AttentionNumbers::float32;

  MOG_BOTH static std::uint32_t word(const void* values, std::int64_t index, std::int64_t real) {
    return real > 0 ? bits_of(static_cast<const float*>(values)[index]) : 0U;
  }

  template <class Warp>
  MOG_BOTH static void score(const Warp& warp, TensorSums& scores, const std::uint32_t (&queries)[2][kSlice],
                             const std::uint32_t (&keys)[kSlice]) {
    // The greater products are exact; what is lesser is summed apart, so that nothing of it is rounded away.
    TensorSums lesser = {0.0F, 0.0F, 0.0F, 0.0F};
    MOG_UNROLL for (unsigned s = 0; s < kSlice / 2; ++s) {
      const std::uint32_t left[4] = {queries[0][2 * s], queries[1][2 * s], queries[0][2 * s + 1],
                                     queries[1][2 * s + 1]};
      const std::uint32_t right[2] = {keys[2 * s], keys[2 * s + 1]};
      multiply(warp, scores, lesser, left, right);
    }
    MOG_UNROLL for (int i = 0; i < 4; ++i) {
      scores[i] += lesser[i];
    }
  }

  template <class Warp>
  MOG_BOTH static void add_values(const Warp& warp, TensorSums (&context)[kProducts], const TensorSums& first,
                                  const TensorSums& second, const std::uint32_t (&values)[4][kPiece]) {
    const std::uint32_t one[4] = {bits_of(first[0]), bits_of(first[2]), bits_of(first[1]), bits_of(first[3])};
    const std::uint32_t two[4] = {bits_of(second[0]), bits_of(second[2]), bits_of(second[1]),
                                  bits_of(second[3])};
    MOG_UNROLL for (unsigned j = 0; j < kProducts; ++j) {
      const std::uint32_t right[2] = {values[0][j], values[1][j]};
      multiply(warp, context[j], context[j], one, right);
      const std::uint32_t next[2] = {values[2][j], values[3][j]};
      multiply(warp, context[j], context[j], two, next);
    }
  }

  static constexpr unsigned kContextWords = 2 * kProducts;
  MOG_BOTH static void pack(const float (&row)[2 * kProducts], std::uint32_t (&words)[kContextWords]) {
    MOG_UNROLL for (unsigned i = 0; i < kContextWords; ++i) {
      words[i] = bits_of(row[i]);
    }
  }

 private:
  // Each factor as greater + lesser; lesser · lesser is left out.
  template <class Warp>
  MOG_BOTH static void multiply(const Warp& warp, TensorSums& sums, TensorSums& lesser,
                                const std::uint32_t (&left)[4], const std::uint32_t (&right)[2]) {
    std::uint32_t left_greater[4];
    std::uint32_t left_lesser[4];
    std::uint32_t right_greater[2];
    std::uint32_t right_lesser[2];
    MOG_UNROLL for (int i = 0; i < 4; ++i) {
      split(left[i], left_greater[i], left_lesser[i]);
    }
    MOG_UNROLL for (int i = 0; i < 2; ++i) {
      split(right[i], right_greater[i], right_lesser[i]);
    }
    warp.multiply_tf32(lesser, left_lesser, right_greater);
    warp.multiply_tf32(lesser, left_greater, right_lesser);
    warp.multiply_tf32(sums, left_greater, right_greater);
  }
  MOG_BOTH static void split(std::uint32_t bits, std::uint32_t& greater, std::uint32_t& lesser) {
    greater = tf32_of(float_of(bits));
    lesser = tf32_of(float_of(bits) - float_of(greater));
  }
};

}  // namespace mog::engine

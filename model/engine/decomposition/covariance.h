// Covariances of the terms of attention scores with the scores, sentence by sentence and head by head
// (internal to the engine; host memory, free of Torch).
//
// Heads are 16 to 128 wide and sentences some tens long: as tensor operations, copies into blocks by head and
// two dozen small products and sums cost more than the arithmetic. Here the rows of one head are copied once
// and stay in the cache.
#pragma once

#include <array>
#include <cstdint>

namespace mog::engine {

// Rows of one part; token t of the group begins at rows + t * stride, head h at h * width after it. stride 0:
// one row for all tokens.
template <class T>
struct PartRows {
  const T* rows = nullptr;
  std::int64_t stride = 0;
};

template <class T>
struct ScoreRows {
  std::array<PartRows<T>, 3> queries;
  std::array<PartRows<T>, 3> keys;
  std::int64_t key_parts = 2;  // 2 or 3
  std::int64_t sentences = 0;  // of equal length, one after another
  std::int64_t tokens = 0;
  std::int64_t heads = 0;
  std::int64_t width = 0;
  double scale = 1.0;
};

// out: [sentence, head, 3 * key_parts + 1]: for each query part and key part Σ_i cov_j(q_a,i·k_b,j, l_ij),
// last Σ_i var_j(l_ij); l = scale · Σ q_a · Σ k_b, cov and var over the sentence's keys with divisor
// `tokens`.
void score_covariances(const ScoreRows<float>& rows, float* out);
void score_covariances(const ScoreRows<double>& rows, double* out);

}  // namespace mog::engine

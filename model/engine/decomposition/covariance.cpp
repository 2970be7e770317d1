#include "model/engine/decomposition/covariance.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/engine/common/vector_clones.h"
#define MOG_INLINE inline __attribute__((always_inline))

namespace mog::engine {
namespace {

// 64 bytes at any address; the compiler cuts them to what the processor has.
template <class T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
  static constexpr std::int64_t kCount = 64 / static_cast<std::int64_t>(sizeof(T));
};

constexpr std::int64_t kRows = 4;  // whose sums are in registers together

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

// The parts of one head, padded with zeros.
template <class T>
struct Head {
  std::int64_t rows = 0;     // tokens, a multiple of kRows
  std::int64_t columns = 0;  // tokens, a multiple of the lanes
  std::int64_t width = 0;    // a multiple of the lanes
  std::vector<T> queries;    // [part, rows, width]
  std::vector<T> keys;       // [part, rows, width], less their mean over tokens
  std::vector<T> query;      // [rows, width]: the sum of the parts
  std::vector<T> key;        // [width, columns]
  std::vector<T> scores;     // [rows, columns]
};

template <class T>
MOG_INLINE void copy_part(const PartRows<T>& part, const ScoreRows<T>& in, std::int64_t sentence,
                          std::int64_t head, std::int64_t padded, T* to) {
  for (std::int64_t t = 0; t < in.tokens; ++t) {
    const T* const from = part.rows + (sentence * in.tokens + t) * part.stride + head * in.width;
    std::copy(from, from + in.width, to + t * padded);
  }
}

template <class T>
MOG_INLINE void centre(const ScoreRows<T>& in, std::int64_t padded, T* rows) {
  for (std::int64_t e = 0; e < in.width; ++e) {
    double sum = 0;
    for (std::int64_t t = 0; t < in.tokens; ++t) {
      sum += static_cast<double>(rows[t * padded + e]);
    }
    const auto mean = static_cast<T>(sum / static_cast<double>(in.tokens));
    for (std::int64_t t = 0; t < in.tokens; ++t) {
      rows[t * padded + e] -= mean;
    }
  }
}

template <class T>
MOG_INLINE void fill(const ScoreRows<T>& in, std::int64_t sentence, std::int64_t head, Head<T>& own) {
  const std::int64_t block = own.rows * own.width;
  std::fill(own.query.begin(), own.query.end(), T{0});
  for (std::int64_t a = 0; a < 3; ++a) {
    T* const part = own.queries.data() + a * block;
    copy_part(in.queries[static_cast<std::size_t>(a)], in, sentence, head, own.width, part);
    for (std::int64_t i = 0; i < block; ++i) {
      own.query[static_cast<std::size_t>(i)] += part[i];
    }
  }
  for (std::int64_t b = 0; b < in.key_parts; ++b) {
    T* const part = own.keys.data() + b * block;
    copy_part(in.keys[static_cast<std::size_t>(b)], in, sentence, head, own.width, part);
    centre(in, own.width, part);
  }
  for (std::int64_t e = 0; e < in.width; ++e) {
    for (std::int64_t t = 0; t < in.tokens; ++t) {
      T sum = 0;
      for (std::int64_t b = 0; b < in.key_parts; ++b) {
        sum += own.keys[static_cast<std::size_t>(b * block + t * own.width + e)];
      }
      own.key[static_cast<std::size_t>(e * own.columns + t)] = sum;
    }
  }
}

template <class Vector>
MOG_INLINE double sum_of(const Vector& lanes, std::int64_t count) {
  double sum = 0;
  for (std::int64_t lane = 0; lane < count; ++lane) {
    sum += static_cast<double>(lanes[lane]);
  }
  return sum;
}

// Scores of the head, centred as the keys are; returns the sum of their squares.
template <class T>
MOG_INLINE double fill_scores(const ScoreRows<T>& in, Head<T>& own) {
  using Vector = typename Lanes<T>::Vector;
  const auto scale = static_cast<T>(in.scale);
  Vector squares{};
  for (std::int64_t i = 0; i < own.rows; i += kRows) {
    const T* const q = own.query.data() + i * own.width;
    for (std::int64_t j = 0; j < own.columns; j += Lanes<T>::kCount) {
      Vector sums[kRows] = {};
      for (std::int64_t e = 0; e < in.width; ++e) {
        const Vector k = *reinterpret_cast<const Vector*>(own.key.data() + e * own.columns + j);
        sums[0] += q[e] * k;
        sums[1] += q[own.width + e] * k;
        sums[2] += q[2 * own.width + e] * k;
        sums[3] += q[3 * own.width + e] * k;
      }
      for (std::int64_t r = 0; r < kRows; ++r) {
        const Vector scaled = sums[r] * scale;
        *reinterpret_cast<Vector*>(own.scores.data() + (i + r) * own.columns + j) = scaled;
        squares += scaled * scaled;
      }
    }
  }
  return sum_of(squares, Lanes<T>::kCount);
}

// Σ_i q_a,i · Σ_j l_ij k_b,j for the three query parts a and one key part b.
template <class T>
MOG_INLINE void products(const ScoreRows<T>& in, const Head<T>& own, std::int64_t b, double (&sums)[3]) {
  using Vector = typename Lanes<T>::Vector;
  const std::int64_t block = own.rows * own.width;
  const T* const keys = own.keys.data() + b * block;
  Vector totals[3] = {};
  for (std::int64_t i = 0; i < own.rows; i += kRows) {
    const T* const l = own.scores.data() + i * own.columns;
    for (std::int64_t e = 0; e < own.width; e += Lanes<T>::kCount) {
      Vector gathered[kRows] = {};
      for (std::int64_t j = 0; j < in.tokens; ++j) {
        const Vector k = *reinterpret_cast<const Vector*>(keys + j * own.width + e);
        gathered[0] += l[j] * k;
        gathered[1] += l[own.columns + j] * k;
        gathered[2] += l[2 * own.columns + j] * k;
        gathered[3] += l[3 * own.columns + j] * k;
      }
      for (std::int64_t a = 0; a < 3; ++a) {
        const T* const q = own.queries.data() + a * block + i * own.width + e;
        for (std::int64_t r = 0; r < kRows; ++r) {
          totals[a] += *reinterpret_cast<const Vector*>(q + r * own.width) * gathered[r];
        }
      }
    }
  }
  for (std::int64_t a = 0; a < 3; ++a) {
    sums[a] = sum_of(totals[a], Lanes<T>::kCount);
  }
}

template <class T>
MOG_INLINE void all_heads(const ScoreRows<T>& in, T* out) {
  Head<T> own;
  own.rows = round_up(in.tokens, kRows);
  own.columns = round_up(in.tokens, Lanes<T>::kCount);
  own.width = round_up(in.width, Lanes<T>::kCount);
  const auto block = static_cast<std::size_t>(own.rows * own.width);
  own.queries.resize(3 * block);
  own.keys.resize(static_cast<std::size_t>(in.key_parts) * block);
  own.query.resize(block);
  own.key.resize(static_cast<std::size_t>(in.width * own.columns));
  own.scores.resize(static_cast<std::size_t>(own.rows * own.columns));
  const double mean = 1.0 / static_cast<double>(in.tokens);
  for (std::int64_t sentence = 0; sentence < in.sentences; ++sentence) {
    for (std::int64_t head = 0; head < in.heads; ++head) {
      fill(in, sentence, head, own);
      const double squares = fill_scores(in, own);
      for (std::int64_t b = 0; b < in.key_parts; ++b) {
        double sums[3];
        products(in, own, b, sums);
        for (std::int64_t a = 0; a < 3; ++a) {
          out[a * in.key_parts + b] = static_cast<T>(sums[a] * in.scale * mean);
        }
      }
      out[3 * in.key_parts] = static_cast<T>(squares * mean);
      out += 3 * in.key_parts + 1;
    }
  }
}

MOG_VECTOR_CLONES void single(const ScoreRows<float>& rows, float* out) {
  all_heads(rows, out);
}
MOG_VECTOR_CLONES void twice(const ScoreRows<double>& rows, double* out) {
  all_heads(rows, out);
}

}  // namespace

void score_covariances(const ScoreRows<float>& rows, float* out) {
  single(rows, out);
}

void score_covariances(const ScoreRows<double>& rows, double* out) {
  twice(rows, out);
}

}  // namespace mog::engine

// Every state of a corpus is read once, so the memory is what should take the time. Half floats are widened a
// few rows at a time and multiplied in float64 (products of what float32 can hold are exact there), sixteen
// sums side by side: more numbers in flight than the latency of an addition, and one order of summing
// whatever the width of the processor's registers. Without fused multiply-adds (-ffp-contract=off) the sums
// are the same bits everywhere, so that a list of neighbours is, too.
//
// Alternatives: sums in float32 need a second look at all that is near the last place; a library of matrix
// products wants float32 copies (decision 66). Measured: docs/benchmarks.md, Neighbours.
#include "analysis/neighbours/row_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kWidened = 8;  // rows of half floats at a time: they stay in the first cache

constexpr std::size_t kHalf = kLanes / 2;

// Eight numbers that the compiler keeps in one, two or four registers.
using Eight = double __attribute__((vector_size(kHalf * sizeof(double))));

using EightFloats = float __attribute__((vector_size(kHalf * sizeof(float))));

// Results by reference: vectors of this size are no arguments of a plain processor.
[[gnu::always_inline]] inline void load(const float* from, Eight& to) {
  EightFloats values;
  std::memcpy(&values, from, sizeof(values));
  to = __builtin_convertvector(values, Eight);
}
[[gnu::always_inline]] inline void load(const double* from, Eight& to) {
  std::memcpy(&to, from, sizeof(to));
}

// In pairs: the order is part of the result.
[[gnu::always_inline]] inline double total(const Eight& low, const Eight& high) {
  double left[kHalf];
  for (std::size_t lane = 0; lane < kHalf; ++lane) {
    left[lane] = low[lane] + high[lane];
  }
  for (std::size_t width = kHalf / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      left[lane] += left[lane + width];
    }
  }
  return left[0];
}

template <bool kMean, class T>
[[gnu::always_inline]] inline void products_inline(const T* rows, std::size_t count, std::size_t width,
                                                   const double* query, const double* mean, RowProduct* out) {
  for (std::size_t row = 0; row < count; ++row, rows += width) {
    Eight low_dots{};
    Eight high_dots{};
    Eight low_squares{};
    Eight high_squares{};
    std::size_t at = 0;
    for (; at + kLanes <= width; at += kLanes) {
      Eight low;
      Eight high;
      Eight other;
      load(rows + at, low);
      load(rows + at + kHalf, high);
      if constexpr (kMean) {
        load(mean + at, other);
        low -= other;
        load(mean + at + kHalf, other);
        high -= other;
      }
      load(query + at, other);
      low_dots += low * other;
      load(query + at + kHalf, other);
      high_dots += high * other;
      low_squares += low * low;
      high_squares += high * high;
    }
    RowProduct sums{total(low_dots, high_dots), total(low_squares, high_squares)};
    for (; at < width; ++at) {
      const double value = static_cast<double>(rows[at]) - (kMean ? mean[at] : 0.0);
      sums.dot += value * query[at];
      sums.squares += value * value;
    }
    out[row] = sums;
  }
}

template <class T>
[[gnu::always_inline]] inline void products_of(const T* rows, std::size_t count, std::size_t width,
                                               const double* query, const double* mean, RowProduct* out) {
  if (mean == nullptr) {
    products_inline<false>(rows, count, width, query, mean, out);
  } else {
    products_inline<true>(rows, count, width, query, mean, out);
  }
}

template <class T>
void products_plain(const T* rows, std::size_t count, std::size_t width, const double* query,
                    const double* mean, RowProduct* out) {
  products_of(rows, count, width, query, mean, out);
}
#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void products_avx2(const T* rows, std::size_t count, std::size_t width,
                                           const double* query, const double* mean, RowProduct* out) {
  products_of(rows, count, width, query, mean, out);
}
template <class T>
[[gnu::target("avx512f,prefer-vector-width=512")]] void products_avx512(const T* rows, std::size_t count,
                                                                        std::size_t width,
                                                                        const double* query,
                                                                        const double* mean, RowProduct* out) {
  products_of(rows, count, width, query, mean, out);
}
#endif

template <class T>
using Kernel = void (*)(const T*, std::size_t, std::size_t, const double*, const double*, RowProduct*);

template <class T>
Kernel<T> kernel(Instructions instructions) {
#if defined(__x86_64__)
  if (instructions == Instructions::avx512) {
    return products_avx512<T>;
  }
  if (instructions == Instructions::avx2) {
    return products_avx2<T>;
  }
#endif
  return products_plain<T>;
}

void check_size(std::size_t values, std::size_t width, std::size_t rows) {
  if (values != rows * width) {
    throw ShapeError(
        fmt::format("comparing rows with a query of width {}: {} values for {} rows", width, values, rows));
  }
}

}  // namespace

std::span<const Instructions> row_instructions() {
  static const std::vector<Instructions> all = [] {
    std::vector<Instructions> found = {Instructions::plain};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0) {
      found.push_back(Instructions::avx2);
    }
    if (__builtin_cpu_supports("avx512f") != 0) {
      found.push_back(Instructions::avx512);
    }
#endif
    return found;
  }();
  return all;
}

RowQuery::RowQuery(std::span<const double> state, std::span<const double> mean, Instructions instructions)
    : width_(static_cast<std::int64_t>(state.size())),
      query_(state.begin(), state.end()),
      mean_(mean.begin(), mean.end()),
      instructions_(instructions) {
  if (!mean.empty() && mean.size() != state.size()) {
    throw ShapeError(fmt::format("a query of width {} with a mean of width {}", state.size(), mean.size()));
  }
  double squares = 0;
  for (std::size_t i = 0; i < query_.size(); ++i) {
    query_[i] -= mean_.empty() ? 0.0 : mean_[i];
    squares += query_[i] * query_[i];
  }
  norm_ = std::sqrt(squares);
}

double RowQuery::cosine(const RowProduct& product) const noexcept {
  const double both = std::sqrt(product.squares) * norm_;
  if (!(both > 0) || !std::isfinite(both) || !std::isfinite(product.dot)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::clamp(product.dot / both, -1.0, 1.0);
}

template <class T>
void RowQuery::multiply(std::span<const T> rows, std::span<RowProduct> out) const {
  kernel<T>(instructions_)(rows.data(), out.size(), query_.size(), query_.data(),
                           mean_.empty() ? nullptr : mean_.data(), out.data());
}

void RowQuery::products(std::span<const Float16> rows, std::span<RowProduct> out) const {
  const auto width = static_cast<std::size_t>(width_);
  check_size(rows.size(), width, out.size());
  std::vector<float> wide(kWidened * width);
  for (std::size_t row = 0; row < out.size(); row += kWidened) {
    const std::size_t count = std::min(kWidened, out.size() - row);
    const std::span<float> some = std::span(wide).first(count * width);
    convert(rows.subspan(row * width, count * width), some);
    multiply<float>(some, out.subspan(row, count));
  }
}
void RowQuery::products(std::span<const float> rows, std::span<RowProduct> out) const {
  check_size(rows.size(), query_.size(), out.size());
  multiply(rows, out);
}
void RowQuery::products(std::span<const double> rows, std::span<RowProduct> out) const {
  check_size(rows.size(), query_.size(), out.size());
  multiply(rows, out);
}

}  // namespace mog::analysis

// Many rows with one query: what the cosine of each needs, at the speed of the memory that they lie in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/recording/host_tensor.h"

namespace mog::analysis {

// Of one row x with mean m and query q: <x - m, q> and <x - m, x - m>.
struct RowProduct {
  double dot = 0;
  double squares = 0;
};

// What a row is read with.
enum class Instructions { plain, avx2, avx512 };
// Those that this processor has, the fastest last.
std::span<const Instructions> row_instructions();

// A query and what is taken from every row before it is compared. Immutable; safe from several threads.
class RowQuery {
 public:
  // state, mean: [width]; no mean: nothing is taken away. The query is state - mean. Throws ShapeError when
  // the sizes differ.
  // instructions: one of row_instructions(); the results are the same bits with each.
  explicit RowQuery(std::span<const double> state, std::span<const double> mean = {},
                    Instructions instructions = row_instructions().back());

  std::int64_t width() const noexcept { return width_; }
  // Of the query; 0 for one without direction, NaN where a value is no number.
  double norm() const noexcept { return norm_; }
  // Of a row with the query, in [-1, 1]; NaN for a row (or query) without direction or with values that are
  // no numbers.
  double cosine(const RowProduct& product) const noexcept;

  // rows: [row, width] float16, float32 or float64; out: [row]. In float64, always summed in the same order:
  // the numbers do not depend on the processor. Throws ShapeError when the sizes differ. O(rows * width).
  void products(std::span<const Float16> rows, std::span<RowProduct> out) const;
  void products(std::span<const float> rows, std::span<RowProduct> out) const;
  void products(std::span<const double> rows, std::span<RowProduct> out) const;

 private:
  template <class T>
  void multiply(std::span<const T> rows, std::span<RowProduct> out) const;

  std::int64_t width_ = 0;
  double norm_ = 0;
  std::vector<double> query_;
  std::vector<double> mean_;  // empty: none
  Instructions instructions_;
};

}  // namespace mog::analysis

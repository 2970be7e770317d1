// Quantiles of numbers that nobody keeps: how many lie in each of many small ranges, after DDSketch (Masson,
// Rim & Lee 2019). Counts add up exactly, so sketches of parts give that of the whole, in any order.
//
// A range is a 256th of the numbers between two powers of two, x to x + 2^(e-8) where 2^e <= x. A quantile is
// the middle of the range in which the number of that rank lies, so it differs from that number by at most
// 1/512 of its size. Numbers below 2^-60 in size count as 0.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analysis/statistics/additive.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

class QuantileSketch {
 public:
  // Of the number that has the rank, as a share of its size.
  static constexpr double kBound = 0x1p-9;

  // Memory: 2 KiB for every power of two between the smallest number and the largest, of each sign.
  void add(double value);
  void merge(const QuantileSketch& other);

  std::int64_t count() const noexcept { return count_; }
  // The number of rank ⌈q · count⌉ (the first for 0), for q in [0, 1]; NaN when there is no number, or one
  // that is not finite.
  double quantile(double q) const;

  // Ranges that hold something and how many numbers were not finite; then the key and count of each. Appends.
  void append_words(std::vector<std::int64_t>& words) const;
  // Adds what append_words() wrote and takes it off the front. Throws FormatError.
  void add_words(std::span<const std::int64_t>& words);
  friend bool operator==(const QuantileSketch&, const QuantileSketch&) = default;

 private:
  static constexpr int kRangeBits = 8;  // of a power of two
  using Ranges = std::array<std::int64_t, 1U << kRangeBits>;
  static std::int64_t key_of(double value);
  static double middle_of(std::int64_t key);
  void add_key(std::int64_t key, std::int64_t times);

  std::map<std::int64_t, Ranges> powers_;  // by key / 256, rounded down; keys ascend with numbers
  std::int64_t count_ = 0;                 // of numbers that are finite
  std::int64_t infinite_ = 0;              // of those that are not
};

// The quartiles of a cell of a table.
struct Quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
Quartiles quartiles(const QuantileSketch& sketch);
// The columns q25, q50, q75 and quantile_bound of a table, and what stands in them.
void add_quartile_columns(Table& table);
void add_quartiles(std::vector<Cell>& row, const Quartiles& quartiles);

// Sketches [bin, series] of a table.
class QuantileSketches final : public Additive {
 public:
  QuantileSketches() = default;
  QuantileSketches(std::int64_t bins, std::int64_t series);

  QuantileSketch& at(std::int64_t bin, std::int64_t series);
  const QuantileSketch& at(std::int64_t bin, std::int64_t series) const;
  void merge(const QuantileSketches& other);

  std::vector<std::int64_t> words() const override;
  void add_words(std::span<const std::int64_t> words) override;

 private:
  std::int64_t series_ = 0;
  std::vector<QuantileSketch> sketches_;
};

}  // namespace mog::analysis

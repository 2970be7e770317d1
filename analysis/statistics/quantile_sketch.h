// Quantiles of numbers that nobody keeps: how many lie in each of many small ranges, after DDSketch (Masson,
// Rim & Lee 2019). Counts add up exactly, so sketches of parts give that of the whole, in any order.
//
// Intervals are those of the bootstrap of running_sums.h (a weight from a Poisson distribution of mean 1 for
// every sentence), without its draws: the share of numbers below x, with such weights, is normal around its
// estimate, and its variance is that of a ratio of sums over sentences, which three whole numbers a range
// give exactly for every x (Woodruff 1952; Francisco & Fuller 1991). So they cost no resamples, neither time
// nor memory.
//
// A range is a 256th of the numbers between two powers of two, x to x + 2^(e-8) where 2^e <= x. A quantile is
// the middle of the range in which the number of that rank lies, so it differs from that number by at most
// 1/512 of its size. Numbers below 2^-60 in size count as 0.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/additive.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

class QuantileSketch {
 public:
  // Of the number that has the rank, as a share of its size.
  static constexpr double kBound = 0x1p-9;

  // The numbers of one sentence, which are drawn together. Memory: 6 KiB for every power of two between the
  // smallest number and the largest, of each sign. O(n log n).
  void add(std::span<const double> values);
  void add(double value) { add({&value, 1}); }
  void merge(const QuantileSketch& other);

  std::int64_t count() const noexcept { return count_; }
  // The number of rank ⌈q · count⌉ (the first for 0), for q in [0, 1]; NaN when there is no number, or one
  // that is not finite.
  double quantile(double q) const;
  // The percentile interval of the quantile over resampled sentences, for as many resamples as one likes; its
  // ends are middles of ranges. It holds the quantile. NaN below kFewestResampled sentences, and as above.
  Interval interval(double q, double confidence) const;

  // Ranges that hold something, how many numbers were not finite, sentences; then four numbers a range: key,
  // count, products and squares (Range). Appends.
  void append_words(std::vector<std::int64_t>& words) const;
  // Adds what append_words() wrote and takes it off the front. Throws FormatError.
  void add_words(std::span<const std::int64_t>& words);
  friend bool operator==(const QuantileSketch&, const QuantileSketch&) = default;

 private:
  static constexpr int kRangeBits = 8;  // of a power of two
  // Of sentences with n numbers, c of them in this range or below it: sums of what a sentence has in it, of n
  // times that, and of what c² grows by in it. Below a number they add up to Σ c, Σ c·n and Σ c².
  struct Range {
    std::int64_t count = 0;
    std::int64_t products = 0;
    std::int64_t squares = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  using Ranges = std::array<Range, 1U << kRangeBits>;
  static std::int64_t key_of(double value);
  static double middle_of(std::int64_t key);
  void add(std::int64_t key, const Range& more);

  std::map<std::int64_t, Ranges> powers_;  // by key / 256, rounded down; keys ascend with numbers
  std::int64_t count_ = 0;                 // of numbers that are finite
  std::int64_t squares_ = 0;               // Σ n² over sentences
  std::int64_t sentences_ = 0;             // with numbers that are finite
  std::int64_t infinite_ = 0;              // numbers that are not
};

// The quartiles of a cell of a table.
struct Quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
  std::array<Interval, 3> intervals = {};  // of each; NaN without resamples
};
Quartiles quartiles(const QuantileSketch& sketch, const BootstrapOptions& bootstrap);
// The columns q25, q50, q75, quantile_bound, and q25_low, q25_high … of a table, and what stands in them.
void add_quartile_columns(Table& table);
void add_quartiles(std::vector<Cell>& row, const Quartiles& quartiles);

// Sketches [bin, series] of a table.
class QuantileSketches final : public Additive {
 public:
  QuantileSketches() = default;
  QuantileSketches(std::int64_t bins, std::int64_t series);

  QuantileSketch& at(std::int64_t bin, std::int64_t series);
  const QuantileSketch& at(std::int64_t bin, std::int64_t series) const;
  // Series and number, in any order: all that one sentence has in a bin.
  void add(std::int64_t bin, std::span<const std::pair<std::size_t, double>> values);
  void merge(const QuantileSketches& other);

  std::vector<std::int64_t> words() const override;
  void add_words(std::span<const std::int64_t> words) override;

 private:
  std::int64_t series_ = 0;
  std::vector<QuantileSketch> sketches_;
};

}  // namespace mog::analysis

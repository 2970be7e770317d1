// A set of sentence numbers as ranges: what a part of a corpus holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mog::io {

struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = 0;  // included
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

class NumberRanges {
 public:
  NumberRanges() = default;
  // Ascending, at least one number apart. Throws FormatError otherwise.
  explicit NumberRanges(std::vector<NumberRange> ranges);

  // In any order; cheap for a number behind all others.
  void add(std::int64_t number);
  // Throws UsageError naming the first number that is in both; then nothing has changed.
  void join(const NumberRanges& other);

  bool contains(std::int64_t number) const;
  std::int64_t size() const noexcept { return size_; }  // numbers
  const std::vector<NumberRange>& ranges() const noexcept { return ranges_; }
  // "1–500, 700" with at most so many ranges, then "…".
  std::string text(std::size_t most = 4) const;
  // The numbers of [1, last] that are not here.
  NumberRanges missing(std::int64_t last) const;
  friend bool operator==(const NumberRanges&, const NumberRanges&) = default;

 private:
  std::vector<NumberRange> ranges_;  // ascending, neighbours joined
  std::int64_t size_ = 0;
};

}  // namespace mog::io

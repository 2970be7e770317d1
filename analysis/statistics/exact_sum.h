// A sum of floating-point numbers that does not depend on the order in which they come: fixed point, 128
// bits, 60 of them behind the point.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mog::analysis {

class ExactSum {
 public:
  __extension__ using Wide = __int128;
  __extension__ using Unsigned = unsigned __int128;
  static constexpr int kFractionBits = 60;
  // Greatest size of a number and of a sum. Four bits more are there: those of a weighted sum beside it.
  static constexpr double kLargest = 0x1p62;

  ExactSum() = default;
  explicit ExactSum(Wide units) noexcept : units_(units) {}

  // The nearest whole number of units; what is not finite or above kLargest is not a number.
  static Wide rounded(double value) noexcept {
    return std::abs(value) <= kLargest ? static_cast<Wide>(std::rint(std::ldexp(value, kFractionBits)))
                                       : not_a_number();
  }
  static constexpr Wide not_a_number() noexcept { return static_cast<Wide>(1) << 127; }

  // Not a number once a term was none, or the sum grew too large.
  void add(Wide units) noexcept {
    constexpr Wide kMost = static_cast<Wide>(1) << (62 + kFractionBits);
    if (units_ != not_a_number()) {
      const bool number = units <= kMost && units >= -kMost;
      units_ = number ? units_ + units : not_a_number();
      if (units_ > kMost || units_ < -kMost) {
        units_ = not_a_number();
      }
    }
  }
  void add(const ExactSum& other) noexcept { add(other.units_); }
  // For sums that stand beside another whose size is looked at: nothing is looked at.
  void add_unchecked(Wide units) noexcept {
    units_ = static_cast<Wide>(static_cast<Unsigned>(units_) + static_cast<Unsigned>(units));
  }

  bool is_number() const noexcept { return units_ != not_a_number(); }
  Wide units() const noexcept { return units_; }
  // NaN where it is not a number. A long double holds 64 of the bits.
  long double value() const noexcept {
    return is_number() ? std::ldexp(static_cast<long double>(units_), -kFractionBits)
                       : std::numeric_limits<long double>::quiet_NaN();
  }

  // The lower and the upper half, for a file.
  std::array<std::int64_t, 2> words() const noexcept {
    return {static_cast<std::int64_t>(static_cast<std::uint64_t>(units_)),
            static_cast<std::int64_t>(units_ >> 64)};
  }
  static ExactSum from_words(std::int64_t low, std::int64_t high) noexcept {
    return ExactSum(static_cast<Wide>((static_cast<Unsigned>(static_cast<std::uint64_t>(high)) << 64U) |
                                      static_cast<std::uint64_t>(low)));
  }
  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  Wide units_ = 0;
};

}  // namespace mog::analysis

// The key of a number is the beginning of its bits: exponent and the first eight of the fraction. Keys of
// positive numbers ascend with them, and those of negative ones are mirrored below 0. So all that is needed
// of a number is a shift, and no logarithm, whose last digits differ between machines.
//
// Counts of one power of two lie together, 256 of them; a map has the powers that occur, some ten of them.
//
// The bound: a range is 2^(e-8) wide and holds numbers of at least 2^e in size, so its middle is no more than
// 2^(e-9) from any of them.
#include "analysis/statistics/quantile_sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr int kFractionBits = std::numeric_limits<double>::digits - 1;
constexpr double kSmallest = 0x1p-60;

}  // namespace

std::int64_t QuantileSketch::key_of(double value) {
  const double size = std::abs(value);
  if (size < kSmallest) {
    return 0;
  }
  const auto key = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(size) >>
                                             static_cast<unsigned>(kFractionBits - kRangeBits));
  return value > 0 ? key : -key;
}

double QuantileSketch::middle_of(std::int64_t key) {
  if (key == 0) {
    return 0;
  }
  const auto low = static_cast<std::uint64_t>(std::abs(key))
                   << static_cast<unsigned>(kFractionBits - kRangeBits);
  const std::uint64_t half = std::uint64_t{1} << static_cast<unsigned>(kFractionBits - kRangeBits - 1);
  const auto middle = std::bit_cast<double>(low + half);
  return key > 0 ? middle : -middle;
}

void QuantileSketch::add_key(std::int64_t key, std::int64_t times) {
  Ranges& ranges = powers_[key >> kRangeBits];
  ranges[static_cast<std::size_t>(key & ((1 << kRangeBits) - 1))] += times;
  count_ += times;
}

void QuantileSketch::add(double value) {
  if (std::isfinite(value)) {
    add_key(key_of(value), 1);
  } else {
    ++infinite_;
  }
}

void QuantileSketch::merge(const QuantileSketch& other) {
  for (const auto& [power, ranges] : other.powers_) {
    Ranges& own = powers_[power];
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] += ranges[i];
    }
  }
  count_ += other.count_;
  infinite_ += other.infinite_;
}

double QuantileSketch::quantile(double q) const {
  if (count_ == 0 || infinite_ > 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto rank = std::clamp(
      static_cast<std::int64_t>(std::ceil(static_cast<long double>(q) * static_cast<long double>(count_))),
      std::int64_t{1}, count_);
  std::int64_t before = 0;
  for (const auto& [power, ranges] : powers_) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      before += ranges[i];
      if (before >= rank) {
        return middle_of(power * std::ssize(ranges) + static_cast<std::int64_t>(i));
      }
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void QuantileSketch::append_words(std::vector<std::int64_t>& words) const {
  const std::size_t head = words.size();
  words.push_back(0);
  words.push_back(infinite_);
  for (const auto& [power, ranges] : powers_) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i] > 0) {
        ++words[head];
        words.push_back(power * std::ssize(ranges) + static_cast<std::int64_t>(i));
        words.push_back(ranges[i]);
      }
    }
  }
}

void QuantileSketch::add_words(std::span<const std::int64_t>& words) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const std::int64_t largest = key_of(std::numeric_limits<double>::max());
  const std::int64_t smallest = key_of(kSmallest);
  if (words.size() < 2 || words[0] < 0 || words[1] < 0 || words[0] > std::ssize(words.subspan(2)) / 2) {
    throw FormatError("counts of quantiles end in the middle");
  }
  const auto pairs = static_cast<std::size_t>(words[0]);
  const std::int64_t infinite = words[1];
  words = words.subspan(2);
  bool sound = infinite <= kMost - infinite_;
  std::int64_t before = -largest - 1;
  for (std::size_t i = 0; i < pairs && sound; ++i) {
    const std::int64_t key = words[2 * i];
    const std::int64_t times = words[2 * i + 1];
    const bool of_a_number =
        key == 0 || (key >= smallest && key <= largest) || (key >= -largest && key <= -smallest);
    sound = of_a_number && key > before && times > 0 && times <= kMost - count_;
    if (sound) {
      add_key(key, times);
      before = key;
    }
  }
  if (!sound) {
    throw FormatError("counts of quantiles are not positive counts of ascending numbers");
  }
  infinite_ += infinite;
  words = words.subspan(2 * pairs);
}

Quartiles quartiles(const QuantileSketch& sketch) {
  return {sketch.quantile(0.25), sketch.quantile(0.5), sketch.quantile(0.75)};
}

void add_quartile_columns(Table& table) {
  table.columns.insert(table.columns.end(), {"q25", "q50", "q75", "quantile_bound"});
}

void add_quartiles(std::vector<Cell>& row, const Quartiles& quartiles) {
  row.insert(row.end(), {quartiles.lower, quartiles.median, quartiles.upper, QuantileSketch::kBound});
}

QuantileSketches::QuantileSketches(std::int64_t bins, std::int64_t series)
    : series_(series), sketches_(static_cast<std::size_t>(bins * series)) {}

QuantileSketch& QuantileSketches::at(std::int64_t bin, std::int64_t series) {
  return sketches_.at(static_cast<std::size_t>(bin * series_ + series));
}
const QuantileSketch& QuantileSketches::at(std::int64_t bin, std::int64_t series) const {
  return sketches_.at(static_cast<std::size_t>(bin * series_ + series));
}

void QuantileSketches::merge(const QuantileSketches& other) {
  if (series_ != other.series_ || sketches_.size() != other.sketches_.size()) {
    throw UsageError(fmt::format("merging quantiles: {} series are there, {} come", sketches_.size(),
                                 other.sketches_.size()));
  }
  for (std::size_t i = 0; i < sketches_.size(); ++i) {
    sketches_[i].merge(other.sketches_[i]);
  }
}

std::vector<std::int64_t> QuantileSketches::words() const {
  std::vector<std::int64_t> result;
  for (const QuantileSketch& sketch : sketches_) {
    sketch.append_words(result);
  }
  return result;
}

void QuantileSketches::add_words(std::span<const std::int64_t> words) {
  for (QuantileSketch& sketch : sketches_) {
    sketch.add_words(words);
  }
  if (!words.empty()) {
    throw FormatError(
        fmt::format("quantiles of {} series: {} numbers are left over", sketches_.size(), words.size()));
  }
}

}  // namespace mog::analysis

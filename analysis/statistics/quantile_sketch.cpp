// The key of a number is the beginning of its bits: exponent and the first eight of the fraction. Keys of
// positive numbers ascend with them, and those of negative ones are mirrored below 0. So all that is needed
// of a number is a shift, and no logarithm, whose last digits differ between machines.
//
// Counts of one power of two lie together, 256 of them; a map has the powers that occur, some ten of them.
//
// The bound: a range is 2^(e-8) wide and holds numbers of at least 2^e in size, so its middle is no more than
// 2^(e-9) from any of them.
//
// The variance of the share F(x) = Σ c / Σ n of weighted sums is Σ (c - F·n)² / (Σ n)², the weights having
// variance 1: (Σ c² - 2F Σ c·n + F² Σ n²) / (Σ n)². The quantile of a resample is at most x where its share
// is at least q, so the ends of its distribution are the first x with F + z·s >= q, and with F - z·s >= q.
// All sums are whole numbers, at most Σ n² <= 2^62.
#include "analysis/statistics/quantile_sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr int kFractionBits = std::numeric_limits<double>::digits - 1;
constexpr double kSmallest = 0x1p-60;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// z with P(|N| <= z) = confidence, N standard normal; to the last bits of erf.
double normal_bound(double confidence) {
  double low = 0;
  double high = 40;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) {
      return middle;
    }
    (std::erfc(middle / std::numbers::sqrt2) > 1 - confidence ? low : high) = middle;
  }
}

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

void QuantileSketch::add(std::int64_t key, const Range& more) {
  Range& range = powers_[key >> kRangeBits][static_cast<std::size_t>(key & ((1 << kRangeBits) - 1))];
  range.count += more.count;
  range.products += more.products;
  range.squares += more.squares;
  count_ += more.count;
  squares_ += more.squares;
}

void QuantileSketch::add(std::span<const double> values) {
  std::vector<std::int64_t> keys;
  keys.reserve(values.size());
  for (const double value : values) {
    if (std::isfinite(value)) {
      keys.push_back(key_of(value));
    } else {
      ++infinite_;
    }
  }
  if (keys.empty()) {
    return;
  }
  std::sort(keys.begin(), keys.end());
  ++sentences_;
  const std::int64_t all = std::ssize(keys);
  for (std::int64_t before = 0; before < all;) {
    const std::int64_t key = keys[static_cast<std::size_t>(before)];
    std::int64_t after = before + 1;
    while (after < all && keys[static_cast<std::size_t>(after)] == key) {
      ++after;
    }
    const std::int64_t here = after - before;
    add(key, {here, all * here, after * after - before * before});
    before = after;
  }
}

void QuantileSketch::merge(const QuantileSketch& other) {
  for (const auto& [power, ranges] : other.powers_) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].count > 0) {
        add(power * std::ssize(ranges) + static_cast<std::int64_t>(i), ranges[i]);
      }
    }
  }
  sentences_ += other.sentences_;
  infinite_ += other.infinite_;
}

double QuantileSketch::quantile(double q) const {
  if (count_ == 0 || infinite_ > 0) {
    return kNone;
  }
  const auto rank = std::clamp(
      static_cast<std::int64_t>(std::ceil(static_cast<long double>(q) * static_cast<long double>(count_))),
      std::int64_t{1}, count_);
  std::int64_t before = 0;
  for (const auto& [power, ranges] : powers_) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      before += ranges[i].count;
      if (before >= rank) {
        return middle_of(power * std::ssize(ranges) + static_cast<std::int64_t>(i));
      }
    }
  }
  return kNone;
}

Interval QuantileSketch::interval(double q, double confidence) const {
  if (infinite_ > 0 || sentences_ < kFewestResampled) {
    return {kNone, kNone};
  }
  const auto z = static_cast<long double>(normal_bound(confidence));
  const auto all = static_cast<long double>(count_);
  Interval result{kNone, kNone};
  Range below;
  for (const auto& [power, ranges] : powers_) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].count == 0) {
        continue;
      }
      below.count += ranges[i].count;
      below.products += ranges[i].products;
      below.squares += ranges[i].squares;
      const long double share = static_cast<long double>(below.count) / all;
      const long double squares = static_cast<long double>(below.squares) -
                                  2 * share * static_cast<long double>(below.products) +
                                  share * share * static_cast<long double>(squares_);
      const long double reach = z * std::sqrt(std::max(squares, 0.0L)) / all;
      const double middle = middle_of(power * std::ssize(ranges) + static_cast<std::int64_t>(i));
      if (std::isnan(result.low) && (share + reach >= q || below.count == count_)) {
        result.low = middle;
      }
      // At the last number all are below, and nothing varies.
      if (share - reach >= q || below.count == count_) {
        return {result.low, middle};
      }
    }
  }
  return result;
}

void QuantileSketch::append_words(std::vector<std::int64_t>& words) const {
  const std::size_t head = words.size();
  words.insert(words.end(), {0, infinite_, sentences_});
  for (const auto& [power, ranges] : powers_) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].count > 0) {
        ++words[head];
        words.insert(words.end(), {power * std::ssize(ranges) + static_cast<std::int64_t>(i), ranges[i].count,
                                   ranges[i].products, ranges[i].squares});
      }
    }
  }
}

void QuantileSketch::add_words(std::span<const std::int64_t>& words) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  constexpr std::size_t kHead = 3;
  constexpr std::size_t kWidth = 4;
  const std::int64_t largest = key_of(std::numeric_limits<double>::max());
  const std::int64_t smallest = key_of(kSmallest);
  if (words.size() < kHead || words[0] < 0 || words[1] < 0 || words[2] < 0 ||
      words[0] > std::ssize(words.subspan(kHead)) / static_cast<std::int64_t>(kWidth)) {
    throw FormatError("counts of quantiles end in the middle");
  }
  const auto ranges = static_cast<std::size_t>(words[0]);
  const std::int64_t infinite = words[1];
  const std::int64_t sentences = words[2];
  words = words.subspan(kHead);
  bool sound = infinite <= kMost - infinite_ && sentences <= kMost - sentences_;
  std::int64_t before = -largest - 1;
  Range all;
  for (std::size_t i = 0; i < ranges && sound; ++i) {
    const std::int64_t key = words[kWidth * i];
    const Range range{words[kWidth * i + 1], words[kWidth * i + 2], words[kWidth * i + 3]};
    const bool of_a_number =
        key == 0 || (key >= smallest && key <= largest) || (key >= -largest && key <= -smallest);
    sound = of_a_number && key > before && range.count > 0 && range.products >= range.count &&
            range.squares >= range.count && range.products <= kMost - all.products &&
            range.squares <= kMost - squares_;
    if (sound) {
      add(key, range);
      all.count += range.count;
      all.products += range.products;
      all.squares += range.squares;
      before = key;
    }
  }
  // Below the last number both are Σ n².
  if (!sound || all.products != all.squares || sentences > all.count ||
      (sentences == 0) != (all.count == 0)) {
    throw FormatError("counts of quantiles are not positive counts of ascending numbers");
  }
  sentences_ += sentences;
  infinite_ += infinite;
  words = words.subspan(kWidth * ranges);
}

Quartiles quartiles(const QuantileSketch& sketch, const BootstrapOptions& bootstrap) {
  Quartiles result{sketch.quantile(0.25), sketch.quantile(0.5), sketch.quantile(0.75)};
  const auto interval = [&](double q) {
    return bootstrap.resamples > 0 ? sketch.interval(q, bootstrap.confidence) : Interval{kNone, kNone};
  };
  result.intervals = {interval(0.25), interval(0.5), interval(0.75)};
  return result;
}

void add_quartile_columns(Table& table) {
  table.columns.insert(table.columns.end(), {"q25", "q50", "q75", "quantile_bound", "q25_low", "q25_high",
                                             "q50_low", "q50_high", "q75_low", "q75_high"});
}

void add_quartiles(std::vector<Cell>& row, const Quartiles& quartiles) {
  row.insert(row.end(), {quartiles.lower, quartiles.median, quartiles.upper, QuantileSketch::kBound});
  for (const Interval& interval : quartiles.intervals) {
    row.insert(row.end(), {interval.low, interval.high});
  }
}

QuantileSketches::QuantileSketches(std::int64_t bins, std::int64_t series)
    : series_(series), sketches_(static_cast<std::size_t>(bins * series)) {}

QuantileSketch& QuantileSketches::at(std::int64_t bin, std::int64_t series) {
  return sketches_.at(static_cast<std::size_t>(bin * series_ + series));
}
const QuantileSketch& QuantileSketches::at(std::int64_t bin, std::int64_t series) const {
  return sketches_.at(static_cast<std::size_t>(bin * series_ + series));
}

void QuantileSketches::add(std::int64_t bin, std::span<const std::pair<std::size_t, double>> values) {
  std::vector<std::vector<double>> by_series(values.empty() ? 0 : static_cast<std::size_t>(series_));
  for (const auto& [series, value] : values) {
    by_series.at(series).push_back(value);
  }
  for (std::size_t series = 0; series < by_series.size(); ++series) {
    if (!by_series[series].empty()) {
      at(bin, static_cast<std::int64_t>(series)).add(by_series[series]);
    }
  }
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

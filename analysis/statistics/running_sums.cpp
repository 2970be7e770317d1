// The sums of resamples are most of the work: a thousand for every column and sentence. In 128 bits each
// costs some 3 ns, and all of them together do not fit the cache. So rows wait until some are there; then a
// column is summed over all of them. A value is cut into whole numbers of 2^-20 and, what is left, of 2^-60:
// weighted sums of some hundred of these are exact in doubles, and the compiler adds several at a time. A
// value that is too large for that is added in 128 bits.
#include "analysis/statistics/running_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "analysis/random/bootstrap.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// P(weight <= k) of a Poisson distribution of mean 1, in units of 2^-64; a weight above 15 comes once in
// 10^14 draws and counts as 15.
constexpr std::size_t kWeights = 16;

std::array<std::uint64_t, kWeights - 1> make_thresholds() {
  std::array<std::uint64_t, kWeights - 1> result{};
  long double probability = std::exp(-1.0L);
  long double below = 0;
  for (std::size_t k = 0; k < result.size(); ++k) {
    below += probability;
    result.at(k) = static_cast<std::uint64_t>(std::min(std::ldexp(below, 64), 0x1.fffffffffffffffep63L));
    probability /= static_cast<long double>(k + 1);
  }
  return result;
}

constexpr int kUpperBits = 20;  // behind the point
constexpr int kLowerBits = ExactSum::kFractionBits - kUpperBits;
// 15 · 64 · 2^40 is below 2^53.
constexpr std::int64_t kMostWaiting = 64;
constexpr double kLargestUpper = 0x1p40;

// uppers[i] += weights[i] · upper, lowers alike; exact, so that how it is done cannot show.
[[gnu::always_inline]] inline void add_weighted_inline(const float* weights, std::size_t count, double upper,
                                                       double lower, double* __restrict__ uppers,
                                                       double* __restrict__ lowers) {
  for (std::size_t i = 0; i < count; ++i) {
    uppers[i] += static_cast<double>(weights[i]) * upper;
    lowers[i] += static_cast<double>(weights[i]) * lower;
  }
}
void add_weighted(const float* weights, std::size_t count, double upper, double lower, double* uppers,
                  double* lowers) {
  add_weighted_inline(weights, count, upper, lower, uppers, lowers);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_weighted_avx2(const float* weights, std::size_t count, double upper,
                                                   double lower, double* uppers, double* lowers) {
  add_weighted_inline(weights, count, upper, lower, uppers, lowers);
}
const bool kAvx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
constexpr bool kAvx2 = false;
constexpr auto* add_weighted_avx2 = add_weighted;
#endif

// Draws of sentences are a stream of their own beside those of indices.
constexpr std::uint64_t kStream = 0x506F6973736F6EU;  // "Poisson"

}  // namespace

std::span<const float> poisson_weights(std::int64_t number, std::uint64_t seed, std::int64_t resamples) {
  static const auto kThresholds = make_thresholds();
  struct Last {
    std::int64_t number = -1;
    std::uint64_t seed = 0;
    std::vector<float> weights;
  };
  thread_local Last last;
  if (last.number == number && last.seed == seed && std::ssize(last.weights) == resamples) {
    return last.weights;
  }
  last.number = number;
  last.seed = seed;
  last.weights.resize(static_cast<std::size_t>(resamples));
  for (std::size_t i = 0; i < last.weights.size(); ++i) {
    const std::uint64_t drawn = keyed_random(seed, kStream, static_cast<std::uint64_t>(number), i);
    std::size_t weight = 0;
    while (weight < kThresholds.size() && drawn >= kThresholds.at(weight)) {
      ++weight;
    }
    last.weights[i] = static_cast<float>(weight);
  }
  return last.weights;
}

RunningSums::RunningSums(std::int64_t bins, std::int64_t columns, std::int64_t resampled,
                         std::int64_t resamples)
    : bins_(bins),
      columns_(columns),
      resampled_(resamples > 0 ? resampled : 0),
      resamples_(resamples),
      rows_(static_cast<std::size_t>(bins)) {}

std::size_t RunningSums::numbers() const {
  return static_cast<std::size_t>(bins_ * (1 + 2 * (columns_ + resampled_ * resamples_)));
}

void RunningSums::open() const {
  if (waiting_.empty()) {
    sums_.resize(static_cast<std::size_t>(bins_ * columns_));
    weighted_.resize(static_cast<std::size_t>(bins_ * resampled_ * resamples_));
    waiting_.resize(rows_.size());
  }
}

std::size_t RunningSums::weighted_at(std::size_t bin, std::size_t column) const {
  return (bin * static_cast<std::size_t>(resampled_) + column) * static_cast<std::size_t>(resamples_);
}

void RunningSums::add(std::int64_t bin, std::span<const double> values, std::span<const float> weights) {
  open();
  const auto in = static_cast<std::size_t>(bin);
  ++rows_.at(in);
  for (std::size_t column = 0; column < values.size(); ++column) {
    sums_[in * static_cast<std::size_t>(columns_) + column].add(ExactSum::rounded(values[column]));
  }
  if (resampled_ == 0) {
    return;
  }
  Waiting& waiting = waiting_[in];
  waiting.values.insert(waiting.values.end(), values.begin(), values.begin() + resampled_);
  waiting.weights.insert(waiting.weights.end(), weights.begin(), weights.end());
  if (++waiting.rows == kMostWaiting) {
    settle(in);
  }
}

void RunningSums::settle(std::size_t bin) const {
  Waiting& waiting = waiting_[bin];
  const auto resamples = static_cast<std::size_t>(resamples_);
  const auto columns = static_cast<std::size_t>(resampled_);
  std::vector<double> uppers(resamples);
  std::vector<double> lowers(resamples);
  for (std::size_t column = 0; column < columns; ++column) {
    ExactSum* const weighted = weighted_.data() + weighted_at(bin, column);
    std::fill(uppers.begin(), uppers.end(), 0.0);
    std::fill(lowers.begin(), lowers.end(), 0.0);
    for (std::size_t row = 0; row < static_cast<std::size_t>(waiting.rows); ++row) {
      const double value = waiting.values[row * columns + column];
      const float* const weights = waiting.weights.data() + row * resamples;
      const ExactSum::Wide units = ExactSum::rounded(value);
      if (units == ExactSum::not_a_number()) {
        continue;
      }
      const double upper = std::rint(std::ldexp(value, kUpperBits));
      if (std::abs(upper) > kLargestUpper) {
        for (std::size_t i = 0; i < resamples; ++i) {
          weighted[i].add_unchecked(units * static_cast<int>(weights[i]));
        }
        continue;
      }
      const double lower =
          std::rint(std::ldexp(value, ExactSum::kFractionBits) - std::ldexp(upper, kLowerBits));
      (kAvx2 ? add_weighted_avx2 : add_weighted)(weights, resamples, upper, lower, uppers.data(),
                                                 lowers.data());
    }
    for (std::size_t i = 0; i < resamples; ++i) {
      constexpr ExactSum::Wide kUpper = ExactSum::Wide{1} << kLowerBits;
      weighted[i].add_unchecked(static_cast<std::int64_t>(uppers[i]) * kUpper +
                                static_cast<std::int64_t>(lowers[i]));
    }
  }
  waiting = {};
}

void RunningSums::settle() const {
  for (std::size_t bin = 0; bin < waiting_.size(); ++bin) {
    if (waiting_[bin].rows > 0) {
      settle(bin);
    }
  }
}

void RunningSums::merge(const RunningSums& other) {
  if (bins_ != other.bins_ || columns_ != other.columns_ || resampled_ != other.resampled_ ||
      resamples_ != other.resamples_) {
    throw UsageError(
        fmt::format("merging sums: {} bins, {} columns and {} resamples are there, {}, {} and {} come", bins_,
                    columns_, resamples_, other.bins_, other.columns_, other.resamples_));
  }
  open();
  other.open();
  settle();
  other.settle();
  std::transform(rows_.begin(), rows_.end(), other.rows_.begin(), rows_.begin(), std::plus<>());
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i].add(other.sums_[i]);
  }
  for (std::size_t i = 0; i < weighted_.size(); ++i) {
    weighted_[i].add_unchecked(other.weighted_[i].units());
  }
}

const ExactSum& RunningSums::sum(std::int64_t bin, std::int64_t column) const {
  open();
  return sums_.at(static_cast<std::size_t>(bin * columns_ + column));
}

std::span<const ExactSum> RunningSums::resampled(std::int64_t bin, std::int64_t column) const {
  open();
  settle();
  return std::span(weighted_).subspan(static_cast<std::size_t>((bin * resampled_ + column) * resamples_),
                                      static_cast<std::size_t>(resamples_));
}

std::vector<std::int64_t> RunningSums::words() const {
  open();
  settle();
  std::vector<std::int64_t> result(rows_);
  result.reserve(numbers());
  for (const auto* const sums : {&sums_, &weighted_}) {
    for (const ExactSum& sum : *sums) {
      const auto [low, high] = sum.words();
      result.push_back(low);
      result.push_back(high);
    }
  }
  return result;
}

void RunningSums::add_words(std::span<const std::int64_t> words) {
  RunningSums other(bins_, columns_, resampled_, resamples_);
  other.from_words(words);
  merge(other);
}

void RunningSums::from_words(std::span<const std::int64_t> words) {
  if (words.size() != numbers()) {
    throw FormatError(fmt::format("sums of {} bins and {} columns are {} numbers, not {}", bins_, columns_,
                                  numbers(), words.size()));
  }
  open();
  settle();  // nothing that waits comes to them
  std::copy_n(words.begin(), rows_.size(), rows_.begin());
  words = words.subspan(rows_.size());
  for (auto* const sums : {&sums_, &weighted_}) {
    for (ExactSum& sum : *sums) {
      sum = ExactSum::from_words(words[0], words[1]);
      words = words.subspan(2);
    }
  }
}

}  // namespace mog::analysis

#include "analysis/statistics/running_sums.h"

#include <fmt/format.h>

#include <algorithm>
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

// Draws of sentences are a stream of their own beside those of indices.
constexpr std::uint64_t kStream = 0x506F6973736F6EU;  // "Poisson"

}  // namespace

std::vector<std::uint8_t> poisson_weights(std::int64_t number, std::uint64_t seed, std::int64_t resamples) {
  static const auto kThresholds = make_thresholds();
  std::vector<std::uint8_t> weights(static_cast<std::size_t>(resamples));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t drawn = keyed_random(seed, kStream, static_cast<std::uint64_t>(number), i);
    std::uint8_t weight = 0;
    while (weight < kThresholds.size() && drawn >= kThresholds.at(weight)) {
      ++weight;
    }
    weights[i] = weight;
  }
  return weights;
}

RunningSums::RunningSums(std::int64_t bins, std::int64_t columns, std::int64_t resampled,
                         std::int64_t resamples)
    : bins_(bins),
      columns_(columns),
      resampled_(resamples > 0 ? resampled : 0),
      resamples_(resamples),
      rows_(static_cast<std::size_t>(bins)),
      sums_(static_cast<std::size_t>(bins * columns)),
      weighted_(static_cast<std::size_t>(bins * resampled_ * resamples)) {}

void RunningSums::add(std::int64_t bin, std::span<const double> values,
                      std::span<const std::uint8_t> weights) {
  ++rows_.at(static_cast<std::size_t>(bin));
  for (std::size_t column = 0; column < values.size(); ++column) {
    const ExactSum::Wide units = ExactSum::rounded(values[column]);
    sums_[static_cast<std::size_t>(bin * columns_) + column].add(units);
    if (column >= static_cast<std::size_t>(resampled_) || units == ExactSum::not_a_number()) {
      continue;
    }
    std::array<ExactSum::Wide, kWeights> multiples{};  // 0, the value, twice the value …
    for (std::size_t weight = 1; weight < kWeights; ++weight) {
      multiples.at(weight) = multiples.at(weight - 1) + units;
    }
    ExactSum* const weighted = weighted_.data() + (static_cast<std::size_t>(bin * resampled_) + column) *
                                                      static_cast<std::size_t>(resamples_);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weighted[i].add_unchecked(multiples[weights[i]]);
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
  std::transform(rows_.begin(), rows_.end(), other.rows_.begin(), rows_.begin(), std::plus<>());
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i].add(other.sums_[i]);
  }
  for (std::size_t i = 0; i < weighted_.size(); ++i) {
    weighted_[i].add_unchecked(other.weighted_[i].units());
  }
}

const ExactSum& RunningSums::sum(std::int64_t bin, std::int64_t column) const {
  return sums_.at(static_cast<std::size_t>(bin * columns_ + column));
}

std::span<const ExactSum> RunningSums::resampled(std::int64_t bin, std::int64_t column) const {
  return std::span(weighted_).subspan(static_cast<std::size_t>((bin * resampled_ + column) * resamples_),
                                      static_cast<std::size_t>(resamples_));
}

std::vector<std::int64_t> RunningSums::words() const {
  std::vector<std::int64_t> result(rows_);
  result.reserve(rows_.size() + 2 * (sums_.size() + weighted_.size()));
  for (const auto* const sums : {&sums_, &weighted_}) {
    for (const ExactSum& sum : *sums) {
      const auto [low, high] = sum.words();
      result.push_back(low);
      result.push_back(high);
    }
  }
  return result;
}

void RunningSums::from_words(std::span<const std::int64_t> words) {
  const std::size_t expected = rows_.size() + 2 * (sums_.size() + weighted_.size());
  if (words.size() != expected) {
    throw FormatError(fmt::format("sums of {} bins and {} columns are {} numbers, not {}", bins_, columns_,
                                  expected, words.size()));
  }
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

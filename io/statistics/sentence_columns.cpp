#include "io/statistics/sentence_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "io/recording/errors.h"

namespace mog::io {

SentenceColumns SentenceColumns::from_vectors(std::span<const std::vector<std::int64_t>> vectors) {
  SentenceColumns result;
  if (vectors.empty()) {
    throw FormatError("values of sentences are expected, and not even their numbers are there");
  }
  result.numbers_ = vectors.front();
  for (std::size_t i = 0; i < result.numbers_.size(); ++i) {
    if (result.numbers_[i] < 1 || (i > 0 && result.numbers_[i] <= result.numbers_[i - 1])) {
      throw FormatError(fmt::format("sentence {} cannot follow sentence {}", result.numbers_[i],
                                    i > 0 ? result.numbers_[i - 1] : 0));
    }
  }
  for (const std::vector<std::int64_t>& column : vectors.subspan(1)) {
    if (column.size() != result.numbers_.size()) {
      throw FormatError(fmt::format("{} values of {} sentences", column.size(), result.numbers_.size()));
    }
    result.columns_.push_back(column);
  }
  return result;
}

void SentenceColumns::add(std::vector<double> values) {
  std::vector<std::int64_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(),
                 [](double value) { return std::bit_cast<std::int64_t>(value); });
  add(std::span<const std::int64_t>(bits));
}

void SentenceColumns::add(std::span<const std::int64_t> values) {
  if (values.size() != numbers_.size()) {
    throw UsageError(fmt::format("{} values for {} sentences", values.size(), numbers_.size()));
  }
  columns_.emplace_back(values.begin(), values.end());
}

const std::vector<std::int64_t>& SentenceColumns::column(std::size_t at) const {
  if (at >= columns_.size()) {
    throw FormatError(fmt::format("{} values of a sentence are there, more were measured", columns_.size()));
  }
  return columns_[at];
}

std::vector<double> SentenceColumns::next(std::size_t& at) const {
  const std::vector<std::int64_t>& bits = column(at++);
  std::vector<double> values(bits.size());
  std::transform(bits.begin(), bits.end(), values.begin(),
                 [](std::int64_t value) { return std::bit_cast<double>(value); });
  return values;
}

std::vector<std::int64_t> SentenceColumns::next_whole(std::size_t& at) const {
  return column(at++);
}

void SentenceColumns::join(const SentenceColumns& other) {
  if (columns_.size() != other.columns_.size()) {
    throw FormatError(
        fmt::format("{} values of a sentence here, {} there", columns_.size(), other.columns_.size()));
  }
  std::vector<std::pair<std::int64_t, std::pair<bool, std::size_t>>> order;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    order.push_back({numbers_[i], {false, i}});
  }
  for (std::size_t i = 0; i < other.numbers_.size(); ++i) {
    order.push_back({other.numbers_[i], {true, i}});
  }
  std::sort(order.begin(), order.end());
  const auto same = std::adjacent_find(order.begin(), order.end(),
                                       [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same != order.end()) {
    throw FormatError(fmt::format("sentence {} was measured twice", same->first));
  }
  const auto merged = [&](const std::vector<std::int64_t>& own, const std::vector<std::int64_t>& others) {
    std::vector<std::int64_t> result;
    result.reserve(order.size());
    for (const auto& [number, place] : order) {
      result.push_back((place.first ? others : own)[place.second]);
    }
    return result;
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i] = merged(columns_[i], other.columns_[i]);
  }
  numbers_ = merged(numbers_, other.numbers_);
}

std::vector<std::vector<std::int64_t>> SentenceColumns::vectors() const {
  std::vector<std::vector<std::int64_t>> result = {numbers_};
  result.insert(result.end(), columns_.begin(), columns_.end());
  return result;
}

}  // namespace mog::io

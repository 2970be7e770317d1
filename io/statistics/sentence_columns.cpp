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

SentenceColumns SentenceColumns::joined(std::span<const SentenceColumns> parts) {
  struct Place {
    std::int64_t number = 0;
    const SentenceColumns* part = nullptr;
    std::size_t at = 0;
  };
  std::vector<Place> order;
  for (const SentenceColumns& part : parts) {
    if (part.columns() != parts.front().columns()) {
      throw FormatError(fmt::format("{} values of a sentence in one part, {} in another",
                                    parts.front().columns(), part.columns()));
    }
    for (std::size_t at = 0; at < part.numbers_.size(); ++at) {
      order.push_back({part.numbers_[at], &part, at});
    }
  }
  std::sort(order.begin(), order.end(), [](const Place& a, const Place& b) { return a.number < b.number; });
  SentenceColumns result;
  for (const Place& place : order) {
    if (!result.numbers_.empty() && result.numbers_.back() == place.number) {
      throw FormatError(fmt::format("sentence {} was measured twice", place.number));
    }
    result.numbers_.push_back(place.number);
  }
  for (std::size_t column = 0; !parts.empty() && column < parts.front().columns(); ++column) {
    std::vector<std::int64_t>& values = result.columns_.emplace_back();
    values.reserve(order.size());
    for (const Place& place : order) {
      values.push_back(place.part->columns_[column][place.at]);
    }
  }
  return result;
}

std::vector<std::vector<std::int64_t>> SentenceColumns::vectors() const {
  std::vector<std::vector<std::int64_t>> result = {numbers_};
  result.insert(result.end(), columns_.begin(), columns_.end());
  return result;
}

}  // namespace mog::io

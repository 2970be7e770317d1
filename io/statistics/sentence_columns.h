// Numbers of single sentences, as the vectors of a partial file (partial_statistics.h): what is not a sum,
// such as a rank correlation, is computed from the sentences of all parts together, as of one run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mog::io {

class SentenceColumns {
 public:
  SentenceColumns() = default;
  explicit SentenceColumns(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}
  // The vectors of a file. Throws FormatError: numbers that do not ascend, columns of other lengths.
  static SentenceColumns from_vectors(std::span<const std::vector<std::int64_t>> vectors);

  const std::vector<std::int64_t>& numbers() const noexcept {
    return numbers_;
  }  // of the sentences, ascending
  std::size_t columns() const noexcept { return columns_.size(); }
  // [sentence]; values keep their bits, NaN too. Throws UsageError for another number of values.
  void add(std::vector<double> values);
  void add(std::span<const std::int64_t> values);
  // The column at `at`, which then stands at the next one. Throws FormatError where there is none.
  std::vector<double> next(std::size_t& at) const;
  std::vector<std::int64_t> next_whole(std::size_t& at) const;

  // The sentences of all parts, by number. Throws FormatError for another number of columns or a sentence
  // that two have. O(values + sentences log sentences).
  static SentenceColumns joined(std::span<const SentenceColumns> parts);
  std::vector<std::vector<std::int64_t>> vectors() const;

 private:
  const std::vector<std::int64_t>& column(std::size_t at) const;

  std::vector<std::int64_t> numbers_;
  std::vector<std::vector<std::int64_t>> columns_;  // [column][sentence], bits
};

}  // namespace mog::io

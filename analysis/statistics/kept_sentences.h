// Number, words and means of sentences that pass by, for what is no sum: a rank correlation needs every
// sentence. 8 bytes a mean and 16 for the sentence, in memory and in a file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/statistics/additive.h"

namespace mog::analysis {

class KeptSentences final : public Additive {
 public:
  KeptSentences() = default;
  explicit KeptSentences(std::size_t series) : series_(series) {}

  // Throws UsageError where `sentences` more would take more than 4 GB; `what` is asked for.
  void expect(std::int64_t sentences, std::string_view what) const;
  // means: [series]; NaN: no value.
  void add(std::int64_t number, std::int64_t words, std::span<const double> means);
  std::int64_t number(std::size_t at) const { return numbers_[at]; }
  std::int64_t length(std::size_t at) const { return lengths_[at]; }
  std::span<const double> means(std::size_t at) const {
    return std::span(means_).subspan(at * series_, series_);
  }
  // Places, by number.
  std::vector<std::size_t> sorted() const;

  // By number: number, words, the bits of the means.
  std::vector<std::int64_t> words() const override;
  void add_words(std::span<const std::int64_t> words) override;

 private:
  std::size_t series_ = 0;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> lengths_;
  std::vector<double> means_;  // [sentence, series]
};

}  // namespace mog::analysis

// Sums over the sentences of a corpus that nobody keeps, with their bootstrap, so that parts of the corpus
// add up to what one pass over all of it gives: bit for bit, in any order, cut anywhere.
//
// A sum is a whole number of 2^-60 in 128 bits: adding is exact, so it does not depend on the order. A value
// is rounded once, by at most 2^-61. A sum beyond 2^62, as one with a term that is not finite, is not a
// number.
//
// The bootstrap gives every sentence a weight from a Poisson distribution of mean 1 in each resample, drawn
// from the sentence's number alone (Chamandy et al. 2012): no list of sentences is needed, and every part
// draws the weights that the whole would. Its intervals are those of the bootstrap that draws sentences, but
// for bins of a few, where a resample may hold more or fewer sentences than the bin.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/statistics/additive.h"
#include "analysis/statistics/exact_sum.h"

namespace mog::analysis {

// The weights of sentence `number` in each of `resamples` resamples, whole numbers. Cost: one random number
// each, but for the sentence that this thread asked for last. They stay until the thread asks for another.
std::span<const float> poisson_weights(std::int64_t number, std::uint64_t seed, std::int64_t resamples);

class RunningSums final : public Additive {
 public:
  // Rows are added to one of `bins`. Each has `columns` values, of which the first `resampled` are summed in
  // every resample too. Memory: 16 bytes · bins · (columns + resampled · resamples), and 256 · resamples for
  // every bin, taken when something is added: sizes may come from a file that has no such sums.
  RunningSums() = default;
  RunningSums(std::int64_t bins, std::int64_t columns, std::int64_t resampled, std::int64_t resamples);

  // values: [column]; weights: those of the row's sentence (poisson_weights()). Cost: O(resampled ·
  // resamples).
  void add(std::int64_t bin, std::span<const double> values, std::span<const float> weights);
  // Throws UsageError when `other` is of another size.
  void merge(const RunningSums& other);

  std::int64_t bins() const noexcept { return bins_; }
  std::int64_t rows(std::int64_t bin) const { return rows_.at(static_cast<std::size_t>(bin)); }
  const ExactSum& sum(std::int64_t bin, std::int64_t column) const;
  // [resample] of a column, as many as resamples; of no meaning where sum() is not a number.
  std::span<const ExactSum> resampled(std::int64_t bin, std::int64_t column) const;

  // Rows, then two numbers a sum (ExactSum::words()). from_words() gives the sums of that size back; throws
  // FormatError when there are more or fewer numbers.
  std::vector<std::int64_t> words() const override;
  void add_words(std::span<const std::int64_t> words) override;
  void from_words(std::span<const std::int64_t> words);

 private:
  // Rows that are not in `weighted_` yet.
  struct Waiting {
    std::int64_t rows = 0;
    std::vector<double> values;  // [row, column], of those that are resampled
    std::vector<float> weights;  // [row, resample]
  };
  std::size_t numbers() const;  // of words()
  void open() const;            // takes the memory, once
  void settle() const;
  void settle(std::size_t bin) const;
  std::size_t weighted_at(std::size_t bin, std::size_t column) const;

  std::int64_t bins_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t resampled_ = 0;
  std::int64_t resamples_ = 0;
  std::vector<std::int64_t> rows_;          // [bin]
  mutable std::vector<ExactSum> sums_;      // [bin, column]
  mutable std::vector<ExactSum> weighted_;  // [bin, column, resample]
  mutable std::vector<Waiting> waiting_;    // [bin]
};

}  // namespace mog::analysis

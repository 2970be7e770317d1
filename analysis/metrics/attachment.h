// How well predicted heads agree with gold heads, and the scores of many predictions on the same sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/random/bootstrap.h"

namespace mog::analysis {

// Of one sentence. Words that do not count (punctuation, say) are left out as dependents.
struct Attachment {
  std::int64_t words = 0;  // that count
  std::int64_t heads = 0;  // of them with the gold head, the root (0) included
  std::int64_t edges = 0;  // that count and are no gold root
  std::int64_t pairs = 0;  // of these edges, found in either direction
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

// Heads count from 1, 0 is the root. `counts` [word]; empty: all words count. Throws ShapeError when the
// numbers of words differ.
Attachment attachment(std::span<const std::int32_t> gold, std::span<const std::int32_t> predicted,
                      std::span<const char> counts = {});

// Which of the two scores: the share of words with their gold head (UAS), or of gold edges found in either
// direction (UUAS).
enum class AttachmentScore : std::uint8_t { directed, undirected };

// Scores of `rows` predictions (heads of a model, say) on up to `sentences` sentences. 4 bytes a row and
// sentence: maps are gone when their trees are counted. Different sentences may be set from several threads.
class AttachmentScores {
 public:
  AttachmentScores(std::size_t rows, std::size_t sentences);

  // Every entry of the row is the sum of so many predictions (random trees). Before its first set().
  void set_draws(std::size_t row, std::int32_t draws) { draws_[row] = draws; }
  // `heads` and `pairs` may be sums over draws, `words` and `edges` are those of one prediction and the same
  // for all rows of a sentence. A row that is not set for a sentence has no prediction there: the sentence
  // does not count in that row. A sentence of which no row is set does not count at all. Throws UsageError
  // for more than 65,534 heads or pairs.
  void set(std::size_t row, std::size_t sentence, const Attachment& found);
  // What was set; nothing where there is no prediction.
  std::optional<Attachment> found(std::size_t row, std::size_t sentence) const;

  std::size_t rows() const noexcept { return rows_; }
  std::vector<std::size_t> sentences() const;   // of which a row is set, ascending
  std::int64_t counted(std::size_t row) const;  // sentences that the row is set for
  std::int64_t words() const;                   // that count, of all these sentences
  // NaN when there is nothing to count.
  double value(std::size_t row, AttachmentScore score) const;

  // Percentile intervals over the sentences; every row meets the same resamples. [row]
  std::vector<Interval> intervals(AttachmentScore score, const BootstrapOptions& options = {}) const;

  // The row with the greatest score on half of the counted sentences: those with an even index (half 0)
  // or an odd one (half 1). Of equal ones the first of `candidates`; nothing when none has a score.
  std::optional<std::size_t> best(std::span<const std::size_t> candidates, AttachmentScore score,
                                  std::optional<int> half = std::nullopt) const;
  // Puts into `row`, for each score of its own, what the best candidate of the one half found in the other:
  // the score of the best without the advantage of having been chosen on the sentences it is scored on. The
  // chosen rows, [score][half that chose].
  std::vector<std::vector<std::size_t>> set_cross_chosen(std::size_t row,
                                                         std::span<const std::size_t> candidates);

 private:
  static constexpr std::uint16_t kMissing = 0xFFFF;
  struct Whole {  // of a sentence
    std::int32_t words = 0;
    std::int32_t edges = 0;
  };
  std::uint16_t& part(AttachmentScore score, std::size_t row, std::size_t sentence) {
    return parts_[static_cast<std::size_t>(score)][row * whole_.size() + sentence];
  }
  std::uint16_t part(AttachmentScore score, std::size_t row, std::size_t sentence) const {
    return parts_[static_cast<std::size_t>(score)][row * whole_.size() + sentence];
  }
  std::int64_t whole(AttachmentScore score, std::size_t sentence) const {
    return score == AttachmentScore::directed ? whole_[sentence].words : whole_[sentence].edges;
  }
  double value(std::size_t row, AttachmentScore score, std::span<const std::size_t> sentences) const;

  std::size_t rows_;
  std::vector<Whole> whole_;             // [sentence]
  std::vector<char> set_;                // [sentence]
  std::vector<std::int32_t> draws_;      // [row]
  std::vector<std::uint16_t> parts_[2];  // [score] -> [row, sentence]; kMissing: no prediction
};

}  // namespace mog::analysis

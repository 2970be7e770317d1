// The counts of a comparison with gold trees, and the scores that they give: of one run, or of the parts of
// one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/metrics/attachment.h"
#include "app/workflow/syntax/syntax_job.h"

namespace mog::app {

inline constexpr std::int32_t kFarthest = 10;  // of the fixed offsets
inline constexpr std::size_t kOffsets = std::size_t{kFarthest} * 2;

// Rows that every run has, after those of the recording.
struct SyntaxBaselines {
  std::size_t random = 0;
  std::size_t first_offset = 0;  // -kFarthest … -1, 1 … kFarthest
  std::size_t chosen_head = 0;
  std::size_t chosen_offset = 0;
  std::size_t rows = 0;

  explicit SyntaxBaselines(std::size_t first)
      : random(first),
        first_offset(first + 1),
        chosen_head(first_offset + kOffsets),
        chosen_offset(chosen_head + 1),
        rows(chosen_offset + 1) {}
  static std::int32_t offset(std::size_t place) {
    const auto offset = static_cast<std::int32_t>(place) - kFarthest;
    return offset < 0 ? offset : offset + 1;
  }
  std::size_t row_of(std::int32_t offset) const {
    return first_offset + static_cast<std::size_t>(offset + kFarthest - (offset > 0 ? 1 : 0));
  }
};

struct SyntaxCounts {
  SyntaxOptions options;        // those that could be met
  std::vector<SyntaxRow> rows;  // of the recording; in `scores` baselines stand behind them
  analysis::AttachmentScores scores;
  std::int64_t treebank_sentences = 0;
  std::int64_t recorded_sentences = 0;

  SyntaxBaselines baselines() const { return SyntaxBaselines(rows.size()); }
  std::vector<std::size_t> head_rows() const;  // single heads where they were recorded, else what there is
  std::vector<std::size_t> offset_rows() const;
  // The scores of every row, what was chosen, and notes of it. Fills the rows of `scores` that are chosen.
  void add_to(SyntaxResult& result);

 private:
  void note_chosen(const std::vector<std::vector<std::size_t>>& chosen, SyntaxResult& result) const;
  void add_rows(SyntaxResult& result) const;
};

}  // namespace mog::app

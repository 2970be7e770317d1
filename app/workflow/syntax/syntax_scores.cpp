#include "app/workflow/syntax/syntax_scores.h"

#include <fmt/format.h>

#include <utility>

namespace mog::app {

using analysis::AttachmentScore;

std::vector<std::size_t> SyntaxCounts::head_rows() const {
  std::vector<std::size_t> heads;
  std::vector<std::size_t> means;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].source == SyntaxSource::attention) {
      (rows[row].head > 0 ? heads : means).push_back(row);
    }
  }
  return heads.empty() ? means : heads;
}

std::vector<std::size_t> SyntaxCounts::offset_rows() const {
  std::vector<std::size_t> found;
  for (std::size_t place = 0; place < kOffsets; ++place) {
    found.push_back(baselines().first_offset + place);
  }
  return found;
}

void SyntaxCounts::note_chosen(const std::vector<std::vector<std::size_t>>& chosen,
                               SyntaxResult& result) const {
  for (const AttachmentScore score : {AttachmentScore::directed, AttachmentScore::undirected}) {
    const std::vector<std::size_t>& chosen_rows = chosen[static_cast<std::size_t>(score)];
    if (chosen_rows.size() == 2) {
      result.notes.push_back(
          fmt::format("chosen-head by {}: the first half of the sentences (1, 3, 5 …) "
                      "chooses {}, the second {}",
                      score == AttachmentScore::directed ? "UAS" : "UUAS", rows[chosen_rows[0]].name(),
                      rows[chosen_rows[1]].name()));
    }
  }
}

void SyntaxCounts::add_rows(SyntaxResult& result) const {
  const SyntaxBaselines own = baselines();
  const std::vector<analysis::Interval> uas = scores.intervals(AttachmentScore::directed, options.bootstrap);
  const std::vector<analysis::Interval> uuas =
      scores.intervals(AttachmentScore::undirected, options.bootstrap);
  const auto add = [&](SyntaxRow row, std::size_t directed, std::size_t undirected) {
    result.rows.push_back({row,
                           scores.counted(directed),
                           {scores.value(directed, AttachmentScore::directed), uas[directed]},
                           {scores.value(undirected, AttachmentScore::undirected), uuas[undirected]}});
  };
  for (std::size_t row = 0; row < rows.size(); ++row) {
    add(rows[row], row, row);
  }
  if (scores.counted(own.chosen_head) > 0) {
    add({.source = SyntaxSource::chosen_head}, own.chosen_head, own.chosen_head);
  }
  if (options.draws > 0) {
    add({.source = SyntaxSource::random_tree}, own.random, own.random);
  }
  add({.source = SyntaxSource::left_neighbour, .offset = -1}, own.row_of(-1), own.row_of(-1));
  add({.source = SyntaxSource::right_neighbour, .offset = 1}, own.row_of(1), own.row_of(1));
  if (const auto best = scores.best(offset_rows(), AttachmentScore::directed)) {
    const auto add_offset = [&](std::size_t row) {
      add({.source = SyntaxSource::best_offset, .offset = SyntaxBaselines::offset(row - own.first_offset)},
          row, row);
    };
    add_offset(*best);
    // Another offset may be best when directions do not count.
    const auto undirected = scores.best(offset_rows(), AttachmentScore::undirected);
    if (undirected && scores.value(*undirected, AttachmentScore::undirected) >
                          scores.value(*best, AttachmentScore::undirected)) {
      add_offset(*undirected);
      result.notes.push_back(fmt::format("best-offset: {:+} by UAS, {:+} by UUAS",
                                         SyntaxBaselines::offset(*best - own.first_offset),
                                         SyntaxBaselines::offset(*undirected - own.first_offset)));
    }
    add({.source = SyntaxSource::chosen_offset}, own.chosen_offset, own.chosen_offset);
  }
}

void SyntaxCounts::add_to(SyntaxResult& result) {
  const SyntaxBaselines own = baselines();
  result.sentences = static_cast<std::int64_t>(scores.sentences().size());
  result.words = scores.words();
  note_chosen(scores.set_cross_chosen(own.chosen_head, head_rows()), result);
  scores.set_cross_chosen(own.chosen_offset, offset_rows());
  add_rows(result);
  if (treebank_sentences > recorded_sentences) {
    result.notes.push_back(fmt::format("the treebank has {} sentences, the recording {}", treebank_sentences,
                                       recorded_sentences));
  }
}

}  // namespace mog::app

// Figures of a sentence and its translation: words aligned, and what a decoder's steps owe to both sides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/attribution/word_alignment.h"
#include "analysis/figure_data/builders.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

// A gold link of the sentence's words, from 0.
struct GoldAlignment {
  std::int64_t source = 0;
  std::int64_t target = 0;
  bool possible = false;
};

struct AlignmentFigureOptions {
  std::optional<QuantityName> quantity =
      {};                  // a recorded map of steps on source tokens; none: cross-attention
  std::int64_t layer = 0;  // of cross-attention, from 1; 0: the mean over layers
  std::int64_t head = 0;   // from 1; 0: the mean over heads
  AlignmentStep step = AlignmentStep::predicted;
  std::vector<GoldAlignment> gold = {};
};
// Words of the translation (rows) on words of the source, as word_map; each row's greatest cell has the mark
// `found`, gold links theirs. Throws UsageError when the recording does not hold the map, for a sentence
// without translation, and for a gold link to a word that is not there.
FigureData alignment_figure(const RecordingSource& source, std::int64_t index,
                            const AlignmentFigureOptions& options = {});

// Whether a quantity has a value a step for the source's tokens and the decoder's inputs.
bool is_context_map(const QuantitySchema& schema);

struct ContextFigureOptions {
  bool by_word = false;  // rows averaged, columns summed
  bool special_tokens = true;
  bool bias = false;  // its column, where there is one
};
// Tokens predicted (rows) on source tokens, then on decoder inputs, in one row. Throws UsageError when the
// recording does not hold the quantity, and for one of other axes.
FigureData context_figure(const RecordingSource& source, std::int64_t index, const QuantityName& name,
                          const ContextFigureOptions& options = {});

// Means of one quantity without layers by bin (rows of entry_means), a line an entry.
FigureData bin_figure(const Table& table, const AxisText& x, const AxisText& y);

}  // namespace mog::analysis

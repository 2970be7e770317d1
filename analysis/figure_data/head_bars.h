// One pair of words in one attention part: what each head gives it.
#pragma once

#include <cstdint>

#include "analysis/figure_data/figure_data.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

struct HeadBarOptions {
  std::int64_t layer = 0;  // from 1
  Part part = Part::none;  // none: the only part that the layer has
  std::int64_t query = 0;  // from 1, special tokens counted; with by_word a word or special token
  std::int64_t key = 0;
  bool by_word = false;
};

// A bar a head: the weight of its map for the pair; where the norms of what the heads add were recorded,
// beside it that weight times the head's share of these norms at the query. Throws UsageError for what is not
// recorded by head or is not there.
FigureData head_bars(const RecordingSource& source, std::int64_t index, const HeadBarOptions& options);

}  // namespace mog::analysis

// What the statistics of gate dimensions are made of, wherever the moments come from: a recording, or sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/statistics/gate_dimensions.h"
#include "analysis/statistics/running_moments.h"

namespace mog::analysis {

struct LayerMoments {
  QuantitySchema schema;
  std::vector<RunningMoments> all;                // [dimension]
  std::vector<std::vector<RunningMoments>> bins;  // [bin][dimension]
};
// Empty moments for the gates of `header`. Throws UsageError where it has none of every dimension.
std::vector<LayerMoments> dimension_layers(const RecordingHeader& header, const DimensionOptions& options);

// [token] whether it counts; empty: none does.
std::vector<bool> counted_tokens(const Sentence& sentence, const WordRange& words);
// [dimension] over the tokens that count. values: [token, dimension].
std::vector<double> sentence_means(std::span<const float> values, const std::vector<bool>& tokens,
                                   std::size_t width);

// bin_sentences: [bin].
DimensionStatistics dimension_statistics(const RecordingHeader& header, const DimensionOptions& options,
                                         std::span<const LayerMoments> layers,
                                         std::span<const std::int64_t> bin_sentences);

}  // namespace mog::analysis

// Figures of orders under the attention grammar, from statistics by words.
#pragma once

#include <span>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

// One entry a recording; several recordings become panels with one y axis, titled by model, depth or corpus
// (what tells them apart). Throw UsageError when a recording has no value.

// Mean by layer, one line a group of words (leaves, distinct, simple).
FigureData leaves_by_layer_figure(std::span<const WordStatistics> statistics);
// P(leaves = k) or P(distinct words = k), one line a layer, of the first group; the caption gives the mass
// above the greatest k.
FigureData leaves_distribution_figure(std::span<const WordStatistics> statistics);
// Expected joins by layer, one line a part, of the first group.
FigureData joins_by_part_figure(std::span<const WordStatistics> joins);
// High, middle1, middle2: order bands by layer, exact and nominal, with the expected leaves of what the part
// makes (logarithms of base 2); below, the share of it that lies in either band. Six panels a recording.
FigureData order_bands_figure(std::span<const WordStatistics> bands,
                              std::span<const WordStatistics> part_leaves);
// Layers that gold trees need by sentence length, beside those of the tree found and of the model.
FigureData layers_needed_figure(std::span<const WordStatistics> statistics);

}  // namespace mog::analysis

// Figures of orders under the attention grammar, from statistics by words.
#pragma once

#include <span>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

// One entry a recording; several recordings become panels with one y axis, titled by model, depth or corpus
// (what tells them apart). Throw UsageError when a recording has no value.

// Mean by layer, one line a group of words (order, distinct, simple).
FigureData order_by_layer_figure(std::span<const WordStatistics> statistics);
// P(order = k), one line a layer, of the first group; the caption gives the mass above the greatest order.
FigureData order_distribution_figure(std::span<const WordStatistics> statistics);
// Expected joins by layer, one line a part, of the first group.
FigureData joins_by_part_figure(std::span<const WordStatistics> joins);
// High, middle1, middle2: order bands by layer, exact and nominal, with the expected order of what the part
// makes (logarithms of base 2); below, the share of it that lies in either band. Six panels a recording.
FigureData order_bands_figure(std::span<const WordStatistics> bands,
                              std::span<const WordStatistics> part_orders);
// Layers that gold trees need by sentence length, beside those of the tree found and of the model.
FigureData layers_needed_figure(std::span<const WordStatistics> statistics);

}  // namespace mog::analysis

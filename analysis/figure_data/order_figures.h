// Figures of orders under the attention grammar, from statistics by words.
#pragma once

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

// Mean by layer, one line a group of words (order, distinct, simple).
FigureData order_by_layer_figure(const WordStatistics& statistics);
// P(order = k), one line a layer, of the first group; the caption gives the mass above the greatest order.
FigureData order_distribution_figure(const WordStatistics& statistics);
// Expected joins by layer, one line a part, of the first group.
FigureData joins_by_part_figure(const WordStatistics& joins);
// High, middle1, middle2: order bands by layer, exact and nominal, with the expected order of what the part
// makes (logarithms of base 2); below, the share of it that lies in either band.
FigureData order_bands_figure(const WordStatistics& bands, const WordStatistics& part_order);
// Layers that gold trees need by sentence length, beside those of the tree found and of the model.
FigureData layers_needed_figure(const WordStatistics& statistics);

}  // namespace mog::analysis

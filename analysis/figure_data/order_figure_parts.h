// What the figures of orders have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis::order_figures {

// Throws UsageError when there is no recording, or one without a value.
void need_cells(std::span<const WordStatistics> statistics);
std::string averaged(const WordStatistics& statistics);  // "mean over words"
// Of one recording, or what several of them have together; `figure` has its body, `more` is of the first.
std::string caption_of(std::span<const WordStatistics> statistics, const FigureData& figure,
                       const std::string& more = "");
LinePoint point_of(const WordCell* cell, double x);  // null: a gap
std::vector<std::int64_t> layers_of(const WordStatistics& statistics);
LinePlot plot_by_layer(const WordStatistics& statistics, const std::vector<std::int64_t>& layers,
                       const std::string& quantity);
// The first group's means of the series `wanted` in each layer.
LineSeries line_of(const WordStatistics& statistics, const std::vector<std::int64_t>& layers,
                   WordSeries wanted, std::string label, ColourKey colour, Dash dash = Dash::solid);

}  // namespace mog::analysis::order_figures

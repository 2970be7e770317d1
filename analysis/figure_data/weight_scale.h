// The end of a scale of weights from 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"

namespace mog::analysis {

// The smallest readable number (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten) that is at least the
// 99.5 % quantile of `weights`, so that no single cell decides about the colours of all; 1 where all are 0.
double weight_scale_end(std::vector<double> weights);

// The weights that the scale of a map is made of: those of special tokens only where they are in it.
void add_scaled_weights(const HeatMap& map, std::vector<double>& weights);
// Whether a cell, of special tokens too, lies beyond `high`.
bool exceeds(const HeatMap& map, double high);
// "[CLS], [SEP] out of the scale"; empty where none is.
std::string out_of_scale_text(const HeatMap& map);
// The columns of the greatest values of a row, greatest first; special tokens are no ends of arcs. Values of
// 0 are none.
std::vector<std::int64_t> strongest_keys(const HeatMap& map, std::int64_t row, std::int64_t count);
// Gives a map of weights its scale.
void scale_weights(HeatMap& map);

}  // namespace mog::analysis

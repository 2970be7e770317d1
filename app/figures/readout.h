// Read-outs of places that are known by their indices, not by a point of the layout.
#pragma once

#include <QString>
#include <cstdint>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/painter.h"

namespace mog::figures {

// "query the, key cat: 0.31"; of a row or a column alone where the other is -1.
QString readout(const analysis::HeatMap& map, std::int64_t row, std::int64_t column);

// A letter or two for a join, from the part's short name or the words of its label; empty: of no part.
QString part_letters(Part part);

// The rows, columns and words that are lit; empty: none of them.
QString readout(const analysis::FigureData& figure, const Highlight& highlight);

}  // namespace mog::figures

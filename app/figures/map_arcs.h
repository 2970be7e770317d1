// Arcs that hang from the words below a map: the strongest keys of each word.
#pragma once

#include <cstdint>

#include "app/figures/heat_map_layout.h"

namespace mog::figures {

void draw_map_arcs(Pen& pen, const analysis::HeatMap& map, const HeatMapLayout& at, const QRectF& area);
// Those of one word; `all`: to all its keys.
void light_map_arcs(Pen& pen, const analysis::HeatMap& map, const HeatMapLayout& at, std::int64_t word,
                    bool all);

}  // namespace mog::figures

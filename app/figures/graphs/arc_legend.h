// What colours, widths and boxes of an arc figure say.
#pragma once

#include <vector>

#include "app/figures/lines/legend.h"

namespace mog::figures {

std::vector<LegendEntry> arc_legend(const analysis::ArcFigure& figure, Theme theme);

}  // namespace mog::figures

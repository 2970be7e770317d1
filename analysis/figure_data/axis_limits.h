// Ends of axes that a reader chooses for a finished figure.
#pragma once

#include <string_view>

#include "analysis/figure_data/figure_data.h"

namespace mog::analysis {

// "0.2:0.3"; throws UsageError that begins with `option` for anything but two numbers, the first the smaller.
AxisLimits parse_axis_limits(std::string_view option, std::string_view text);

// Of every plot of lines with numbers on that axis, and the lengths of bars, panels too. False where there is
// none: an axis of bins, layers or words has no numbers, other figures have no axes. Throws UsageError where
// a bar would be cut or not begin at 0.
bool set_x_limits(FigureData& figure, AxisLimits limits);
bool set_y_limits(FigureData& figure, AxisLimits limits);

}  // namespace mog::analysis

// Colour scales beside or below maps.
#pragma once

#include <QRectF>

#include "app/figures/pen.h"

namespace mog::figures {

// A vertical colour bar with ticks at its right and its quantity turned beside it.
double scale_width(const analysis::ColourScale& scale, const Style& style);
void draw_scale(Pen& pen, const analysis::ColourScale& scale, const QRectF& area, bool with_absent);
// What it takes of the height of its area.
double scale_length(const analysis::ColourScale& scale, const Style& style, double height, bool with_absent);
// A horizontal one with its quantity before it, or above it where it is long.
double flat_scale_height(const analysis::ColourScale& scale, const Style& style, double width);
void draw_flat_scale(Pen& pen, const analysis::ColourScale& scale, const QRectF& area,
                     bool with_absent = false);

}  // namespace mog::figures

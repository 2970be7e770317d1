// Figures of several panels on a slide, whose height is given.
#pragma once

#include <QSizeF>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/style.h"

namespace mog::figures {

struct OnSlide {
  analysis::FigureData figure;
  Style style;
};
// More columns of panels, and where these are not enough smaller type (down to that of a page), so that every
// panel has room; what has room already, and figures of one panel, which take any height, stay as they are.
OnSlide fit_to_slide(const analysis::FigureData& figure, const Style& style, QSizeF size);

}  // namespace mog::figures

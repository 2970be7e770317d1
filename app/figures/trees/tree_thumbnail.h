// A tree too small for words: its stems and joins, as in the large picture.
#pragma once

#include <QPainter>
#include <QRectF>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/style.h"

namespace mog::figures {

// Leaves at the bottom of `area`, in its middle; leaves that stand again are open.
void paint_tree_thumbnail(QPainter& painter, const analysis::TreeFigure& tree, const Style& style,
                          const QRectF& area);

}  // namespace mog::figures

// Labels of a matrix that stay at the edge of the view while its cells scroll, and the small picture of the
// whole that says where the view is. Places are those of the view; no widget.
#pragma once

#include <QImage>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <cstdint>
#include <vector>

#include "app/figures/painter.h"

class QPainter;

namespace mog::gui {

// A part of the view that shows another part of the figure than scrolling would put there.
struct FigurePin {
  enum class Shows : std::uint8_t { part, nothing, scale };  // nothing: where two strips meet
  QRectF place;
  QPointF offset;  // of the view in the figure, for this place
  Shows shows = Shows::part;
};

// Those that are needed for a view of this size that begins at `offset` in the figure; the last lies on top.
std::vector<FigurePin> figure_pins(const figures::MapFrame& frame, QSizeF view, QPointF offset);

// What the scale takes at the right edge of the view, where its own place is out of sight.
double pinned_scale_width(const figures::MapFrame& frame, QSizeF view, QPointF offset);

// How far the view has to go for `area` of the figure, with what the pins leave free of it.
QPointF offset_to_see(const QRectF& area, const figures::MapFrame& frame, QSizeF view, QPointF offset);

}  // namespace mog::gui

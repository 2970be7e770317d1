#include "app/gui/widgets/figure_pins.h"

#include <algorithm>

namespace mog::gui {
namespace {

// Of the view, what labels at its edges take when their own place is out of sight.
struct Edges {
  double left = 0;
  double above = 0;
  double below = 0;
};

Edges edges_of(const figures::MapFrame& frame, QSizeF view, QPointF offset) {
  Edges edges;
  if (offset.x() > frame.cells.left() - frame.left) {
    edges.left = frame.left;
  }
  if (offset.y() > frame.cells.top() - frame.above) {
    edges.above = frame.above;
  }
  if (offset.y() + view.height() < frame.cells.bottom() + frame.below) {
    edges.below = frame.below;
  }
  return edges;
}

// Along one side: from `low` to `high` of the figure between the edges of the view, in the middle where they
// are not there yet.
double scrolled(double low, double high, double at, double view, double before, double after) {
  const bool there = low >= at + before && high <= at + view - after;
  return there ? at : (low + high) / 2 - before - (view - before - after) / 2;
}

}  // namespace

std::vector<FigurePin> figure_pins(const figures::MapFrame& frame, QSizeF view, QPointF offset) {
  const Edges edges = edges_of(frame, view, offset);
  std::vector<FigurePin> pins;
  const auto add = [&pins](const QRectF& place, QPointF from, bool blank = false) {
    if (place.width() > 0 && place.height() > 0) {
      pins.push_back({place, from, blank});
    }
  };
  const double bottom = view.height() - edges.below;
  // Beside cells only: what stands further on scrolls.
  const double last_row = std::min(bottom, frame.cells.bottom() - offset.y());
  const double last_column = std::min(view.width(), frame.cells.right() - offset.x());
  add({0, edges.above, edges.left, last_row - edges.above}, {frame.cells.left() - frame.left, offset.y()});
  const double first_column = std::max(edges.left, frame.cells.left() - offset.x());
  add({first_column, 0, last_column - first_column, edges.above},
      {offset.x(), frame.cells.top() - frame.above});
  add({first_column, bottom, last_column - first_column, edges.below},
      {offset.x(), frame.cells.bottom() - bottom});
  add({0, 0, first_column, edges.above}, {}, true);
  add({0, bottom, first_column, edges.below}, {}, true);
  return pins;
}

QPointF offset_to_see(const QRectF& area, const figures::MapFrame& frame, QSizeF view, QPointF offset) {
  // Labels at an edge come when the view moves: their room is kept free.
  return {scrolled(area.left(), area.right(), offset.x(), view.width(), frame.left, 0),
          scrolled(area.top(), area.bottom(), offset.y(), view.height(), frame.above, frame.below)};
}

}  // namespace mog::gui

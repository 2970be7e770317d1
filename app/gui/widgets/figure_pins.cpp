#include "app/gui/widgets/figure_pins.h"

#include <algorithm>

namespace mog::gui {
namespace {

// Of the view, what labels and the scale at its edges take when their own place is out of sight.
struct Edges {
  double left = 0;
  double above = 0;
  double below = 0;
  double right = 0;
};

constexpr double kLeastScale = 60;  // its height
constexpr double kBarRoom = 7;      // of the bars that say which part is seen

bool moves_scale(const figures::MapFrame& frame, QSizeF view, QPointF offset, double room) {
  return !frame.scale.isEmpty() && !frame.scale_below && kLeastScale <= room &&
         frame.scale.width() < view.width() / 3 && !QRectF(offset, view).contains(frame.scale);
}

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
  if (moves_scale(frame, view, offset, view.height() - edges.above - edges.below)) {
    edges.right = std::max(frame.scale.width() + kBarRoom, view.width() - (frame.scale.left() - offset.x()));
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
  const auto add = [&pins](const QRectF& place, QPointF from,
                           FigurePin::Shows shows = FigurePin::Shows::part) {
    if (place.width() > 0 && place.height() > 0) {
      pins.push_back({place, from, shows});
    }
  };
  const double bottom = view.height() - edges.below;
  // Beside cells only: what stands further on scrolls.
  const double last_row = std::min(bottom, frame.cells.bottom() - offset.y());
  const double last_column = std::min(view.width() - edges.right, frame.cells.right() - offset.x());
  add({0, edges.above, edges.left, last_row - edges.above}, {frame.cells.left() - frame.left, offset.y()});
  const double first_column = std::max(edges.left, frame.cells.left() - offset.x());
  add({first_column, 0, last_column - first_column, edges.above},
      {offset.x(), frame.cells.top() - frame.above});
  add({first_column, bottom, last_column - first_column, edges.below},
      {offset.x(), frame.cells.bottom() - bottom});
  if (edges.right > 0) {
    const double left = view.width() - edges.right;
    const double top = std::max(edges.above, frame.scale.top() - offset.y());
    const double labels = std::max(0.0, frame.cells.top() - offset.y() - frame.above);
    add({left, labels, edges.right, last_row + edges.below - labels}, {}, FigurePin::Shows::nothing);
    add({left, top, frame.scale.width(), std::min(frame.scale.height(), bottom - top - kBarRoom)}, {},
        FigurePin::Shows::scale);
  } else if (frame.scale_below && !frame.scale.isEmpty() && !QRectF(offset, view).contains(frame.scale)) {
    const double top = std::min(frame.scale.top() - offset.y(), view.height() - frame.scale.height());
    add({0, top, view.width(), frame.scale.height()}, {frame.scale.left(), frame.scale.top() - top});
  }
  add({0, 0, first_column, edges.above}, {}, FigurePin::Shows::nothing);
  add({0, bottom, first_column, edges.below}, {}, FigurePin::Shows::nothing);
  return pins;
}

double pinned_scale_width(const figures::MapFrame& frame, QSizeF view, QPointF offset) {
  return edges_of(frame, view, offset).right;
}

QPointF offset_to_see(const QRectF& area, const figures::MapFrame& frame, QSizeF view, QPointF offset) {
  // Labels at an edge come when the view moves: their room is kept free.
  const Edges edges = edges_of(frame, view, offset);
  return {scrolled(area.left(), area.right(), offset.x(), view.width(), frame.left, edges.right),
          scrolled(area.top(), area.bottom(), offset.y(), view.height(), frame.above,
                   frame.below + (frame.scale_below ? frame.scale.height() : 0))};
}

}  // namespace mog::gui

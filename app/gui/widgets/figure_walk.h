// Keys in the place of a pointer: a point that goes from one thing of a figure to the next.
//
// A figure only answers what lies at a point. So the keys move a point: straight on until something else lies
// under it, and where there is nothing straight on (trees, arcs), to the nearest thing within 45 degrees of
// the direction. That asks a few thousand points at most, once a key.
#pragma once

#include <QPointF>
#include <QRect>
#include <functional>
#include <optional>

#include "app/figures/painter.h"

namespace mog::gui {

class FigureWalk {
 public:
  // What is seen of a figure: places are those of the view, `offset` is where it begins in the figure.
  struct Ground {
    QRect room;
    QPointF offset;
    std::function<std::optional<figures::Hit>(QPointF)> hit_at;
  };
  // Of an arrow key (Qt::Key), as a unit vector.
  static std::optional<QPointF> direction_of(int key);
  // Where it stands; nothing before the first step.
  const std::optional<QPointF>& place() const { return place_; }
  // To the next thing in a direction (direction_of), at first to the first thing in reading order. Nothing
  // there: nullopt, and it stays where it is.
  std::optional<figures::Hit> step(QPointF direction, const Ground& ground);
  void stop() { place_.reset(); }

 private:
  std::optional<QPointF> place_;
};

}  // namespace mog::gui

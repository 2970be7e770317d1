#include "app/gui/widgets/figure_walk.h"

#include <algorithm>
#include <cmath>

namespace mog::gui {
namespace {

constexpr double kStraight = 2;  // pixels between two points
constexpr double kAside = 8;

bool same(const figures::Hit& a, const figures::Hit& b) {
  return a.kind == b.kind && a.panel == b.panel && a.row == b.row && a.column == b.column &&
         a.series == b.series && a.word == b.word && a.node == b.node && a.arc == b.arc;
}

std::optional<QPointF> next_place(QPointF from, QPointF direction, const FigureWalk::Ground& ground) {
  const QPointF aside(std::abs(direction.y()), std::abs(direction.x()));
  const double far = std::max(ground.room.width(), ground.room.height());
  const auto there = ground.hit_at(from);
  const auto other = [&](QPointF point) {
    const auto hit = ground.room.contains(point.toPoint()) ? ground.hit_at(point) : std::nullopt;
    return hit && (!there || !same(*hit, *there));
  };
  for (double on = kStraight; on < far; on += kStraight) {
    if (other(from + direction * on)) {
      return from + direction * on;
    }
  }
  for (double on = kAside; on < far; on += kAside) {
    for (double by = kAside; by <= on; by += kAside) {
      for (const double side : {-by, by}) {
        const QPointF point = from + direction * on + aside * side;
        if (other(point)) {
          return point;
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<QPointF> first_place(const FigureWalk::Ground& ground) {
  for (double y = 1; y < ground.room.height(); y += 4) {
    for (double x = 1; x < ground.room.width(); x += 4) {
      if (ground.hit_at({x, y})) {
        return QPointF(x, y);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<QPointF> FigureWalk::direction_of(int key) {
  switch (key) {
    case Qt::Key_Left:
      return QPointF(-1, 0);
    case Qt::Key_Right:
      return QPointF(1, 0);
    case Qt::Key_Up:
      return QPointF(0, -1);
    case Qt::Key_Down:
      return QPointF(0, 1);
    default:
      return std::nullopt;
  }
}

std::optional<figures::Hit> FigureWalk::step(QPointF direction, const Ground& ground) {
  const auto next = place_ ? next_place(*place_, direction, ground) : first_place(ground);
  const auto hit = next ? ground.hit_at(*next) : std::nullopt;
  if (!hit) {
    return std::nullopt;
  }
  // Its middle, so that the next step is as long in every direction; an arc has none that lies on it.
  const QPointF middle = hit->area.center() - ground.offset;
  const auto at_middle =
      hit->area.isValid() && ground.room.contains(middle.toPoint()) ? ground.hit_at(middle) : std::nullopt;
  place_ = at_middle && same(*at_middle, *hit) ? middle : *next;
  return hit;
}

}  // namespace mog::gui

// Nodes and directed edges: the diagrams of multi-order graphs.
//
// Nodes stand in an ellipse, so that no edge passes through a third node. Edges between the same two nodes,
// in either direction, fan out as quadratic curves; a single one is straight. A loop leaves its node away
// from the centre. Every curve is cut where it leaves the box of its source and enters that of its target.
#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "app/figures/body.h"
#include "app/figures/lines/legend.h"

namespace mog::figures {
namespace {

using analysis::GraphEdge;
using analysis::GraphFigure;
using analysis::GraphOutline;

constexpr double kLongestName = 84;  // points; longer ones are elided
constexpr double kFan = 13;          // between parallel edges, at their middle

// A cubic; straight lines and quadratic curves are raised to it.
struct Curve {
  std::array<QPointF, 4> control;

  static Curve quadratic(QPointF from, QPointF middle, QPointF to) {
    return {{from, from + (middle - from) * (2.0 / 3), to + (middle - to) * (2.0 / 3), to}};
  }
  QPointF at(double t) const {
    const double s = 1 - t;
    return s * s * s * control[0] + 3 * s * s * t * control[1] + 3 * s * t * t * control[2] +
           t * t * t * control[3];
  }
  // The part between two places, by blossoming.
  QPainterPath between(double a, double b) const {
    const auto blossom = [&](double u, double v, double w) {
      const auto mix = [](QPointF p, QPointF q, double t) { return p + (q - p) * t; };
      const QPointF p0 = mix(control[0], control[1], u);
      const QPointF p1 = mix(control[1], control[2], u);
      const QPointF p2 = mix(control[2], control[3], u);
      return mix(mix(p0, p1, v), mix(p1, p2, v), w);
    };
    QPainterPath path(blossom(a, a, a));
    path.cubicTo(blossom(a, a, b), blossom(a, b, b), blossom(b, b, b));
    return path;
  }
};

struct Shape {
  bool there = false;
  Curve curve;
  double from = 0;  // where the drawn part begins and ends
  double to = 1;
};

bool valid(const GraphFigure& figure, const GraphEdge& edge) {
  const auto size = static_cast<std::int64_t>(figure.nodes.size());
  return edge.source >= 0 && edge.source < size && edge.target >= 0 && edge.target < size;
}

std::vector<LegendEntry> legend_of(const GraphFigure& figure, Theme theme) {
  std::vector<LegendEntry> entries;
  for (const GraphOutline& outline : figure.outlines) {
    if (!outline.name.empty()) {
      entries.push_back({drawable(outline.name), soft_ink(theme), outline.dash, LegendEntry::Mark::line, -1});
    }
  }
  return entries;
}

double cross(QPointF o, QPointF a, QPointF b) {
  return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
}

// Monotone chain.
QPolygonF convex_hull(std::vector<QPointF> points) {
  std::sort(points.begin(), points.end(),
            [](QPointF a, QPointF b) { return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y()); });
  QPolygonF hull;
  for (int side = 0; side < 2; ++side) {
    const auto start = hull.size();
    for (const QPointF point : points) {
      while (hull.size() >= start + 2 && cross(hull[hull.size() - 2], hull.back(), point) <= 0) {
        hull.removeLast();
      }
      hull.append(point);
    }
    if (!hull.isEmpty()) {
      hull.removeLast();
    }
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

class GraphBody final : public Body {
 public:
  GraphBody(const GraphFigure& figure, const Style& style, const QRectF& area)
      : figure_(figure),
        style_(style),
        area_(area),
        name_(style, style.tick_pt),
        small_(style, smallest_type(style)),
        legend_(legend_of(figure, style.theme)) {
    const double legend = legend_height({}, legend_, style, area.width());
    legend_top_ = area.bottom() - legend;
    place_nodes(
        QRectF(area.left(), area.top(), area.width(), area.height() - legend - (legend > 0 ? kGap : 0)));
    shape_edges();
  }

  void draw(Pen& pen) const override {
    double room = 4 * unit(style_);
    for (const GraphOutline& outline : figure_.outlines) {
      draw_outline(pen, outline, room);
      room += 3.5 * unit(style_);
    }
    for (const bool strong : {false, true}) {
      for (std::size_t i = 0; i < shapes_.size(); ++i) {
        if (figure_.edges[i].strong == strong) {
          draw_edge(pen, i, strong ? 2.2 : 1.0);
        }
      }
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      draw_node(pen, i, ink(pen.theme()), style_.line_pt);
    }
    std::vector<QRectF> taken = boxes_;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      draw_label(pen, i, taken);
    }
    draw_legend(pen, {}, legend_,
                QRectF(area_.left(), legend_top_, area_.width(), area_.bottom() - legend_top_));
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    if (highlight.node && *highlight.node >= 0 &&
        *highlight.node < static_cast<std::int64_t>(boxes_.size())) {
      draw_node(pen, static_cast<std::size_t>(*highlight.node), accent(pen.theme()), 1.8);
    }
    if (highlight.arc && *highlight.arc >= 0 && *highlight.arc < static_cast<std::int64_t>(shapes_.size())) {
      const auto i = static_cast<std::size_t>(*highlight.arc);
      if (shapes_[i].there) {
        QColor glow = accent(pen.theme());
        glow.setAlphaF(0.5F);
        pen.path(shapes_[i].curve.between(shapes_[i].from, shapes_[i].to), glow, 5);
        draw_edge(pen, i, 2.2);
      }
    }
  }

  std::optional<Hit> hit(QPointF point) const override {
    Hit hit;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (boxes_[i].contains(point)) {
        hit.kind = Hit::Kind::node;
        hit.node = static_cast<std::int64_t>(i);
        hit.area = boxes_[i];
        hit.readout = drawable(figure_.nodes[i].text);
        return hit;
      }
    }
    double nearest = 4;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      constexpr int kSteps = 48;
      for (int step = 0; shapes_[i].there && step <= kSteps; ++step) {
        const QPointF away = shapes_[i].curve.at(static_cast<double>(step) / kSteps) - point;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < nearest) {
          nearest = distance;
          hit.arc = static_cast<std::int64_t>(i);
        }
      }
    }
    if (hit.arc < 0) {
      return std::nullopt;
    }
    const auto found = static_cast<std::size_t>(hit.arc);
    const GraphEdge& edge = figure_.edges[found];
    hit.kind = Hit::Kind::arc;
    hit.area = shapes_[found].curve.between(0, 1).boundingRect();
    hit.readout = drawable(figure_.nodes[static_cast<std::size_t>(edge.source)].text) +
                  QStringLiteral(" → ") +
                  drawable(figure_.nodes[static_cast<std::size_t>(edge.target)].text) +
                  QStringLiteral(", order %1 ").arg(edge.order) + drawable(edge.tuple);
    return hit;
  }

 private:
  void place_nodes(const QRectF& room) {
    const double high = name_.height() + 6 * unit(style_);
    double widest = high;
    std::vector<double> widths;
    for (const analysis::GraphNode& node : figure_.nodes) {
      const double longest = std::min(kLongestName * unit(style_), room.width() * 0.3);
      names_.push_back(name_.elided(drawable(node.text), longest));
      widths.push_back(std::max(high, name_.width(names_.back()) + 8 * unit(style_)));
      widest = std::max(widest, widths.back());
    }
    // Room for outlines and loops around the outermost nodes.
    const double rim = 14 * unit(style_);
    const double ry = std::max(4.0, room.height() / 2 - high / 2 - rim);
    const double rx = std::max(4.0, std::min(room.width() / 2 - widest / 2 - rim, std::max(1.6 * ry, 4.0)));
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const analysis::GraphNode& node = figure_.nodes[i];
      const QPointF centre =
          room.center() + QPointF(std::clamp(node.x, -1.0, 1.0) * rx, -std::clamp(node.y, -1.0, 1.0) * ry);
      boxes_.emplace_back(centre - QPointF(widths[i] / 2, high / 2), QSizeF(widths[i], high));
    }
    centre_ = room.center();
  }

  // Outside of a node's box, by a little.
  bool outside(std::int64_t node, QPointF point) const {
    return !boxes_[static_cast<std::size_t>(node)].adjusted(-1, -1, 1, 1).contains(point);
  }

  void shape_edges() {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> count;
    std::vector<std::int64_t> place;
    for (const GraphEdge& edge : figure_.edges) {
      place.push_back(count[std::minmax(edge.source, edge.target)]++);
    }
    shapes_.resize(figure_.edges.size());
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const GraphEdge& edge = figure_.edges[i];
      if (!valid(figure_, edge)) {
        continue;
      }
      Shape& shape = shapes_[i];
      shape.there = true;
      if (edge.source == edge.target) {
        shape.curve = loop(edge.source, place[i]);
      } else {
        const auto low = static_cast<std::size_t>(std::min(edge.source, edge.target));
        const auto high = static_cast<std::size_t>(std::max(edge.source, edge.target));
        const QPointF along = boxes_[high].center() - boxes_[low].center();
        const double length = std::max(1e-6, std::hypot(along.x(), along.y()));
        const QPointF aside(-along.y() / length, along.x() / length);
        const double all = static_cast<double>(count[std::minmax(edge.source, edge.target)]);
        const double offset = (static_cast<double>(place[i]) - (all - 1) / 2) * kFan * unit(style_);
        const QPointF middle = (boxes_[low].center() + boxes_[high].center()) / 2 + aside * offset * 2;
        shape.curve = Curve::quadratic(boxes_[static_cast<std::size_t>(edge.source)].center(), middle,
                                       boxes_[static_cast<std::size_t>(edge.target)].center());
      }
      cut(edge, shape);
    }
  }

  Curve loop(std::int64_t node, std::int64_t place) const {
    const QRectF& box = boxes_[static_cast<std::size_t>(node)];
    const QPointF centre = box.center();
    QPointF out = centre - centre_;
    const double length = std::hypot(out.x(), out.y());
    out = length > 1 ? out / length : QPointF(0, -1);
    const QPointF aside(-out.y(), out.x());
    const double reach = (20 + 6 * static_cast<double>(place)) * unit(style_) +
                         (std::abs(out.x()) * box.width() + std::abs(out.y()) * box.height()) / 2;
    return {{centre, centre + out * reach + aside * reach * 0.7, centre + out * reach - aside * reach * 0.7,
             centre}};
  }

  void cut(const GraphEdge& edge, Shape& shape) const {
    constexpr int kSteps = 256;
    int first = 0;
    int last = kSteps;
    while (first < kSteps / 2 && !outside(edge.source, shape.curve.at(static_cast<double>(first) / kSteps))) {
      ++first;
    }
    while (last > kSteps / 2 && !outside(edge.target, shape.curve.at(static_cast<double>(last) / kSteps))) {
      --last;
    }
    shape.from = static_cast<double>(first) / kSteps;
    shape.to = static_cast<double>(last) / kSteps;
  }

  void draw_edge(Pen& pen, std::size_t i, double thicker) const {
    const Shape& shape = shapes_[i];
    if (!shape.there || shape.to <= shape.from) {
      return;
    }
    const QColor colour = figure_.edges[i].part == Part::none
                              ? palette_colour(PartColour::ink, pen.theme())
                              : part_colour(figure_.edges[i].part, pen.theme());
    const double width = style_.line_pt * thicker;
    const double head = 5 * unit(style_) + width;
    const QPointF tip = shape.curve.at(shape.to);
    double neck = shape.to;
    for (int step = 0; step < 200 && neck > shape.from; ++step) {
      const QPointF away = tip - shape.curve.at(neck);
      if (std::hypot(away.x(), away.y()) >= head * 0.8) {
        break;
      }
      neck -= 0.004;
    }
    neck = std::max(neck, shape.from);
    pen.path(shape.curve.between(shape.from, neck), colour, width);
    pen.arrowhead(tip, tip - shape.curve.at(neck), head, colour);
  }

  // The least distance of a point from the other edges.
  double clearance(std::size_t edge, QPointF point) const {
    double least = 1e9;
    for (std::size_t other = 0; other < shapes_.size(); ++other) {
      constexpr int kSteps = 40;
      for (int step = 0; other != edge && shapes_[other].there && step <= kSteps; ++step) {
        const QPointF away = shapes_[other].curve.at(static_cast<double>(step) / kSteps) - point;
        least = std::min(least, std::hypot(away.x(), away.y()));
      }
    }
    return least;
  }

  // In the middle of its edge, or beside the middle where something is in the way.
  void draw_label(Pen& pen, std::size_t i, std::vector<QRectF>& taken) const {
    const GraphEdge& edge = figure_.edges[i];
    const Shape& shape = shapes_[i];
    if (edge.label.empty() || !shape.there) {
      return;
    }
    const TypeFace face(style_, smallest_type(style_), edge.strong);
    const QString text = drawable(edge.label);
    const QSizeF size(face.width(text) + 3, face.cap_height() + 3);
    QPointF best = shape.curve.at((shape.from + shape.to) / 2);
    double most = -1;
    for (const double share : {0.5, 0.4, 0.6, 0.32, 0.68}) {
      const QPointF at = shape.curve.at(shape.from + (shape.to - shape.from) * share);
      const QRectF box(at - QPointF(size.width() / 2, size.height() / 2), size);
      const bool met =
          std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); });
      const double room = met ? 0 : std::min(clearance(i, at), 6 * unit(style_));
      if (room > most + 0.5) {
        most = room;
        best = at;
      }
    }
    const QRectF box(best - QPointF(size.width() / 2, size.height() / 2), size);
    taken.push_back(box);
    pen.fill(box, background(pen.theme()));
    pen.text(best + QPointF(0, face.cap_height() / 2), text, face, ink(pen.theme()), Across::centre);
  }

  void draw_node(Pen& pen, std::size_t i, const QColor& colour, double width) const {
    QPainterPath path;
    path.addRoundedRect(boxes_[i], boxes_[i].height() / 2, boxes_[i].height() / 2);
    pen.filled_path(path, background(pen.theme()));
    pen.path(path, colour, width);
    pen.text(boxes_[i].center() + QPointF(0, name_.cap_height() / 2), names_[i], name_, ink(pen.theme()),
             Across::centre);
  }

  // Around the boxes of its nodes, with round corners.
  void draw_outline(Pen& pen, const GraphOutline& outline, double room) const {
    std::vector<QPointF> points;
    for (const std::int64_t node : outline.nodes) {
      if (node < 0 || node >= static_cast<std::int64_t>(boxes_.size())) {
        continue;
      }
      const QRectF& box = boxes_[static_cast<std::size_t>(node)];
      const double radius = box.height() / 2;
      for (const double x : {box.left() + radius, box.right() - radius}) {
        constexpr int kCorners = 32;
        for (int k = 0; k < kCorners; ++k) {
          const double angle = 2 * std::numbers::pi * k / kCorners;
          points.emplace_back(x + (radius + room) * std::cos(angle),
                              box.center().y() + (radius + room) * std::sin(angle));
        }
      }
    }
    if (points.empty()) {
      return;
    }
    QPainterPath path;
    path.addPolygon(convex_hull(std::move(points)));
    path.closeSubpath();
    pen.path(path, soft_ink(pen.theme()), style_.line_pt, pen_style(outline.dash));
  }

  const GraphFigure& figure_;
  const Style& style_;
  QRectF area_;
  TypeFace name_;
  TypeFace small_;
  std::vector<LegendEntry> legend_;
  double legend_top_ = 0;
  QPointF centre_;
  std::vector<QString> names_;
  std::vector<QRectF> boxes_;
  std::vector<Shape> shapes_;
};

}  // namespace

std::unique_ptr<Body> lay_out(const GraphFigure& figure, const Style& style, const QRectF& area) {
  return std::make_unique<GraphBody>(figure, style, area);
}

double wanted_height(const GraphFigure& figure, const Style& style, double width) {
  const double graph = std::clamp(width * 0.62, 90.0 * unit(style), 190.0 * unit(style));
  return graph + legend_height({}, legend_of(figure, style.theme), style, width) + kGap;
}

}  // namespace mog::figures

// States are a grid of rows and words, edges cubic curves between them. Edges with the same ends fan out
// around their middle: sorted by their ends, each gets its place among its like, O(edges log edges). An edge
// that goes past a state in its own column goes beside it. Widths are the square root of weights, for what
// is carried weighs ten times what comes from others and both are to be seen.
//
// Under the pointer: the state's row is computed, its word found by halves, O(log words). Edges are tested
// by the box of their control points first, which a cubic curve never leaves, and then as 24 straight
// pieces: O(edges), of which few pass the box.
//
// Trap: an edge that names a row or a word that is not there has no shape (`there` is false), but keeps its
// place: shapes are found by the number of their edge.
#include "app/figures/graphs/flow_layout.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mog::figures {
namespace {

using analysis::FlowEdge;
using analysis::FlowFigure;

constexpr double kFan = 3.2;     // between parallel edges, at their middle
constexpr double kBeside = 0.3;  // of the distance of words: between an edge and a state that it goes by
constexpr double kReach = 4;     // of the pointer

double to_segment(QPointF point, QPointF from, QPointF to) {
  const QPointF along = to - from;
  const double length = QPointF::dotProduct(along, along);
  const double t = length > 0 ? std::clamp(QPointF::dotProduct(point - from, along) / length, 0.0, 1.0) : 0;
  const QPointF away = point - (from + along * t);
  return std::hypot(away.x(), away.y());
}

}  // namespace

QPointF FlowShape::at(double t) const {
  const double s = 1 - t;
  return s * s * s * control[0] + 3 * s * s * t * control[1] + 3 * s * t * t * control[2] +
         t * t * t * control[3];
}

QPainterPath FlowShape::path() const {
  QPainterPath result(control[0]);
  result.cubicTo(control[1], control[2], control[3]);
  return result;
}

QRectF FlowShape::bounds() const {
  const auto [left, right] = std::minmax({control[0].x(), control[1].x(), control[2].x(), control[3].x()});
  const auto [top, bottom] = std::minmax({control[0].y(), control[1].y(), control[2].y(), control[3].y()});
  return {left, top, right - left, bottom - top};
}

double FlowLayout::margin(const FlowFigure& figure, const Style& style, double width) {
  const TypeFace face(style, style.tick_pt);
  double widest = 0;
  for (const analysis::FlowRow& row : figure.rows) {
    widest = std::max(widest, face.width(drawable(row.label)));
  }
  return std::min(widest + 8 * unit(style), width / 3);
}

FlowLayout::FlowLayout(const FlowFigure& figure, const Style& style, const QRectF& area, double bottom)
    : figure_(figure),
      style_(style),
      margin_(margin(figure, style, area.width())),
      line_(figure.words, style, area.left() + margin_, area.right()),
      words_top_(bottom - line_.height()),
      base_(words_top_ - 7 * unit(style)) {
  const auto steps = static_cast<double>(std::max<std::size_t>(figure.rows.size(), 2) - 1);
  // Arcs within the uppermost row need room above it.
  row_pitch_ = std::max(1.0, (base_ - area.top() - 8 * unit(style)) / (steps + (within_rows() ? 0.4 : 0)));
  word_pitch_ =
      figure.words.size() < 2 ? area.width() : std::abs(line_.x(std::int64_t{1}) - line_.x(std::int64_t{0}));
  radius_ = std::clamp(std::min(row_pitch_, word_pitch_) * 0.16, 0.8, 2.6 * unit(style));
  shape_edges();
}

bool FlowLayout::valid(const FlowEdge& edge) const {
  const auto rows = static_cast<std::int64_t>(figure_.rows.size());
  const auto inside = [](std::int64_t place, std::int64_t size) { return place >= 0 && place < size; };
  return inside(edge.from_row, rows) && inside(edge.to_row, rows) && inside(edge.from_word, words()) &&
         inside(edge.to_word, words());
}

bool FlowLayout::within_rows() const {
  return std::any_of(figure_.edges.begin(), figure_.edges.end(),
                     [](const FlowEdge& edge) { return edge.from_row == edge.to_row; });
}

// Edges side by side that have the same ends, each with its place among them: from -1 for the first of
// three to 1.
std::vector<double> FlowLayout::fan() const {
  std::vector<std::pair<std::int64_t, std::size_t>> ends;
  const std::int64_t nodes = static_cast<std::int64_t>(figure_.rows.size()) * words();
  for (std::size_t i = 0; i < figure_.edges.size(); ++i) {
    const FlowEdge& edge = figure_.edges[i];
    ends.emplace_back(
        figure_.node(edge.from_row, edge.from_word) * nodes + figure_.node(edge.to_row, edge.to_word), i);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<double> result(ends.size(), 0.0);
  for (std::size_t first = 0; first < ends.size();) {
    std::size_t end = first;
    while (end < ends.size() && ends[end].first == ends[first].first) {
      ++end;
    }
    for (std::size_t i = first; i < end; ++i) {
      result[ends[i].second] = static_cast<double>(i - first) - static_cast<double>(end - first - 1) / 2;
    }
    first = end;
  }
  return result;
}

void FlowLayout::shape_edges() {
  shapes_.resize(figure_.edges.size());
  const std::vector<double> places = fan();
  const double apart = std::min(kFan * unit(style_), word_pitch_ * 0.2) / 0.75;
  const double full = figure_.weight_of_full_width > 0 ? figure_.weight_of_full_width : 1;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const FlowEdge& edge = figure_.edges[i];
    if (!valid(edge)) {
      continue;
    }
    FlowShape& shape = shapes_[i];
    shape.there = true;
    // What is carried weighs ten times what a word takes from another one: by the square root both are seen.
    shape.share = std::sqrt(std::clamp(std::isfinite(edge.weight) ? edge.weight / full : 0.0, 0.0, 1.0));
    const QPointF from = place(edge.from_row, edge.from_word);
    const QPointF to = place(edge.to_row, edge.to_word);
    if (edge.from_row == edge.to_row) {
      const double lift = std::min(row_pitch_ * 0.32, 9 * unit(style_)) * 4 / 3 + places[i] * apart;
      const QPointF lean((to.x() - from.x()) * 0.2, 0);
      shape.control = {from, from + lean - QPointF(0, lift), to - lean - QPointF(0, lift), to};
    } else {
      // What goes by a state between (two directions of one layer) goes beside it: to the right from an even
      // row, to the left from an odd one, since such edges begin one row above each other.
      const bool goes_by = edge.to_row - edge.from_row > 1 && edge.from_word == edge.to_word;
      const double beside = goes_by ? kBeside * std::min(word_pitch_, row_pitch_) / 0.75 : 0;
      const QPointF aside(places[i] * apart + (edge.from_row % 2 == 0 ? beside : -beside), 0);
      const QPointF half(0, (to.y() - from.y()) * 0.5);
      shape.control = {from, from + half + aside, to - half + aside, to};
    }
  }
}

std::optional<FlowLayout::State> FlowLayout::state_at(QPointF point) const {
  const auto rows = static_cast<std::int64_t>(figure_.rows.size());
  const auto row = static_cast<std::int64_t>(std::lround((base_ - point.y()) / row_pitch_));
  if (figure_.words.empty() || row < 0 || row >= rows) {
    return std::nullopt;
  }
  // Words stand in order: the nearest by halves.
  std::int64_t low = 0;
  std::int64_t high = words() - 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if ((line_.x(middle) + line_.x(middle + 1)) / 2 < point.x()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const QPointF away = place(row, low) - point;
  const double reach = std::min(radius_ + 3, std::max(radius_, std::min(row_pitch_, word_pitch_) / 2));
  return std::hypot(away.x(), away.y()) <= reach ? std::optional(State{row, low, reach}) : std::nullopt;
}

std::optional<std::size_t> FlowLayout::edge_at(QPointF point) const {
  double nearest = kReach;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (!shapes_[i].there ||
        !shapes_[i].bounds().adjusted(-kReach, -kReach, kReach, kReach).contains(point)) {
      continue;
    }
    QPointF before = shapes_[i].at(0);
    constexpr int kSteps = 24;
    for (int step = 1; step <= kSteps; ++step) {
      const QPointF now = shapes_[i].at(static_cast<double>(step) / kSteps);
      const double distance = to_segment(point, before, now);
      if (distance < nearest) {
        nearest = distance;
        found = i;
      }
      before = now;
    }
  }
  return found;
}

}  // namespace mog::figures

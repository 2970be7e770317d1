// Arcs hang below their words, deeper the longer they are (distance to the power 0.75, so that short ones
// keep some depth). At a head they leave side by side, the longer ones nearer to its own arc: arcs that nest
// then do not cross. Longest first, O(arcs log arcs).
//
// A relation stands at the lowest point of its arc, or at one of six other places along it, where no other
// label is: O(arcs²), few enough in a sentence. One without a place is left out and counted in a note.
//
// Trap: the order of the arcs decides who gets a place, so the same tree must be given in the same order for
// the same picture.
#include "app/figures/graphs/gold_arcs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mog::figures {
namespace {

using analysis::ArcFigure;
using analysis::GoldArc;

bool valid(const ArcFigure& figure, const GoldArc& arc) {
  const auto words = static_cast<std::int64_t>(figure.words.size());
  return arc.head >= -1 && arc.head < words && arc.dependent >= 0 && arc.dependent < words &&
         arc.head != arc.dependent;
}

double longest_arc(const ArcFigure& figure, const SentenceLine& line) {
  double longest = 1;
  for (const GoldArc& arc : figure.gold) {
    if (valid(figure, arc) && arc.head >= 0) {
      longest = std::max(longest, std::abs(line.x(arc.head) - line.x(arc.dependent)));
    }
  }
  return longest;
}

}  // namespace

GoldArcs::GoldArcs(const ArcFigure& figure, const SentenceLine& line, const Style& style, double top,
                   double height)
    : figure_(figure), line_(line), style_(style), top_(top) {
  shape(height);
  place_labels();
}

double GoldArcs::wanted_height(const ArcFigure& figure, const SentenceLine& line, const Style& style) {
  return figure.gold.empty() ? 0
                             : std::clamp(longest_arc(figure, line) * 0.3, 26.0, 90.0) * unit(style) +
                                   TypeFace(style, smallest_type(style)).height();
}

// Where the arc of each dependent leaves its head: beside the head's own arc, longer ones nearer to it, so
// that arcs which nest do not cross.
std::vector<double> GoldArcs::head_feet() const {
  std::vector<std::size_t> order(figure_.gold.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto distance = [&](std::size_t i) {
    return std::abs(figure_.gold[i].head - figure_.gold[i].dependent);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
  std::vector<double> result(figure_.gold.size(), 0.0);
  std::vector<int> left(figure_.words.size(), 0);
  std::vector<int> right(figure_.words.size(), 0);
  for (const std::size_t i : order) {
    const GoldArc& arc = figure_.gold[i];
    if (!valid(figure_, arc) || arc.head < 0) {
      continue;
    }
    const auto head = static_cast<std::size_t>(arc.head);
    const bool to_right = arc.dependent > arc.head;
    const int place = to_right ? ++right[head] : ++left[head];
    const double most = std::max(2.5, line_.half_width(arc.head));
    const double aside = std::min(2.6 * unit(style_) * place, most);
    result[i] = line_.x(arc.head) + (to_right ? aside : -aside);
  }
  return result;
}

void GoldArcs::shape(double height) {
  shapes_.resize(figure_.gold.size());
  const double longest = longest_arc(figure_, line_);
  const double label = TypeFace(style_, smallest_type(style_)).height() / 2 + 1;
  const double room = std::max(6.0, height - label);
  const double least = std::min(11.0 * unit(style_), room);
  const std::vector<double> feet = head_feet();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const GoldArc& arc = figure_.gold[i];
    Shape& shape = shapes_[i];
    if (!valid(figure_, arc)) {
      continue;
    }
    shape.there = true;
    shape.tip = {line_.x(arc.dependent), top_};
    if (arc.head < 0) {  // the root: straight from below
      shape.lowest = shape.tip + QPointF(0, std::min(room, least * 1.6));
      shape.path.moveTo(shape.lowest);
      shape.path.lineTo(shape.tip);
      shape.width = 2 * line_.half_width(arc.dependent);
      continue;
    }
    const double distance = std::abs(feet[i] - shape.tip.x());
    const double depth = least + (room - least) * std::pow(std::min(1.0, distance / longest), 0.75);
    const QPointF from(feet[i], top_);
    const QPointF pull(0, depth * 4 / 3);
    shape.path.moveTo(from);
    shape.path.cubicTo(from + pull, shape.tip + pull, shape.tip);
    shape.lowest = QPointF((from.x() + shape.tip.x()) / 2, top_ + depth);
    shape.width = distance;
  }
}

void GoldArcs::draw_arc(Pen& pen, std::size_t arc, const QColor& colour, double width) const {
  const Shape& shape = shapes_[arc];
  if (shape.there) {
    pen.path(shape.path, colour, width, Qt::DashLine);
    pen.arrowhead(shape.tip, QPointF(0, -1), 4 * unit(style_), colour);
  }
}

// At the lowest point of its arc, or further along it where another one stands there.
void GoldArcs::place_labels() {
  constexpr std::array kAlong = {0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78};
  const TypeFace face(style_, smallest_type(style_));
  std::vector<QRectF> taken;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    Shape& shape = shapes_[i];
    const QString text = drawable(figure_.gold[i].relation);
    if (!shape.there || text.isEmpty()) {
      continue;
    }
    ++relations_;
    const double wide = face.width(text) + 2;
    const bool root = figure_.gold[i].head < 0;
    for (const double along : kAlong) {
      const QPointF middle = along == kAlong.front() ? shape.lowest : shape.path.pointAtPercent(along);
      const QRectF box(middle.x() - wide / 2, middle.y() - face.height() / 2, wide, face.height());
      const bool free = std::none_of(taken.begin(), taken.end(),
                                     [&](const QRectF& other) { return other.intersects(box); });
      if (free && wide <= shape.width + 6 * unit(style_)) {
        taken.push_back(box);
        shape.label = box;
        ++labelled_;
        break;
      }
      if (root) {
        break;
      }
    }
  }
}

QString GoldArcs::note() const {
  return labelled_ == relations_
             ? QString()
             : QStringLiteral("%1 of %2 gold relations are not labelled: there is no room at this size")
                   .arg(relations_ - labelled_)
                   .arg(relations_);
}

void GoldArcs::draw(Pen& pen) const {
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    draw_arc(pen, i, soft_ink(pen.theme()), style_.line_pt);
  }
  const TypeFace face(style_, smallest_type(style_));
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const QRectF& box = shapes_[i].label;
    if (!box.isEmpty()) {
      pen.fill(box, background(pen.theme()));
      pen.text({box.center().x(), box.center().y() + face.cap_height() / 2},
               drawable(figure_.gold[i].relation), face, ink(pen.theme()), Across::centre);
    }
  }
}

void GoldArcs::light(Pen& pen, std::size_t arc) const {
  QColor glow = accent(pen.theme());
  glow.setAlphaF(0.5F);
  pen.path(shapes_[arc].path, glow, style_.line_pt + 4);
  draw_arc(pen, arc, ink(pen.theme()), 1.4 * style_.line_pt);
}

std::optional<std::size_t> GoldArcs::at(QPointF point, double reach) const {
  std::optional<std::size_t> found;
  double nearest = reach;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (!shapes_[i].there ||
        !shapes_[i].path.boundingRect().adjusted(-reach, -reach, reach, reach).contains(point)) {
      continue;
    }
    constexpr int kSteps = 48;
    for (int step = 0; step <= kSteps; ++step) {
      const QPointF away = shapes_[i].path.pointAtPercent(static_cast<double>(step) / kSteps) - point;
      const double distance = std::hypot(away.x(), away.y());
      if (distance < nearest) {
        nearest = distance;
        found = i;
      }
    }
  }
  return found;
}

}  // namespace mog::figures

#include "app/figures/pen.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace mog::figures {
namespace {

struct Segment {
  QPointF from;
  QPointF to;
};

// Liang and Barsky's clipping.
std::optional<Segment> clipped_segment(QPointF a, QPointF b, const QRectF& rect) {
  double enter = 0;
  double leave = 1;
  const QPointF delta = b - a;
  const auto cut = [&](double direction, double distance) {
    if (direction == 0) {
      return distance >= 0;
    }
    const double t = distance / direction;
    if (direction < 0) {
      enter = std::max(enter, t);
    } else {
      leave = std::min(leave, t);
    }
    return enter <= leave;
  };
  if (cut(-delta.x(), a.x() - rect.left()) && cut(delta.x(), rect.right() - a.x()) &&
      cut(-delta.y(), a.y() - rect.top()) && cut(delta.y(), rect.bottom() - a.y())) {
    return Segment{a + enter * delta, a + leave * delta};
  }
  return std::nullopt;
}

// One side of Sutherland and Hodgman's clipping: keeps where `inside` is at least 0.
template <class Inside>
QPolygonF clipped_side(const QPolygonF& polygon, Inside inside) {
  QPolygonF result;
  for (qsizetype i = 0; i < polygon.size(); ++i) {
    const QPointF a = polygon[i];
    const QPointF b = polygon[(i + 1) % polygon.size()];
    const double at_a = inside(a);
    const double at_b = inside(b);
    if (at_a >= 0) {
      result << a;
    }
    if ((at_a >= 0) != (at_b >= 0)) {
      result << a + (b - a) * (at_a / (at_a - at_b));
    }
  }
  return result;
}

}  // namespace

Pen::Pen(QPainter& painter, const Style& style, PenOptions options)
    : painter_(painter), style_(style), options_(options) {
  painter_.setRenderHint(QPainter::Antialiasing);
  painter_.setRenderHint(QPainter::TextAntialiasing);
  painter_.setLayoutDirection(Qt::LeftToRight);
  raster_ = painter_.paintEngine() != nullptr && painter_.paintEngine()->type() == QPaintEngine::Raster;
  const QPaintDevice* const device = painter_.device();
  if (raster_ && (device->devType() == QInternal::Image || device->devType() == QInternal::Pixmap)) {
    visible_ = painter_.deviceTransform().inverted().mapRect(QRectF(0, 0, device->width(), device->height()));
  }
}

bool Pen::can_be_seen(QPointF at, const QString& text, const TypeFace& face) const {
  const double reach = face.size() * static_cast<double>(2 * text.size() + 2);
  return visible_.adjusted(-reach, -reach, reach, reach).contains(at);
}

void Pen::draw(QPointF at, const QString& text, const TypeFace& face, const QColor& colour) {
  if (options_.text_as_paths) {
    QPainterPath outline;
    outline.addText(at, face.font(), text);
    filled_path(outline, colour);
    return;
  }
  painter_.setFont(face.font());
  painter_.setPen(colour);
  painter_.drawText(at, text);
}

void Pen::draw_across(QPointF at, const QString& text, const TypeFace& face, const QColor& colour,
                      Across across) {
  const double share = across == Across::left ? 0 : (across == Across::centre ? 0.5 : 1);
  draw(at - QPointF(share == 0 ? 0 : share * face.width(text), 0), text, face, colour);
}

void Pen::text(QPointF at, const QString& text, const TypeFace& face, const QColor& colour, Across across) {
  if (!text.isEmpty() && can_be_seen(at, text, face)) {
    draw_across(at, text, face, colour, across);
  }
}

void Pen::turned_text(QPointF at, const QString& text, const TypeFace& face, const QColor& colour,
                      Across across) {
  if (text.isEmpty() || !can_be_seen(at, text, face)) {
    return;
  }
  painter_.save();
  painter_.translate(at);
  painter_.rotate(-90);
  draw_across({0, 0}, text, face, colour, across);
  painter_.restore();
}

void Pen::line(QPointF from, QPointF to, const QColor& colour, double width, Qt::PenStyle style) {
  painter_.setPen(QPen(colour, width, style, Qt::FlatCap));
  painter_.drawLine(from, to);
}

void Pen::fill(const QRectF& rect, const QColor& colour) {
  painter_.fillRect(rect, colour);
}

void Pen::frame(const QRectF& rect, const QColor& colour, double width) {
  painter_.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRect(rect);
}

void Pen::disc(QPointF centre, double radius, const QColor& colour) {
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(colour);
  painter_.drawEllipse(centre, radius, radius);
}

void Pen::hatch(const QRectF& rect, double spacing) {
  if (rect.width() < 1.5 || rect.height() < 1.5) {
    return;
  }
  const double from = rect.left() + rect.top();
  const double to = rect.right() + rect.bottom();
  for (double sum = (std::floor(from / spacing) + 1) * spacing; sum < to; sum += spacing) {
    // The diagonal x + y = sum.
    const double x_low = std::max(rect.left(), sum - rect.bottom());
    const double x_high = std::min(rect.right(), sum - rect.top());
    if (x_high > x_low) {
      line({x_low, sum - x_low}, {x_high, sum - x_high}, soft_ink(theme()), 0.4);
    }
  }
}

void Pen::path(const QPainterPath& path, const QColor& colour, double width, Qt::PenStyle style) {
  painter_.setPen(
      QPen(colour, width, style, style == Qt::SolidLine ? Qt::RoundCap : Qt::FlatCap, Qt::RoundJoin));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawPath(path);
}

void Pen::filled_path(const QPainterPath& path, const QColor& colour) {
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(colour);
  painter_.drawPath(path);
}

void Pen::arrowhead(QPointF tip, QPointF direction, double length, const QColor& colour) {
  const double size = std::hypot(direction.x(), direction.y());
  if (size == 0) {
    return;
  }
  const QPointF along = direction / size;
  const QPointF aside(-along.y(), along.x());
  QPainterPath head;
  head.moveTo(tip);
  head.lineTo(tip - along * length + aside * length * 0.42);
  head.lineTo(tip - along * length - aside * length * 0.42);
  head.closeSubpath();
  filled_path(head, colour);
}

std::vector<QPolygonF> clipped_line(const QPolygonF& line, const QRectF& rect) {
  std::vector<QPolygonF> result;
  for (qsizetype i = 0; i + 1 < line.size(); ++i) {
    const auto piece = clipped_segment(line[i], line[i + 1], rect);
    if (!piece) {
      continue;
    }
    if (result.empty() || result.back().back() != piece->from) {
      result.push_back(QPolygonF{piece->from});
    }
    result.back() << piece->to;
  }
  return result;
}

QPolygonF clipped_polygon(const QPolygonF& polygon, const QRectF& rect) {
  QPolygonF result = clipped_side(polygon, [&](QPointF p) { return p.x() - rect.left(); });
  result = clipped_side(result, [&](QPointF p) { return rect.right() - p.x(); });
  result = clipped_side(result, [&](QPointF p) { return p.y() - rect.top(); });
  return clipped_side(result, [&](QPointF p) { return rect.bottom() - p.y(); });
}

Qt::PenStyle pen_style(analysis::Dash dash) {
  switch (dash) {
    case analysis::Dash::solid:
      return Qt::SolidLine;
    case analysis::Dash::dashed:
      return Qt::DashLine;
    case analysis::Dash::dotted:
      return Qt::DotLine;
  }
  return Qt::SolidLine;
}

}  // namespace mog::figures

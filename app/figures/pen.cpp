// What QPainter does otherwise from device to device is done here once. Lines and polygons are cut by hand
// (Liang and Barsky; Sutherland and Hodgman, which wants a convex window, as a rectangle is), because SVG
// ignores clipping. Hatching is by number: diagonals are those whose x + y is a multiple of the distance on
// the whole page, so the hatches of neighbouring areas meet, and pieces that touch become one line. Letters
// that cannot be on the image are not drawn.
//
// Texts take three ways: as text, as outlines, or, for letters with colours (emoji), as pictures with the
// text noted for the PDF (decision 26).
//
// Trap: Sutherland and Hodgman's method joins the parts of a polygon that is cut in two by a line along the
// border. Areas that are filled hide it, outlines would not.
#include "app/figures/pen.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "app/figures/export/colour_glyphs.h"
#include "app/figures/export/pdf_texts.h"
#include "app/figures/export/svg_texts.h"

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
  pdf_ = painter_.paintEngine() != nullptr && painter_.paintEngine()->type() == QPaintEngine::Pdf;
  const QPaintDevice* const device = painter_.device();
  if (raster_ && (device->devType() == QInternal::Image || device->devType() == QInternal::Pixmap)) {
    visible_ = painter_.deviceTransform().inverted().mapRect(QRectF(0, 0, device->width(), device->height()));
    if (painter_.hasClipping()) {
      visible_ &= painter_.clipBoundingRect();
    }
  }
}

bool Pen::can_be_seen(QPointF at, const QString& text, const TypeFace& face) const {
  const double reach = face.size() * static_cast<double>(2 * text.size() + 2);
  return visible_.adjusted(-reach, -reach, reach, reach).contains(at);
}

void Pen::draw(QPointF at, const QString& text, const TypeFace& face, const QColor& colour) {
  const auto pieces =
      pdf_ || options_.text_as_paths ? pieces_with_colour(text, face.font()) : std::vector<TextPiece>();
  if (pieces.empty()) {
    draw_letters(at, text, face, colour);
    return;
  }
  for (const TextPiece& piece : pieces) {
    const QPointF from = at + QPointF(piece.x, 0);
    if (piece.coloured) {
      const GlyphPicture picture = picture_of(piece, face.font());
      painter_.setRenderHint(QPainter::LosslessImageRendering);
      painter_.drawImage(picture.area.translated(from), picture.image);
      if (options_.pdf_texts != nullptr) {
        options_.pdf_texts->add(piece.text,
                                QTransform::fromTranslate(from.x(), from.y()) * painter_.combinedTransform(),
                                piece.width, face.size());
      }
    } else {
      draw_letters(from, piece.text, face, colour);
    }
  }
}

void Pen::draw_letters(QPointF at, const QString& text, const TypeFace& face, const QColor& colour) {
  if (options_.text_as_paths) {
    QPainterPath outline;
    outline.addText(at, face.font(), text);
    filled_path(outline, colour);
    return;
  }
  painter_.setFont(face.font());
  painter_.setPen(colour);
  painter_.drawText(at, options_.svg_texts == nullptr ? text : options_.svg_texts->stand_in(text));
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
                      Across across, double degrees) {
  if (text.isEmpty() || !can_be_seen(at, text, face)) {
    return;
  }
  painter_.save();
  painter_.translate(at);
  painter_.rotate(-degrees);
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

void Pen::hatch(std::span<const QRectF> areas) {
  diagonals(areas, 3, soft_ink(theme()), 0.4);
}

void Pen::striped(const QRectF& rect, const QColor& colour, analysis::Dash dash) {
  fill(rect, colour);
  const double spacing = 3.2 * unit(style_);
  const double width = 1.1 * unit(style_);
  if (dash == analysis::Dash::dashed) {
    diagonals(std::span(&rect, 1), spacing, background(theme()), width);
  } else if (dash == analysis::Dash::dotted) {
    for (double y = rect.bottom() - spacing / 2; y > rect.top(); y -= spacing) {
      line({rect.left(), y}, {rect.right(), y}, background(theme()), width);
    }
  }
}

void Pen::diagonals(std::span<const QRectF> areas, double spacing, const QColor& colour, double width) {
  struct Piece {
    double from = 0;
    double to = 0;
  };
  std::map<std::int64_t, std::vector<Piece>> pieces;  // by number
  for (const QRectF& area : areas) {
    const double end = area.right() + area.bottom();
    for (auto number = static_cast<std::int64_t>(std::floor((area.left() + area.top()) / spacing)) + 1;
         static_cast<double>(number) * spacing < end; ++number) {
      const double sum = static_cast<double>(number) * spacing;
      const double from = std::max(area.left(), sum - area.bottom());
      const double to = std::min(area.right(), sum - area.top());
      if (to > from) {
        pieces[number].push_back({from, to});
      }
    }
  }
  constexpr double kTouching = 1e-6;
  for (auto& [number, line_pieces] : pieces) {
    std::sort(line_pieces.begin(), line_pieces.end(),
              [](const Piece& left, const Piece& right) { return left.from < right.from; });
    const double sum = static_cast<double>(number) * spacing;
    for (std::size_t i = 0; i < line_pieces.size();) {
      Piece whole = line_pieces[i];
      for (++i; i < line_pieces.size() && line_pieces[i].from <= whole.to + kTouching; ++i) {
        whole.to = std::max(whole.to, line_pieces[i].to);
      }
      line({whole.from, sum - whole.from}, {whole.to, sum - whole.to}, colour, width);
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

// What the painters of all kinds share: a QPainter with the style's type and colours, and geometry that is
// clipped before it is painted (Qt's SVG ignores clipping).
#pragma once

#include <QPainter>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <cstdint>
#include <span>
#include <vector>

#include "app/figures/style.h"
#include "app/figures/text.h"

namespace mog::figures {

enum class Across : std::uint8_t { left, centre, right };  // where a text's point lies on it

// Space between unlike things; the 4-point grid.
inline constexpr double kGap = 4;

class PdfTexts;
class SvgTexts;

struct PenOptions {
  bool text_as_paths = false;
  SvgTexts* svg_texts = nullptr;  // of an SVG file
  PdfTexts* pdf_texts = nullptr;  // of a PDF file
};

class Pen {
 public:
  Pen(QPainter& painter, const Style& style, PenOptions options = {});
  QPainter& painter() noexcept { return painter_; }
  const Style& style() const noexcept { return style_; }
  Theme theme() const noexcept { return style_.theme; }
  bool raster() const noexcept { return raster_; }  // pixels, not shapes
  // What of the figure lies on the picture: of a zoomed one a small part. Everything but on an image or
  // pixmap.
  const QRectF& visible() const noexcept { return visible_; }
  void see(const QRectF& part) { visible_ = part; }

  // `at` lies on the baseline.
  void text(QPointF at, const QString& text, const TypeFace& face, const QColor& colour,
            Across across = Across::left);
  // Turned to the left around `at`; `across` is along the text's own direction.
  void turned_text(QPointF at, const QString& text, const TypeFace& face, const QColor& colour,
                   Across across = Across::left, double degrees = 90);
  void line(QPointF from, QPointF to, const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine);
  void fill(const QRectF& rect, const QColor& colour);
  void frame(const QRectF& rect, const QColor& colour, double width);
  void disc(QPointF centre, double radius, const QColor& colour);
  // Diagonal lines that say "absent", over rectangles that do not overlap. They run on from one to the next
  // that touches it, so that strips narrower than the space between two lines are hatched, too.
  void hatch(std::span<const QRectF> areas);
  void hatch(const QRectF& area) { hatch(std::span(&area, 1)); }
  // Bars of one colour are told apart by stripes: none, to the right upwards (dashed), level (dotted).
  void striped(const QRectF& rect, const QColor& colour, analysis::Dash dash);
  void path(const QPainterPath& path, const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine);
  void filled_path(const QPainterPath& path, const QColor& colour);
  // An arrowhead whose tip is at `tip`, pointing along `direction` (any length).
  void arrowhead(QPointF tip, QPointF direction, double length, const QColor& colour);

 private:
  // Lines x + y = number * spacing over rectangles that do not overlap.
  void diagonals(std::span<const QRectF> areas, double spacing, const QColor& colour, double width);
  // False where no letter of the text, of any length around `at`, can be seen.
  bool can_be_seen(QPointF at, const QString& text, const TypeFace& face) const;
  void draw_across(QPointF at, const QString& text, const TypeFace& face, const QColor& colour,
                   Across across);
  void draw(QPointF at, const QString& text, const TypeFace& face, const QColor& colour);
  void draw_letters(QPointF at, const QString& text, const TypeFace& face, const QColor& colour);
  QPainter& painter_;
  const Style& style_;
  PenOptions options_;
  bool raster_ = false;
  bool pdf_ = false;
  QRectF visible_{-1e9, -1e9, 2e9, 2e9};
};

// The runs of a polyline that lie inside `rect`.
std::vector<QPolygonF> clipped_line(const QPolygonF& line, const QRectF& rect);
// A polygon cut to `rect`.
QPolygonF clipped_polygon(const QPolygonF& polygon, const QRectF& rect);

Qt::PenStyle pen_style(analysis::Dash dash);

}  // namespace mog::figures

// Keys of colours, dashes and markers in rows.
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <cstdint>
#include <vector>

#include "app/figures/pen.h"

namespace mog::figures {

struct LegendEntry {
  enum class Mark : std::uint8_t { line, box, point, none };
  QString label;
  QColor colour;
  analysis::Dash dash = analysis::Dash::solid;
  Mark mark = Mark::line;
  std::int64_t marker = -1;  // shape on a line, or of a point; -1: none
  bool hollow = false;       // the marker, or the box
};

// Rows of entries after an optional title; wraps at `width`.
double legend_height(const QString& title, const std::vector<LegendEntry>& entries, const Style& style,
                     double width);
void draw_legend(Pen& pen, const QString& title, const std::vector<LegendEntry>& entries, const QRectF& area);
std::vector<LegendEntry> series_legend(const analysis::LinePlot& plot, const Style& style);
// The parts that occur, in the order high, middle1, middle2, low, full.
std::vector<LegendEntry> part_legend(const std::vector<Part>& parts, Theme theme);

// Shapes that draw_marker tells apart.
inline constexpr std::int64_t kMarkers = 8;
// The shape of a series: of ordered things (length bins, layers) by their place, so that a bin keeps its
// shape where another is left out.
std::int64_t marker_of(const analysis::LineSeries& series, std::size_t index);
// Shapes by number: disc, square, triangle, diamond, triangle downwards, cross, plus, hexagon; filled, or an
// outline around the background's colour.
void draw_marker(Pen& pen, QPointF centre, std::int64_t shape, double size, const QColor& colour,
                 bool hollow = false);
// Marks that are told apart, by shape or by being hollow, are greater.
double marker_size(const analysis::LinePlot& plot, const Style& style);

}  // namespace mog::figures

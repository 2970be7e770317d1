// The one painter: what it draws on the screen is what it writes into SVG, PDF and PNG.
//
// Coordinates are points from the upper left corner; the layout depends on the figure, the style and the
// size only, never on the device. Nothing is painted outside `size`. Functions here need a QGuiApplication
// (fonts) and are called from its thread.
#pragma once

#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/style.h"

namespace mog::figures {

// What is lit. Indices from 0 into the figure's rows, columns, words …; empty: nothing. In a panel figure it
// applies to panel `panel`, or to all where that is empty.
struct Highlight {
  std::optional<std::int64_t> panel;
  std::optional<std::int64_t> row;     // heat map; flow: a row of states
  std::optional<std::int64_t> column;  // heat map; category or nearest x of a line plot
  std::optional<std::int64_t>
      word;  // word of a tree, an arc figure or a flow; also lit as row and column label
  std::optional<std::int64_t> node;    // tree, graph, flow (states row by row)
  std::optional<std::int64_t> arc;     // arc figure; edge of a graph, of a flow
  std::optional<std::int64_t> series;  // line plot
  bool all_keys = false;               // heat map with arcs: those of the row to every key, not the strongest
  // A join of a tree that is selected: it keeps its mark while others are lit.
  std::optional<std::int64_t> chosen = {};
  bool empty() const { return !row && !column && !word && !node && !arc && !series && !chosen; }
};

// What lies under a point.
struct Hit {
  enum class Kind : std::uint8_t {
    cell,          // heat map: row, column
    row_label,     // heat map: row
    column_label,  // heat map: column; line plot: a bin under the axis (column)
    point,         // line plot: series, column = index of the point in its series
    bin,           // line plot with categories: column, anywhere in the bin's strip
    word,          // tree, arcs: word
    node,          // tree, graph: node; flow: a state (row, word)
    arc,           // arcs: arc; graph, flow: edge
    panel,         // panel figure: inside a panel, on nothing of it
  };
  Kind kind = Kind::cell;
  std::int64_t panel = -1;  // -1: not in a panel figure
  std::int64_t row = -1;
  std::int64_t column = -1;
  std::int64_t series = -1;
  std::int64_t word = -1;
  std::int64_t node = -1;
  std::int64_t arc = -1;
  QRectF area;      // in the figure's points: where to draw a marker or repaint
  QString readout;  // value and names in words, for a read-out that can be copied

  Highlight highlight() const;
};

// A word of a sentence that stands above the figure, at the upper edge of what is seen of it.
struct Leader {
  std::int64_t word = 0;
  double x = 0;  // in the figure's points
};

// A number beside something of a tree that a text about it refers to.
struct NoteMark {
  enum class Of : std::uint8_t { word, node, carried };  // carried: what stands above the last join
  std::int64_t number = 1;
  Of of = Of::word;
  std::int64_t index = 0;  // of the word or the node
};

// Of a matrix as it is laid out: its cells, and how far its labels reach beside them; 0: none on that side.
struct MapFrame {
  QRectF cells;
  double left = 0;
  double above = 0;
  double below = 0;
  QRectF scale;              // of the colours; empty: none
  bool scale_below = false;  // the cells; else at their right
};

class Body;

// A figure laid out once, for views that draw it, light it and ask what lies under the pointer many times:
// the functions below lay it out for every call.
class LaidOut {
 public:
  LaidOut(std::shared_ptr<const analysis::FigureData> figure, const Style& style, QSizeF size);
  ~LaidOut();
  LaidOut(const LaidOut&) = delete;
  LaidOut& operator=(const LaidOut&) = delete;
  // Of this figure, style and size?
  bool of(const analysis::FigureData* figure, const Style& style, QSizeF size) const;
  void paint(QPainter& painter) const;
  // `seen`: what of the figure the view shows, where that is a part of it.
  void paint_highlight(QPainter& painter, const Highlight& highlight, const QRectF& seen = {}) const;
  std::optional<Hit> hit_test(QPointF point, const QRectF& seen = {}) const;
  // Lines from words above the figure to their columns; trees have them.
  void paint_leaders(QPainter& painter, const std::vector<Leader>& leaders) const;
  // Numbers beside what is told; trees have them.
  void paint_marks(QPainter& painter, const std::vector<NoteMark>& marks) const;
  // The scale of a map alone, in another place than its own.
  void paint_scale(QPainter& painter, const QRectF& area) const;
  // The height of what stands at the lower edge of what is seen, and is not to be covered.
  double foot(const QRectF& seen) const;
  // The upper left corner of what a view of this size shows at first.
  QPointF opening(QSizeF view) const;
  std::optional<MapFrame> map_frame() const;  // nullopt: no matrix, or no room for it

 private:
  std::shared_ptr<const analysis::FigureData> figure_;
  Style style_;
  QSizeF size_;
  std::unique_ptr<Body> body_;  // nullptr: there is no room
};

// Draws the whole figure, background included, into [0, size].
void paint(QPainter& painter, const analysis::FigureData& figure, const Style& style, QSizeF size,
           const Highlight& highlight = {});

// Draws only the marks of `highlight` over a figure that was painted without one (into the same size), so
// that a view may keep the base picture: paint() with a highlight = paint() without + this.
void paint_highlight(QPainter& painter, const analysis::FigureData& figure, const Style& style, QSizeF size,
                     const Highlight& highlight);

// The size that shows everything well: the preset's width and the height of the content. For
// Paper::screen the width is what the content asks for.
QSizeF preferred_size(const analysis::FigureData& figure, const Style& style);
// The same for a given width, in points.
QSizeF preferred_size(const analysis::FigureData& figure, const Style& style, double width);

// The height below which words and lines would run into each other: a view that is lower shows a part.
double least_height(const analysis::FigureData& figure, const Style& style, double width);
// The same of the width; 0 for figures that adapt to any.
double least_width(const analysis::FigureData& figure, const Style& style);

// The size at which the cells of a matrix with square cells have this side and every row and column its
// label; empty for other figures.
QSizeF size_with_cells(const analysis::FigureData& figure, const Style& style, double side);

// What the figure says it has no room for at this size ("12 of 60 are not labelled …"); empty: nothing.
QStringList notes(const analysis::FigureData& figure, const Style& style, QSizeF size);

// What a click or the pointer at `point` means; empty on nothing. Constant time in heat maps.
std::optional<Hit> hit_test(const analysis::FigureData& figure, const Style& style, QSizeF size,
                            QPointF point);

}  // namespace mog::figures

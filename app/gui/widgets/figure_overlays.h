// What stands over a picture, or in its place: where more of it is, what to do next, that it is being made,
// that it has the focus. Painted with the font and the palette of the view.
#pragma once

#include <QImage>
#include <QPointF>
#include <QSizeF>
#include <QString>

#include "app/figures/painter.h"

class QPainter;
class QWidget;

namespace mog::gui {

// The size of a matrix in cells of this side, where it has to be scrolled in this view: cells that are just a
// little smaller are better seen whole. Empty: it fits.
QSizeF size_to_scroll(const analysis::FigureData& figure, const figures::Style& style, double least_cell,
                      QSizeF view);

// Which part of a figure of size `whole` this is: a thin bar at the right and at the bottom where there is
// more.
void paint_bars(QPainter& painter, const QWidget& view, QSizeF whole, QPointF offset);
// The whole figure, small; and where it is shown: in the lower right corner, with a frame around what is
// seen.
QImage overview_of(const figures::LaidOut& figure, QSizeF whole, double ratio);
QImage overview_of(const analysis::HeatMap& map, const figures::Style& style, QSizeF view, double ratio);
// Where it stands: so far above the lower edge of the view, and from its right edge.
QRectF overview_box(const QWidget& view, const QImage& overview, double above, double beside);
// `seen`: of it, what the view shows.
void paint_overview(QPainter& painter, const QWidget& view, const QImage& overview, const QRectF& box,
                    const QRectF& seen);
// A title and a hint in the middle, and below them room of this height.
struct HintPlace {
  QRect title;
  QRect hint;
  int bottom = 0;
};
HintPlace hint_place(const QWidget& view, const QString& title, const QString& hint, int room_below);
void paint_hint(QPainter& painter, const QWidget& view, const QString& title, const QString& hint,
                const HintPlace& at);
// In a box above the picture, or in the middle where there is none.
void paint_busy(QPainter& painter, const QWidget& view, const QString& text, bool over_picture);
// Around the view.
void paint_focus_ring(QPainter& painter, const QWidget& view);

}  // namespace mog::gui

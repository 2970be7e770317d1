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

// Which part of a figure of size `whole` this is: a thin bar at the right and at the bottom where there is
// more.
void paint_bars(QPainter& painter, const QWidget& view, QSizeF whole, QPointF offset);
// The whole figure, small; and where it is shown: in the lower right corner, `foot` above the edge, with a
// frame around what is seen.
QImage overview_of(const figures::LaidOut& figure, QSizeF whole, double ratio);
void paint_overview(QPainter& painter, const QWidget& view, const QImage& overview, QSizeF whole,
                    QPointF offset, double foot);
// A title and a hint in the middle.
void paint_hint(QPainter& painter, const QWidget& view, const QString& title, const QString& hint);
// In a box above the picture, or in the middle where there is none.
void paint_busy(QPainter& painter, const QWidget& view, const QString& text, bool over_picture);
// Around the view.
void paint_focus_ring(QPainter& painter, const QWidget& view);

}  // namespace mog::gui

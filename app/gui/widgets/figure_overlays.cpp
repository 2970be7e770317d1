#include "app/gui/widgets/figure_overlays.h"

#include <QPainter>
#include <QWidget>
#include <algorithm>

#include "app/gui/widgets/paint_thread.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {

void paint_bars(QPainter& painter, const QWidget& view, QSizeF whole, QPointF offset) {
  constexpr double kThick = 4;
  QColor colour = quiet_text(view.palette());
  colour.setAlphaF(0.55F);
  const auto bar = [&](const QRectF& rect) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(rect, kThick / 2, kThick / 2);
  };
  const double share_y = view.height() / whole.height();
  if (share_y < 0.999) {
    bar({view.width() - kThick - 1, offset.y() * share_y, kThick, view.height() * share_y});
  }
  const double share_x = view.width() / whole.width();
  if (share_x < 0.999) {
    bar({offset.x() * share_x, view.height() - kThick - 1, view.width() * share_x, kThick});
  }
}

QImage overview_of(const figures::LaidOut& figure, QSizeF whole, double ratio) {
  constexpr double kWide = 160;
  constexpr double kHigh = 64;
  const double scale = std::min(kWide / whole.width(), kHigh / whole.height());
  QImage image((whole * scale * ratio).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  on_paint_thread([&] {
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.scale(scale, scale);
    figure.paint(painter);
  });
  return image;
}

void paint_overview(QPainter& painter, const QWidget& view, const QImage& overview, QSizeF whole,
                    QPointF offset, double foot) {
  constexpr double kAway = 10;
  const QSizeF size = overview.deviceIndependentSize();
  const QRectF box(view.width() - size.width() - kAway,
                   std::max(0.0, view.height() - foot - size.height() - kAway), size.width(), size.height());
  painter.drawImage(box.topLeft(), overview);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(view.palette().color(QPalette::Mid));
  painter.drawRect(box);
  const double scale = size.width() / whole.width();
  const QRectF seen(box.topLeft() + offset * scale, QSizeF(view.size()) * scale);
  painter.setPen(QPen(view.palette().color(QPalette::Highlight), 1.5));
  painter.drawRect(seen.intersected(box));
}

void paint_hint(QPainter& painter, const QWidget& view, const QString& title, const QString& hint) {
  QFont bold = view.font();
  bold.setBold(true);
  const QRect room = view.rect().adjusted(16, 8, -16, -8);
  const int flags = Qt::AlignHCenter | Qt::TextWordWrap;
  const QRect title_box = QFontMetrics(bold).boundingRect(room, flags, title);
  const QRect hint_box = view.fontMetrics().boundingRect(room, flags, hint);
  const int top = room.top() + std::max(0, (room.height() - title_box.height() - hint_box.height() - 8) / 2);
  painter.setFont(bold);
  painter.setPen(view.palette().color(QPalette::WindowText));
  painter.drawText(QRect(room.left(), top, room.width(), title_box.height()), flags, title);
  painter.setFont(view.font());
  painter.setPen(quiet_text(view.palette()));
  painter.drawText(QRect(room.left(), top + title_box.height() + 8, room.width(), hint_box.height()), flags,
                   hint);
}

void paint_busy(QPainter& painter, const QWidget& view, const QString& text, bool over_picture) {
  const QRect words = view.fontMetrics().boundingRect(text).adjusted(-10, -5, 10, 5);
  QRect box(0, 0, words.width(), words.height());
  box.moveCenter({view.width() / 2, over_picture ? box.height() : view.height() / 2});
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(view.palette().color(QPalette::Mid));
  painter.setBrush(view.palette().color(QPalette::Window));
  painter.drawRoundedRect(box, 4, 4);
  painter.setPen(view.palette().color(QPalette::WindowText));
  painter.drawText(box, Qt::AlignCenter, text);
}

void paint_focus_ring(QPainter& painter, const QWidget& view) {
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(view.palette().color(QPalette::Highlight), 2));
  painter.drawRect(view.rect().adjusted(1, 1, -1, -1));
}

}  // namespace mog::gui

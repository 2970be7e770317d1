#include "app/gui/widgets/figure_overlays.h"

#include <QPainter>
#include <QWidget>
#include <algorithm>
#include <array>

#include "app/gui/widgets/paint_thread.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/widgets/thumbnails.h"

namespace mog::gui {

QSizeF size_to_scroll(const analysis::FigureData& figure, const figures::Style& style, double least_cell,
                      QSizeF view) {
  // The smaller cells may ask for more height, where a note says which labels have no room.
  constexpr std::array kReadable = {1.0, 0.75, 0.7};
  const auto fits = [&](double share) {
    const QSizeF size = figures::size_with_cells(figure, style, share * least_cell);
    return size.width() <= view.width() && size.height() <= view.height();
  };
  return least_cell <= 0 || std::any_of(kReadable.begin(), kReadable.end(), fits)
             ? QSizeF()
             : figures::size_with_cells(figure, style, least_cell);
}

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
  constexpr double kLow = 32;  // a long sentence's graph is stretched to it: its joins are still told apart
  const double scale = std::min(kWide / whole.width(), kHigh / whole.height());
  const double down = std::max(scale, std::min(kLow, whole.height()) / whole.height());
  const QSizeF size(whole.width() * scale, whole.height() * down);
  QImage image((size * ratio).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  on_paint_thread([&] {
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.scale(scale, down);
    figure.paint(painter);
  });
  return image;
}

QImage overview_of(const analysis::HeatMap& map, const figures::Style& style, QSizeF view, double ratio) {
  constexpr double kShare = 0.28;  // of the view
  const double side = std::clamp(kShare * std::min(view.width(), view.height()), 56.0, 112.0);
  const double shape = static_cast<double>(map.columns.size()) / static_cast<double>(map.rows.size());
  const QSizeF size = shape > 1 ? QSizeF(side, side / shape) : QSizeF(side * shape, side);
  QImage image((size * ratio).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  on_paint_thread([&] {
    QPainter painter(&image);
    paint_thumbnail(painter, map, style, QRectF(QPointF(0, 0), image.deviceIndependentSize()), ratio);
  });
  return image;
}

QRectF overview_box(const QWidget& view, const QImage& overview, double above, double beside) {
  constexpr double kAway = 10;
  const QSizeF size = overview.deviceIndependentSize();
  return {view.width() - size.width() - kAway - beside,
          std::max(0.0, view.height() - size.height() - kAway - above), size.width(), size.height()};
}

void paint_overview(QPainter& painter, const QWidget& view, const QImage& overview, const QRectF& box,
                    const QRectF& seen) {
  painter.drawImage(box.topLeft(), overview);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(view.palette().color(QPalette::Mid));
  painter.drawRect(box);
  painter.setPen(QPen(view.palette().color(QPalette::Highlight), 1.5));
  painter.drawRect(seen.intersected(box));
}

HintPlace hint_place(const QWidget& view, const QString& title, const QString& hint, int room_below) {
  constexpr int kApart = 8;
  constexpr int kFlags = Qt::AlignHCenter | Qt::TextWordWrap;
  QFont bold = view.font();
  bold.setBold(true);
  const QRect room = view.rect().adjusted(16, 8, -16, -8);
  const int title_height = QFontMetrics(bold).boundingRect(room, kFlags, title).height();
  const int hint_height = view.fontMetrics().boundingRect(room, kFlags, hint).height();
  const int high = title_height + hint_height + kApart + (room_below > 0 ? room_below + kApart : 0);
  const int top = room.top() + std::max(0, (room.height() - high) / 2);
  const QRect below(room.left(), top + title_height + kApart, room.width(), hint_height);
  return {QRect(room.left(), top, room.width(), title_height), below, below.bottom() + 1 + kApart};
}

void paint_hint(QPainter& painter, const QWidget& view, const QString& title, const QString& hint,
                const HintPlace& at) {
  QFont bold = view.font();
  bold.setBold(true);
  const int flags = Qt::AlignHCenter | Qt::TextWordWrap;
  painter.setFont(bold);
  painter.setPen(view.palette().color(QPalette::WindowText));
  painter.drawText(at.title, flags, title);
  painter.setFont(view.font());
  painter.setPen(quiet_text(view.palette()));
  painter.drawText(at.hint, flags, hint);
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

#include "app/gui/widgets/bar_button.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionToolButton>

#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {
constexpr int kHeight = 28;
constexpr int kPadding = 10;
constexpr int kGap = 6;
constexpr int kIcon = 16;
constexpr int kArrow = 14;  // room of the mark of a menu
}  // namespace

BarButton::BarButton(Look look, QWidget* parent) : QToolButton(parent), look_(look) {
  setAutoRaise(true);
  setFocusPolicy(Qt::TabFocus);
  setIconSize(QSize(kIcon, kIcon));
}

QSize BarButton::sizeHint() const {
  const bool words = toolButtonStyle() != Qt::ToolButtonIconOnly && !text().isEmpty();
  const bool picture = toolButtonStyle() != Qt::ToolButtonTextOnly && !icon().isNull();
  int width = 2 * kPadding;
  width += words ? fontMetrics().horizontalAdvance(text()) : 0;
  width += picture ? kIcon : 0;
  width += words && picture ? kGap : 0;
  width += menu() != nullptr ? kArrow : 0;
  return {width, std::max(kHeight, fontMetrics().height() + 10)};
}

void BarButton::paintEvent(QPaintEvent* /*event*/) {
  QStyleOptionToolButton option;
  initStyleOption(&option);
  const Roles roles = roles_of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF area = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  const double radius = look_ == Look::pill ? area.height() / 2 : 6;
  const bool over = option.state.testFlag(QStyle::State_MouseOver) && isEnabled();
  const bool chosen = isChecked();
  const QColor ground = chosen                ? roles.tint
                        : over || isDown()    ? roles.hover
                        : look_ == Look::flat ? QColor(Qt::transparent)
                                              : roles.window;
  const bool focus = hasFocus();
  const bool edge = look_ != Look::flat || (chosen && is_high_contrast(palette()));
  painter.setPen(focus ? QPen(roles.accent, 2) : edge ? QPen(roles.border, 1) : QPen(Qt::NoPen));
  painter.setBrush(ground);
  painter.drawRoundedRect(focus ? area.adjusted(0.5, 0.5, -0.5, -0.5) : area, radius, radius);
  int left = kPadding;
  if (toolButtonStyle() != Qt::ToolButtonTextOnly && !icon().isNull()) {
    const QIcon::Mode mode = !isEnabled() ? QIcon::Disabled : chosen ? QIcon::Selected : QIcon::Normal;
    icon().paint(&painter, QRect(left, (height() - kIcon) / 2, kIcon, kIcon), Qt::AlignCenter, mode,
                 chosen ? QIcon::On : QIcon::Off);
    left += kIcon + kGap;
  }
  if (toolButtonStyle() != Qt::ToolButtonIconOnly) {
    painter.setPen(!isEnabled() ? roles.faint : chosen ? roles.accent : roles.ink);
    painter.drawText(QRect(left, 0, width() - left, height()), Qt::AlignLeft | Qt::AlignVCenter, text());
  }
  if (menu() != nullptr) {
    const double middle = height() / 2.0;
    const double right = width() - kPadding;
    QPainterPath mark(QPointF(right - 8, middle - 2));
    mark.lineTo(right - 4, middle + 2);
    mark.lineTo(right, middle - 2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(roles.secondary, 1.5));
    painter.drawPath(mark);
  }
}

}  // namespace mog::gui

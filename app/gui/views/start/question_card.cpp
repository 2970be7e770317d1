#include "app/gui/views/start/question_card.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {
constexpr int kIconBox = 40;
constexpr int kMargin = 20;
constexpr int kKeyRoom = 56;
constexpr int kLeastHeight = 88;
}  // namespace

QuestionCard::QuestionCard(Icon icon, const QString& key, QWidget* parent)
    : QAbstractButton(parent), icon_(icon), key_(key) {
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void QuestionCard::setQuestion(const QString& title, const QString& detail) {
  setText(title);
  detail_ = detail;
  setAccessibleName(title);
  setAccessibleDescription(detail);
  updateGeometry();
  update();
}

void QuestionCard::setNumber(int number) {
  number_ = number;
  update();
}

void QuestionCard::setFirst(bool first) {
  first_ = first;
  update();
}

QFont QuestionCard::titleFont() const {
  QFont type = font();
  type.setPixelSize(18);
  type.setWeight(QFont::DemiBold);
  return type;
}

QFont QuestionCard::detailFont() const {
  QFont type = font();
  type.setPixelSize(13);
  return type;
}

int QuestionCard::textWidth(int width) const {
  return std::max(80, width - 3 * kMargin - kIconBox - kKeyRoom);
}

int QuestionCard::heightForWidth(int width) const {
  const QRect room(0, 0, textWidth(width), 10000);
  const int title = QFontMetrics(titleFont()).boundingRect(room, Qt::TextWordWrap, text()).height();
  const int detail = QFontMetrics(detailFont()).boundingRect(room, Qt::TextWordWrap, detail_).height();
  return std::max(kLeastHeight, title + 4 + detail + 2 * kMargin);
}

QSize QuestionCard::sizeHint() const {
  return {560, heightForWidth(560)};
}

QSize QuestionCard::minimumSizeHint() const {
  return {280, kLeastHeight};
}

void QuestionCard::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  // While another question has the focus, Enter chooses that one.
  const bool others = qobject_cast<const QuestionCard*>(window()->focusWidget()) != nullptr;
  const bool marked = isEnabled() && (hasFocus() || (first_ && !others));
  const double line = hasFocus() || (marked && is_high_contrast(palette())) ? 2 : 1.3;
  painter.setPen(QPen(marked ? roles.accent : roles.border, line));
  painter.setBrush(marked && !is_high_contrast(palette()) ? roles.tint
                   : underMouse() && isEnabled()          ? roles.hover
                                                          : roles.surface);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 12, 12);
  const QRectF box(kMargin, (height() - kIconBox) / 2.0, kIconBox, kIconBox);
  painter.setPen(Qt::NoPen);
  painter.setBrush(marked ? roles.surface : roles.window);
  painter.drawRoundedRect(box, 8, 8);
  const QColor grey = palette().color(QPalette::Disabled, QPalette::WindowText);
  painter.drawPixmap(QPointF(box.center().x() - 10, box.center().y() - 10),
                     icon_picture(icon_, isEnabled() ? roles.accent : grey, 20, devicePixelRatioF()));
  if (number_ > 0) {
    const QRectF disc(box.left() - 7, box.top() - 7, 18, 18);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isEnabled() ? roles.ink : grey);
    painter.drawEllipse(disc);
    QFont bold = font();
    bold.setPixelSize(11);
    bold.setWeight(QFont::Bold);
    painter.setFont(bold);
    painter.setPen(roles.surface);
    painter.drawText(disc, Qt::AlignCenter, QString::number(number_));
  }
  const int wide = textWidth(width());
  const int left = 2 * kMargin + kIconBox;
  const QRect all(0, 0, wide, 10000);
  const int title = QFontMetrics(titleFont()).boundingRect(all, Qt::TextWordWrap, text()).height();
  const int below = QFontMetrics(detailFont()).boundingRect(all, Qt::TextWordWrap, detail_).height();
  const int top = (height() - title - 4 - below) / 2;
  painter.setFont(titleFont());
  painter.setPen(isEnabled() ? roles.ink : grey);
  painter.drawText(QRect(left, top, wide, title), Qt::TextWordWrap, text());
  painter.setFont(detailFont());
  painter.setPen(roles.secondary);
  painter.drawText(QRect(left, top + title + 4, wide, below + 2), Qt::TextWordWrap, detail_);
  QFont small = font();
  small.setPixelSize(12);
  painter.setFont(small);
  const double key = std::max(24, QFontMetrics(small).horizontalAdvance(key_) + 14);
  const QRectF badge(width() - kMargin - key, height() / 2.0 - 13, key, 26);
  painter.setPen(roles.border);
  painter.setBrush(roles.surface);
  painter.drawRoundedRect(badge, 6, 6);
  painter.setPen(isEnabled() ? roles.secondary : grey);
  painter.drawText(badge, Qt::AlignCenter, key_);
}

void QuestionCard::focusInEvent(QFocusEvent* event) {
  QAbstractButton::focusInEvent(event);
  parentWidget()->update();
}

void QuestionCard::focusOutEvent(QFocusEvent* event) {
  QAbstractButton::focusOutEvent(event);
  parentWidget()->update();
}

void QuestionCard::enterEvent(QEnterEvent* event) {
  QAbstractButton::enterEvent(event);
  update();
}

void QuestionCard::leaveEvent(QEvent* event) {
  QAbstractButton::leaveEvent(event);
  update();
}

}  // namespace mog::gui

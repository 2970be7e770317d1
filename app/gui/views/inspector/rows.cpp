#include "app/gui/views/inspector/rows.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr int kBarHeight = 6;
constexpr int kGap = 8;
constexpr int kNarrow = 280;

// Of numbers that went down and up, in the colours of the difference maps.
QColor down_colour(const QPalette& palette) {
  return is_high_contrast(palette) ? QColor(0x66, 0xb3, 0xff)
         : is_dark(palette)        ? QColor(0x7a, 0xa5, 0xff)
                                   : QColor(0x1d, 0x4e, 0xd8);
}
QColor up_colour(const QPalette& palette) {
  return is_high_contrast(palette) ? QColor(0xff, 0xa0, 0x40)
         : is_dark(palette)        ? QColor(0xf2, 0x89, 0x3b)
                                   : QColor(0xc2, 0x41, 0x0c);
}

QFont strong(QFont font, bool on) {
  font.setWeight(on ? QFont::DemiBold : font.weight());
  return font;
}

}  // namespace

Rows::Rows(Kind kind, const QString& accessible_name, QWidget* parent)
    : QWidget(parent), kind_(kind), before_(tr("before")), after_(tr("after")) {
  setAccessibleName(accessible_name);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Rows::setRows(std::vector<ValueRow> rows) {
  rows_ = std::move(rows);
  greatest_ = 0;
  for (const ValueRow& row : rows_) {
    greatest_ = std::max(greatest_, row.quiet ? 0 : std::abs(row.value));
  }
  const auto chosen =
      std::find_if(rows_.begin(), rows_.end(), [](const ValueRow& row) { return row.strong; });
  current_ = chosen == rows_.end() ? 0 : static_cast<int>(chosen - rows_.begin());
  hovered_ = -1;
  QStringList all;
  for (int row = 0; row < static_cast<int>(std::min<std::size_t>(rows_.size(), 12)); ++row) {
    all.push_back(spoken(row));
  }
  setAccessibleDescription(all.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

void Rows::setSides(const QString& before, const QString& after) {
  before_ = before;
  after_ = after;
  update();
}

void Rows::setChoosable(bool choosable) {
  choosable_ = choosable;
  setFocusPolicy(choosable ? Qt::TabFocus : Qt::NoFocus);
  setMouseTracking(choosable);
}

QFont Rows::smallFont() const {
  QFont font = this->font();
  font.setPixelSize(std::max(11, QFontInfo(font).pixelSize() - 1));
  return font;
}

bool Rows::noted() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const ValueRow& row) { return !row.note.isEmpty(); });
}

int Rows::rowHeight() const {
  const QFontMetrics small(smallFont());
  if (kind_ == Kind::changes) {
    return std::max(36, fontMetrics().height() + small.height() + 8);
  }
  return noted() ? std::max(36, 2 * small.height() + 6) : std::max(20, small.height() + 4);
}

int Rows::headHeight() const {
  return kind_ == Kind::bars ? 0 : std::max(22, QFontMetrics(smallFont()).height() + 6);
}

// Of a number before, after, and their difference.
int Rows::columnWidth() const {
  int width = 0;
  for (const ValueRow& row : rows_) {
    for (const QString& text : {row.before, row.after, row.text}) {
      width = std::max(width, QFontMetrics(strong(font(), true)).horizontalAdvance(text));
    }
  }
  return std::max(width, QFontMetrics(smallFont()).horizontalAdvance(before_)) + 10;
}

// In a narrow column the names need the room of what was before, which stands in the tool tip.
int Rows::numbers() const {
  return width() < kNarrow ? 2 : 3;
}

QSize Rows::sizeHint() const {
  return {260, headHeight() + rowHeight() * static_cast<int>(rows_.size())};
}
QSize Rows::minimumSizeHint() const {
  return {160, sizeHint().height()};
}

QRect Rows::rectOf(int row) const {
  return {0, headHeight() + row * rowHeight(), width(), rowHeight()};
}

int Rows::rowAt(const QPointF& place) const {
  const int row = static_cast<int>(std::floor((place.y() - headHeight()) / rowHeight()));
  return place.y() < headHeight() || row >= static_cast<int>(rows_.size()) ? -1 : row;
}

QString Rows::spoken(int row) const {
  const ValueRow& one = rows_.at(static_cast<std::size_t>(row));
  if (!one.spoken.isEmpty()) {
    return one.spoken;
  }
  const QString text = one.label + QStringLiteral(": ") + one.text;
  return one.note.isEmpty() ? text : text + QStringLiteral("; ") + one.note;
}

void Rows::setCurrent(int row) {
  current_ = std::clamp(row, 0, static_cast<int>(rows_.size()) - 1);
  setAccessibleDescription(spoken(current_));
  update();
}

bool Rows::event(QEvent* event) {
  // The window has these keys, too: while the rows have the focus they walk through them.
  if (event->type() == QEvent::ShortcutOverride && choosable_) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Return || key == Qt::Key_Enter) {
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::ToolTip && (kind_ == Kind::changes || noted())) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos());
    QToolTip::showText(help->globalPos(), row < 0 ? QString() : spoken(row), this);
    return true;
  }
  return QWidget::event(event);
}

void Rows::keyPressEvent(QKeyEvent* event) {
  if (rows_.empty() || !choosable_) {
    QWidget::keyPressEvent(event);
    return;
  }
  switch (event->key()) {
    case Qt::Key_Up:
      setCurrent(current_ - 1);
      break;
    case Qt::Key_Down:
      setCurrent(current_ + 1);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      Q_EMIT chosen(current_);
      break;
    default:
      QWidget::keyPressEvent(event);
  }
}

void Rows::focusInEvent(QFocusEvent* event) {
  if (!rows_.empty()) {
    setCurrent(current_);
  }
  QWidget::focusInEvent(event);
}
void Rows::focusOutEvent(QFocusEvent* event) {
  update();
  QWidget::focusOutEvent(event);
}

void Rows::mouseMoveEvent(QMouseEvent* event) {
  if (const int row = rowAt(event->position()); row != hovered_) {
    hovered_ = row;
    setCursor(row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
  }
}

void Rows::leaveEvent(QEvent* event) {
  hovered_ = -1;
  update();
  QWidget::leaveEvent(event);
}

void Rows::mouseReleaseEvent(QMouseEvent* event) {
  const int row = rowAt(event->position());
  if (choosable_ && row >= 0 && event->button() == Qt::LeftButton) {
    current_ = row;
    Q_EMIT chosen(row);
  }
}

void Rows::paintBar(QPainter& painter, const QRect& whole, const ValueRow& row) const {
  const Roles roles = roles_of(palette());
  QRect place = whole;
  if (noted()) {
    place.setHeight(QFontMetrics(smallFont()).height() + 4);
    painter.setFont(smallFont());
    painter.setPen(roles.secondary);
    const QRect below(whole.left() + 2, place.bottom(), whole.width() - 4, whole.bottom() - place.bottom());
    painter.drawText(below, Qt::AlignTop | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(row.note, Qt::ElideRight, below.width()));
  }
  painter.setFont(strong(smallFont(), row.strong));
  const QFontMetrics metrics = painter.fontMetrics();
  int label = 0;
  int number = 0;
  const QFontMetricsF wide(strong(smallFont(), true));
  for (const ValueRow& one : rows_) {  // rounded up: half a pixel too few cuts a label short
    label = std::max(label, static_cast<int>(std::ceil(wide.horizontalAdvance(one.label))));
    number = std::max(number, static_cast<int>(std::ceil(wide.horizontalAdvance(one.text))));
  }
  label = std::min(label + 2, place.width() * 9 / 20);
  painter.setPen(row.strong ? roles.ink : roles.secondary);
  painter.drawText(place.adjusted(2, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                   metrics.elidedText(row.label, Qt::ElideRight, label));
  painter.setPen(roles.ink);
  painter.drawText(place.adjusted(0, 0, -2, 0), Qt::AlignVCenter | Qt::AlignRight, row.text);
  const QRectF track(place.left() + label + kGap + 2, place.center().y() - kBarHeight / 2.0 + 1,
                     place.width() - label - number - 2 * kGap - 4, kBarHeight);
  if (track.width() < 8) {
    return;
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(roles.row);
  painter.drawRoundedRect(track, 2, 2);
  if (greatest_ > 0 && row.value > 0) {
    QRectF bar = track;
    bar.setWidth(std::max(1.0, track.width() * std::min(1.0, row.value / greatest_)));
    painter.setBrush(row.quiet  ? roles.faint
                     : row.part ? figures::part_colour(*row.part, figure_theme(palette()))
                                : roles.accent);
    painter.drawRoundedRect(bar, 2, 2);
  }
}

void Rows::paintChange(QPainter& painter, const QRect& place, const ValueRow& row) const {
  const Roles roles = roles_of(palette());
  const int column = columnWidth();
  const QRect name = place.adjusted(2, 3, -numbers() * column, -3);
  const QFontMetrics small(smallFont());
  painter.setFont(strong(font(), row.strong));
  painter.setPen(roles.ink);
  painter.drawText(name, Qt::AlignTop | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(row.label, Qt::ElideMiddle, name.width() - 4));
  painter.setFont(smallFont());
  painter.setPen(roles.secondary);
  painter.drawText(name, Qt::AlignBottom | Qt::AlignLeft,
                   small.elidedText(row.note, Qt::ElideRight, name.width() - 4));
  const auto number = [&](int from_right, const QString& text) {
    painter.drawText(
        QRect(place.right() - (from_right + 1) * column, place.top(), column - 2, place.height()),
        Qt::AlignVCenter | Qt::AlignRight, text);
  };
  painter.setFont(font());
  if (numbers() == 3) {
    number(2, row.before);
  }
  painter.setPen(roles.ink);
  number(1, row.after);
  painter.setFont(strong(font(), true));
  painter.setPen(row.value < 0 ? down_colour(palette()) : up_colour(palette()));
  number(0, row.text);
  painter.fillRect(QRect(place.left(), place.bottom(), place.width(), 1), roles.row);
}

void Rows::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  if (kind_ == Kind::changes && !rows_.empty()) {
    const int column = columnWidth();
    painter.setFont(smallFont());
    painter.setPen(roles.secondary);
    const QRect head(2, 0, width() - 4, headHeight() - 1);
    painter.drawText(head, Qt::AlignVCenter | Qt::AlignLeft, tr("what"));
    if (numbers() == 3) {
      painter.drawText(head.adjusted(0, 0, -2 * column, 0), Qt::AlignVCenter | Qt::AlignRight, before_);
    }
    painter.drawText(head.adjusted(0, 0, -column, 0), Qt::AlignVCenter | Qt::AlignRight, after_);
    painter.drawText(head, Qt::AlignVCenter | Qt::AlignRight, QStringLiteral("Δ"));
    painter.fillRect(QRect(0, headHeight() - 1, width(), 1), roles.border);
  }
  for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
    const QRect place = rectOf(row);
    if (!place.intersects(event->rect())) {
      continue;
    }
    if (choosable_ && row == hovered_) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(roles.hover);
      painter.drawRoundedRect(place, 4, 4);
    }
    const ValueRow& one = rows_[static_cast<std::size_t>(row)];
    kind_ == Kind::bars ? paintBar(painter, place, one) : paintChange(painter, place, one);
    if (hasFocus() && row == current_) {
      painter.setPen(QPen(palette().color(QPalette::Active, QPalette::Highlight), 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(QRectF(place).adjusted(1, 1, -1, -1), 4, 4);
    }
  }
}

// ---- gates --------------------------------------------------------------------------------------------

GateLine::GateLine(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Gate by layer"));
}

QSize GateLine::sizeHint() const {
  return {260, 84};
}

void GateLine::setGates(std::vector<double> gates, std::int64_t layer) {
  gates_ = std::move(gates);
  layer_ = layer;
  QStringList said;
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    if (std::isfinite(gates_[i])) {
      said.push_back(tr("layer %1: %2").arg(i + 1).arg(QLocale().toString(gates_[i], 'f', 2)));
    }
  }
  setAccessibleDescription(said.join(QStringLiteral("; ")));
  update();
}

double GateLine::columnWidth() const {
  return gates_.empty() ? width() : static_cast<double>(width()) / static_cast<double>(gates_.size());
}

void GateLine::mouseReleaseEvent(QMouseEvent* event) {
  const int layer = static_cast<int>(event->position().x() / columnWidth()) + 1;
  if (event->button() == Qt::LeftButton && layer >= 1 && layer <= static_cast<int>(gates_.size())) {
    Q_EMIT chosen(layer);
  }
}

void GateLine::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  QFont small = font();
  small.setPixelSize(11);
  painter.setFont(small);
  const QFontMetrics metrics(small);
  double low = 1;
  double high = 0;
  for (const double gate : gates_) {
    if (std::isfinite(gate)) {
      low = std::min(low, gate);
      high = std::max(high, gate);
    }
  }
  const double span = std::max(high - low, 0.02);
  const double top = metrics.height() + 6;
  const double bottom = height() - metrics.height() - 8;
  const auto place = [&](std::size_t i) {
    return QPointF((static_cast<double>(i) + 0.5) * columnWidth(),
                   bottom - (gates_[i] - low) / span * (bottom - top));
  };
  QPainterPath line;
  bool open = false;
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    if (!std::isfinite(gates_[i])) {
      open = false;
      continue;
    }
    open ? line.lineTo(place(i)) : line.moveTo(place(i));
    open = true;
  }
  painter.setPen(QPen(roles.secondary, 1.5));
  painter.drawPath(line);
  const bool room = columnWidth() >= metrics.horizontalAdvance(QStringLiteral("0.00")) + 2;
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    const bool here = static_cast<std::int64_t>(i) + 1 == layer_;
    const double x = (static_cast<double>(i) + 0.5) * columnWidth();
    painter.setPen(here ? roles.accent : roles.secondary);
    if (room || here || i % 4 == 0) {
      painter.drawText(QRectF(x - 20, bottom + 6, 40, metrics.height()), Qt::AlignCenter,
                       QString::number(i + 1));
    }
    if (!std::isfinite(gates_[i])) {
      continue;
    }
    painter.setBrush(here ? roles.accent : roles.secondary);
    painter.setPen(Qt::NoPen);
    painter.drawEllipse(place(i), here ? 4 : 2.5, here ? 4 : 2.5);
    if (room || here || gates_[i] == low || gates_[i] == high) {
      painter.setPen(here ? roles.accent : roles.ink);
      painter.drawText(QRectF(std::clamp(x - 14, 0.0, std::max(0.0, width() - 28.0)),
                              place(i).y() - metrics.height() - 5, 28, metrics.height()),
                       Qt::AlignCenter, QLocale().toString(gates_[i], 'f', 2));
    }
  }
}

}  // namespace mog::gui

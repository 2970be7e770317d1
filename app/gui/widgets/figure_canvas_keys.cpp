// A picture by keyboard, and for those who hear it: what the pointer does, keys do too.
//
// A figure only answers what lies at a point. So the keys move a point: straight on until something else lies
// under it, and where there is nothing straight on (trees, arcs), to the nearest thing within 45 degrees of
// the direction. That asks a few thousand points at most, once a key.
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {
namespace {

constexpr double kStraight = 2;  // pixels between two points
constexpr double kAside = 8;

bool same(const figures::Hit& a, const figures::Hit& b) {
  return a.kind == b.kind && a.panel == b.panel && a.row == b.row && a.column == b.column &&
         a.series == b.series && a.word == b.word && a.node == b.node && a.arc == b.arc;
}

std::optional<QPointF> direction_of(int key) {
  switch (key) {
    case Qt::Key_Left:
      return QPointF(-1, 0);
    case Qt::Key_Right:
      return QPointF(1, 0);
    case Qt::Key_Up:
      return QPointF(0, -1);
    case Qt::Key_Down:
      return QPointF(0, 1);
    default:
      return std::nullopt;
  }
}

}  // namespace

void FigureCanvas::keyPressEvent(QKeyEvent* event) {
  const QPointF middle(width() / 2.0, height() / 2.0);
  const auto direction = direction_of(event->key());
  if (direction && event->modifiers().testFlag(Qt::ShiftModifier)) {
    walk(*direction);
    return;
  }
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      setZoom(zoom_ * 1.25, middle);
      return;
    case Qt::Key_Minus:
      setZoom(zoom_ / 1.25, middle);
      return;
    case Qt::Key_Asterisk:
      fit();
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (const auto hit = walked_ ? hitAt(*walked_) : std::nullopt) {
        Q_EMIT clicked(*hit, event->modifiers());
        return;
      }
      break;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

std::optional<QPointF> FigureCanvas::nextPlace(QPointF direction) const {
  const QPointF aside(std::abs(direction.y()), std::abs(direction.x()));
  const double far = std::max(width(), height());
  const auto there = hitAt(*walked_);
  const auto other = [&](QPointF point) {
    const auto hit = rect().contains(point.toPoint()) ? hitAt(point) : std::nullopt;
    return hit && (!there || !same(*hit, *there));
  };
  for (double on = kStraight; on < far; on += kStraight) {
    if (other(*walked_ + direction * on)) {
      return *walked_ + direction * on;
    }
  }
  for (double on = kAside; on < far; on += kAside) {
    for (double by = kAside; by <= on; by += kAside) {
      for (const double side : {-by, by}) {
        const QPointF point = *walked_ + direction * on + aside * side;
        if (other(point)) {
          return point;
        }
      }
    }
  }
  return std::nullopt;
}

// From the pointer's last place, or the first thing of the figure in reading order.
void FigureCanvas::walk(QPointF direction) {
  if (!figure_) {
    return;
  }
  std::optional<QPointF> next;
  if (walked_) {
    next = nextPlace(direction);
  } else {
    for (double y = 1; y < height() && !next; y += 4) {
      for (double x = 1; x < width() && !next; x += 4) {
        if (hitAt({x, y})) {
          next = QPointF(x, y);
        }
      }
    }
  }
  const auto hit = next ? hitAt(*next) : std::nullopt;
  if (!hit) {
    return;
  }
  // Its middle, so that the next step is as long in every direction; an arc has none that lies on it.
  const QPointF middle = hit->area.center() - offset_;
  const auto at_middle =
      hit->area.isValid() && rect().contains(middle.toPoint()) ? hitAt(middle) : std::nullopt;
  walked_ = at_middle && same(*at_middle, *hit) ? middle : *next;
  walking_ = true;
  Q_EMIT hovered(hit);
  walking_ = false;
  said_ = hit->readout;
  updateAccessibleText();
}

void FigureCanvas::stopWalking() {
  if (walked_) {
    walked_.reset();
    said_.clear();
    updateAccessibleText();
  }
}

void FigureCanvas::paintFocus(QPainter& painter) const {
  if (ringed_ && hasFocus()) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
}

// Coming back from another window or a menu changes nothing.
void FigureCanvas::focusInEvent(QFocusEvent* event) {
  switch (event->reason()) {
    case Qt::ActiveWindowFocusReason:
    case Qt::PopupFocusReason:
    case Qt::MenuBarFocusReason:
      break;
    default:
      ringed_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                event->reason() == Qt::ShortcutFocusReason;
  }
  QWidget::focusInEvent(event);  // paints anew
}

// A screen reader says the description of what has the focus when it changes.
void FigureCanvas::updateAccessibleText() {
  QString text = empty_title_ + QStringLiteral(". ") + empty_hint_;
  if (figure_) {
    const QString title = QString::fromStdString(figure_->title);
    text = !said_.isEmpty() ? said_
           : !lit_.isEmpty()
               ? lit_ + QStringLiteral(". ") + title
               : (title + QLatin1Char(' ') + QString::fromStdString(figure_->caption)).trimmed();
  }
  if (text != accessibleDescription()) {
    setAccessibleDescription(text);
  }
}

}  // namespace mog::gui

// Pointer and keys over a picture: what lies under them, zoom, scrolling, the walk from thing to thing.
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {

void FigureCanvas::mouseMoveEvent(QMouseEvent* event) {
  pointed_ = event->position();
  if (looking_) {
    lookAt(*pointed_);
    return;
  }
  if (press_ && (event->buttons() & Qt::LeftButton) && overflows()) {
    const QPointF by = event->position() - *press_;
    if (dragging_ || by.manhattanLength() > 6) {
      dragging_ = true;
      setCursor(Qt::ClosedHandCursor);
      offset_ = drag_ - by;
      moved_ = true;
      clampOffset();
      drop();
      return;
    }
  }
  stopWalking();
  Q_EMIT hovered(hitAt(*pointed_));
}

void FigureCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && lookAt(event->position())) {
    looking_ = true;
  } else if (event->button() == Qt::LeftButton) {
    press_ = event->position();
    drag_ = offset_;
    dragging_ = false;
  } else {
    QWidget::mousePressEvent(event);
  }
}

void FigureCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && looking_) {
    looking_ = false;
    return;
  }
  if (event->button() != Qt::LeftButton || !press_) {
    QWidget::mouseReleaseEvent(event);
    return;
  }
  const bool dragged = dragging_;
  press_.reset();
  dragging_ = false;
  unsetCursor();
  if (dragged || !figure_) {
    return;
  }
  if (const auto hit = hitAt(event->position())) {
    Q_EMIT clicked(*hit, event->modifiers());
  } else {
    Q_EMIT clickedNothing();
  }
}

void FigureCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && (zoom_ > 1 || larger_) && !hitAt(event->position()) &&
      !overviewBox().contains(event->position())) {
    fit();
  }
}

void FigureCanvas::wheelEvent(QWheelEvent* event) {
  if (!figure_) {
    event->ignore();
    return;
  }
  const QPoint turn = event->angleDelta();
  if (event->modifiers() & Qt::ControlModifier) {
    setZoom(zoom_ * std::pow(1.2, turn.y() / 120.0), event->position());
  } else if (overflows()) {
    const QPointF by = event->pixelDelta().isNull() ? QPointF(turn) * 0.5 : QPointF(event->pixelDelta());
    // One that is only wider than the view goes sideways with a plain wheel.
    const bool aside = (event->modifiers() & Qt::ShiftModifier) || figureSize().height() <= height();
    offset_ -= aside ? QPointF(by.x() + by.y(), 0) : by;
    moved_ = true;
    clampOffset();
    drop();
  } else {
    event->ignore();
    return;
  }
  event->accept();
}

void FigureCanvas::leaveEvent(QEvent* event) {
  pointed_.reset();
  Q_EMIT hovered(std::nullopt);
  QWidget::leaveEvent(event);
}

// The key asks about what the keys stand on, else about the picture.
void FigureCanvas::contextMenuEvent(QContextMenuEvent* event) {
  if (!figure_) {
    return;
  }
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const std::optional<QPointF> place = by_key ? walk_.place() : std::optional<QPointF>(event->pos());
  const QPoint at = by_key ? (place ? place->toPoint() : rect().center()) : event->pos();
  Q_EMIT menuAsked(place ? hitAt(*place) : std::nullopt, mapToGlobal(at));
}

void FigureCanvas::keyPressEvent(QKeyEvent* event) {
  const QPointF middle(width() / 2.0, height() / 2.0);
  const auto direction = FigureWalk::direction_of(event->key());
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
      if (const auto hit = walk_.place() ? hitAt(*walk_.place()) : std::nullopt) {
        Q_EMIT clicked(*hit, event->modifiers());
        return;
      }
      break;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

// As if the pointer went there.
void FigureCanvas::walk(QPointF direction) {
  if (!figure_) {
    return;
  }
  const auto hit = walk_.step(direction, {rect(), offset_, [this](QPointF at) { return hitAt(at); }});
  if (!hit) {
    return;
  }
  walking_ = true;
  Q_EMIT hovered(hit);
  walking_ = false;
  said_ = hit->readout;
  updateAccessibleText();
}

void FigureCanvas::stopWalking() {
  if (walk_.place()) {
    walk_.stop();
    said_.clear();
    updateAccessibleText();
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

}  // namespace mog::gui

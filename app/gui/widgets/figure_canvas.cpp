// Three levels, each kept as long as it holds: the layout (figure, style, size), the picture of the visible
// part, and the marks, which are painted anew over it. A moving pointer asks the layout and paints marks:
// laying out a large map costs a tenth of painting it (decision 6), and neither is done again. The picture
// is painted on a thread for painting, which is waited for (decision 19).
//
// Zooming lays out at a multiple of the size and draws the visible part; the point under the pointer stays,
// offset' = (offset + point) · ratio − point. A figure that would run into itself is laid out higher than
// the view and can be moved.
//
// Traps: `drop` asks again what is under a pointer that rests, since another thing may be there now. Zoom
// and place survive a new figure of the same shape only. least_height_ is kept and must be reset by whatever
// changes width, font or figure.
#include "app/gui/widgets/figure_canvas.h"

#include <QFontInfo>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/figures/readout.h"
#include "app/gui/widgets/paint_thread.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr double kGreatestZoom = 16;
constexpr int kBusyAfterMs = 150;

// Zoom and place stay when only the numbers changed.
bool same_shape(const analysis::FigureData& a, const analysis::FigureData& b) {
  if (a.body.index() != b.body.index()) {
    return false;
  }
  if (const auto* map = std::get_if<analysis::HeatMap>(&a.body)) {
    const auto& other = std::get<analysis::HeatMap>(b.body);
    return map->rows.size() == other.rows.size() && map->columns.size() == other.columns.size();
  }
  return true;
}

}  // namespace

figures::Style screen_style(const QWidget& widget) {
  const QFontInfo info(widget.font());
  figures::Style style = figures::Style::of(figures::Paper::screen, figure_theme(widget.palette()));
  const double pixels = info.pixelSize();
  style.font_family = info.family();
  style.body_pt = std::clamp(pixels, 9.0, 18.0);
  style.tick_pt = style.body_pt - 1;
  style.caption_pt = style.body_pt - 2;
  style.line_pt = 1.2;
  style.marker_pt = 4;
  style.show_title = false;
  style.caption = figures::Caption::none;
  return style;
}

FigureCanvas::FigureCanvas(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  ask_again_.setSingleShot(true);
  connect(&ask_again_, &QTimer::timeout, this, [this] {
    if (pointed_ && !walked_) {
      Q_EMIT hovered(hitAt(*pointed_));
    }
  });
  busy_timer_.setSingleShot(true);
  busy_timer_.setInterval(kBusyAfterMs);
  connect(&busy_timer_, &QTimer::timeout, this, [this] {
    busy_shown_ = true;
    update();
  });
}

void FigureCanvas::setFigure(Figure figure) {
  const bool keep = figure && figure_ && same_shape(*figure, *figure_);
  figure_ = std::move(figure);
  least_height_.reset();
  if (!keep) {
    zoom_ = 1;
    offset_ = {};
    walked_.reset();
  }
  clampOffset();
  setBusy(false);
  drop();
  const auto there = walked_ && !said_.isEmpty() ? hitAt(*walked_) : std::nullopt;
  said_ = there ? there->readout : QString();
  lit_ = figure_ ? figures::readout(*figure_, highlight_) : QString();
  updateAccessibleText();
}

void FigureCanvas::setEmpty(const QString& title, const QString& hint) {
  figure_.reset();
  least_height_.reset();
  highlight_ = {};
  walked_.reset();
  said_.clear();
  lit_.clear();
  empty_title_ = title;
  empty_hint_ = hint;
  setBusy(false);
  drop();
  updateAccessibleText();
}

void FigureCanvas::setBusy(bool busy, const QString& text) {
  busy_text_ = text;
  if (busy == busy_) {
    return;
  }
  busy_ = busy;
  if (busy) {
    busy_timer_.start();
  } else {
    busy_timer_.stop();
    busy_shown_ = false;
    update();
  }
}

void FigureCanvas::setHighlight(const figures::Highlight& highlight) {
  highlight_ = highlight;
  update();
  const QString lit = figure_ ? figures::readout(*figure_, highlight_) : QString();
  if (lit == lit_) {
    return;
  }
  lit_ = lit;
  if (!walking_) {
    said_.clear();
    updateAccessibleText();
  }
}

figures::Style FigureCanvas::style() const {
  return screen_style(*this);
}

// A figure that would run into itself is higher than the view.
QSizeF FigureCanvas::figureSize() const {
  if (!least_height_) {
    least_height_ = figure_ ? figures::least_height(*figure_, style(), width()) : 0;
  }
  return QSizeF(width(), std::max<double>(height(), *least_height_)) * zoom_;
}

bool FigureCanvas::overflows() const {
  const QSizeF whole = figureSize();
  return figure_ != nullptr && (whole.width() > width() || whole.height() > height());
}

std::optional<figures::Hit> FigureCanvas::hitAt(QPointF position) const {
  if (!figure_) {
    return std::nullopt;
  }
  return laidOut().hit_test(position + offset_);
}

const figures::LaidOut& FigureCanvas::laidOut() const {
  const figures::Style now = style();
  if (laid_out_ == nullptr || !laid_out_->of(figure_.get(), now, figureSize())) {
    laid_out_ = std::make_unique<figures::LaidOut>(figure_, now, figureSize());
  }
  return *laid_out_;
}

void FigureCanvas::fit() {
  zoom_ = 1;
  offset_ = {};
  drop();
}

void FigureCanvas::setZoom(double zoom, QPointF around) {
  zoom = std::clamp(zoom, 1.0, kGreatestZoom);
  if (zoom == zoom_ || !figure_) {
    return;
  }
  offset_ = (offset_ + around) * (zoom / zoom_) - around;
  zoom_ = zoom;
  clampOffset();
  drop();
}

void FigureCanvas::clampOffset() {
  const QSizeF whole = figureSize();
  offset_.setX(std::clamp(offset_.x(), 0.0, std::max(0.0, whole.width() - width())));
  offset_.setY(std::clamp(offset_.y(), 0.0, std::max(0.0, whole.height() - height())));
}

void FigureCanvas::drop() {
  drawn_ = false;
  if (pointed_ && !dragging_ && !walked_) {
    ask_again_.start();  // another thing may be under the pointer now
  }
  if (figure_ == nullptr) {
    laid_out_.reset();
    picture_ = {};
  }
  update();
}

void FigureCanvas::render() {
  const double ratio = devicePixelRatioF();
  const QSize pixels = QSizeF(QSizeF(size()) * ratio).toSize();
  if (picture_.size() != pixels) {
    picture_ = QImage(pixels, QImage::Format_RGB32);
  }
  picture_.setDevicePixelRatio(ratio);
  const figures::LaidOut& figure = laidOut();
  const QColor paper = figures::background(style().theme);
  on_paint_thread([&] {
    QPainter painter(&picture_);
    painter.fillRect(rect(), paper);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.translate(-offset_);
    figure.paint(painter);
  });
  drawn_ = true;
  ++renderings_;
}

void FigureCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (!figure_ || width() < 8 || height() < 8) {
    paintEmpty(painter);
    if (busy_shown_) {
      paintBusy(painter);
    }
    paintFocus(painter);
    return;
  }
  if (!drawn_ || picture_.devicePixelRatio() != devicePixelRatioF()) {
    render();
  }
  painter.drawImage(QPointF(0, 0), picture_);
  if (!highlight_.empty()) {
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.translate(-offset_);
    laidOut().paint_highlight(painter, highlight_);
    painter.resetTransform();
  }
  paintBars(painter);
  if (busy_shown_) {
    paintBusy(painter);
  }
  paintFocus(painter);
}

// Which part of the figure this is: a thin bar at the right and at the bottom where there is more.
void FigureCanvas::paintBars(QPainter& painter) const {
  const QSizeF whole = figureSize();
  constexpr double kThick = 4;
  QColor colour = quiet_text(palette());
  colour.setAlphaF(0.55F);
  const auto bar = [&](const QRectF& rect) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(rect, kThick / 2, kThick / 2);
  };
  const double share_y = height() / whole.height();
  if (share_y < 0.999) {
    bar({width() - kThick - 1, offset_.y() * share_y, kThick, height() * share_y});
  }
  const double share_x = width() / whole.width();
  if (share_x < 0.999) {
    bar({offset_.x() * share_x, height() - kThick - 1, width() * share_x, kThick});
  }
}

void FigureCanvas::paintEmpty(QPainter& painter) const {
  painter.fillRect(rect(), figures::background(style().theme));
  if (empty_title_.isEmpty() || busy_shown_) {
    return;
  }
  QFont title = font();
  title.setBold(true);
  const QRect room = rect().adjusted(16, 8, -16, -8);
  const int flags = Qt::AlignHCenter | Qt::TextWordWrap;
  const QRect title_box = QFontMetrics(title).boundingRect(room, flags, empty_title_);
  const QRect hint_box = fontMetrics().boundingRect(room, flags, empty_hint_);
  const int top = room.top() + std::max(0, (room.height() - title_box.height() - hint_box.height() - 8) / 2);
  painter.setFont(title);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(QRect(room.left(), top, room.width(), title_box.height()), flags, empty_title_);
  painter.setFont(font());
  painter.setPen(quiet_text(palette()));
  painter.drawText(QRect(room.left(), top + title_box.height() + 8, room.width(), hint_box.height()), flags,
                   empty_hint_);
}

void FigureCanvas::paintBusy(QPainter& painter) const {
  const QString text = busy_text_.isEmpty() ? tr("Loading…") : busy_text_;
  const QRect words = fontMetrics().boundingRect(text).adjusted(-10, -5, 10, 5);
  QRect box(0, 0, words.width(), words.height());
  box.moveCenter({width() / 2, figure_ ? box.height() : height() / 2});
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(palette().color(QPalette::Mid));
  painter.setBrush(palette().color(QPalette::Window));
  painter.drawRoundedRect(box, 4, 4);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(box, Qt::AlignCenter, text);
}

void FigureCanvas::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  least_height_.reset();
  clampOffset();
  drop();
}

void FigureCanvas::mouseMoveEvent(QMouseEvent* event) {
  pointed_ = event->position();
  if (press_ && (event->buttons() & Qt::LeftButton) && overflows()) {
    const QPointF by = event->position() - *press_;
    if (dragging_ || by.manhattanLength() > 6) {
      dragging_ = true;
      setCursor(Qt::ClosedHandCursor);
      offset_ = drag_ - by;
      clampOffset();
      drop();
      return;
    }
  }
  stopWalking();
  Q_EMIT hovered(hitAt(*pointed_));
}

void FigureCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    press_ = event->position();
    drag_ = offset_;
    dragging_ = false;
  } else {
    QWidget::mousePressEvent(event);
  }
}

void FigureCanvas::mouseReleaseEvent(QMouseEvent* event) {
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
  if (event->button() == Qt::LeftButton && zoom_ > 1 && !hitAt(event->position())) {
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
    offset_ -= (event->modifiers() & Qt::ShiftModifier) ? QPointF(by.y(), by.x()) : by;
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

void FigureCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange) {
    least_height_.reset();
    clampOffset();
    drop();
  }
  QWidget::changeEvent(event);
}

}  // namespace mog::gui

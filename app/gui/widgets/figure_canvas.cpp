#include "app/gui/widgets/figure_canvas.h"

#include <QPaintEvent>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "app/figures/readout.h"
#include "app/gui/widgets/figure_overlays.h"
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
  if (const auto* tree = std::get_if<analysis::TreeFigure>(&a.body)) {
    const auto& other = std::get<analysis::TreeFigure>(b.body);
    return tree->nodes.size() == other.nodes.size() && tree->words.size() == other.words.size() &&
           tree->all_words == other.all_words && tree->roots == other.roots && tree->layers == other.layers;
  }
  return true;
}

}  // namespace

FigureCanvas::FigureCanvas(QWidget* parent)
    : QWidget(parent), offer_(new QPushButton(this)), whole_button_(new QToolButton(this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  ask_again_.setSingleShot(true);
  connect(&ask_again_, &QTimer::timeout, this, [this] {
    if (pointed_ && !walk_.place()) {
      Q_EMIT hovered(hitAt(*pointed_));
    }
  });
  offer_->hide();
  connect(offer_, &QPushButton::clicked, this, [this] {
    if (const auto act = offer_act_) {
      act();
    }
  });
  whole_button_->setText(tr("Whole (*)"));
  whole_button_->setAccessibleName(tr("Whole map (*)"));
  whole_button_->hide();
  whole_button_->setFocusPolicy(Qt::TabFocus);
  connect(whole_button_, &QToolButton::clicked, this, &FigureCanvas::fit);
  busy_timer_.setSingleShot(true);
  busy_timer_.setInterval(kBusyAfterMs);
  connect(&busy_timer_, &QTimer::timeout, this, [this] {
    busy_shown_ = true;
    placeButtons();
    update();
  });
}

void FigureCanvas::setFigure(Figure figure) {
  const bool keep = figure && figure_ && same_shape(*figure, *figure_);
  figure_ = std::move(figure);
  looking_ = false;
  least_size_.reset();
  if (!keep) {
    zoom_ = 1;
    moved_ = false;
    walk_.stop();
  }
  place();
  setBusy(false);
  drop();
  const auto there = walk_.place() && !said_.isEmpty() ? hitAt(*walk_.place()) : std::nullopt;
  said_ = there ? there->readout : QString();
  lit_ = figure_ ? figures::readout(*figure_, highlight_) : QString();
  updateAccessibleText();
}

void FigureCanvas::setEmpty(const QString& title, const QString& hint, const Offer& offer) {
  figure_.reset();
  looking_ = false;
  least_size_.reset();
  highlight_ = {};
  walk_.stop();
  said_.clear();
  lit_.clear();
  empty_title_ = title;
  empty_hint_ = hint;
  offer_act_ = offer.act;
  offer_->setText(offer.text);
  offer_->setAccessibleDescription(title);
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
    placeButtons();
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
  figures::Style style = screen_style(*this);
  style.zoom = zoom_;
  return style;
}

// A figure that would run into itself is larger than the view.
QSizeF FigureCanvas::figureSize() const {
  if (!least_size_) {
    QSizeF least(width(), height());
    if (figure_) {
      const figures::Style plain = screen_style(*this);
      least.setWidth(std::max(least.width(), figures::least_width(*figure_, plain)));
      least.setHeight(std::max(least.height(), figures::least_height(*figure_, plain, least.width())));
      const QSizeF wanted = size_to_scroll(*figure_, plain, least_cell_, size());
      larger_ = !wanted.isEmpty();
      if (larger_ && !whole_) {
        least = least.expandedTo(wanted);
      }
    } else {
      larger_ = false;
    }
    least_size_ = least;
  }
  return *least_size_ * zoom_;
}

bool FigureCanvas::overflows() const {
  const QSizeF whole = figureSize();
  return figure_ != nullptr && (whole.width() > width() || whole.height() > height());
}

std::optional<figures::Hit> FigureCanvas::hitAt(QPointF position) const {
  if (!figure_ || overviewBox().contains(position)) {
    return std::nullopt;
  }
  const std::vector<FigurePin> all = pins();
  for (auto pin = all.rbegin(); pin != all.rend(); ++pin) {
    if (pin->place.contains(position)) {
      return pin->shows == FigurePin::Shows::part ? laidOut().hit_test(position + pin->offset) : std::nullopt;
    }
  }
  return laidOut().hit_test(position + offset_, seen());
}

QRectF FigureCanvas::seen() const {
  return {offset_, QSizeF(size())};
}

const figures::LaidOut& FigureCanvas::laidOut() const {
  const figures::Style now = style();
  if (laid_out_ == nullptr || !laid_out_->of(figure_.get(), now, figureSize())) {
    laid_out_ = std::make_unique<figures::LaidOut>(figure_, now, figureSize());
  }
  return *laid_out_;
}

// Until it is moved, what a reader begins with is in sight.
void FigureCanvas::place() {
  if (!moved_) {
    offset_ = overflows() && width() > 8 && height() > 8 ? laidOut().opening(size()) : QPointF();
  }
  clampOffset();
}

void FigureCanvas::setLeaders(Leaders leaders) {
  leaders_ = std::move(leaders);
  drop();
}

void FigureCanvas::setMarks(std::vector<figures::NoteMark> marks) {
  marks_ = std::move(marks);
  drop();
}

void FigureCanvas::leadersMoved() {
  if (figure_ != nullptr) {
    drop();
  }
}

void FigureCanvas::setZoom(double zoom, QPointF around) {
  zoom = std::clamp(zoom, 1.0, kGreatestZoom);
  if (zoom == zoom_ || !figure_) {
    return;
  }
  offset_ = (offset_ + around) * (zoom / zoom_) - around;
  zoom_ = zoom;
  moved_ = true;
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
  if (pointed_ && !dragging_ && !walk_.place()) {
    ask_again_.start();  // another thing may be under the pointer now
  }
  if (figure_ == nullptr) {
    laid_out_.reset();
    picture_ = {};
  }
  placeButtons();
  update();
}

// One says what can be done where there is no picture, the other shows all of a picture that is too large.
void FigureCanvas::placeButtons() {
  const QSize offer = offer_->sizeHint();
  const bool offers = !figure_ && !offer_->text().isEmpty() && !busy_shown_;
  if (offers) {
    const HintPlace at = hint_place(*this, empty_title_, empty_hint_, offer.height());
    offer_->setGeometry(QRect(QPoint((width() - offer.width()) / 2, at.bottom), offer));
  }
  offer_->setVisible(offers);
  figureSize();  // says whether it is too large
  if (larger_) {
    const QString name = whole_ ? tr("Readable cells (*)") : tr("Whole map (*)");
    whole_button_->setText(whole_ ? tr("Cells (*)") : tr("Whole (*)"));
    whole_button_->setToolTip(name);
    whole_button_->setAccessibleName(name);
    // Below the scale, which has no need of all the height: no name stands there.
    const QSize size = whole_button_->sizeHint();
    whole_button_->setGeometry(
        QRect(QPoint(width() - size.width() - 2, height() - size.height() - 10), size));
  }
  whole_button_->setVisible(larger_);
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
  const std::vector<figures::Leader> leaders = leaders_ ? leaders_() : std::vector<figures::Leader>();
  on_paint_thread([&] {
    QPainter painter(&picture_);
    painter.fillRect(rect(), paper);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.save();
    painter.translate(-offset_);
    figure.paint(painter);
    figure.paint_leaders(painter, leaders);
    figure.paint_marks(painter, marks_);
    painter.restore();
    for (const FigurePin& pin : pins()) {
      painter.save();
      painter.setClipRect(pin.place);
      if (pin.shows == FigurePin::Shows::part) {
        painter.translate(-pin.offset);
        figure.paint(painter);
      } else {
        painter.fillRect(pin.place, paper);
      }
      if (pin.shows == FigurePin::Shows::scale) {
        figure.paint_scale(painter, pin.place);
      }
      painter.restore();
    }
  });
  drawOverview();
  drawn_ = true;
  ++renderings_;
}

void FigureCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (!figure_ || width() < 8 || height() < 8) {
    painter.fillRect(rect(), figures::background(style().theme));
    if (!empty_title_.isEmpty() && !busy_shown_) {
      const int below = offer_->text().isEmpty() ? 0 : offer_->sizeHint().height();
      paint_hint(painter, *this, empty_title_, empty_hint_,
                 hint_place(*this, empty_title_, empty_hint_, below));
    }
    paintMarks(painter);
    return;
  }
  if (!drawn_ || picture_.devicePixelRatio() != devicePixelRatioF()) {
    render();
  }
  painter.drawImage(QPointF(0, 0), picture_);
  if (!highlight_.empty()) {
    paintHighlight(painter);
  }
  paint_bars(painter, *this, figureSize(), offset_);
  if (const QRectF box = overviewBox(); !box.isEmpty()) {
    paint_overview(painter, *this, overview_, box, seenInOverview(box));
  }
  paintMarks(painter);
}

void FigureCanvas::paintHighlight(QPainter& painter) const {
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  const std::vector<FigurePin> all = pins();
  QRegion rest(rect());
  for (const FigurePin& pin : all) {
    rest -= pin.place.toAlignedRect();
  }
  painter.save();
  painter.setClipRegion(rest);
  painter.translate(-offset_);
  laidOut().paint_highlight(painter, highlight_, seen());
  painter.restore();
  for (const FigurePin& pin : all) {
    if (pin.shows == FigurePin::Shows::part) {
      painter.save();
      painter.setClipRect(pin.place);
      painter.translate(-pin.offset);
      laidOut().paint_highlight(painter, highlight_);
      painter.restore();
    }
  }
}

void FigureCanvas::paintMarks(QPainter& painter) const {
  if (busy_shown_) {
    paint_busy(painter, *this, busy_text_.isEmpty() ? tr("Loading…") : busy_text_, figure_ != nullptr);
  }
  if (ringed_ && hasFocus()) {
    paint_focus_ring(painter, *this);
  }
}

void FigureCanvas::resizeEvent(QResizeEvent* event) {
  const bool in_sight = litInSight(event->oldSize());
  QWidget::resizeEvent(event);
  least_size_.reset();
  place();
  drop();
  if (in_sight && showsPart()) {
    see(highlight_.row, highlight_.column);  // it stays there
  }
}

void FigureCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange) {
    least_size_.reset();
    place();
    drop();
  }
  QWidget::changeEvent(event);
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

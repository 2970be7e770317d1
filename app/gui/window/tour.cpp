#include "app/gui/window/tour.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr int kCardWidth = 340;  // more where the buttons of a language need it
constexpr int kGap = 12;

bool is_ours(int key) {
  return key == Qt::Key_Escape || key == Qt::Key_PageDown || key == Qt::Key_PageUp || key == Qt::Key_Return ||
         key == Qt::Key_Enter;
}

// A frame that lets every event through.
class Ring : public QWidget {
 public:
  explicit Ring(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 3));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4);
  }
};

}  // namespace

Tour::Tour(QWidget& window, std::vector<TourStep> steps)
    : QWidget(&window),
      steps_(std::move(steps)),
      ring_(new Ring(&window)),
      title_(new QLabel(this)),
      text_(new QLabel(this)),
      count_(new QLabel(this)),
      back_(new QPushButton(tr("&Back"), this)),
      next_(new QPushButton(this)) {
  setObjectName(QStringLiteral("tour"));
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  QFont bold = font();
  bold.setBold(true);
  title_->setFont(bold);
  text_->setWordWrap(true);
  auto* row = new QHBoxLayout;
  auto* skip = new QPushButton(tr("S&kip the tour"), this);
  row->addWidget(count_);
  row->addStretch(1);
  row->addWidget(skip);
  row->addWidget(back_);
  row->addWidget(next_);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addLayout(row);
  connect(skip, &QPushButton::clicked, this, &Tour::ended);
  connect(back_, &QPushButton::clicked, this, &Tour::back);
  connect(next_, &QPushButton::clicked, this, &Tour::next);
  connect(this, &Tour::ended, this, [this] {
    target_.clear();  // the window lays itself out once more before this is gone
    ring_->hide();
    hide();
    deleteLater();
  });
  setFocusProxy(next_);
  window.installEventFilter(this);
  for (QPushButton* button : {skip, back_, next_}) {
    button->installEventFilter(this);
  }
  go(0);
}

Tour::~Tour() {
  delete ring_;
}

// Styles give a card hardly an edge, and it lies on pictures and lists of its own colour.
void Tour::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setPen(edge_colour(palette()));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

QString Tour::title() const {
  return title_->text();
}

void Tour::next() {
  if (step_ + 1 >= size()) {
    Q_EMIT ended();
  } else {
    go(step_ + 1);
  }
}

void Tour::back() {
  go(std::max(0, step_ - 1));
}

void Tour::go(int step) {
  step_ = step;
  const TourStep& now = steps_[static_cast<std::size_t>(step)];
  target_ = now.target();
  title_->setText(now.title);
  text_->setText(now.text);
  setAccessibleName(now.title);
  setAccessibleDescription(now.text);
  count_->setText(tr("%1 of %2").arg(step + 1).arg(size()));
  back_->setEnabled(step > 0);
  next_->setText(step + 1 == size() ? tr("&Done") : tr("&Next"));
  show();
  place();
  next_->setFocus(Qt::OtherFocusReason);
  // A dock that came to the front has its place after the event loop has run.
  QTimer::singleShot(0, this, &Tour::place);
}

// Beside the target where there is room, else in a corner of it.
void Tour::place() {
  if (target_ == nullptr || ring_ == nullptr) {
    return;
  }
  const QWidget* window = parentWidget();
  const QRect whole = window->rect().adjusted(kGap, kGap, -kGap, -kGap);
  const QRect around =
      QRect(target_->mapTo(window, QPoint(0, 0)), target_->size()).intersected(window->rect());
  ring_->setGeometry(around);
  ring_->show();
  ring_->raise();
  const int wide = std::max(kCardWidth, layout()->minimumSize().width());
  setFixedSize(wide, heightForWidth(wide) > 0 ? heightForWidth(wide) : sizeHint().height());
  QRect card(QPoint(), QSize(wide, height()));
  const std::vector<QPoint> places = {
      {around.right() + kGap, around.top()},
      {around.left() - kGap - card.width(), around.top()},
      {around.left(), around.bottom() + kGap},
      {around.left(), around.top() - kGap - card.height()},
      {around.right() - card.width() - kGap, around.bottom() - card.height() - kGap}};
  for (const QPoint& place : places) {
    card.moveTopLeft(place);
    if (whole.contains(card)) {
      break;
    }
  }
  card.moveLeft(std::clamp(card.left(), whole.left(), std::max(whole.left(), whole.right() - card.width())));
  card.moveTop(std::clamp(card.top(), whole.top(), std::max(whole.top(), whole.bottom() - card.height())));
  move(card.topLeft());
  raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && watched != parentWidget() &&
      is_ours(static_cast<QKeyEvent*>(event)->key())) {
    keyPressEvent(static_cast<QKeyEvent*>(event));
    return true;
  }
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) {
    place();
  }
  return QWidget::eventFilter(watched, event);
}

// The window has the same keys: while the card has the focus they are the tour's. Arrows, numbers and letters
// stay the window's: the tour teaches them.
bool Tour::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    if (is_ours(static_cast<QKeyEvent*>(event)->key())) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void Tour::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      // Outside of a dialog only Space presses a button.
      if (auto* button = qobject_cast<QPushButton*>(focusWidget())) {
        button->click();
      }
      return;
    case Qt::Key_Escape:
      Q_EMIT ended();
      return;
    case Qt::Key_PageDown:
      next();
      return;
    case Qt::Key_PageUp:
      back();
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace mog::gui

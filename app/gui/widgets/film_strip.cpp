#include "app/gui/widgets/film_strip.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyleOption>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/figures/trees/tree_thumbnail.h"
#include "app/gui/widgets/number_box.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr int kWide = 136;
constexpr int kNarrow = 78;
constexpr int kHigh = 100;
constexpr int kFlat = 28;
constexpr int kApart = 8;
constexpr int kNarrowWindow = 1280;
constexpr double kLowest = -9;  // where the bar of a weight begins, as a power of ten

// Of the bar of a weight: the exponent counts.
double bar_share(double weight) {
  return weight > 0 ? std::clamp((std::log10(weight) - kLowest) / -kLowest, 0.0, 1.0) : 0;
}

class Card : public QAbstractButton {
 public:
  Card(const FilmCard& card, QWidget* parent) : QAbstractButton(parent), card_(card) {
    setCheckable(true);
    setAccessibleName(card.name);
    setAccessibleDescription(card.more);
    setToolTip(card.name + QLatin1Char('\n') + card.more);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
  }
  void setKind(bool narrow, bool flat) {
    narrow_ = narrow;
    flat_ = flat;
    setFixedSize(narrow || flat ? kNarrow : kWide, flat ? kFlat : kHigh);
    update();
  }

 protected:
  // The arrows go from card to card: not the window's keys.
  bool event(QEvent* event) override {
    if (event->type() == QEvent::ShortcutOverride) {
      const auto* key = static_cast<QKeyEvent*>(event);
      const bool aside = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right;
      if (aside && !(key->modifiers() & ~Qt::KeypadModifier)) {
        event->accept();
        return true;
      }
    }
    return QAbstractButton::event(event);
  }

  void paintEvent(QPaintEvent* /*event*/) override {
    const Roles roles = roles_of(palette());
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
    painter.setBrush(isChecked() || !underMouse() ? roles.surface : roles.hover);
    painter.setPen(isChecked() ? QPen(roles.accent, 2) : QPen(roles.border, 1));
    painter.drawRoundedRect(box, 8, 8);
    if (hasFocus()) {
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(roles.ink, 1, Qt::DotLine));
      painter.drawRoundedRect(box.adjusted(3, 3, -3, -3), 6, 6);
    }
    const int top = paintTexts(painter, roles);
    const bool with_text = !narrow_ && !flat_;
    const int weight_wide = with_text ? small().horizontalAdvance(card_.weight_text) + 6 : 0;
    const QRectF bar(9, flat_ ? height() - 9 : height() - 15, width() - 18 - weight_wide, 4);
    paintBar(painter, roles, bar);
    if (with_text) {
      painter.setFont(smallFont());
      painter.setPen(roles.secondary);
      painter.drawText(QRectF(bar.right(), bar.center().y() - 10, width() - 9 - bar.right(), 20),
                       Qt::AlignRight | Qt::AlignVCenter, card_.weight_text);
    }
    const auto* tree = card_.graph ? std::get_if<analysis::TreeFigure>(&card_.graph->body) : nullptr;
    if (!flat_ && tree != nullptr) {
      figures::paint_tree_thumbnail(painter, *tree, screen_style(*this),
                                    QRectF(9, top + 3, width() - 18, bar.top() - 8 - top));
    }
  }

 private:
  QFont smallFont() const {
    QFont one = font();
    one.setPixelSize(std::max(11, QFontInfo(font()).pixelSize() - 2));
    return one;
  }
  QFontMetrics small() const { return QFontMetrics(smallFont()); }

  // Number, what it counts, words; returns where they end.
  int paintTexts(QPainter& painter, const Roles& roles) const {
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics letters(bold);
    const int line = letters.height();
    const int y = flat_ ? 1 : 6;
    painter.setFont(bold);
    painter.setPen(isChecked() ? roles.accent : roles.ink);
    painter.drawText(QRect(9, y, width() - 18, line), Qt::AlignLeft | Qt::AlignVCenter, card_.number);
    const int after = 9 + letters.horizontalAdvance(card_.number) + 5;
    painter.setFont(smallFont());
    painter.setPen(roles.secondary);
    const int room = width() - 9 - after;
    const bool all = small().horizontalAdvance(card_.what + card_.words) + 10 <= room;
    if (all) {
      painter.drawText(QRect(after, y, room, line), Qt::AlignLeft | Qt::AlignVCenter, card_.what);
    }
    painter.drawText(QRect(after, y, room, line), Qt::AlignRight | Qt::AlignVCenter,
                     all ? card_.words : card_.brief_words);
    return y + line;
  }

  void paintBar(QPainter& painter, const Roles& roles, QRectF bar) const {
    painter.setPen(Qt::NoPen);
    painter.setBrush(roles.row);
    painter.drawRoundedRect(bar, 2, 2);
    bar.setWidth(std::max(2.0, bar.width() * bar_share(card_.weight)));
    painter.setBrush(isChecked() ? roles.accent : roles.faint);
    painter.drawRoundedRect(bar, 2, 2);
  }

  FilmCard card_;
  bool narrow_ = false;
  bool flat_ = false;
};

}  // namespace

QString short_weight(double weight) {
  if (!(weight > 0) || weight >= 0.00995) {
    return in_language(QString::number(weight, 'g', 2));
  }
  const int exponent = static_cast<int>(std::floor(std::log10(weight)));
  const double digit = std::round(weight / std::pow(10.0, exponent));
  return digit >= 10 ? QStringLiteral("1e%1").arg(exponent + 1)
                     : QStringLiteral("%1e%2").arg(digit).arg(exponent);
}

FilmStrip::FilmStrip(QWidget* parent)
    : QWidget(parent),
      area_(new QScrollArea(this)),
      page_(new QWidget),
      row_(new QHBoxLayout(page_)),
      group_(new QButtonGroup(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(area_);
  row_->setContentsMargins(8, 0, 8, kApart);
  row_->setSpacing(kApart);
  row_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  area_->setWidget(page_);
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  // The wheel, the keys and a click on a card that is cut move it: a bar would take the room of the cards.
  area_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setFocusPolicy(Qt::NoFocus);
  area_->viewport()->setAutoFillBackground(false);
  page_->setAutoFillBackground(false);
  area_->viewport()->installEventFilter(this);
  page_->installEventFilter(this);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(group_, &QButtonGroup::idClicked, this, [this](int index) {
    show(index);
    Q_EMIT chosen(index);
  });
  measure();
}

void FilmStrip::setCards(std::vector<FilmCard> cards) {
  const QList<QAbstractButton*> before = group_->buttons();
  for (QAbstractButton* button : before) {
    group_->removeButton(button);
    delete button;
  }
  cards_ = std::move(cards);
  QAbstractButton* last = nullptr;
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    auto* card = new Card(cards_[i], page_);
    card->setKind(narrow_, flat_);
    group_->addButton(card, static_cast<int>(i));
    row_->addWidget(card);
    if (last != nullptr) {
      setTabOrder(last, card);
    }
    last = card;
    card->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(card, &QWidget::customContextMenuRequested, this,
            [this, card, i](QPoint at) { Q_EMIT menuAsked(static_cast<int>(i), card->mapToGlobal(at)); });
    connect(card, &QAbstractButton::toggled, this, [this, card](bool on) {
      for (QAbstractButton* one : on ? group_->buttons() : QList<QAbstractButton*>()) {
        one->setFocusPolicy(one == card ? Qt::TabFocus : Qt::NoFocus);
      }
    });
  }
}

QAbstractButton* FilmStrip::button(int index) const {
  return group_->button(index);
}

int FilmStrip::current() const {
  return group_->checkedId();
}

void FilmStrip::setCurrent(int index) {
  if (QAbstractButton* card = group_->button(index)) {
    card->setChecked(true);
    show(index);
  }
}

void FilmStrip::step(int by) {
  const int next = std::clamp(current() + by, 0, count() - 1);
  if (count() > 0 && next != current()) {
    const bool focused = group_->checkedButton() != nullptr && group_->checkedButton()->hasFocus();
    setCurrent(next);
    if (focused) {
      group_->button(next)->setFocus(Qt::TabFocusReason);
    }
    Q_EMIT chosen(next);
  }
}

// With the half of its neighbours, so that one sees that there are more.
void FilmStrip::show(int index) {
  if (QWidget* card = group_->button(index)) {
    page_->layout()->activate();
    // Not ensureWidgetVisible: it leaves a card alone whose edge is that of the view.
    const QRect at = card->geometry();
    area_->ensureVisible(at.right(), at.center().y(), kNarrow / 2, 0);
    area_->ensureVisible(at.left(), at.center().y(), kNarrow / 2, 0);
  }
}

void FilmStrip::setFlat(bool flat) {
  if (flat != flat_) {
    flat_ = flat;
    measure();
  }
}

QSize FilmStrip::minimumSizeHint() const {
  return {kNarrow + 2 * kApart, height()};
}

void FilmStrip::measure() {
  const QList<QAbstractButton*> cards = group_->buttons();
  for (QAbstractButton* card : cards) {
    static_cast<Card*>(card)->setKind(narrow_, flat_);
  }
  setFixedHeight((flat_ ? kFlat : kHigh) + kApart);
  show(current());
}

void FilmStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool narrow = window()->width() < kNarrowWindow;
  if (narrow != narrow_) {
    narrow_ = narrow;
    measure();
  }
  show(current());
}

// A plain wheel goes sideways: there is no other way. New cards have their places after the page was laid
// out.
bool FilmStrip::eventFilter(QObject* watched, QEvent* event) {
  if (watched == page_ && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)) {
    QMetaObject::invokeMethod(
        this, [this] { show(current()); }, Qt::QueuedConnection);
  }
  if (event->type() == QEvent::Wheel) {
    const QPoint turn = static_cast<QWheelEvent*>(event)->angleDelta();
    QScrollBar* bar = area_->horizontalScrollBar();
    if (bar->maximum() > 0) {
      bar->setValue(bar->value() - (turn.x() + turn.y()) / 2);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace mog::gui

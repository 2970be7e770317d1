#include "app/gui/view.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QShowEvent>
#include <QStyleOption>
#include <QStylePainter>
#include <QToolButton>
#include <algorithm>

#include "app/gui/figure_data_tasks.h"
#include "app/gui/gold_syntax.h"

namespace mog::gui {
namespace {
constexpr int kBehindMs = 20;  // a dock behind another one waits until the jobs of those in sight have begun
}  // namespace

View::View(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  const auto follow = [this] {
    if (source() == nullptr) {
      invalidate();
    }
  };
  connect(&workspace(), &Workspace::modelChanged, this, follow);
  connect(&workspace(), &Workspace::runningChanged, this, follow);
  connect(&workspace(), &Workspace::itemAdded, this, follow);
  connect(&workspace(), &Workspace::itemRemoved, this, follow);
  connect(&workspace(), &Workspace::allRemoved, this, follow);
  due_.setSingleShot(true);
  connect(&due_, &QTimer::timeout, this, &View::refreshIfDue);
  connect(&context_.jobs, &JobRunner::viewsBecameIdle, this, [this] {
    if (stale_ && isVisible()) {
      due_.start(inSight() ? 0 : kBehindMs);
    }
  });
}

// A dock behind another one is not hidden: it stands outside its window. (visibleRegion() would leave out
// what children cover.)
bool View::inSight() const {
  QRect seen = rect();
  for (const QWidget* widget = this; !widget->isWindow(); widget = widget->parentWidget()) {
    seen = seen.translated(widget->pos()) & widget->parentWidget()->rect();
  }
  return isVisible() && !seen.isEmpty();
}

void View::comeToFront() {
  if (stale_ && isVisible()) {
    askAnew();
  }
}

bool View::stale() const {
  return stale_ || std::any_of(asks_in_.begin(), asks_in_.end(),
                               [this](const QString& slot) { return jobs().busyIn(slot); });
}

void View::askAnew() {
  stale_ = false;
  for (const QString& slot : asks_in_) {
    jobs().cancelSlot(slot);
  }
  refresh();
}

// Several signals of one change of the selection lead to one refresh.
void View::invalidate() {
  stale_ = true;
  if (isVisible()) {
    due_.start(inSight() ? 0 : kBehindMs);
  }
}

void View::refreshIfDue() {
  if (stale_ && isVisible() && (inSight() || jobs().viewsIdle())) {
    askAnew();
  }
}

View::Empty View::noSentence(const QString& purpose) const {
  Empty empty;
  if (workspace().isRunning()) {
    empty = {tr("The model runs…"), tr("Its sentence is shown as soon as it is done.")};
  } else if (workspace().isOpening()) {
    empty = {tr("Opening…"), tr("The job list shows how far it is.")};
  } else if (!workspace().items().empty()) {
    const bool any = std::any_of(workspace().items().begin(), workspace().items().end(),
                                 [](const WorkspaceItem& item) { return !item.tokens.empty(); });
    empty = any ? Empty{tr("No sentence is chosen"), tr("Choose one in the sentence table.")}
                : Empty{tr("No sentence in this recording"),
                        tr("It ended before its first sentence: record the corpus again, or open another "
                           "recording with Ctrl+O.")};
  } else if (workspace().currentModel() != nullptr) {
    empty = {tr("No sentence yet"), tr("Type a sentence (Ctrl+L) and press Enter, or record a corpus with "
                                       "Ctrl+B.")};
  } else {
    empty = {tr("Nothing is open yet"),
             tr("Open a recording or a model with Ctrl+O, or drop its folder on this window.")};
  }
  if (!purpose.isEmpty()) {
    empty.hint += QLatin1Char('\n') + purpose;
  }
  return empty;
}

void View::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) {
    due_.start(0);
  }
}

std::shared_ptr<const RecordingSource> View::source() const {
  const WorkspaceItem* item = workspace().selectedItem();
  return item == nullptr ? nullptr : item->source;
}

GoldTreebank View::gold() const {
  const GoldSyntax& gold = workspace().gold();
  return {gold.treebank(), gold.path().toStdString()};
}

QString View::selectionName() const {
  return QStringLiteral("s%1-l%2").arg(selection().sentence().index + 1).arg(selection().layer());
}

namespace {

// A tool button with a bar in the colour that its choice has in the pictures.
class ColourButton : public QToolButton {
 public:
  ColourButton(QColor colour, QWidget* parent) : QToolButton(parent), colour_(std::move(colour)) {}

 protected:
  void paintEvent(QPaintEvent* event) override {
    QToolButton::paintEvent(event);
    if (colour_.isValid()) {
      QPainter painter(this);
      painter.fillRect(QRect(6, height() - 5, width() - 12, 2), colour_);
    }
  }

 private:
  QColor colour_;
};

}  // namespace

Choice::Choice(const QString& accessible_name, QWidget* parent)
    : QWidget(parent), layout_(new QHBoxLayout(this)), group_(new QButtonGroup(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  setAccessibleName(accessible_name);
  connect(group_, &QButtonGroup::idClicked, this, &Choice::chosen);
}

QToolButton* Choice::add(const QString& text, int value, const QString& tip, const QColor& colour) {
  auto* button = new ColourButton(colour, this);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip.isEmpty() ? text : tip);
  button->setCheckable(true);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);
  const QList<QAbstractButton*> before = group_->buttons();
  group_->addButton(button, value);
  layout_->addWidget(button);
  if (!before.isEmpty()) {
    setTabOrder(before.back(), button);
  }
  // Tab leads to the chosen one, the arrows from there to the others.
  connect(button, &QToolButton::toggled, this, [this, button](bool on) {
    for (QAbstractButton* one : on ? group_->buttons() : QList<QAbstractButton*>()) {
      one->setFocusPolicy(one == button ? Qt::TabFocus : Qt::NoFocus);
    }
  });
  return button;
}

void Choice::clear() {
  for (QAbstractButton* button : group_->buttons()) {
    group_->removeButton(button);
    delete button;
  }
}

int Choice::current() const {
  return group_->checkedId();
}

void Choice::setCurrent(int value) {
  if (QAbstractButton* button = group_->button(value)) {
    button->setChecked(true);
  }
}

Combo::Combo(QWidget* parent) : QComboBox(parent) {
  setSizeAdjustPolicy(QComboBox::AdjustToContents);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize Combo::minimumSizeHint() const {
  const QSize whole = QComboBox::minimumSizeHint();
  return {std::min(whole.width(), fontMetrics().averageCharWidth() * 9 + 24), whole.height()};
}

void Combo::paintEvent(QPaintEvent* /*event*/) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  const QRect room =
      style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
  option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room.width() - 2);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

LineLabel::LineLabel(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void LineLabel::setText(const QString& text, const QString& note, const QString& brief) {
  text_ = text;
  brief_ = brief;
  setToolTip(note.isEmpty() ? text : text + QLatin1Char('\n') + note);
  // Both, and each with its event: a tool tip that takes the place of a description changes silently.
  setAccessibleDescription(toolTip());
  setAccessibleName(text);
  setMinimumWidth(brief.isEmpty() ? 0 : fontMetrics().horizontalAdvance(brief) + 2);
  updateGeometry();
  update();
}

QSize LineLabel::sizeHint() const {
  return {fontMetrics().horizontalAdvance(text_) + 2, fontMetrics().height() + 4};
}

QSize LineLabel::minimumSizeHint() const {
  return {0, fontMetrics().height() + 4};
}

void LineLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  const bool fits = brief_.isEmpty() || fontMetrics().horizontalAdvance(text_) <= width();
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(fits ? text_ : brief_, Qt::ElideRight, width()));
}

QHBoxLayout* make_tool_row() {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  return row;
}

}  // namespace mog::gui

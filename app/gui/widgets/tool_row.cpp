#include "app/gui/widgets/tool_row.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>
#include <QStyleOption>
#include <QStylePainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace mog::gui {
namespace {

// A tool button with a bar in the colour that its choice has in the pictures.
class ColourButton : public QToolButton {
 public:
  ColourButton(const QColor& colour, QWidget* parent) : QToolButton(parent), colour_(colour) {}

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

QToolButton* step_button(Qt::ArrowType arrow, const QString& tip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setArrowType(arrow);
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

QHBoxLayout* make_tool_row() {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  return row;
}

ToolColumn make_tool_column(QWidget* view) {
  auto* column = new QVBoxLayout(view);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  return {column, make_tool_row()};
}

}  // namespace mog::gui

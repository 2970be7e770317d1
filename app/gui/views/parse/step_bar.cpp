#include "app/gui/views/parse/step_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>

#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/tool_row.h"

namespace mog::gui {
namespace {
constexpr int kSliderWidth = 120;

QString with_key(const QString& text, Qt::Key key) {
  return QStringLiteral("%1 (%2)").arg(text, QKeySequence(Qt::CTRL | key).toString(QKeySequence::NativeText));
}
}  // namespace

StepBar::StepBar(QWidget* parent)
    : QWidget(parent),
      before_(new QToolButton(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      next_(new QToolButton(this)),
      label_(new LineLabel(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  for (QToolButton* const button : {before_, next_}) {
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
  }
  slider_->setFixedWidth(kSliderWidth);
  slider_->setPageStep(1);
  row->addWidget(before_);
  row->addWidget(slider_);
  row->addWidget(next_);
  row->addSpacing(4);
  row->addWidget(label_, 1);
  connect(before_, &QToolButton::clicked, this, [this] { step(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { step(1); });
  connect(slider_, &QSlider::valueChanged, this, [this](int step) {
    enable();
    Q_EMIT chosen(step);
  });
  setNames(tr("Step before"), tr("Next step"), tr("Step"));
  drawIcons();
}

void StepBar::setNames(const QString& before, const QString& next, const QString& slider) {
  before_->setAccessibleName(before);
  before_->setToolTip(with_key(before, Qt::Key_PageUp));
  next_->setAccessibleName(next);
  next_->setToolTip(with_key(next, Qt::Key_PageDown));
  slider_->setAccessibleName(slider);
  slider_->setToolTip(slider);
}

void StepBar::setSteps(std::int64_t steps) {
  steps_ = steps;
  const QSignalBlocker quiet(slider_);
  slider_->setRange(std::min(1, static_cast<int>(steps)), static_cast<int>(steps));
  slider_->setValue(static_cast<int>(steps));
  for (QWidget* const part :
       {static_cast<QWidget*>(before_), static_cast<QWidget*>(slider_), static_cast<QWidget*>(next_)}) {
    part->setVisible(steps > 1);
  }
  enable();
}

std::int64_t StepBar::current() const {
  return slider_->value();
}

void StepBar::setCurrent(std::int64_t step) {
  slider_->setValue(
      static_cast<int>(std::clamp<std::int64_t>(step, std::min<std::int64_t>(steps_, 1), steps_)));
}

void StepBar::setText(const QString& text, const QString& brief) {
  label_->setText(text, {}, brief);
}

QString StepBar::text() const {
  return label_->text();
}

void StepBar::enable() {
  before_->setEnabled(current() > 1);
  next_->setEnabled(current() < steps_);
}

void StepBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    drawIcons();
  }
}

void StepBar::drawIcons() {
  before_->setIcon(icon(Icon::previous, palette()));
  next_->setIcon(icon(Icon::next, palette()));
}

}  // namespace mog::gui

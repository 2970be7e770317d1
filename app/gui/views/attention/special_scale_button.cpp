#include "app/gui/views/attention/special_scale_button.h"

#include <QStringList>

#include "app/gui/views/attention/attention_choices.h"

namespace mog::gui {
namespace {

QStringList special_names(const analysis::HeatMap& map) {
  QStringList names;
  for (const auto* const side : {&map.rows, &map.columns}) {
    for (const analysis::WordLabel& label : *side) {
      const QString name = QString::fromStdString(label.text);
      if (label.special && !names.contains(name)) {
        names += name;
      }
    }
  }
  return names;
}

}  // namespace

SpecialScaleButton::SpecialScaleButton(AttentionChoices& choices, QWidget* parent)
    : QToolButton(parent), choices_(choices) {
  setAutoRaise(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  connect(this, &QToolButton::clicked, this,
          [this] { choices_.setSpecialInScale(!choices_.specialInScale()); });
  tell(nullptr);
}

void SpecialScaleButton::tell(const analysis::HeatMap* map) {
  const QStringList names = map != nullptr ? special_names(*map) : QStringList();
  setVisible(!names.isEmpty());
  const QString all = names.join(QStringLiteral(", "));
  const bool in_scale = choices_.specialInScale();
  whole_ = in_scale ? tr("%1 in the scale").arg(all) : tr("%1 out of the scale").arg(all);
  setAccessibleName(whole_);
  setToolTip(in_scale ? tr("%1. Click to dim them and take them out of the scale of the colours.").arg(whole_)
                      : tr("%1: dimmed. Click to take them into the scale of the colours.").arg(whole_));
  setText(whole_);
  elide();
}

QSize SpecialScaleButton::minimumSizeHint() const {
  return {fontMetrics().averageCharWidth() * 8, QToolButton::minimumSizeHint().height()};
}

void SpecialScaleButton::resizeEvent(QResizeEvent* event) {
  QToolButton::resizeEvent(event);
  elide();
}

void SpecialScaleButton::elide() {
  const QString text = fontMetrics().elidedText(whole_, Qt::ElideRight, width() - 8);
  if (text != this->text() && !text.isEmpty()) {
    setText(text);
  }
}

}  // namespace mog::gui

#include "app/gui/views/common/threshold_box.h"

#include <QSignalBlocker>

namespace mog::gui {

std::optional<double> chosen_threshold(const ViewState& state) {
  const double chosen = state.number(setting::kAttentionThreshold);
  return chosen < 0 ? std::nullopt : std::optional(chosen);
}

ThresholdBox::ThresholdBox(ViewState& state, const QString& automatic, QWidget* parent)
    : NumberBox(parent), state_(state) {
  setRange(-0.01, setting::kGreatestThreshold);
  setDecimals(3);
  setSingleStep(0.01);
  setSpecialValueText(tr("auto"));
  setPrefix(QStringLiteral("≥ "));
  setToolTip(tr("Weaker arcs are left out (key T); auto: %1").arg(automatic));
  setAccessibleName(tr("Threshold of the arcs"));
  setKeyboardTracking(false);
  follow();
  connect(this, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    state_.set(setting::kAttentionThreshold, ViewState::Value(value < 0 ? -1.0 : value));
  });
  connect(&state_, &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kAttentionThreshold) {
      follow();
    }
  });
}

void ThresholdBox::follow() {
  const QSignalBlocker quiet(this);
  setValue(chosen_threshold(state_).value_or(minimum()));
}

void ThresholdBox::takeFocus() {
  setFocus(Qt::ShortcutFocusReason);
  selectAll();
}

}  // namespace mog::gui

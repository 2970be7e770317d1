#include "app/gui/views/graphs/flow_threshold.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <cmath>

#include "app/gui/session/view_state.h"
#include "app/gui/widgets/number_box.h"

namespace mog::gui {
namespace {

constexpr double kAutomatic = 0.05;  // until a picture says its own

// The slider goes from 0.001 to 1 in even ratios.
constexpr int kSlider = 300;
double weight_at(int position) {
  return std::pow(10.0, position / 100.0 - 3);
}
int position_of(double weight) {
  return weight > 0 ? std::clamp(static_cast<int>(std::lround((std::log10(weight) + 3) * 100)), 0, kSlider)
                    : 0;
}
// Two digits, as a person would type it.
double rounded(double weight) {
  const double digits = weight >= 0.1 ? 100 : weight >= 0.01 ? 1000 : 10000;
  return std::round(weight * digits) / digits;
}

}  // namespace

FlowThreshold::FlowThreshold(ViewState& state, QWidget& view)
    : QObject(&view),
      state_(state),
      slider_(new QSlider(Qt::Horizontal, &view)),
      number_(new NumberBox(&view)),
      automatic_(kAutomatic) {
  build();
  follow();
  connect(slider_, &QSlider::valueChanged, this, [this](int position) {
    state_.set(setting::kFlowThreshold, ViewState::Value(rounded(weight_at(position))));
  });
  connect(number_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    state_.set(setting::kFlowThreshold, ViewState::Value(value < 0 ? -1.0 : value));
  });
  connect(&state_, &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kFlowThreshold) {
      follow();
    }
  });
}

void FlowThreshold::build() {
  slider_->setRange(0, kSlider);
  // The number of edges beside it needs the room more.
  slider_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  slider_->setMinimumWidth(32);
  slider_->setMaximumWidth(60);
  slider_->setPageStep(30);
  slider_->setToolTip(tr("Weaker edges are left out"));
  slider_->setAccessibleName(tr("Threshold of the edges"));
  number_->setRange(-0.001, 1);
  number_->setDecimals(4);
  number_->setSingleStep(0.005);
  number_->setSpecialValueText(tr("auto"));
  number_->setPrefix(QStringLiteral("≥ "));
  number_->setToolTip(tr("Weaker edges are left out; auto: about two edges a word and layer"));
  number_->setAccessibleName(slider_->accessibleName());
  number_->setKeyboardTracking(false);
}

void FlowThreshold::addTo(QHBoxLayout& tools) {
  tools.addWidget(slider_);
  tools.addWidget(number_);
}

void FlowThreshold::setVisible(bool visible) {
  slider_->setVisible(visible);
  number_->setVisible(visible);
}

void FlowThreshold::setAutomatic(double weight) {
  automatic_ = weight;
  follow();
}

void FlowThreshold::follow() {
  const QSignalBlocker quiet_slider(slider_);
  const QSignalBlocker quiet_number(number_);
  const double chosen = state_.number(setting::kFlowThreshold);
  number_->setValue(chosen < 0 ? number_->minimum() : chosen);
  slider_->setValue(position_of(chosen >= 0 ? chosen : automatic_));
}

}  // namespace mog::gui

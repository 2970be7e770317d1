// The weight below which edges of the information flow are left out: a slider and a number, one setting.
// "auto" is what the picture chooses by itself.
#pragma once

#include <QObject>

class QDoubleSpinBox;
class QHBoxLayout;
class QSlider;
class QWidget;

namespace mog::gui {

class ViewState;

class FlowThreshold : public QObject {
  Q_OBJECT
 public:
  // Its controls are children of `view`. `state` outlives it.
  FlowThreshold(ViewState& state, QWidget& view);
  QSlider& slider() { return *slider_; }
  QDoubleSpinBox& number() { return *number_; }
  void addTo(QHBoxLayout& tools);
  void setVisible(bool visible);
  // Where the slider stands for "auto".
  void setAutomatic(double weight);

 private:
  void build();
  void follow();

  ViewState& state_;
  QSlider* slider_;
  QDoubleSpinBox* number_;
  double automatic_;
};

}  // namespace mog::gui

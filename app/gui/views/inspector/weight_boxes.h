// The weight of a join as it comes about.
#pragma once

#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

namespace mog::gui {

// Attention × share = weight, only what was recorded.
class WeightBoxes : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;
  void setValues(std::optional<double> attention, std::optional<double> share, double weight,
                 const QString& part);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool product_ = false;
  std::vector<std::pair<QString, QString>> boxes_;  // name, number
};

}  // namespace mog::gui

// A flat button of the bar at the top: tinted while it is chosen, a pill where it names what is looked at.
#pragma once

#include <QToolButton>
#include <cstdint>

namespace mog::gui {

class BarButton : public QToolButton {
  Q_OBJECT
 public:
  enum class Look : std::uint8_t { flat, pill, field };
  explicit BarButton(Look look, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Look look_;
};

}  // namespace mog::gui

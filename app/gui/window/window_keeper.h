// Size, state and arrangement of the window, kept soon after they change: a program that is killed opens as
// it was.
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>

class QWidget;

namespace mog::gui {

class WindowKeeper : public QObject {
  Q_OBJECT
 public:
  // `keep` writes all of it. From the first time on that the window is shown.
  WindowKeeper(QWidget& window, std::function<void()> keep);
  void touch();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget& window_;
  QTimer timer_;
};

}  // namespace mog::gui

// A dock and its title row: its name, "?" for what it shows, float, close.
#pragma once

#include <QDockWidget>
#include <QWidget>

namespace mog::gui {

class DockTitle : public QWidget {
  Q_OBJECT
 public:
  explicit DockTitle(QDockWidget& dock);
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void asked();  // what is this?
};

// Has an edge while it stands outside of the window.
class ViewDock : public QDockWidget {
  Q_OBJECT
 public:
  using QDockWidget::QDockWidget;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace mog::gui

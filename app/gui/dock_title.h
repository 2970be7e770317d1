// The title row of a dock: its name, "?" for what it shows, float, close.
#pragma once

#include <QWidget>

class QDockWidget;

namespace mog::gui {

class DockTitle : public QWidget {
  Q_OBJECT
 public:
  explicit DockTitle(QDockWidget& dock);
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void asked();  // what is this?
};

}  // namespace mog::gui

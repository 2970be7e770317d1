// Holds the window of the program and, when its reader chooses another language, opens it anew in that
// language. Texts are made where widgets are made: a new window cannot have a forgotten one.
//
// What the window holds goes along as it is (window_past.h); so that no job ends, the change waits for those
// that run.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>

#include "app/gui/main_window.h"

namespace mog::gui {

class WindowHost : public QObject {
  Q_OBJECT
 public:
  // `make` makes a window that is not shown yet; it is called again for every change of the language.
  explicit WindowHost(std::function<std::unique_ptr<MainWindow>()> make);
  MainWindow& window() { return *window_; }

 Q_SIGNALS:
  // Another window is there; the one before ends when the receivers have returned.
  void renewed();

 private:
  void adopt(std::unique_ptr<MainWindow> window);
  void renewWhenIdle(const QString& language);
  void renew();
  std::function<std::unique_ptr<MainWindow>()> make_;
  std::unique_ptr<MainWindow> window_;
  QString language_;  // wanted; empty: the one in use
};

}  // namespace mog::gui

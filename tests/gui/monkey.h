// A monkey at the window: random events of mouse, keyboard, drops, menus, popups and dialogs.
#pragma once

#include <QObject>
#include <QPoint>
#include <QString>
#include <QStringList>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>

#include "app/gui/window/main_window.h"

class QDialog;
class QEventLoop;

namespace mog::test {

struct MonkeyOptions {
  std::uint32_t seed = 1;
  std::int64_t events = 1000;
  QStringList files;  // to drop on the window and to choose in its file dialogs
};

// Every step asks for the next one before it acts: what it does may open an event loop of its own (a menu, a
// dialog), and then the steps go on inside of it until that menu or dialog is closed.
//
// It writes nowhere but into the current folder and the home folder, which a test sets to folders of its own:
// file dialogs are answered with `files`, or refused; nobody walks about in them.
class Monkey : public QObject {
  Q_OBJECT
 public:
  Monkey(gui::MainWindow& window, MonkeyOptions options);
  // Does all events; afterwards every popup and dialog is closed. When no step comes for a minute, the
  // program prints what was done last and aborts: it hangs.
  void run();
  // The last things that were done, for the message of a failure.
  QString lastEvents() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void step();
  void act();
  void finish();
  void closeInFront();
  void actOnPopup(QWidget& popup);
  void actOnDialog(QDialog& dialog);
  void answerFileDialog(QDialog& dialog);
  void actOnWindow();
  void changeWindow();
  void useMouse(QWidget& among);
  void drag(QWidget& place, QPoint from);
  void turnWheel(QWidget& place, QPoint at);
  void useKeys(QWidget& target);
  void drop();
  void note(const QString& text);
  static QString nameOf(const QWidget& widget);
  QString text();  // what people type
  std::size_t pick(std::size_t below);
  bool oneIn(std::size_t n) { return pick(n) == 0; }
  QPoint pointIn(const QWidget& widget);
  QWidget* widgetIn(QWidget& among);

  gui::MainWindow& window_;
  MonkeyOptions options_;
  std::mt19937 random_;
  QEventLoop* loop_ = nullptr;
  std::atomic<std::int64_t> done_ = 0;
  int depth_ = 0;  // steps that have not returned: more than one inside menus and dialogs
  mutable std::mutex noted_mutex_;
  QStringList noted_;
};

}  // namespace mog::test

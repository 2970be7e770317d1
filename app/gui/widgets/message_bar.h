// A message above the views: what failed and what to try, or what is done and what may be done with it. It
// stays until it is read; the program goes on.
#pragma once

#include <QFrame>
#include <QStringList>
#include <functional>
#include <vector>

class QLabel;
class QPushButton;
class QToolButton;

namespace mog::gui {

class MessageBar : public QFrame {
  Q_OBJECT
 public:
  explicit MessageBar(QWidget* parent = nullptr);
  // The newest message is shown; older ones come back as it is closed.
  void add(const QString& message);
  // With a button, which closes it. `key`: by which it is taken back.
  void offer(const QString& message, const QString& button, std::function<void()> run, const QString& key);
  void takeBack(const QString& key);
  QString shown() const;
  QStringList all() const;  // not closed yet, the newest last
  QPushButton& button() { return *button_; }

 private:
  struct Message {
    QString text;
    QString button;  // empty: none
    std::function<void()> run;
    QString key;
  };
  void push(Message message);
  void showLast();
  std::vector<Message> waiting_;
  QLabel* icon_;
  QLabel* text_;
  QPushButton* button_;
  QToolButton* more_;
  QToolButton* close_;
};

}  // namespace mog::gui

// A message above the views: what failed and what to try. It stays until it is read; the program goes on.
#pragma once

#include <QFrame>
#include <QStringList>

class QLabel;
class QToolButton;

namespace mog::gui {

class MessageBar : public QFrame {
  Q_OBJECT
 public:
  explicit MessageBar(QWidget* parent = nullptr);
  // The newest message is shown; older ones come back as it is closed.
  void add(const QString& message);
  QString shown() const;
  const QStringList& all() const { return waiting_; }  // not closed yet, the newest last

 private:
  void showLast();
  QStringList waiting_;
  QLabel* text_;
  QLabel* more_;
  QToolButton* close_;
};

}  // namespace mog::gui

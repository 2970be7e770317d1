// A place of a workspace: one view, or several behind a row of names, of which one is in front.
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace mog::gui {

class Choice;

class Pane : public QWidget {
  Q_OBJECT
 public:
  struct Held {
    QString name;  // of its kind
    QString title;
    QWidget* widget = nullptr;
  };
  explicit Pane(QWidget* parent = nullptr);

  // Takes these widgets out of wherever they are. The one in front stays there where it is among them.
  void hold(const std::vector<Held>& views);
  bool isEmpty() const { return views_.empty(); }
  bool holds(const QString& name) const { return placeOf(name) >= 0; }
  QString front() const;
  // Without frontChosen().
  void setFront(const QString& name);

 Q_SIGNALS:
  void frontChosen(const QString& name);  // by the reader
  void asked(const QString& name);        // what does this view show?
  void roomWanted();                      // its share again, after it gave way

 protected:
  bool event(QEvent* event) override;

 private:
  int placeOf(const QString& name) const;
  // No higher than the view in front may be: one that has nothing but a sentence to say leaves the room.
  void fit();

  std::vector<Held> views_;
  QString wanted_;  // comes to the front as soon as it is here
  QWidget* row_;
  Choice* names_;
  QLabel* title_;
  QToolButton* help_;
  QStackedWidget* stack_;
};

}  // namespace mog::gui

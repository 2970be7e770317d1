// Which program this is: name, version, licence, the libraries that it runs on, where it is explained.
#pragma once

#include <QDialog>
#include <QString>

class QLabel;
class QPushButton;

namespace mog::gui {

class JobRunner;

class AboutPage : public QDialog {
  Q_OBJECT
 public:
  // The engine is asked in a job: to open it takes a moment.
  explicit AboutPage(JobRunner& jobs, QWidget* parent = nullptr);
  QString text() const;
  QPushButton& qtButton() { return *qt_; }

 Q_SIGNALS:
  void guideAsked();  // quantities and views
  void keysAsked();

 private:
  void print();
  QString engine_;  // "2.1.0", or why there is none
  QLabel* text_;
  QPushButton* qt_;
};

// The page of the window in the folder of documents beside the program; empty: there is none.
QString documentation_page();

}  // namespace mog::gui

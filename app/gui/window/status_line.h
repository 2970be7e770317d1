// The foot of the window: the value under the pointer, or for some seconds what was done.
#pragma once

#include <QObject>
#include <QString>

class QLabel;
class QStatusBar;

namespace mog::gui {

class StatusLine : public QObject {
  Q_OBJECT
 public:
  // Adds its line to `bar`, which outlives it.
  explicit StatusLine(QStatusBar& bar);

  QString readout() const;
  // Stays until the next one; empty: nothing is under the pointer.
  void setReadout(const QString& text);
  // In the place of the read-out, for some seconds.
  void say(const QString& text);
  // Covers the read-out, which comes back: what was finished.
  void announce(const QString& text, int duration_ms);

 private:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void fit();

  QStatusBar& bar_;
  QLabel* readout_;
  QString text_;  // all of it: the line shows what it has room for
};

}  // namespace mog::gui

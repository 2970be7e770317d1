// A short walk through the window: a card beside one real view after another. Skippable at any step; the
// window remembers that it was offered.
#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

class QLabel;
class QPushButton;

namespace mog::gui {

struct TourStep {
  std::function<QWidget*()> target;  // called when the step begins; brings its view to the front
  QString title;
  QString text;
};

class Tour : public QWidget {
  Q_OBJECT
 public:
  // Over `window`, whose child it becomes.
  Tour(QWidget& window, std::vector<TourStep> steps);
  ~Tour() override;
  int step() const { return step_; }
  int size() const { return static_cast<int>(steps_.size()); }
  QWidget* target() const { return target_; }
  QString title() const;
  void next();
  void back();

 Q_SIGNALS:
  void ended();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void go(int step);
  void place();
  std::vector<TourStep> steps_;
  int step_ = -1;
  QPointer<QWidget> target_;
  QPointer<QWidget> ring_;  // around the target, a child of the window
  QLabel* title_;
  QLabel* text_;
  QLabel* count_;
  QPushButton* back_;
  QPushButton* next_;
};

}  // namespace mog::gui

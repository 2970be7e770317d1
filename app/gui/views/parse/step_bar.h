// Steps forward and back: two buttons, a slider between them, and what the step is.
#pragma once

#include <QWidget>
#include <cstdint>

class QSlider;
class QToolButton;

namespace mog::gui {

class LineLabel;

class StepBar : public QWidget {
  Q_OBJECT
 public:
  explicit StepBar(QWidget* parent = nullptr);
  // Names of the buttons to a reader: "Round before", "Next round".
  void setNames(const QString& before, const QString& next, const QString& slider);
  // Stands at the last one.
  void setSteps(std::int64_t steps);
  std::int64_t steps() const { return steps_; }
  std::int64_t current() const;  // from 1; 0: there is none
  void setCurrent(std::int64_t step);
  void step(int by) { setCurrent(current() + by); }
  void setText(const QString& text, const QString& brief);
  QString text() const;
  QToolButton& before() { return *before_; }
  QToolButton& next() { return *next_; }

 Q_SIGNALS:
  void chosen(std::int64_t step);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void drawIcons();
  void enable();
  std::int64_t steps_ = 0;
  QToolButton* before_;
  QSlider* slider_;
  QToolButton* next_;
  LineLabel* label_;
};

}  // namespace mog::gui

// What stands in the line of tools above a picture.
#pragma once

#include <QColor>
#include <QComboBox>
#include <QString>
#include <QWidget>

class QButtonGroup;
class QHBoxLayout;
class QToolButton;
class QVBoxLayout;

namespace mog::gui {

// One row of buttons of which one is chosen; each has a tool tip with its key.
class Choice : public QWidget {
  Q_OBJECT
 public:
  explicit Choice(const QString& accessible_name, QWidget* parent = nullptr);
  // `value` comes back in chosen(); a colour draws a bar under the text.
  QToolButton* add(const QString& text, int value, const QString& tip, const QColor& colour = {});
  void clear();
  int current() const;
  void setCurrent(int value);  // without chosen()

 Q_SIGNALS:
  void chosen(int value);

 private:
  QHBoxLayout* layout_;
  QButtonGroup* group_;
};

// A choice in a row of tools: gives way, and what does not fit ends with an ellipsis.
class Combo : public QComboBox {
  Q_OBJECT
 public:
  explicit Combo(QWidget* parent = nullptr);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

// One line that gives way: what does not fit ends with an ellipsis and stands whole in the tool tip.
class LineLabel : public QWidget {
  Q_OBJECT
 public:
  explicit LineLabel(QWidget* parent = nullptr);
  // `note` is added to the tool tip; `brief` stands where the whole has no room, and always has its own.
  void setText(const QString& text, const QString& note = {}, const QString& brief = {});
  void clear() { setText({}); }
  QString text() const { return text_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text_;
  QString brief_;
};

// An arrow that goes one step. tip: its tool tip and name.
QToolButton* step_button(Qt::ArrowType arrow, const QString& tip, QWidget* parent);

// The line of tools above a picture: 4-pixel grid, nothing but what is given to it.
QHBoxLayout* make_tool_row();
// The usual layout of a view: a row of tools, and below it what the view adds. The row is added by the view,
// when it is filled.
struct ToolColumn {
  QVBoxLayout* column;
  QHBoxLayout* tools;
};
ToolColumn make_tool_column(QWidget* view);

}  // namespace mog::gui

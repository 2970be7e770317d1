// Rows of numbers with names: bars, or what was before and after. A click, or Up, Down and Enter, chooses
// one. Painted as one widget, so that hundreds of rows cost nothing.
#pragma once

#include <QColor>
#include <QWidget>
#include <optional>
#include <vector>

#include "io/recording/part.h"

namespace mog::gui {

struct ValueRow {
  QString label = {};
  QString note = {};              // a small line below
  double value = 0;               // length of the bar
  QString text = {};              // at the right
  bool strong = false;            // what is selected
  bool quiet = false;             // special tokens
  QString spoken = {};            // for a screen reader; empty: label and text
  std::optional<Part> part = {};  // its colour; else the accent
  // Of a change: before, after; `value` is the difference.
  QString before = {};
  QString after = {};
};

class Rows : public QWidget {
  Q_OBJECT
 public:
  enum class Kind : std::uint8_t { bars, changes };
  Rows(Kind kind, const QString& accessible_name, QWidget* parent = nullptr);
  void setRows(std::vector<ValueRow> rows);
  // What the two numbers of a change are of, in a word.
  void setSides(const QString& before, const QString& after);
  const std::vector<ValueRow>& rows() const { return rows_; }
  // Whether rows can be chosen: only then the widget takes the focus.
  void setChoosable(bool choosable);
  QRect rectOf(int row) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void chosen(int row);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  bool noted() const;  // some row has a line below
  int rowHeight() const;
  int headHeight() const;
  int columnWidth() const;
  int numbers() const;
  int rowAt(const QPointF& place) const;
  QString spoken(int row) const;
  void setCurrent(int row);
  void paintBar(QPainter& painter, const QRect& place, const ValueRow& row) const;
  void paintChange(QPainter& painter, const QRect& place, const ValueRow& row) const;
  QFont smallFont() const;

  Kind kind_;
  std::vector<ValueRow> rows_;
  QString before_;
  QString after_;
  double greatest_ = 0;
  bool choosable_ = false;
  int hovered_ = -1;
  int current_ = 0;
};

// The gate of a word, layer by layer, with its numbers; a click chooses the layer.
class GateLine : public QWidget {
  Q_OBJECT
 public:
  explicit GateLine(QWidget* parent = nullptr);
  // gates: [layer]; absent ones are not a number.
  void setGates(std::vector<double> gates, std::int64_t layer);
  const std::vector<double>& gates() const { return gates_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 Q_SIGNALS:
  void chosen(int layer);  // from 1

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  double columnWidth() const;
  std::vector<double> gates_;
  std::int64_t layer_ = 0;
};

}  // namespace mog::gui

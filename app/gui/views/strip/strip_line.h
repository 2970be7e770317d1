// The words of the strip with their bars. Words are lit, pinned and walked here; which ones there are says
// the strip.
#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/figure_data/gate_median.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/views/strip/strip_layout.h"

namespace mog::gui {

class StripLine : public QWidget {
  Q_OBJECT
 public:
  explicit StripLine(SelectionModel& selection, QWidget* parent = nullptr);
  void setSentence(StripSentence sentence);
  const StripSentence& sentence() const { return sentence_; }
  // What the bars are coloured around; none: they say their length alone.
  void setMiddle(const std::optional<analysis::GateMiddle>& middle);
  // Tokens of the graph in front.
  void setGraphWords(std::vector<std::int64_t> tokens);
  bool inGraph(int word) const;
  // Lays the words out; the line is then as high as they need.
  void layOut(double width);
  const StripLayout& places() const { return places_; }
  int pinned() const { return sentence_.wordOf(selection_.token()); }  // word; -1: none
  // "telescope, gate 0.47": what is read aloud; with the place and the median: what stands in the tool tip.
  QString nameOf(int word) const;
  QString explain(int word) const;
  void choose(int word);
  // Where a step leads that begins at nothing is the first or last word.
  void step(int by);

 Q_SIGNALS:
  void editAsked();
  void menuAsked(int word, const QPoint& at);  // -1: none; where on the screen
  void stepAsked(int by);                      // another sentence
  void pinnedMoved();
  void focused();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void paintBar(QPainter& painter, const StripPiece& piece) const;
  void tellFocus();

  SelectionModel& selection_;
  StripSentence sentence_;
  StripLayout places_;
  std::optional<analysis::GateMiddle> middle_;
  std::vector<std::int64_t> graph_;
  std::optional<std::int64_t> before_click_;  // a double click is no choice
  bool ringed_ = false;                       // the focus came by keyboard
};

}  // namespace mog::gui

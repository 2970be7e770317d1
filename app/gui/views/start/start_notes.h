// Three notes below the graph of the first page, with the numbers that stand in the picture: what its
// questions are about.
#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "app/figures/painter.h"
#include "app/gui/views/start/start_facts.h"

class QLabel;

namespace mog::gui {

class StartNotes : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kNotes = 3;
  explicit StartNotes(QWidget* parent = nullptr);
  // Of a graph: its leaves, the join that owns it, what is carried on. Without a join there is nothing to
  // say.
  void tell(const StartGraph& graph);
  void clear();
  // For the picture; empty: nothing is told.
  const std::vector<figures::NoteMark>& marks() const { return marks_; }
  QString text(int note) const;  // from 0

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void set(int note, const QString& title, const QString& text);
  std::array<QLabel*, kNotes> texts_{};
  std::vector<figures::NoteMark> marks_;
};

}  // namespace mog::gui

// The arcs that a reader has set by hand, a button each that lets go of it, and one for all of them.
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "app/workflow/graphs/tree_constraints.h"

class QLabel;
class QToolButton;

namespace mog::gui {

class WrappingLayout;

class ArcChips : public QWidget {
  Q_OBJECT
 public:
  explicit ArcChips(QWidget* parent = nullptr);
  // words: [word], for their names. Hidden where nothing is set.
  void setArcs(const app::TreeConstraints& arcs, const std::vector<QString>& words);
  // One an arc, forced ones first.
  const std::vector<QToolButton*>& buttons() const { return buttons_; }
  QToolButton& clearAll() { return *clear_; }

 Q_SIGNALS:
  void letGo(const mog::app::TreeArc& arc);
  void letGoOfAll();

 private:
  void add(const app::TreeArc& arc, bool forced, const std::vector<QString>& words);
  std::vector<QToolButton*> buttons_;
  QWidget* line_;
  WrappingLayout* layout_;
  QLabel* label_;
  QToolButton* clear_;
};

}  // namespace mog::gui

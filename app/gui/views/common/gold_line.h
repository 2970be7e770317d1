// The line under a picture with gold arcs: how the sentence fits its gold tree, and the whole recording.
#pragma once

#include <vector>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"
#include "app/workflow/syntax/syntax_job.h"

class QLabel;
class QToolButton;

namespace mog::gui {

class GoldSyntax;

class GoldLine : public QWidget {
  Q_OBJECT
 public:
  GoldLine(Workspace& workspace, QWidget* parent);
  // What is shown is scored over the recording as these rows, queries first; empty: nothing is.
  // `sentence`: how the sentence fits, or why there is no gold tree. Hidden without gold syntax.
  void tell(const GoldNote& sentence, std::vector<app::SyntaxRow> rows, const QString& why_no_rows = {});
  QString text() const;
  QToolButton& button() { return *button_; }

 private:
  void refresh();
  void score();
  Workspace& workspace_;
  QLabel* label_;  // as many lines as it needs: it ends with numbers
  QToolButton* button_;
  QString sentence_;
  std::vector<app::SyntaxRow> rows_;
  QString why_no_rows_;
};

}  // namespace mog::gui

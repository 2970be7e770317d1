// How quantities moved while models were trained: a line a layer over the updates, a panel a part and run or
// runs in one panel, with change points. Of files of `mog train --watch`; one that grows is drawn again. What
// there is to choose and the picture are found by a job.
#pragma once

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

class QCheckBox;
class QComboBox;
class QToolButton;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

class TrajectoryView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit TrajectoryView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  FigureCanvas& picture() { return *picture_; }
  QComboBox& measure();
  QComboBox& length();
  QComboBox& layer();
  QComboBox& head();
  QCheckBox& changePoints() { return *change_points_; }
  QCheckBox& together() { return *together_; }
  QToolButton& runs() { return *runs_; }

 protected:
  void refresh() override;

 private:
  struct Question;
  struct Answer;
  static Answer find(const Question& question);  // by the job
  void build();
  void fillChoices(const Answer& answer);
  void fillRuns();
  void ask();
  void take(Answer answer);
  void showNothing(const QString& title, const QString& hint);

  QWidget* tools_;
  Combo* measure_;
  Combo* length_;
  Combo* layer_;
  Combo* head_;
  QCheckBox* change_points_;
  QCheckBox* together_;
  QToolButton* runs_;
  FigureCanvas* picture_;
  MadeFigure made_;
  QStringList listed_;  // entries of the menu of runs
};

}  // namespace mog::gui

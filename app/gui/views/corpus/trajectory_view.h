// How quantities moved while models were trained: a line a layer over the updates, a panel a part and run or
// runs in one panel, with change points. Of files of `mog train --watch`; one that grows is drawn again.
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
  void build();
  void fillChoices();
  void fillRuns();
  void draw();
  app::FigureRequest request() const;

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
};

}  // namespace mog::gui

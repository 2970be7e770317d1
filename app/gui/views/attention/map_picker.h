// Which map: part, layer and head of the shared selection, as one tool row.
#pragma once

#include <QWidget>

#include "app/gui/session/selection_model.h"

class QToolButton;

namespace mog::gui {

class Choice;
class LineLabel;

class MapPicker : public QWidget {
  Q_OBJECT
 public:
  explicit MapPicker(SelectionModel& selection, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void rebuildParts();
  void update();
  void showSteps();
  SelectionModel& selection_;
  std::vector<Part> shown_parts_;
  bool brief_ = false;   // the parts by their letters
  int whole_width_ = 0;  // of their names
  Choice* parts_;
  LineLabel* place_;
  QToolButton* layer_up_;
  QToolButton* layer_down_;
  QToolButton* head_back_;
  QToolButton* head_on_;
};

}  // namespace mog::gui

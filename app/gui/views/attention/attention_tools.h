// The line of tools above the attention maps: which map, matrix or arcs, the threshold of the arcs, and a
// menu of everything else that can be chosen (AttentionChoices).
#pragma once

#include <QHBoxLayout>
#include <cstdint>

#include "app/gui/views/common/view.h"

class QMenu;
class QToolButton;

namespace mog::gui {

class AttentionChoices;
class MapPicker;
class ThresholdBox;

class AttentionTools : public QHBoxLayout {
  Q_OBJECT
 public:
  // Its controls are children of `view`. Everything given outlives it.
  AttentionTools(const ViewContext& context, AttentionChoices& choices, QWidget& view);

  // Whether there are maps to choose anything of; which one is chosen nevertheless.
  void setMapsShown(bool shown);
  // How many texts the sentence is made of: with two, blocks of the pair can be chosen.
  void setTexts(std::int64_t texts) { texts_ = texts; }
  // The focus into the number, where there are arcs.
  void focusThreshold();

 private:
  void fillMenu();
  void fillHeads(QMenu& menu);
  void fillBlocks(QMenu& menu);

  const SelectionModel& selection_;
  AttentionChoices& choices_;
  std::int64_t texts_ = 1;
  MapPicker* picker_;
  Choice* show_;
  ThresholdBox* threshold_;
  QToolButton* more_;
};

}  // namespace mog::gui

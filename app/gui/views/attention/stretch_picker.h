// Which tokens of a long text the maps show: a stretch of queries, and one of keys, as a tool row that a
// short text does not have.
#pragma once

#include <QWidget>

#include "app/gui/views/common/view.h"

class QLabel;
class QToolButton;

namespace mog::gui {

class AttentionChoices;

class StretchPicker : public QWidget {
  Q_OBJECT
 public:
  // Everything given outlives it.
  StretchPicker(const ViewContext& context, AttentionChoices& choices, QWidget* parent = nullptr);

 private:
  struct Side {
    QToolButton* back;
    QLabel* shown;
    QToolButton* on;
  };
  Side addSide(const QString& name, const QString& tip, bool keys);
  void update();

  const SelectionModel& selection_;
  AttentionChoices& choices_;
  Side queries_{};
  Side keys_{};
  LineLabel* all_;
};

}  // namespace mog::gui

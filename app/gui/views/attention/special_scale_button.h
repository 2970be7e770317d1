// Says whether special tokens are in the scale of the colours; a click takes them in or out.
#pragma once

#include <QToolButton>

#include "analysis/figure_data/figure_data.h"

namespace mog::gui {

class AttentionChoices;

class SpecialScaleButton : public QToolButton {
  Q_OBJECT
 public:
  // `choices` outlives it.
  explicit SpecialScaleButton(AttentionChoices& choices, QWidget* parent = nullptr);
  // Of the map that is shown; hidden where it has no special tokens, and without a map.
  void tell(const analysis::HeatMap* map);
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void elide();
  AttentionChoices& choices_;
  QString whole_;
};

}  // namespace mog::gui

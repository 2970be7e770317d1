// The weight below which arcs are left out: one setting for every picture of arcs. "auto" is what each
// picture chooses by itself. Above 1 only expected joins are left, which are sums over layers.
#pragma once

#include <optional>

#include "app/gui/session/view_state.h"
#include "app/gui/widgets/number_box.h"

namespace mog::gui {

class ThresholdBox : public NumberBox {
  Q_OBJECT
 public:
  // `automatic`: what "auto" is in this picture, in words. `state` outlives the box.
  ThresholdBox(ViewState& state, const QString& automatic, QWidget* parent = nullptr);
  // The focus by its key, the number ready to be typed over.
  void takeFocus();

 private:
  void follow();
  ViewState& state_;
};

// What was chosen; nullopt: auto.
std::optional<double> chosen_threshold(const ViewState& state);

}  // namespace mog::gui

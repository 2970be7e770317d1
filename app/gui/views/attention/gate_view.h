// The gate of the selected sentence: token × layer, or token × dimension of the selected layer.
#pragma once

#include <optional>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

class GateView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit GateView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  enum class Show : std::uint8_t { layers, dimensions };
  void setShow(Show show);
  Show show() const;
  FigureCanvas& picture() { return *picture_; }

 protected:
  void refresh() override;

 private:
  void updateHighlight();
  // Index of the token under a hit; tokens may be rows or columns of the figure.
  std::optional<std::int64_t> tokenOf(const figures::Hit& hit) const;
  Choice* show_choice_;
  LineLabel* what_;
  FigureCanvas* picture_;
  app::FigureRequest made_by_;
  bool tokens_are_rows_ = true;
  TokenGroups tokens_;                // of each place
  std::vector<std::int64_t> layers_;  // of the figure's rows, where rows are layers
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui

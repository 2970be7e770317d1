// The information flow of the selected sentence: states of its words, layer by layer, and what each takes
// from others. A click on a state keeps what flowed into it (or what it flows into), a click on an edge shows
// the heads behind it; a click on a head opens its map in the attention view.
#pragma once

#include <memory>
#include <optional>
#include <tuple>

#include "analysis/figure_data/information_flow.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

class QDoubleSpinBox;
class QSlider;
class QSplitter;

namespace mog::gui {

struct ViewKind;

class EdgeHeads;
class FigureCanvas;
class FlowThreshold;

class FlowView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit FlowView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  enum class Show : std::uint8_t { whole, ancestors, descendants };
  // Of the chosen state; without one the selected word in the selected layer is it.
  void setShow(Show show);
  Show show() const;
  FigureCanvas& picture() { return *picture_; }
  FigureCanvas& heads();
  QSlider& slider();
  QDoubleSpinBox& threshold();

 protected:
  void refresh() override;

 private:
  void build();
  void connectPictures();
  void showState(const QString& setting);
  void showEmpty(const Empty& empty);
  void draw();
  void take(FigurePointer figure, const app::FigureRequest& made_by);
  void clicked(const figures::Hit& hit);
  void hovered(const std::optional<figures::Hit>& hit);
  void updateHighlight();
  const analysis::FlowFigure* figure() const;
  std::optional<analysis::FlowState> chosenState() const;
  void choose(const std::optional<analysis::FlowState>& state);
  std::optional<std::int64_t> tokenOf(std::int64_t word) const;
  std::optional<std::int64_t> wordOf(std::optional<std::int64_t> token) const;
  figures::Highlight selectionHighlight(std::optional<std::int64_t> token) const;

  Choice* show_choice_;
  LineLabel* what_;
  FlowThreshold* threshold_;
  QSplitter* splitter_;
  FigureCanvas* picture_;
  EdgeHeads* heads_;
  std::shared_ptr<const analysis::InformationFlow> flow_;
  // What it is of, so that it is read again only when that changes.
  std::optional<std::tuple<const RecordingSource*, std::int64_t, std::vector<std::int64_t>>> flow_of_;
  app::FigureRequest made_by_;
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui

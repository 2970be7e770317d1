// The information flow of the selected sentence: states of its words, layer by layer, and what each takes
// from others. A click on a state keeps what flowed into it (or what it flows into), a click on an edge shows
// the heads behind it; a click on a head opens its map in the attention view.
#pragma once

#include <memory>
#include <optional>
#include <tuple>

#include "analysis/figure_data/information_flow.h"
#include "app/gui/views/figure_data_tasks.h"
#include "app/gui/views/view.h"

class QDoubleSpinBox;
class QSlider;
class QSplitter;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

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
  FigureCanvas& heads() { return *heads_; }
  QSlider& slider() { return *slider_; }
  QDoubleSpinBox& threshold() { return *threshold_; }

 protected:
  void refresh() override;

 private:
  // The two words of an edge in one part of a layer.
  struct Pair {
    std::int64_t layer = 0;
    Part part = Part::none;
    std::int64_t query = 0;
    std::int64_t key = 0;
    bool carried = false;
  };
  void build();
  void connectPictures();
  void buildThreshold(QHBoxLayout* tools);
  void showState(const QString& setting);
  void showThreshold();
  void showEmpty(const QString& title, const QString& hint);
  void draw();
  void take(FigurePointer figure, const app::FigureRequest& made_by);
  void clicked(const figures::Hit& hit);
  void hovered(const std::optional<figures::Hit>& hit);
  void openPair(const Pair& pair);
  void closePair();
  void loadHeads();
  void updateHighlight();
  const analysis::FlowFigure* figure() const;
  std::optional<analysis::FlowState> chosenState() const;
  void choose(const std::optional<analysis::FlowState>& state);
  std::optional<std::int64_t> tokenOf(std::int64_t word) const;
  std::optional<std::int64_t> wordOf(std::optional<std::int64_t> token) const;
  figures::Highlight selectionHighlight(std::optional<std::int64_t> token) const;

  Choice* show_choice_;
  LineLabel* what_;
  QSlider* slider_;
  QDoubleSpinBox* threshold_;
  QSplitter* splitter_;
  FigureCanvas* picture_;
  FigureCanvas* heads_;
  std::shared_ptr<const analysis::InformationFlow> flow_;
  // What it is of, so that it is read again only when that changes.
  std::optional<std::tuple<const RecordingSource*, std::int64_t, std::vector<std::int64_t>>> flow_of_;
  app::FigureRequest made_by_;
  std::optional<Pair> pair_;
  MadeFigure heads_made_;
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui

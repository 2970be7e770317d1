// The attention maps of the selected sentence: thumbnails of all layers and heads, and the chosen map as a
// matrix and as arcs above the sentence.
#pragma once

#include <optional>
#include <tuple>

#include "app/gui/figure_data_tasks.h"
#include "app/gui/view.h"

class QSplitter;

namespace mog::gui {

class FigureView;
class LayerHeadGrid;
class MapPicker;

class AttentionView : public View {
  Q_OBJECT
 public:
  explicit AttentionView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  enum class Show : std::uint8_t { both, matrix, arcs };
  void setShow(Show show);
  FigureView& matrix() { return *matrix_; }
  FigureView& arcs() { return *arcs_; }
  LayerHeadGrid& grid() { return *grid_; }

 protected:
  void refresh() override;

 private:
  void build();
  void loadMap();
  void loadGrid();
  void drawArcs();
  double sentenceThreshold() const;
  void giveGridItsWidth();
  void updateHighlights();
  void hoverMatrix(const std::optional<figures::Hit>& hit);
  void hoverArcs(const std::optional<figures::Hit>& hit);
  std::optional<std::int64_t> arcWord(std::optional<std::int64_t> token) const;
  std::optional<std::int64_t> arcToken(std::int64_t word) const;
  void showEmpty(const QString& title, const QString& hint);

  MapPicker* picker_;
  Choice* show_choice_;
  QSplitter* splitter_;
  LayerHeadGrid* grid_;
  FigureView* matrix_;
  FigureView* arcs_;
  MapFigures map_;
  // What the grid shows, so that it is read again only when it changes.
  std::optional<std::tuple<const RecordingSource*, std::int64_t, Part>> grid_of_;
  std::optional<figures::Hit> matrix_hit_;
  std::optional<std::int64_t> arcs_from_;
};

}  // namespace mog::gui

// The attention maps of the selected sentence: thumbnails of all layers and heads, and the chosen map as a
// matrix and as arcs above the sentence.
#pragma once

#include <optional>
#include <tuple>

#include "app/gui/views/figure_data_tasks.h"
#include "app/gui/views/view.h"

class QHBoxLayout;
class QMenu;
class QSplitter;
class QToolButton;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;
class GoldLine;
class LayerHeadGrid;
class MapPicker;
class ThresholdBox;

class AttentionView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit AttentionView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  enum class Show : std::uint8_t { both, matrix, arcs };
  void setShow(Show show);
  // A head in or out of the means; the last one stays. head 0: all are in again.
  void toggleHead(std::int64_t head);
  // Only this head in the means; once more: all.
  void isolateHead(std::int64_t head);
  void togglePieces();
  void nextSpecialTokens();  // in the matrix, in both, in none
  void focusThreshold();
  // From a line, a table or a page that ended: the keys of pictures work there, and the focus is seen.
  void focusPicture();
  void setColours(analysis::ColourScale::Spacing colours);
  FigureCanvas& matrix() { return *matrix_; }
  FigureCanvas& arcs() { return *arcs_; }
  GoldLine& goldLine() { return *gold_line_; }
  LayerHeadGrid& grid() { return *grid_; }

 protected:
  void refresh() override;

 private:
  void build();
  void buildTools(QHBoxLayout* tools);
  void showState(const QString& setting);
  void fillMenu();
  void fillBlocks(QMenu* menu);
  analysis::TokenOptions tokenOptions() const;
  std::vector<std::int64_t> headsOfMean() const;
  analysis::ColourScale::Spacing colours() const;
  analysis::ArcOptions arcOptions() const;
  void loadMap();
  void loadGrid();
  void showGold();
  void drawArcs();
  double sentenceThreshold() const;
  double smallestArc() const;
  void giveGridItsWidth();
  void updateHighlights();
  void hoverMatrix(const std::optional<figures::Hit>& hit);
  void hoverArcs(const std::optional<figures::Hit>& hit);
  std::optional<std::int64_t> tokenOf(const figures::Hit& hit) const;  // of the matrix
  std::optional<std::int64_t> keyOf(const figures::Hit& hit) const;
  void choosePair(std::optional<std::int64_t> query, std::optional<std::int64_t> key);
  std::optional<std::int64_t> arcToken(std::int64_t word) const;
  void showNoSentence();
  void showEmpty(const QString& title, const QString& hint);

  MapPicker* picker_;
  Choice* show_choice_;
  ThresholdBox* threshold_;
  QToolButton* more_;
  QSplitter* splitter_;
  LayerHeadGrid* grid_;
  FigureCanvas* matrix_;
  FigureCanvas* arcs_;
  GoldLine* gold_line_;
  MapFigures map_;
  SentenceRef map_of_;
  std::optional<std::int64_t> just_toggled_;  // a double click begins with a click
  std::optional<GridQuestion> grid_of_;       // read last, so that it is read again only when it changes
  std::optional<GridQuestion> grid_shown_;    // what the grid shows
  std::optional<figures::Hit> matrix_hit_;
};

}  // namespace mog::gui

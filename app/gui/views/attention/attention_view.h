// The attention maps of the selected sentence: thumbnails of all layers and heads, and the chosen map as a
// matrix, with the strongest keys of each word as arcs below it, or as arcs above the sentence.
#pragma once

#include <optional>
#include <tuple>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

class QSplitter;

namespace mog::gui {

struct ViewKind;

class AttentionChoices;
class AttentionThumbnails;
class AttentionTools;
class FigureCanvas;
class GoldLine;
class HeadTiles;
class LayerHeadGrid;
class StretchPicker;

class AttentionView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit AttentionView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  AttentionChoices& choices() { return *choices_; }
  void focusThreshold();
  FigureCanvas& matrix() { return *matrix_; }
  FigureCanvas& arcs() { return *arcs_; }
  GoldLine& goldLine() { return *gold_line_; }
  LayerHeadGrid& grid();

 protected:
  void refresh() override;

 private:
  void build();
  void connectPictures();
  void follow(const QString& setting);
  void showChosen();
  analysis::ArcOptions arcOptions() const;
  void loadMap();
  void showGold();
  void drawArcs();
  double sentenceThreshold() const;
  double smallestArc() const;
  void updateHighlights();
  void followToken();
  void hoverMatrix(const std::optional<figures::Hit>& hit);
  void hoverArcs(const std::optional<figures::Hit>& hit);
  std::optional<std::int64_t> tokenOf(const figures::Hit& hit) const;  // of the matrix
  std::optional<std::int64_t> keyOf(const figures::Hit& hit) const;
  void choosePair(std::optional<std::int64_t> query, std::optional<std::int64_t> key);
  std::optional<std::int64_t> arcToken(std::int64_t word) const;
  void showNoSentence();
  void showEmpty(const Empty& empty);

  AttentionChoices* choices_;
  AttentionTools* tools_;
  StretchPicker* stretch_;
  QSplitter* splitter_;
  HeadTiles* heads_;
  FigureCanvas* matrix_;
  FigureCanvas* arcs_;
  GoldLine* gold_line_;
  AttentionThumbnails* thumbnails_;
  MapFigures map_;
  SentenceRef map_of_;
  std::optional<figures::Hit> matrix_hit_;
};

}  // namespace mog::gui

// The tiles of the attention view with their title and what their scale leaves out, beside the open map.
#pragma once

#include <QWidget>
#include <cstdint>

class QScrollArea;
class QSplitter;

namespace mog::gui {

class AttentionChoices;
class LayerHeadGrid;
class SpecialScaleButton;

class HeadTiles : public QWidget {
  Q_OBJECT
 public:
  // The first pane of `splitter`.
  HeadTiles(AttentionChoices& choices, QSplitter& splitter);

  LayerHeadGrid& grid() { return *grid_; }
  SpecialScaleButton& specialScale() { return *special_scale_; }
  // Takes the width that the tiles ask for, unless a hand gave them another.
  void takeWidth();
  // Where the tiles scroll, this one is in sight.
  void see(std::int64_t layer, std::int64_t head);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QSplitter& splitter_;
  QScrollArea* scroll_;
  LayerHeadGrid* grid_;
  SpecialScaleButton* special_scale_;
  bool divided_ = false;  // by hand
};

}  // namespace mog::gui

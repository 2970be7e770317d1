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
  // Takes the width that the tiles ask for, or the share that a hand gave them.
  void takeWidth();
  // Of the width, per mille; 0: what the tiles ask for.
  void setShare(int share);
  // Where the tiles scroll, this one is in sight.
  void see(std::int64_t layer, std::int64_t head);

 Q_SIGNALS:
  void divided(int share);  // by hand

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QSplitter& splitter_;
  QScrollArea* scroll_;
  LayerHeadGrid* grid_;
  SpecialScaleButton* special_scale_;
  int share_ = 0;
};

}  // namespace mog::gui

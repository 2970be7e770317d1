// Thumbnails of every attention map of a sentence: a row a layer, the highest on top, a column a head, with
// the means over heads (first column) and over layers (last row) at the margins. A click or, with the focus,
// the arrow keys choose the map that the other views show; a click on a head's number, Ctrl+click on one of
// its maps or Space takes it out of the means or in again, a double click or Return leaves it alone there.
// Its accessible name says which map is chosen.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>
#include <vector>

#include "app/gui/widgets/thumbnails.h"

namespace mog::gui {

class LayerHeadGrid : public QWidget {
  Q_OBJECT
 public:
  explicit LayerHeadGrid(QWidget* parent = nullptr);
  // `picture` was painted for `page`; painted again where it is none or the page is another one by now.
  void setGrid(std::shared_ptr<const analysis::AttentionOverview> grid, QImage picture = {},
               const ThumbnailPage& page = {});
  void clear() { setGrid(nullptr); }
  std::shared_ptr<const analysis::AttentionOverview> grid() const { return grid_; }
  ThumbnailPage page() const;
  // Those that the mean is over; empty: all.
  void setHeadsOfMean(std::vector<std::int64_t> heads);
  // The map that is framed; head 0: the mean.
  void setCurrent(std::int64_t layer, std::int64_t head);
  // Layer and head under a point; layer 0: nothing; one more than the layers: the mean over layers.
  std::pair<std::int64_t, std::int64_t> mapAt(QPointF position) const;
  // The head whose number stands under a point; 0 that of the means, -1 nothing.
  std::int64_t labelAt(QPointF position) const;
  QRectF cell(std::int64_t layer, std::int64_t head) const;
  QRectF label(std::int64_t head) const;

  // The width at which the thumbnails fill the height.
  int widthForHeight(int height) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  // Whose numbers have room beside each other: [head, the mean first], [layer, the mean last].
  std::vector<bool> headsNamed() const;
  std::vector<bool> layersNamed() const;

 Q_SIGNALS:
  void chosen(std::int64_t layer, std::int64_t head);
  void hoveredMap(std::int64_t layer, std::int64_t head);   // 0, 0: nothing
  void headToggled(std::int64_t head);                      // 0: all are in the means again
  void headIsolated(std::int64_t head, bool after_toggle);  // a double click begins with a click

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void choose(std::int64_t layer, std::int64_t head);
  void sayWhereItIs();
  ThumbnailPlaces places() const;
  std::int64_t rows() const { return static_cast<std::int64_t>(grid_->maps.size()); }
  bool inMean(std::int64_t head) const;
  double leftMargin() const;
  double topMargin() const;
  std::int64_t columns() const { return grid_->heads + 1; }

  std::shared_ptr<const analysis::AttentionOverview> grid_ =
      std::make_shared<const analysis::AttentionOverview>();  // never null
  std::vector<std::int64_t> heads_of_mean_;
  QImage picture_;
  ThumbnailPage page_;  // of the picture
  std::int64_t layer_ = 0;
  std::int64_t head_ = 0;
  std::int64_t hovered_layer_ = 0;
  std::int64_t hovered_head_ = 0;
};

}  // namespace mog::gui

// Thumbnails of every attention map of a sentence: a row a layer, a column a head, the mean over heads first.
// A click or the arrow keys choose the map that the other views show.
#pragma once

#include <QPixmap>
#include <QWidget>
#include <vector>

#include "app/gui/figure_data_tasks.h"

namespace mog::gui {

class LayerHeadGrid : public QWidget {
  Q_OBJECT
 public:
  explicit LayerHeadGrid(QWidget* parent = nullptr);
  void setGrid(MapGrid grid);
  void clear() { setGrid({}); }
  const MapGrid& grid() const { return grid_; }
  // The map that is framed; head 0: the mean.
  void setCurrent(std::int64_t layer, std::int64_t head);
  // All thumbnails as one figure, for export.
  FigurePointer figure(const QString& title) const;
  // Layer and head under a point; layer 0: nothing.
  std::pair<std::int64_t, std::int64_t> mapAt(QPointF position) const;

  // The width at which the thumbnails fill the height.
  int widthForHeight(int height) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {96, 80}; }

 Q_SIGNALS:
  void chosen(std::int64_t layer, std::int64_t head);
  void hoveredMap(std::int64_t layer, std::int64_t head);  // 0, 0: nothing

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QRectF cell(std::int64_t layer, std::int64_t head) const;
  QSizeF cellSize() const;
  double leftMargin() const;
  double topMargin() const;
  std::int64_t columns() const { return grid_.heads + 1; }
  void render();

  MapGrid grid_;
  QPixmap picture_;
  std::int64_t layer_ = 0;
  std::int64_t head_ = 0;
  std::int64_t hovered_layer_ = 0;
  std::int64_t hovered_head_ = 0;
};

}  // namespace mog::gui

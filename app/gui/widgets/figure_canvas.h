// Shows one figure, drawn by the one painter (app/figures), and says what lies under the pointer.
//
// The layout is kept, and the picture as a pixmap of the visible part: moving the pointer only asks the
// layout and paints the marks of the highlight over the picture. A figure larger than the view opens where a
// reader begins, and stays there until it is moved. Ctrl+wheel and the keys + - zoom around the
// pointer, wheel or drag moves, the key * or a double click on nothing fits again. Shift with an arrow key
// walks from one thing of the figure to the next as the pointer would, Return clicks. Without a figure it
// shows what to do next, with a button where something can be done.
//
// A matrix whose cells would be too small to read (setLeastCell) is larger than the view: it scrolls under
// its labels, beside it stands the whole, small, where a click goes there; the key * and a button fit the
// whole and go back.
#pragma once

#include <QImage>
#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/painter.h"
#include "app/gui/widgets/figure_pins.h"
#include "app/gui/widgets/figure_walk.h"
#include "app/gui/widgets/offer.h"

class QPushButton;
class QToolButton;

namespace mog::gui {

class FigureCanvas : public QWidget {
  Q_OBJECT
 public:
  explicit FigureCanvas(QWidget* parent = nullptr);

  using Figure = std::shared_ptr<const analysis::FigureData>;
  // A figure of the same shape keeps zoom and place.
  void setFigure(Figure figure);
  Figure figure() const { return figure_; }
  // Drops the figure and says what to do next; a button offers what can be done about it.
  void setEmpty(const QString& title, const QString& hint, const Offer& offer = {});
  // While a job works on the next figure; shown only when it takes longer than 150 ms.
  void setBusy(bool busy, const QString& text = {});
  void setHighlight(const figures::Highlight& highlight);
  const figures::Highlight& highlight() const { return highlight_; }
  // In words what the keys stand on, else what is lit; empty: nothing.
  QString value() const { return said_.isEmpty() ? lit_ : said_; }

  // The least side of a square cell of a matrix, in logical pixels; 0: as small as the view asks for.
  void setLeastCell(double side);
  // Scrolls until the cell is seen; what is not given stays.
  void see(std::optional<std::int64_t> row, std::optional<std::int64_t> column);
  // There is more than the view shows, or would be in cells of the least side.
  bool showsPart() const { return larger_ && !whole_; }

  double zoom() const { return zoom_; }
  void setZoom(double zoom, QPointF around);
  // The whole; where that has been shown, cells of the least side again.
  void fit();
  QPointF offset() const { return offset_; }
  // As a click on it does.
  void choose(const figures::Hit& hit) { Q_EMIT clicked(hit, Qt::NoModifier); }
  // Words of a sentence above the view, for lines to their columns: asked for whenever the picture is drawn.
  using Leaders = std::function<std::vector<figures::Leader>()>;
  void setLeaders(Leaders leaders);
  void leadersMoved();
  // Numbers beside what a text near the view explains.
  void setMarks(std::vector<figures::NoteMark> marks);
  const std::vector<figures::NoteMark>& marks() const { return marks_; }
  // What lies under the pointer is not asked for again until it moves.
  void forgetPointer() { pointed_.reset(); }
  // As drawn now; the size of the whole figure, zoom included, in logical pixels.
  figures::Style style() const;
  QSizeF figureSize() const;
  std::optional<figures::Hit> hitAt(QPointF position) const;
  // Pictures drawn from the start (not from the pixmap) so far: what a hover must not raise.
  int renderings() const { return renderings_; }

  QSize sizeHint() const override { return {320, 240}; }
  QSize minimumSizeHint() const override { return {120, 90}; }

 Q_SIGNALS:
  void hovered(const std::optional<mog::figures::Hit>& hit);
  void clicked(const mog::figures::Hit& hit, Qt::KeyboardModifiers modifiers);
  void clickedNothing();
  // The right button, or the key of menus: where on the screen.
  void menuAsked(const std::optional<mog::figures::Hit>& hit, const QPoint& at);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  void walk(QPointF direction);
  void stopWalking();
  void render();
  void drop();                              // the picture; drawn again at the next occasion
  const figures::LaidOut& laidOut() const;  // of the figure as it is drawn now
  void place();                             // where a figure opens that was not moved yet
  void clampOffset();
  QRectF seen() const;     // of the figure
  bool overflows() const;  // there is more of the figure than the view shows
  void paintHighlight(QPainter& painter) const;
  void paintMarks(QPainter& painter) const;
  std::vector<FigurePin> pins() const;  // of a matrix that is larger than the view
  void drawOverview();
  bool litInSight(QSize view) const;  // of a matrix: the cell, row or column that is lit
  // What the small picture of the whole was drawn of.
  struct OverviewOf {
    Figure figure;
    figures::Style style;
    QSize view;
    double ratio = 1;
    bool map = false;
    friend bool operator==(const OverviewOf&, const OverviewOf&) = default;
  };
  QRectF overviewBox() const;
  QRectF seenInOverview(const QRectF& box) const;
  bool lookAt(QPointF position);  // of the overview; false: it is elsewhere
  void placeButtons();
  void updateAccessibleText();

  Figure figure_;
  figures::Highlight highlight_;
  mutable std::unique_ptr<figures::LaidOut> laid_out_;
  mutable std::optional<QSizeF> least_size_;  // of the figure in this view, without zoom
  mutable bool larger_ = false;               // with cells of the least side than the view
  QImage overview_;                           // of a figure much larger than the view
  OverviewOf overview_of_;
  QImage picture_;  // keeps its memory when it is drawn again in the same size
  bool drawn_ = false;
  double least_cell_ = 0;
  bool whole_ = false;    // all of it, however small its cells
  bool looking_ = false;  // the pointer drags the view over the overview
  double zoom_ = 1;
  QPointF offset_;      // of the view in the zoomed figure
  bool moved_ = false;  // by the reader, since the figure is there
  Leaders leaders_;
  std::vector<figures::NoteMark> marks_;
  std::optional<QPointF> pointed_;  // where the pointer is
  QTimer ask_again_;
  std::optional<QPointF> press_;
  QPointF drag_;
  bool dragging_ = false;
  bool busy_ = false;
  bool ringed_ = false;   // the focus came by keyboard: show where it is
  FigureWalk walk_;       // where the keys stand
  bool walking_ = false;  // a step is being told to the view around
  QString said_;          // of the last step, until something else is lit
  QString lit_;
  bool busy_shown_ = false;
  QString busy_text_;
  QString empty_title_;
  QString empty_hint_;
  std::function<void()> offer_act_;
  QPushButton* offer_;
  QToolButton* whole_button_;
  QTimer busy_timer_;
  int renderings_ = 0;
};

}  // namespace mog::gui

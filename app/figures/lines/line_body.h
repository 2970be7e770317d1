// The layout of one line plot; line_layout.cpp places things, line_painter.cpp draws them.
#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>
#include <vector>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/side_title.h"

namespace mog::figures {

struct ValueRange {
  double low = 0;
  double high = 1;
};

// A label at the right end of a line, moved away from its neighbours.
struct EndLabel {
  std::size_t series = 0;
  double wanted = 0;  // middle of the text
  double y = 0;
  QPointF end;  // of the line
};

// A stacked bar's piece.
struct BarPiece {
  std::size_t series = 0;
  std::size_t point = 0;
  QRectF area;
};

class LineBody final : public Body {
 public:
  LineBody(const analysis::LinePlot& plot, const Style& style, const QRectF& area,
           const LineFraming& framing);
  LineMargins margins() const;
  void draw(Pen& pen) const override;
  void draw_highlight(Pen& pen, const Highlight& highlight) const override;
  std::optional<Hit> hit(QPointF at) const override;

 private:
  QPointF place(double x, double y) const;
  double shift(std::size_t series) const;  // to the right of its x, in categories
  void lay_out_axes();
  void lay_out_labels();
  void spread(double line, double top, double bottom);
  analysis::Ticks y_ticks(double height) const;
  std::optional<Hit> hit_point(QPointF at) const;
  std::optional<Hit> hit_bar(QPointF at) const;
  std::vector<BarPiece> bar_pieces() const;
  bool turns_categories() const;  // their labels, where they do not fit side by side
  TypeFace category_face() const;
  double category_height() const;
  QString readout(const analysis::LineSeries& series, const analysis::LinePoint& point) const;

  void draw_axes(Pen& pen) const;
  void draw_x_title(Pen& pen) const;
  void draw_x_numbers(Pen& pen) const;
  void draw_x_categories(Pen& pen) const;
  void draw_counts(Pen& pen, std::size_t every) const;
  void draw_x_tick(Pen& pen, double x, const QString& label, const TypeFace& face) const;
  void draw_band(Pen& pen, std::size_t index) const;
  void draw_series(Pen& pen, std::size_t index, double width) const;
  void draw_change(Pen& pen, QPointF point, const QColor& colour) const;
  void draw_runs(Pen& pen, const analysis::LineSeries& series, std::size_t first, const QPolygonF& line,
                 double width) const;
  void draw_label(Pen& pen, const EndLabel& label) const;
  void draw_bars(Pen& pen) const;

  const analysis::LinePlot& plot_;
  const Style& style_;
  QRectF area_;
  LineFraming framing_;
  TypeFace tick_;
  TypeFace title_;
  TypeFace small_;
  SideTitle y_title_;
  ValueRange x_;
  ValueRange y_;
  bool any_ = false;  // whether there is a value to draw
  QRectF box_;
  analysis::Ticks y_ticks_;
  std::vector<EndLabel> labels_;
  double legend_height_ = 0;
  double labels_bottom_ = 0;  // where the tick labels and counts end
  double leader_ = 10;        // from the end of the axis to the labels
  double swatch_ = 12;
};

}  // namespace mog::figures

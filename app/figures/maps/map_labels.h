// The words beside and above (below) the cells of a matrix, tied where they are pieces of one word.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/figures/maps/heat_map_layout.h"

namespace mog::figures {

// Keeps `map`, `style` and `at`.
class MapLabels {
 public:
  MapLabels(const analysis::HeatMap& map, const Style& style, const HeatMapLayout& at);
  // Those of columns stand above the cells; where arcs hang from the words, below.
  bool below() const { return map_.arcs > 0; }
  // What the label of a column has at most.
  QRectF column_strip(std::int64_t column) const;
  void draw(Pen& pen) const;
  // Where labels are thinned out, the one that is looked at takes the place of those that it would meet.
  void light_row(Pen& pen, std::size_t row, const QColor& glow) const;
  void light_column(Pen& pen, std::size_t column, const QColor& glow) const;

 private:
  QRectF row_area(std::size_t row, double high) const;
  QRectF column_area(std::size_t column, double wide) const;
  double column_width(std::size_t column, const TypeFace& face) const;
  TypeFace type_of(const analysis::WordLabel& label, double size) const;
  double reach() const;
  void draw_row(Pen& pen, std::size_t row) const;
  void draw_column(Pen& pen, std::size_t column) const;
  void draw_rows(Pen& pen) const;
  void draw_columns(Pen& pen) const;

  const analysis::HeatMap& map_;
  const Style& style_;
  const HeatMapLayout& at_;
};

}  // namespace mog::figures

// The cells of a matrix: colours, hatching where there is no value, numbers, marks.
#pragma once

#include <cstdint>

#include "app/figures/maps/heat_map_layout.h"

namespace mog::figures {

// Keeps `map`, `style` and `at`.
class MapCells {
 public:
  MapCells(const analysis::HeatMap& map, const Style& style, const HeatMapLayout& at);
  // Whether some cell has no value.
  bool absent() const noexcept { return absent_; }
  // Whether some places have no cell: what is drawn is no rectangle.
  bool without() const noexcept { return without_; }
  // The row (column) at a place of the page, of those outside the nearest; there is at least one.
  std::int64_t row_at(double y) const;
  std::int64_t column_at(double x) const;
  // Colours, and hatching where there is none.
  void draw(Pen& pen) const;
  // A line around all cells that are there.
  void draw_frame(Pen& pen) const;
  // Numbers, in cells that are large enough.
  void draw_values(Pen& pen) const;
  void draw_marks(Pen& pen) const;

 private:
  // Those of which something can be seen, and one more on each side: of a zoomed map they are few.
  struct Seen {
    std::int64_t row = 0;  // the first
    std::int64_t column = 0;
    std::int64_t row_end = 0;  // behind the last
    std::int64_t column_end = 0;
  };
  Seen seen(const Pen& pen) const;
  bool is_cell(std::int64_t row, std::int64_t column) const;
  QColor colour(std::int64_t row, std::int64_t column, Theme theme) const;
  void draw_rectangles(Pen& pen) const;
  void draw_image(Pen& pen, const Seen& seen) const;
  void draw_texts(Pen& pen, const Seen& seen) const;
  void draw_absent(Pen& pen, const Seen& seen) const;

  const analysis::HeatMap& map_;
  const Style& style_;
  const HeatMapLayout& at_;
  bool absent_;
  bool without_;
};

}  // namespace mog::figures

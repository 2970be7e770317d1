// Where the cells, labels and scale of a matrix go.
#pragma once

#include <QRectF>
#include <QStringList>
#include <cstddef>
#include <cstdint>

#include "app/figures/body.h"
#include "app/figures/pen.h"

namespace mog::figures {

inline constexpr double kLongestLabel = 84;  // points; longer words are elided
inline constexpr double kBarSpace = 4;       // for the bar that joins the pieces of a word

// Type and thinning of the labels of one side.
struct SideLabels {
  double size = 6;
  std::size_t every = 1;  // 1: all are shown
  std::size_t first = 0;  // index of the first that is shown
  bool turned = false;
  double extent = 0;  // across the side: height of the column labels, width of the row labels
  bool pieces = false;
  std::size_t left_out = 0;  // labels for which there is no room; round numbers stand for all of a count
};

struct HeatMapLayout {
  QRectF cells;
  double cell_width = 0;
  double cell_height = 0;
  SideLabels row;
  SideLabels column;
  double title_height = 0;  // of the column title
  double title_width = 0;   // of the row title
  double scale_width = 0;   // beside the cells
  double scale_height = 0;  // below the cells, where they are too low for a scale beside them
  double arcs_height = 0;  // of arcs below the column labels, which stand below the cells where there are any
  double below = 0;        // of labels and arcs under the cells
  double left = 0;         // of everything, row title included
  QString note;            // how many labels are left out; empty: none
  QStringList note_lines;  // below everything, in the smallest type
  double note_height = 0;

  QRectF row_strip(std::int64_t number) const {
    return {cells.left(), cells.top() + static_cast<double>(number) * cell_height, cells.width(),
            cell_height};
  }
  QRectF column_strip(std::int64_t number) const {
    return {cells.left() + static_cast<double>(number) * cell_width, cells.top(), cell_width, cells.height()};
  }
};

// The greatest side of a square cell on a screen.
inline constexpr double kLargestCell = 30;

// Cells with words in them are so much wider than they are high, to be read on a screen.
inline constexpr double kWideCell = 3.5;

// The size of the area in which square cells have this side (others with words in them this height), all
// their labels shown.
QSizeF area_of_cells(const analysis::HeatMap& map, const Style& style, double side);

// Whether cells of this size have room for words, of two letters or as many as fit.
bool have_texts(const HeatMapLayout& layout, const Style& style);

// A scale stands beside the cells, or below them where they are too low for it.
HeatMapLayout lay_out_cells(const analysis::HeatMap& map, const Style& style, const QRectF& area,
                            const MapFraming& framing = {});
// The height of a map whose cells are so high.
double height_with_rows(const analysis::HeatMap& map, const Style& style, double width, double cell,
                        const MapFraming& framing = {});

}  // namespace mog::figures

// Labels are as large as cells allow, cells are what labels leave: a circle, entered with cells of 10 points
// and gone round three times. The same for the note that says which labels are left out, since its lines
// make the cells lower: twice. Labels are measured once before, because widths grow with the size of type,
// so that a round costs no measuring: O(rows + columns) in all.
//
// The scale stands beside the cells, or below them where the map is lower than the scale's title is long.
// Thumbnails have neither.
//
// Trap: the rounds are fixed, not until nothing changes. A layout may swing between two states, and both
// must give one picture at each size.
#include "app/figures/maps/heat_map_layout.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/figures/maps/colour_bar.h"

namespace mog::figures {
namespace {

using analysis::HeatMap;
using analysis::WordLabel;

constexpr double kArcsShare = 0.22;  // height of the arcs by the width of the cells

bool has_pieces(const std::vector<WordLabel>& labels) {
  for (std::size_t i = 1; i < labels.size(); ++i) {
    if (labels[i].word >= 0 && labels[i].word == labels[i - 1].word) {
      return true;
    }
  }
  return false;
}

// The labels of one side, measured once: widths grow with the size of the type.
struct Measured {
  double widest = 0;  // at size 1
  bool pieces = false;
  bool numbers = false;  // 1, 2, 3 …: round ones stand for all
  std::size_t count = 0;
};

bool is_count(const std::vector<WordLabel>& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].text != std::to_string(i + 1)) {
      return false;
    }
  }
  return !labels.empty();
}

// The smallest of 1, 2, 5, 10, 20, 50 … that is at least `least`.
std::size_t round_count(double least) {
  for (std::size_t power = 1;; power *= 10) {
    for (const std::size_t factor : {1U, 2U, 5U}) {
      if (static_cast<double>(factor * power) >= least) {
        return factor * power;
      }
    }
  }
}

Measured measured(const std::vector<WordLabel>& labels, const Style& style) {
  const TypeFace face(style, style.tick_pt);
  Measured result;
  for (const WordLabel& label : labels) {
    result.widest = std::max(result.widest, face.width(drawable(label.text)) / style.tick_pt);
  }
  result.pieces = has_pieces(labels);
  result.numbers = is_count(labels);
  result.count = labels.size();
  return result;
}

// `pitch`: the space one label has along the side.
SideLabels side_labels(const Measured& labels, const Style& style, double pitch, bool columns,
                       bool turned = false) {
  SideLabels result;
  result.pieces = labels.pieces;
  const double largest = style.tick_pt;
  result.size = std::clamp(std::floor(pitch / 1.15), smallest_type(style), largest);
  if (labels.numbers) {
    result.size = largest;
    const TypeFace face(style, largest);
    result.every =
        round_count((columns ? labels.widest * largest + 4 : face.height()) / std::max(pitch, 1e-3));
    result.first = result.every - 1;
    result.extent = columns ? face.height() + 2 : labels.widest * largest + 3;
    return result;
  }
  result.turned = columns && (turned || labels.widest * largest + 3 > pitch);
  if (columns && !result.turned) {
    result.size = largest;
    result.extent = TypeFace(style, largest).height() + 2;
  } else {
    const double line = TypeFace(style, result.size).cap_height() + 1.2;
    result.every = pitch >= line ? 1 : static_cast<std::size_t>(std::ceil(line / std::max(pitch, 1e-3)));
    result.extent = std::min(labels.widest * result.size, kLongestLabel * unit(style)) + 3;
  }
  result.left_out = labels.count - (labels.count + result.every - 1) / result.every;
  result.extent += result.pieces ? kBarSpace : 0;
  return result;
}

// One pass for a scale beside or below; `area` may be higher than needed.
HeatMapLayout geometry(const HeatMap& map, const Style& style, const QRectF& area, const MapFraming& framing,
                       bool below, const Measured& row_labels, const Measured& column_labels) {
  HeatMapLayout result;
  const auto rows = static_cast<double>(std::max<std::size_t>(map.rows.size(), 1));
  const auto columns = static_cast<double>(std::max<std::size_t>(map.columns.size(), 1));
  const TypeFace title(style, style.tick_pt);
  double left = 0;
  double top = 0;
  if (!map.thumbnail) {
    result.title_width = map.row_title.empty() ? 0 : title.height() + 2;
    result.title_height = map.column_title.empty() ? 0 : title.height() + 2;
    result.scale_width =
        framing.scale && !below ? std::max(scale_width(map.scale, style), framing.scale_width) : 0;
    result.scale_height =
        framing.scale && below ? flat_scale_height(map.scale, style, area.width() * 0.9) + 2 * kGap : 0;
  }
  // The labels' size depends on the cells' and the reverse: three rounds settle it.
  double cell_width = 10;
  double cell_height = 10;
  for (int round = 0; round < 3; ++round) {
    if (!map.thumbnail) {
      result.row = side_labels(row_labels, style, cell_height, false);
      result.column = side_labels(column_labels, style, cell_width, true, framing.turned);
      result.row.extent = std::max(result.row.extent, framing.beside);
      result.column.extent = std::max(result.column.extent, framing.above);
      left = result.title_width + result.row.extent;
      top = result.title_height + result.column.extent;
      if (map.arcs > 0) {
        top = result.title_height;
        result.arcs_height =
            std::clamp(cell_width * columns * kArcsShare, 24 * unit(style), 96 * unit(style));
        result.below = result.column.extent + kGap + result.arcs_height;
      }
    }
    cell_width = std::max(0.0, area.width() - left - result.scale_width) / columns;
    cell_height = std::max(0.0, area.height() - top - result.below - result.scale_height) / rows;
    if (style.paper == Paper::screen && !map.square_cells && cell_height < smallest_type(style)) {
      // Low rows need the room more.
      cell_height += result.title_height / rows;
      top -= result.title_height;
      result.title_height = 0;
    }
    if (map.square_cells) {
      cell_width = cell_height = std::min(cell_width, cell_height);
      if (style.paper == Paper::screen && !map.thumbnail) {
        cell_width = cell_height = std::min(cell_width, kLargestCell * style.zoom);
      }
      if (framing.cell > 0) {
        cell_width = cell_height = std::min(cell_width, framing.cell);
      }
    }
  }
  result.cell_width = cell_width;
  result.cell_height = cell_height;
  // A matrix that is narrower than the page stands in its middle.
  const double spare = area.width() - left - cell_width * columns - result.scale_width;
  result.left = area.left() + std::max(0.0, spare / 2);
  result.cells = QRectF(result.left + left, area.top() + top, cell_width * columns, cell_height * rows);
  return result;
}

// "12 of 60 rows and 20 of 60 columns are not labelled: …"; empty where all are.
QString note_of(const HeatMapLayout& layout, const HeatMap& map, const Style& style) {
  if (!map.texts.empty() && !have_texts(layout, style)) {
    return QStringLiteral("the words of the cells have no room at this size");
  }
  QStringList sides;
  if (layout.row.left_out > 0) {
    sides += QStringLiteral("%1 of %2 rows").arg(layout.row.left_out).arg(map.rows.size());
  }
  if (layout.column.left_out > 0) {
    sides += QStringLiteral("%1 of %2 columns").arg(layout.column.left_out).arg(map.columns.size());
  }
  return sides.isEmpty() ? QString()
                         : sides.join(QStringLiteral(" and ")) +
                               QStringLiteral(" are not labelled: there is no room at this size");
}

HeatMapLayout without_note(const HeatMap& map, const Style& style, const QRectF& area,
                           const MapFraming& framing, const Measured& rows, const Measured& columns) {
  if (framing.scale_below) {
    return geometry(map, style, area, framing, true, rows, columns);
  }
  HeatMapLayout beside = geometry(map, style, area, framing, false, rows, columns);
  const double needed = TypeFace(style, style.tick_pt).width(drawable(map.scale.quantity.text()));
  if (!framing.scale || beside.cells.height() >= needed) {
    return beside;
  }
  return geometry(map, style, area, framing, true, rows, columns);
}

}  // namespace

QSizeF area_of_cells(const HeatMap& map, const Style& style, double side) {
  // Far more room than cells of this side ask for shows what stands around them.
  const double wide = map.square_cells ? side : side * kWideCell;
  const double cells = wide * static_cast<double>(std::max(map.rows.size(), map.columns.size()));
  QSizeF area(2 * cells + 1000, 2 * cells + 1000);
  // With cells of another side, labels are of another size: two rounds settle it.
  for (int round = 0; round < 2; ++round) {
    const HeatMapLayout at = lay_out_cells(map, style, QRectF(QPointF(0, 0), area));
    const double left = at.cells.left() - at.left;
    area = {left + wide * static_cast<double>(map.columns.size()) + at.scale_width,
            at.cells.top() + side * static_cast<double>(map.rows.size()) + at.below + at.scale_height +
                at.note_height};
  }
  return {std::ceil(area.width()) + 1, std::ceil(area.height()) + 1};
}

bool have_texts(const HeatMapLayout& layout, const Style& style) {
  constexpr double kSides = 2;
  const TypeFace face(style, smallest_type(style));
  return layout.cell_height >= face.cap_height() + kSides &&
         layout.cell_width >= face.width(QStringLiteral("mm")) + kSides;
}

HeatMapLayout lay_out_cells(const HeatMap& map, const Style& style, const QRectF& area,
                            const MapFraming& framing) {
  if (map.thumbnail) {
    return geometry(map, style, area, {.scale = false}, false, {}, {});
  }
  const Measured rows = measured(map.rows, style);
  const Measured columns = map.columns == map.rows ? rows : measured(map.columns, style);
  HeatMapLayout result =
      without_note(map, style, area.adjusted(0, 0, 0, -framing.note), framing, rows, columns);
  result.note_height = framing.note;
  const TypeFace small(style, smallest_type(style));
  // The room of the note makes cells lower, which may leave out more labels: two rounds settle it.
  for (int round = 0; round < 2; ++round) {
    const QString note = note_of(result, map, style);
    if (note.isEmpty()) {
      break;
    }
    const QStringList lines = small.wrapped(note, area.width());
    const double height = std::max(small.height() * static_cast<double>(lines.size()) + kGap, framing.note);
    result = without_note(map, style, area.adjusted(0, 0, 0, -height), framing, rows, columns);
    result.note_height = height;
  }
  result.note = note_of(result, map, style);
  result.note_lines = small.wrapped(result.note, area.width());
  return result;
}

double height_with_rows(const HeatMap& map, const Style& style, double width, double cell,
                        const MapFraming& framing) {
  const double rows = cell * static_cast<double>(std::max<std::size_t>(map.rows.size(), 1));
  const HeatMapLayout wide = lay_out_cells(map, style, QRectF(0, 0, width, 1e5), framing);
  double height = rows + wide.cells.top() + wide.below;
  for (int round = 0; round < 2; ++round) {
    const HeatMapLayout settled = lay_out_cells(map, style, QRectF(0, 0, width, height), framing);
    height = settled.cells.top() + rows + settled.below + settled.scale_height + settled.note_height;
  }
  return height;
}

}  // namespace mog::figures

#include "app/figures/maps/map_labels.h"

#include <algorithm>
#include <vector>

#include "app/figures/text.h"

namespace mog::figures {
namespace {

using analysis::WordLabel;

constexpr double kLabelGap = 1.2;  // between the letters of labels that are thinned out

bool has_label(const SideLabels& side, std::size_t i) {
  return i >= side.first && (i - side.first) % side.every == 0;
}

QColor label_colour(const WordLabel& label, Theme theme) {
  return label.special ? soft_ink(theme) : ink(theme);
}

// Runs of at least two pieces of one word.
template <class F>
void for_each_word(const std::vector<WordLabel>& labels, F f) {
  for (std::size_t first = 0; first < labels.size();) {
    std::size_t last = first;
    while (last + 1 < labels.size() && labels[first].word >= 0 &&
           labels[last + 1].word == labels[first].word) {
      ++last;
    }
    if (last > first) {
      f(first, last);
    }
    first = last + 1;
  }
}

}  // namespace

MapLabels::MapLabels(const analysis::HeatMap& map, const Style& style, const HeatMapLayout& at)
    : map_(map), style_(style), at_(at) {}

QRectF MapLabels::column_strip(std::int64_t column) const {
  const QRectF strip = at_.column_strip(column);
  return {strip.left(), below() ? at_.cells.bottom() : at_.cells.top() - at_.column.extent, strip.width(),
          at_.column.extent};
}

// What the label of one row (or column) covers beside the cells, its letters in the middle.
QRectF MapLabels::row_area(std::size_t row, double high) const {
  const double middle = at_.row_strip(static_cast<std::int64_t>(row)).center().y();
  return {at_.cells.left() - at_.row.extent, middle - high / 2,
          at_.row.extent - 2 - (at_.row.pieces ? kBarSpace : 0), high};
}

QRectF MapLabels::column_area(std::size_t column, double wide) const {
  const double middle = at_.column_strip(static_cast<std::int64_t>(column)).center().x();
  const double bar = 2 + (at_.column.pieces ? kBarSpace : 0);
  const double top = below() ? at_.cells.bottom() + bar : at_.cells.top() - at_.column.extent;
  return {middle - wide / 2, top, wide, at_.column.extent - bar};
}

double MapLabels::column_width(std::size_t column, const TypeFace& face) const {
  return at_.column.turned ? face.cap_height() + kLabelGap
                           : face.width(drawable(map_.columns[column].text)) + 2 * kLabelGap;
}

TypeFace MapLabels::type_of(const WordLabel& label, double size) const {
  return TypeFace(style_, label.special ? std::max(smallest_type(style_), size - 1) : size);
}

// A label may reach so far out of its row or column: where others are left out it may be higher than it, a
// number wider.
double MapLabels::reach() const {
  return 4 * style_.tick_pt;
}

void MapLabels::draw(Pen& pen) const {
  draw_rows(pen);
  draw_columns(pen);
}

void MapLabels::draw_row(Pen& pen, std::size_t row) const {
  const TypeFace face = type_of(map_.rows[row], at_.row.size);
  const double right = at_.cells.left() - 3 - (at_.row.pieces ? kBarSpace : 0);
  const double middle = at_.row_strip(static_cast<std::int64_t>(row)).center().y();
  pen.text({right, middle + face.cap_height() / 2},
           face.elided(drawable(map_.rows[row].text), kLongestLabel * unit(style_)), face,
           label_colour(map_.rows[row], pen.theme()), Across::right);
}

void MapLabels::draw_column(Pen& pen, std::size_t column) const {
  const TypeFace face = type_of(map_.columns[column], at_.column.size);
  const double apart = 3 + (at_.column.pieces ? kBarSpace : 0);
  const double bottom = below() ? at_.cells.bottom() + apart : at_.cells.top() - apart;
  const double middle = at_.column_strip(static_cast<std::int64_t>(column)).center().x();
  const QColor colour = label_colour(map_.columns[column], pen.theme());
  const QString text = drawable(map_.columns[column].text);
  if (at_.column.turned) {
    pen.turned_text({middle + face.cap_height() / 2, bottom}, face.elided(text, kLongestLabel * unit(style_)),
                    face, colour, below() ? Across::right : Across::left);
  } else {
    pen.text({middle, bottom + (below() ? face.ascent() : 0)}, text, face, colour, Across::centre);
  }
}

void MapLabels::draw_rows(Pen& pen) const {
  const QRectF seen = pen.visible().adjusted(0, -reach(), 0, reach());
  for (std::size_t i = at_.row.first; i < map_.rows.size(); i += at_.row.every) {
    const QRectF strip = at_.row_strip(static_cast<std::int64_t>(i));
    if (strip.bottom() >= seen.top() && strip.top() <= seen.bottom()) {
      draw_row(pen, i);
    }
  }
  for_each_word(map_.rows, [&](std::size_t first, std::size_t last) {
    const double x = at_.cells.left() - 3;
    pen.line({x, at_.row_strip(static_cast<std::int64_t>(first)).center().y() - at_.cell_height * 0.3},
             {x, at_.row_strip(static_cast<std::int64_t>(last)).center().y() + at_.cell_height * 0.3},
             soft_ink(pen.theme()), 0.8);
  });
}

void MapLabels::draw_columns(Pen& pen) const {
  const QRectF seen = pen.visible().adjusted(-reach(), 0, reach(), 0);
  for (std::size_t i = at_.column.first; i < map_.columns.size(); i += at_.column.every) {
    const QRectF strip = at_.column_strip(static_cast<std::int64_t>(i));
    if (strip.right() >= seen.left() && strip.left() <= seen.right()) {
      draw_column(pen, i);
    }
  }
  for_each_word(map_.columns, [&](std::size_t first, std::size_t last) {
    const double y = below() ? at_.cells.bottom() + 3 : at_.cells.top() - 3;
    pen.line({at_.column_strip(static_cast<std::int64_t>(first)).center().x() - at_.cell_width * 0.3, y},
             {at_.column_strip(static_cast<std::int64_t>(last)).center().x() + at_.cell_width * 0.3, y},
             soft_ink(pen.theme()), 0.8);
  });
}

void MapLabels::light_row(Pen& pen, std::size_t row, const QColor& glow) const {
  if (has_label(at_.row, row)) {
    pen.fill(QRectF(at_.cells.left() - at_.row.extent, at_.row_strip(static_cast<std::int64_t>(row)).top(),
                    at_.row.extent, at_.cell_height),
             glow);
    return;
  }
  const double high = type_of(map_.rows[row], at_.row.size).cap_height() + kLabelGap;
  const QRectF own = row_area(row, high);
  for (std::size_t other = at_.row.first; other < map_.rows.size(); other += at_.row.every) {
    const QRectF taken = row_area(other, high);
    if (taken.intersects(own)) {
      pen.fill(taken.adjusted(0, -0.3, 0, kLabelGap / 2), background(pen.theme()));  // and what stands out
    }
  }
  pen.fill(own, glow);
  draw_row(pen, row);
}

void MapLabels::light_column(Pen& pen, std::size_t column, const QColor& glow) const {
  if (has_label(at_.column, column)) {
    pen.fill(column_strip(static_cast<std::int64_t>(column)), glow);
    return;
  }
  const TypeFace face = type_of(map_.columns[column], at_.column.size);
  const QRectF own = column_area(column, column_width(column, face));
  for (std::size_t other = at_.column.first; other < map_.columns.size(); other += at_.column.every) {
    const QRectF taken = column_area(other, column_width(other, face));
    if (taken.intersects(own)) {
      pen.fill(taken.adjusted(-0.3, 0, kLabelGap / 2, 0), background(pen.theme()));
    }
  }
  pen.fill(own, glow);
  draw_column(pen, column);
}

}  // namespace mog::figures

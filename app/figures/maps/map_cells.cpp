// On pixel devices the cells are one image of one pixel a cell, scaled without smoothing, so that 512 × 512
// cells cost one blit; in vector files each run of equal colours is a rectangle that reaches a little under
// the next one, because rectangles that only touch show seams in most viewers.
#include "app/figures/maps/map_cells.h"

#include <QImage>
#include <QPaintEngine>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "analysis/figure_data/no_cell.h"
#include "app/figures/maps/colour_bar.h"

namespace mog::figures {
namespace {

using analysis::HeatMap;

std::int64_t index(double place, std::size_t size) {
  return std::clamp(static_cast<std::int64_t>(place), std::int64_t{0}, static_cast<std::int64_t>(size) - 1);
}

// How the numbers of a map are written.
struct Numbers {
  bool shown = false;
  bool brief = false;  // .25 in the place of 0.25
  int decimals = 2;    // more where all values are small, so that the greatest has two digits
};

QString value_text(double value, const Numbers& form) {
  QString text = QString::number(value, 'f', form.decimals);
  if (text.startsWith(u'-') && text.toDouble() == 0) {
    text.remove(0, 1);
  }
  if (form.brief && std::abs(text.toDouble()) < 1) {
    text.remove(text.indexOf(QLatin1Char('.')) - 1, 1);
  }
  return text.replace(QChar(u'-'), QChar(u'−'));
}

// All numbers or none: a map that shows some of them hides the others' signs or sizes.
Numbers numbers(const HeatMap& map, const HeatMapLayout& at, const TypeFace& face) {
  if (at.cell_height < face.height() + 4 || at.cell_width < face.width(QStringLiteral("0.00")) + 4) {
    return {};
  }
  double low = 0;
  double high = 0;
  for (const double value : map.values) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const double greatest = std::max(high, -low);
  const int decimals = greatest > 0 ? std::max(2, 1 - static_cast<int>(std::floor(std::log10(greatest)))) : 2;
  for (const bool brief : {false, true}) {
    const Numbers form{.shown = true, .brief = brief, .decimals = decimals};
    if (std::max(face.width(value_text(low, form)), face.width(value_text(high, form))) + 2 <=
        at.cell_width) {
      return form;
    }
  }
  return {};
}

}  // namespace

MapCells::MapCells(const HeatMap& map, const Style& style, const HeatMapLayout& at)
    : map_(map),
      style_(style),
      at_(at),
      absent_(std::ranges::any_of(map.values, [](double value) { return std::isnan(value); })),
      without_(!std::ranges::all_of(map.values, analysis::has_cell)) {}

std::int64_t MapCells::row_at(double y) const {
  return index((y - at_.cells.top()) / at_.cell_height, map_.rows.size());
}

std::int64_t MapCells::column_at(double x) const {
  return index((x - at_.cells.left()) / at_.cell_width, map_.columns.size());
}

MapCells::Seen MapCells::seen(const Pen& pen) const {
  const QRectF part = pen.visible() & at_.cells;
  if (part.isEmpty()) {
    return {};
  }
  return {std::max(row_at(part.top()) - 1, std::int64_t{0}),
          std::max(column_at(part.left()) - 1, std::int64_t{0}), row_at(part.bottom() + at_.cell_height) + 1,
          column_at(part.right() + at_.cell_width) + 1};
}

QColor MapCells::colour(std::int64_t row, std::int64_t column, Theme theme) const {
  const bool dim = !map_.special_in_scale &&
                   map_.is_special(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
  const QColor full = scale_colour(map_.scale, map_.value(row, column), theme);
  return full.isValid() && dim ? dimmed(full, theme) : full;
}

void MapCells::draw(Pen& pen) const {
  const Seen cells = seen(pen);
  if (cells.row == cells.row_end) {
    return;
  }
  constexpr std::size_t kMostRectangles = 40'000;
  if (pen.raster() || map_.rows.size() * map_.columns.size() > kMostRectangles) {
    draw_image(pen, cells);
  } else {
    draw_rectangles(pen);
  }
  if (absent_) {
    draw_absent(pen, cells);
  }
}

void MapCells::draw_rectangles(Pen& pen) const {
  const auto rows = static_cast<std::int64_t>(map_.rows.size());
  const auto columns = static_cast<std::int64_t>(map_.columns.size());
  const double under = 0.15;
  for (std::int64_t row = 0; row < rows; ++row) {
    const QRectF strip = at_.row_strip(row);
    for (std::int64_t column = 0; column < columns;) {
      const QColor shade = colour(row, column, pen.theme());
      std::int64_t end = column + 1;
      while (end < columns && colour(row, end, pen.theme()) == shade) {
        ++end;
      }
      if (shade.isValid()) {
        const double left = strip.left() + static_cast<double>(column) * at_.cell_width;
        const double right =
            strip.left() + static_cast<double>(end) * at_.cell_width + (end < columns ? under : 0);
        pen.fill(QRectF(left, strip.top(), right - left, strip.height() + (row + 1 < rows ? under : 0)),
                 shade);
      }
      column = end;
    }
  }
}

void MapCells::draw_image(Pen& pen, const Seen& seen) const {
  const std::int64_t rows = seen.row_end - seen.row;
  const std::int64_t columns = seen.column_end - seen.column;
  QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_ARGB32);
  const ScaleColours colours(map_.scale, pen.theme());
  const std::size_t width = map_.columns.size();
  const auto first = static_cast<std::size_t>(seen.column);
  std::vector<char> dim(static_cast<std::size_t>(columns));
  for (std::size_t column = 0; column < dim.size(); ++column) {
    dim[column] = !map_.special_in_scale && map_.columns[first + column].special ? 1 : 0;
  }
  for (std::int64_t line_number = 0; line_number < rows; ++line_number) {
    const auto row = static_cast<std::size_t>(seen.row + line_number);
    auto* const line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(line_number)));
    const bool all = !map_.special_in_scale && map_.rows[row].special;
    colours(std::span(map_.values).subspan(row * width + first, dim.size()), line);
    for (std::size_t column = 0; column < dim.size(); ++column) {
      if ((all || dim[column]) && qAlpha(line[column]) > 0) {
        line[column] = dimmed(QColor::fromRgb(line[column]), pen.theme()).rgb();
      }
    }
  }
  pen.painter().setRenderHint(QPainter::SmoothPixmapTransform, false);
  pen.painter().drawImage(at_.row_strip(seen.row).united(at_.row_strip(seen.row_end - 1)) &
                              at_.column_strip(seen.column).united(at_.column_strip(seen.column_end - 1)),
                          image);
}

void MapCells::draw_absent(Pen& pen, const Seen& seen) const {
  std::vector<QRectF> runs;
  for (std::int64_t row = seen.row; row < seen.row_end; ++row) {
    for (std::int64_t column = seen.column; column < seen.column_end;) {
      std::int64_t end = column;
      while (end < seen.column_end && std::isnan(map_.value(row, end))) {
        ++end;
      }
      if (end > column) {
        const QRectF run = at_.row_strip(row) & at_.column_strip(column).united(at_.column_strip(end - 1));
        if (const QRectF part = pen.visible() & run; !part.isEmpty()) {
          runs.push_back(part);
        }
      }
      column = std::max(end, column + 1);
    }
  }
  pen.hatch(runs);
}

bool MapCells::is_cell(std::int64_t row, std::int64_t column) const {
  return row >= 0 && column >= 0 && row < std::ssize(map_.rows) && column < std::ssize(map_.columns) &&
         analysis::has_cell(map_.value(row, column));
}

// Where places have no cell the line goes along the cells: steps, of one run each.
void MapCells::draw_frame(Pen& pen) const {
  const QColor line = soft_ink(pen.theme());
  constexpr double kWidth = 0.4;
  if (!without_) {
    pen.frame(at_.cells, line, kWidth);
    return;
  }
  const Seen cells = seen(pen);
  if (cells.row == cells.row_end) {
    return;
  }
  const auto x = [&](std::int64_t column) {
    return at_.cells.left() + static_cast<double>(column) * at_.cell_width;
  };
  const auto y = [&](std::int64_t row) {
    return at_.cells.top() + static_cast<double>(row) * at_.cell_height;
  };
  QPainterPath path;
  const auto add = [&path](QPointF from, QPointF to) {
    path.moveTo(from);
    path.lineTo(to);
  };
  const auto last_row = std::min(cells.row_end, static_cast<std::int64_t>(std::ssize(map_.rows)));
  const auto last_column = std::min(cells.column_end, static_cast<std::int64_t>(std::ssize(map_.columns)));
  for (std::int64_t row = cells.row; row <= last_row; ++row) {
    for (std::int64_t column = cells.column; column < last_column;) {
      std::int64_t end = column;
      while (end < last_column && is_cell(row - 1, end) != is_cell(row, end)) {
        ++end;
      }
      if (end > column) {
        add({x(column), y(row)}, {x(end), y(row)});
      }
      column = std::max(end, column + 1);
    }
  }
  for (std::int64_t column = cells.column; column <= last_column; ++column) {
    for (std::int64_t row = cells.row; row < last_row;) {
      std::int64_t end = row;
      while (end < last_row && is_cell(end, column - 1) != is_cell(end, column)) {
        ++end;
      }
      if (end > row) {
        add({x(column), y(row)}, {x(column), y(end)});
      }
      row = std::max(end, row + 1);
    }
  }
  pen.path(path, line, kWidth);
}

// Marks lie inside their cells, on a lighter line that sets them off from dark colours.
void MapCells::draw_marks(Pen& pen) const {
  const double inset = std::min({2.0, at_.cell_width / 5, at_.cell_height / 5});
  for (const analysis::CellMark& mark : map_.marks) {
    const QRectF cell = at_.row_strip(mark.row) & at_.column_strip(mark.column);
    const QRectF rect = cell.adjusted(inset, inset, -inset, -inset);
    if (mark.kind == analysis::CellMark::Kind::found) {
      const double radius = std::min(cell.width(), cell.height()) / 11;  // clear of the number
      const QPointF corner = cell.bottomRight() - QPointF(radius + 1.2, radius + 1.2);
      pen.disc(corner, radius + 0.6, background(pen.theme()));
      pen.disc(corner, radius, accent(pen.theme()));
      continue;
    }
    const Qt::PenStyle style = mark.kind == analysis::CellMark::Kind::possible ? Qt::DashLine : Qt::SolidLine;
    const QPointF corners[] = {rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft()};
    if (mark.kind == analysis::CellMark::Kind::forbidden) {
      for (const auto& [width, colour] :
           {std::pair(2.6, background(pen.theme())), std::pair(1.3, ink(pen.theme()))}) {
        pen.line(corners[0], corners[2], colour, width);
        pen.line(corners[1], corners[3], colour, width);
      }
      continue;
    }
    pen.frame(rect, background(pen.theme()), 2.2);
    for (std::size_t i = 0; i < 4; ++i) {
      pen.line(corners[i], corners[(i + 1) % 4], ink(pen.theme()), 1.1, style);
    }
  }
}

// As much of each as there is room for, the long ones in the smallest type; none where a row is lower than
// the type. A word without a cell stands on the paper.
void MapCells::draw_texts(Pen& pen, const Seen& cells) const {
  const double size = std::clamp(at_.cell_height * 0.55, smallest_type(style_), style_.tick_pt);
  const TypeFace face(style_, size);
  const TypeFace small(style_, smallest_type(style_));
  constexpr double kSides = 2;
  if (!have_texts(at_, style_)) {
    return;
  }
  for (std::int64_t row = cells.row; row < std::min<std::int64_t>(cells.row_end, std::ssize(map_.rows));
       ++row) {
    for (std::int64_t column = cells.column;
         column < std::min<std::int64_t>(cells.column_end, std::ssize(map_.columns)); ++column) {
      const std::string& text =
          map_.texts[static_cast<std::size_t>(row) * map_.columns.size() + static_cast<std::size_t>(column)];
      if (text.empty() || std::isnan(map_.value(row, column))) {
        continue;
      }
      const QPointF centre = (at_.row_strip(row) & at_.column_strip(column)).center();
      const QString words = drawable(text);
      const TypeFace& fits = face.width(words) <= at_.cell_width - kSides ? face : small;
      const QColor shade = colour(row, column, pen.theme());
      pen.text(centre + QPointF(0, fits.cap_height() / 2), fits.elided(words, at_.cell_width - kSides), fits,
               shade.isValid() ? text_on(shade) : soft_ink(pen.theme()), Across::centre);
    }
  }
}

void MapCells::draw_values(Pen& pen) const {
  const TypeFace face(style_, smallest_type(style_));
  const Seen cells = seen(pen);
  if (!map_.texts.empty() && cells.row != cells.row_end) {
    draw_texts(pen, cells);
    return;
  }
  const Numbers form = cells.row == cells.row_end ? Numbers{} : numbers(map_, at_, face);
  if (!form.shown) {
    return;
  }
  for (std::int64_t row = cells.row; row < cells.row_end; ++row) {
    for (std::int64_t column = cells.column; column < cells.column_end; ++column) {
      const double value = map_.value(row, column);
      if (!std::isfinite(value)) {
        continue;
      }
      const QPointF centre = (at_.row_strip(row) & at_.column_strip(column)).center();
      pen.text(centre + QPointF(0, face.cap_height() / 2), value_text(value, form), face,
               text_on(colour(row, column, pen.theme())), Across::centre);
    }
  }
}

}  // namespace mog::figures

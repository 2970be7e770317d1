// Matrices: attention maps and gate heat maps.
//
// On pixel devices the cells are one image of one pixel a cell, scaled without smoothing, so that 512 × 512
// cells cost one blit; in vector files each run of equal colours is a rectangle that reaches a little under
// the next one, because rectangles that only touch show seams in most viewers.
#include <QImage>
#include <QPaintEngine>
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "analysis/figure_data/ticks.h"
#include "app/figures/body.h"
#include "app/figures/maps/colour_bar.h"
#include "app/figures/maps/heat_map_layout.h"
#include "app/figures/maps/map_arcs.h"
#include "app/figures/readout.h"

namespace mog::figures {
namespace {

using analysis::HeatMap;
using analysis::WordLabel;

constexpr double kLabelGap = 1.2;  // between the letters of labels that are thinned out

class HeatMapBody final : public Body {
 public:
  HeatMapBody(const HeatMap& map, const Style& style, const QRectF& area, const MapFraming& framing)
      : map_(map),
        style_(style),
        area_(area),
        at_(lay_out_cells(map, style, area, framing)),
        arcs_(map, at_),
        absent_(std::ranges::any_of(map.values, [](double value) { return !std::isfinite(value); })) {}

  void draw(Pen& pen) const override {
    if (map_.rows.empty() || map_.columns.empty() || at_.cell_width <= 0 || at_.cell_height <= 0) {
      return;
    }
    draw_cells(pen);
    if (absent_) {
      draw_absent(pen);
    }
    pen.frame(at_.cells, soft_ink(pen.theme()), 0.4);
    if (map_.thumbnail) {
      return;
    }
    draw_blocks(pen);
    draw_values(pen);
    draw_cell_marks(pen);
    draw_row_labels(pen);
    draw_column_labels(pen);
    draw_titles(pen);
    if (map_.arcs > 0) {
      arcs_.draw(pen, area_);
    }
    if (at_.scale_width > 0) {
      draw_scale(pen, map_.scale, scale_area(), absent_);
    } else if (at_.scale_height > 0) {
      draw_flat_scale(pen, map_.scale, scale_area(), absent_);
    }
    draw_note(pen);
  }

  std::optional<MapFrame> map_frame() const override {
    if (map_.thumbnail || map_.rows.empty() || map_.columns.empty()) {
      return std::nullopt;
    }
    return MapFrame{.cells = at_.cells,
                    .left = at_.row.extent,
                    .above = labels_below() ? 0 : at_.column.extent,
                    .below = labels_below() ? at_.column.extent : 0,
                    .scale = scale_area(),
                    .scale_below = at_.scale_width <= 0};
  }

  void draw_scale_in(Pen& pen, const QRectF& area) const override {
    if (at_.scale_width > 0) {
      draw_scale(pen, map_.scale, area, absent_);
    }
  }

  QStringList notes() const override {
    QStringList notes{at_.note, arcs_.note()};
    notes.removeAll(QString());
    return notes;
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    const auto rows = static_cast<std::int64_t>(map_.rows.size());
    const auto columns = static_cast<std::int64_t>(map_.columns.size());
    const auto row = highlight.row ? highlight.row : highlight.word;
    const auto column = highlight.column ? highlight.column : highlight.word;
    const auto frame = [&](const QRectF& rect) {
      pen.frame(rect, background(pen.theme()), 2.4);
      pen.frame(rect, accent(pen.theme()), 1.2);
    };
    QColor glow = accent(pen.theme());
    glow.setAlphaF(0.3F);
    if (row && *row >= 0 && *row < rows) {
      const QRectF strip = row_strip(*row);
      frame(strip);
      if (!map_.thumbnail) {
        light_row_label(pen, static_cast<std::size_t>(*row), glow);
      }
    }
    if (map_.arcs > 0 && !map_.thumbnail) {
      const auto word = row ? row : column;
      if (word && *word >= 0 && *word < std::min(rows, columns)) {
        arcs_.light(pen, area_, *word, highlight.all_keys);
      }
    }
    if (column && *column >= 0 && *column < columns) {
      const QRectF strip = column_strip(*column);
      frame(strip);
      if (!map_.thumbnail) {
        light_column_label(pen, static_cast<std::size_t>(*column), glow);
      }
    }
  }

  std::optional<Hit> hit(QPointF point) const override {
    if (map_.rows.empty() || map_.columns.empty()) {
      return std::nullopt;
    }
    const double left = at_.cells.left() - at_.row.extent;
    const double top = at_.cells.top() - (labels_below() ? 0 : at_.column.extent);
    const double bottom = at_.cells.bottom() + (labels_below() ? at_.column.extent : 0);
    const bool of_row = point.y() >= at_.cells.top() && point.y() < at_.cells.bottom();
    if (point.x() < left || point.x() >= at_.cells.right() || point.y() < top || point.y() >= bottom ||
        (point.x() < at_.cells.left() && !of_row)) {
      return std::nullopt;
    }
    Hit hit;
    if (of_row) {
      hit.row = index((point.y() - at_.cells.top()) / at_.cell_height, map_.rows.size());
    }
    if (point.x() >= at_.cells.left()) {
      hit.column = index((point.x() - at_.cells.left()) / at_.cell_width, map_.columns.size());
    }
    if (hit.row >= 0 && hit.column >= 0) {
      hit.kind = Hit::Kind::cell;
      hit.area = row_strip(hit.row) & column_strip(hit.column);
    } else if (hit.row >= 0) {
      hit.kind = Hit::Kind::row_label;
      hit.area = row_strip(hit.row).adjusted(-at_.row.extent, 0, 0, 0);
    } else {
      hit.kind = Hit::Kind::column_label;
      hit.area = column_strip(hit.column).united(column_label_strip(hit.column));
    }
    hit.readout = readout(map_, hit.row, hit.column);
    return hit;
  }

 private:
  static std::int64_t index(double place, std::size_t size) {
    return std::clamp(static_cast<std::int64_t>(place), std::int64_t{0}, static_cast<std::int64_t>(size) - 1);
  }

  QRectF row_strip(std::int64_t row) const {
    return {at_.cells.left(), at_.cells.top() + static_cast<double>(row) * at_.cell_height, at_.cells.width(),
            at_.cell_height};
  }
  QRectF column_strip(std::int64_t column) const {
    return {at_.cells.left() + static_cast<double>(column) * at_.cell_width, at_.cells.top(), at_.cell_width,
            at_.cells.height()};
  }

  // Above the cells; where arcs hang from the words, below.
  bool labels_below() const { return map_.arcs > 0; }
  QRectF column_label_strip(std::int64_t column) const {
    const QRectF strip = column_strip(column);
    return {strip.left(), labels_below() ? at_.cells.bottom() : at_.cells.top() - at_.column.extent,
            strip.width(), at_.column.extent};
  }

  // Empty: there is none.
  QRectF scale_area() const {
    if (at_.scale_width > 0) {
      return {at_.cells.right(), at_.cells.top(), at_.scale_width,
              scale_length(map_.scale, style_, at_.cells.height(), absent_)};
    }
    if (at_.scale_height > 0) {
      // Its title may begin left of narrow cells.
      const double title =
          TypeFace(style_, style_.tick_pt).width(drawable(map_.scale.quantity.text())) + kGap;
      const double left = std::clamp(area_.right() - title, area_.left(), at_.cells.left());
      return {left, at_.cells.bottom() + at_.below + 2 * kGap, area_.right() - left,
              at_.scale_height - 2 * kGap};
    }
    return {};
  }

  // Those of which something can be seen, and one more on each side: of a zoomed map they are few.
  struct Cells {
    std::int64_t row = 0;  // the first
    std::int64_t column = 0;
    std::int64_t row_end = 0;  // behind the last
    std::int64_t column_end = 0;
  };
  Cells seen_cells(const Pen& pen) const {
    const QRectF seen = pen.visible() & at_.cells;
    if (seen.isEmpty()) {
      return {};
    }
    const QRectF from = seen.translated(-at_.cells.topLeft());
    return {std::max(index(from.top() / at_.cell_height, map_.rows.size()) - 1, std::int64_t{0}),
            std::max(index(from.left() / at_.cell_width, map_.columns.size()) - 1, std::int64_t{0}),
            index(from.bottom() / at_.cell_height + 1, map_.rows.size()) + 1,
            index(from.right() / at_.cell_width + 1, map_.columns.size()) + 1};
  }

  static bool has_label(const SideLabels& side, std::size_t i) {
    return i >= side.first && (i - side.first) % side.every == 0;
  }

  // What the label of one row (or column) covers beside the cells, its letters in the middle.
  QRectF row_label_area(std::size_t row, double high) const {
    const double middle = row_strip(static_cast<std::int64_t>(row)).center().y();
    return {at_.cells.left() - at_.row.extent, middle - high / 2,
            at_.row.extent - 2 - (at_.row.pieces ? kBarSpace : 0), high};
  }
  QRectF column_label_area(std::size_t column, double wide) const {
    const double middle = column_strip(static_cast<std::int64_t>(column)).center().x();
    const double bar = 2 + (at_.column.pieces ? kBarSpace : 0);
    const double top = labels_below() ? at_.cells.bottom() + bar : at_.cells.top() - at_.column.extent;
    return {middle - wide / 2, top, wide, at_.column.extent - bar};
  }
  double column_label_width(std::size_t column, const TypeFace& face) const {
    return at_.column.turned ? face.cap_height() + kLabelGap
                             : face.width(drawable(map_.columns[column].text)) + 2 * kLabelGap;
  }

  // Where labels are thinned out, the one that is looked at takes the place of those that it would meet.
  void light_row_label(Pen& pen, std::size_t row, const QColor& glow) const {
    if (has_label(at_.row, row)) {
      pen.fill(QRectF(at_.cells.left() - at_.row.extent, row_strip(static_cast<std::int64_t>(row)).top(),
                      at_.row.extent, at_.cell_height),
               glow);
      return;
    }
    const double high = label_face(map_.rows[row], at_.row.size).cap_height() + kLabelGap;
    const QRectF own = row_label_area(row, high);
    for (std::size_t other = at_.row.first; other < map_.rows.size(); other += at_.row.every) {
      const QRectF taken = row_label_area(other, high);
      if (taken.intersects(own)) {
        pen.fill(taken.adjusted(0, -0.3, 0, kLabelGap / 2), background(pen.theme()));  // and what stands out
      }
    }
    pen.fill(own, glow);
    draw_row_label(pen, row);
  }

  void light_column_label(Pen& pen, std::size_t column, const QColor& glow) const {
    if (has_label(at_.column, column)) {
      pen.fill(column_label_strip(static_cast<std::int64_t>(column)), glow);
      return;
    }
    const TypeFace face = label_face(map_.columns[column], at_.column.size);
    const QRectF own = column_label_area(column, column_label_width(column, face));
    for (std::size_t other = at_.column.first; other < map_.columns.size(); other += at_.column.every) {
      const QRectF taken = column_label_area(other, column_label_width(other, face));
      if (taken.intersects(own)) {
        pen.fill(taken.adjusted(-0.3, 0, kLabelGap / 2, 0), background(pen.theme()));
      }
    }
    pen.fill(own, glow);
    draw_column_label(pen, column);
  }

  QColor cell_colour(std::int64_t row, std::int64_t column, Theme theme) const {
    const QColor colour = scale_colour(map_.scale, map_.value(row, column), theme);
    return colour.isValid() && is_dimmed(row, column) ? dimmed(colour, theme) : colour;
  }

  bool is_dimmed(std::int64_t row, std::int64_t column) const {
    return !map_.special_in_scale &&
           map_.is_special(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
  }

  void draw_cells(Pen& pen) const {
    const Cells seen = seen_cells(pen);
    if (seen.row == seen.row_end) {
      return;
    }
    const auto rows = static_cast<std::int64_t>(map_.rows.size());
    const auto columns = static_cast<std::int64_t>(map_.columns.size());
    constexpr std::int64_t kMostRectangles = 40'000;
    if (pen.raster() || rows * columns > kMostRectangles) {
      draw_cells_as_image(pen, seen);
      return;
    }
    const double under = 0.15;
    for (std::int64_t row = 0; row < rows; ++row) {
      const QRectF strip = row_strip(row);
      for (std::int64_t column = 0; column < columns;) {
        const QColor colour = cell_colour(row, column, pen.theme());
        std::int64_t end = column + 1;
        while (end < columns && cell_colour(row, end, pen.theme()) == colour) {
          ++end;
        }
        if (colour.isValid()) {
          const double left = strip.left() + static_cast<double>(column) * at_.cell_width;
          const double right =
              strip.left() + static_cast<double>(end) * at_.cell_width + (end < columns ? under : 0);
          pen.fill(QRectF(left, strip.top(), right - left, strip.height() + (row + 1 < rows ? under : 0)),
                   colour);
        }
        column = end;
      }
    }
  }

  void draw_cells_as_image(Pen& pen, const Cells& seen) const {
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
    pen.painter().drawImage(row_strip(seen.row).united(row_strip(seen.row_end - 1)) &
                                column_strip(seen.column).united(column_strip(seen.column_end - 1)),
                            image);
  }

  void draw_absent(Pen& pen) const {
    std::vector<QRectF> runs;
    const Cells seen = seen_cells(pen);
    for (std::int64_t row = seen.row; row < seen.row_end; ++row) {
      for (std::int64_t column = seen.column; column < seen.column_end;) {
        std::int64_t end = column;
        while (end < seen.column_end && !std::isfinite(map_.value(row, end))) {
          ++end;
        }
        if (end > column) {
          const QRectF run = row_strip(row) & column_strip(column).united(column_strip(end - 1));
          if (const QRectF part = pen.visible() & run; !part.isEmpty()) {
            runs.push_back(part);
          }
        }
        column = std::max(end, column + 1);
      }
    }
    pen.hatch(runs);
  }

  void draw_blocks(Pen& pen) const {
    for (const std::int64_t column : map_.blocks) {
      const double x = at_.cells.left() + static_cast<double>(column) * at_.cell_width;
      const double beyond = at_.column.extent;
      pen.line({x, at_.cells.top() - (labels_below() ? 0 : beyond)},
               {x, at_.cells.bottom() + (labels_below() ? beyond : 0)}, ink(pen.theme()), 1.2);
    }
  }

  // Frames lie inside their cells, on a lighter line that sets them off from dark colours.
  void draw_cell_marks(Pen& pen) const {
    const double inset = std::min({2.0, at_.cell_width / 5, at_.cell_height / 5});
    for (const analysis::CellMark& mark : map_.marks) {
      const QRectF cell = row_strip(mark.row) & column_strip(mark.column);
      const QRectF rect = cell.adjusted(inset, inset, -inset, -inset);
      if (mark.kind == analysis::CellMark::Kind::found) {
        const double radius = std::min(cell.width(), cell.height()) / 11;  // clear of the number
        const QPointF corner = cell.bottomRight() - QPointF(radius + 1.2, radius + 1.2);
        pen.disc(corner, radius + 0.6, background(pen.theme()));
        pen.disc(corner, radius, accent(pen.theme()));
        continue;
      }
      const Qt::PenStyle style =
          mark.kind == analysis::CellMark::Kind::possible ? Qt::DashLine : Qt::SolidLine;
      const QPointF corners[] = {rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft()};
      pen.frame(rect, background(pen.theme()), 2.2);
      for (std::size_t i = 0; i < 4; ++i) {
        pen.line(corners[i], corners[(i + 1) % 4], ink(pen.theme()), 1.1, style);
      }
    }
  }

  // How the numbers of a map are written.
  struct Numbers {
    bool shown = false;
    bool brief = false;  // .25 in the place of 0.25
    int decimals = 2;    // more where all values are small, so that the greatest has two digits
  };

  static QString value_text(double value, const Numbers& form) {
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
  Numbers numbers(const TypeFace& face) const {
    if (at_.cell_height < face.height() + 4 || at_.cell_width < face.width(QStringLiteral("0.00")) + 4) {
      return {};
    }
    double low = 0;
    double high = 0;
    for (const double value : map_.values) {
      if (std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    const double greatest = std::max(high, -low);
    const int decimals =
        greatest > 0 ? std::max(2, 1 - static_cast<int>(std::floor(std::log10(greatest)))) : 2;
    for (const bool brief : {false, true}) {
      const Numbers form{.shown = true, .brief = brief, .decimals = decimals};
      if (std::max(face.width(value_text(low, form)), face.width(value_text(high, form))) + 2 <=
          at_.cell_width) {
        return form;
      }
    }
    return {};
  }

  // Numbers in cells that are large enough.
  void draw_values(Pen& pen) const {
    const TypeFace face(style_, smallest_type(style_));
    const Cells seen = seen_cells(pen);
    const Numbers form = seen.row == seen.row_end ? Numbers{} : numbers(face);
    if (!form.shown) {
      return;
    }
    for (std::int64_t row = seen.row; row < seen.row_end; ++row) {
      for (std::int64_t column = seen.column; column < seen.column_end; ++column) {
        const double value = map_.value(row, column);
        if (!std::isfinite(value)) {
          continue;
        }
        const QPointF centre = (row_strip(row) & column_strip(column)).center();
        pen.text(centre + QPointF(0, face.cap_height() / 2), value_text(value, form), face,
                 text_on(cell_colour(row, column, pen.theme())), Across::centre);
      }
    }
  }

  QColor label_colour(const WordLabel& label, Theme theme) const {
    return label.special ? soft_ink(theme) : ink(theme);
  }

  TypeFace label_face(const WordLabel& label, double size) const {
    return TypeFace(style_, label.special ? std::max(smallest_type(style_), size - 1) : size);
  }

  void draw_row_label(Pen& pen, std::size_t row) const {
    const TypeFace face = label_face(map_.rows[row], at_.row.size);
    const double right = at_.cells.left() - 3 - (at_.row.pieces ? kBarSpace : 0);
    const double middle = row_strip(static_cast<std::int64_t>(row)).center().y();
    pen.text({right, middle + face.cap_height() / 2},
             face.elided(drawable(map_.rows[row].text), kLongestLabel * unit(style_)), face,
             label_colour(map_.rows[row], pen.theme()), Across::right);
  }

  // A label may reach so far out of its row or column: where others are left out it may be higher than it, a
  // number wider.
  double label_reach() const { return 4 * style_.tick_pt; }

  void draw_row_labels(Pen& pen) const {
    const QRectF seen = pen.visible().adjusted(0, -label_reach(), 0, label_reach());
    for (std::size_t i = at_.row.first; i < map_.rows.size(); i += at_.row.every) {
      const QRectF strip = row_strip(static_cast<std::int64_t>(i));
      if (strip.bottom() >= seen.top() && strip.top() <= seen.bottom()) {
        draw_row_label(pen, i);
      }
    }
    for_each_word(map_.rows, [&](std::size_t first, std::size_t last) {
      const double x = at_.cells.left() - 3;
      pen.line({x, row_strip(static_cast<std::int64_t>(first)).center().y() - at_.cell_height * 0.3},
               {x, row_strip(static_cast<std::int64_t>(last)).center().y() + at_.cell_height * 0.3},
               soft_ink(pen.theme()), 0.8);
    });
  }

  void draw_column_label(Pen& pen, std::size_t column) const {
    const TypeFace face = label_face(map_.columns[column], at_.column.size);
    const double apart = 3 + (at_.column.pieces ? kBarSpace : 0);
    const double bottom = labels_below() ? at_.cells.bottom() + apart : at_.cells.top() - apart;
    const double middle = column_strip(static_cast<std::int64_t>(column)).center().x();
    const QColor colour = label_colour(map_.columns[column], pen.theme());
    const QString text = drawable(map_.columns[column].text);
    if (at_.column.turned) {
      pen.turned_text({middle + face.cap_height() / 2, bottom},
                      face.elided(text, kLongestLabel * unit(style_)), face, colour,
                      labels_below() ? Across::right : Across::left);
    } else {
      pen.text({middle, bottom + (labels_below() ? face.ascent() : 0)}, text, face, colour, Across::centre);
    }
  }

  void draw_column_labels(Pen& pen) const {
    const QRectF seen = pen.visible().adjusted(-label_reach(), 0, label_reach(), 0);
    for (std::size_t i = at_.column.first; i < map_.columns.size(); i += at_.column.every) {
      const QRectF strip = column_strip(static_cast<std::int64_t>(i));
      if (strip.right() >= seen.left() && strip.left() <= seen.right()) {
        draw_column_label(pen, i);
      }
    }
    for_each_word(map_.columns, [&](std::size_t first, std::size_t last) {
      const double y = labels_below() ? at_.cells.bottom() + 3 : at_.cells.top() - 3;
      pen.line({column_strip(static_cast<std::int64_t>(first)).center().x() - at_.cell_width * 0.3, y},
               {column_strip(static_cast<std::int64_t>(last)).center().x() + at_.cell_width * 0.3, y},
               soft_ink(pen.theme()), 0.8);
    });
  }

  // Runs of at least two pieces of one word.
  template <class F>
  static void for_each_word(const std::vector<WordLabel>& labels, F f) {
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

  void draw_note(Pen& pen) const {
    const TypeFace face(style_, smallest_type(style_));
    double baseline = at_.cells.bottom() + at_.below + at_.scale_height + kGap + face.ascent();
    for (const QString& line : at_.note_lines) {
      pen.text({area_.left(), baseline}, line, face, soft_ink(pen.theme()));
      baseline += face.height();
    }
  }

  void draw_titles(Pen& pen) const {
    const TypeFace face(style_, style_.tick_pt);
    if (at_.title_height > 0) {
      pen.text({at_.cells.center().x(), area_.top() + face.ascent()}, drawable(map_.column_title), face,
               soft_ink(pen.theme()), Across::centre);
    }
    if (!map_.row_title.empty()) {
      const QString title = drawable(map_.row_title);
      pen.turned_text({at_.left + face.ascent(), at_.cells.center().y()},
                      face.elided(title, std::max(at_.cells.height(), face.width(title))), face,
                      soft_ink(pen.theme()), Across::centre);
    }
  }

  const HeatMap& map_;
  const Style& style_;
  QRectF area_;
  HeatMapLayout at_;
  MapArcs arcs_;
  bool absent_;  // some cell is
};

}  // namespace

std::unique_ptr<Body> lay_out(const HeatMap& map, const Style& style, const QRectF& area,
                              const MapFraming& framing) {
  return std::make_unique<HeatMapBody>(map, style, area, framing);
}

double wanted_height(const HeatMap& map, const Style& style, double width, const MapFraming& framing) {
  const auto rows = static_cast<double>(std::max<std::size_t>(map.rows.size(), 1));
  if (map.thumbnail) {
    return map.columns.empty() ? width : width * rows / static_cast<double>(map.columns.size());
  }
  // As high as square cells of the available width ask for, but no cell larger than a few letters.
  const HeatMapLayout wide = lay_out_cells(map, style, QRectF(0, 0, width, 1e5), framing);
  const double cell = map.square_cells
                          ? std::min(wide.cell_width, style.tick_pt * 2.4)
                          : std::clamp(wide.cell_width, style.tick_pt * 1.2, style.tick_pt * 1.8);
  return height_with_rows(map, style, width, cell, framing) + 2;
}

}  // namespace mog::figures

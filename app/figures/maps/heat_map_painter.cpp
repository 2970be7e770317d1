// Matrices: attention maps and gate heat maps. Cells and labels are drawn by MapCells and MapLabels; here is
// what stands where, and what a place of the page is.
#include <algorithm>

#include "app/figures/body.h"
#include "app/figures/maps/colour_bar.h"
#include "app/figures/maps/heat_map_layout.h"
#include "app/figures/maps/map_arcs.h"
#include "app/figures/maps/map_cells.h"
#include "app/figures/maps/map_labels.h"
#include "app/figures/readout.h"

namespace mog::figures {
namespace {

using analysis::HeatMap;

class HeatMapBody final : public Body {
 public:
  HeatMapBody(const HeatMap& map, const Style& style, const QRectF& area, const MapFraming& framing)
      : map_(map),
        style_(style),
        area_(area),
        at_(lay_out_cells(map, style, area, framing)),
        cells_(map, style, at_),
        labels_(map, style, at_),
        arcs_(map, at_) {}

  void draw(Pen& pen) const override {
    if (map_.rows.empty() || map_.columns.empty() || at_.cell_width <= 0 || at_.cell_height <= 0) {
      return;
    }
    cells_.draw(pen);
    cells_.draw_frame(pen);
    if (map_.thumbnail) {
      return;
    }
    draw_blocks(pen);
    cells_.draw_values(pen);
    cells_.draw_marks(pen);
    labels_.draw(pen);
    draw_titles(pen);
    if (map_.arcs > 0) {
      arcs_.draw(pen, area_);
    }
    if (at_.scale_width > 0) {
      draw_scale(pen, map_.scale, scale_area(), cells_.absent());
    } else if (at_.scale_height > 0) {
      draw_flat_scale(pen, map_.scale, scale_area(), cells_.absent());
    }
    draw_note(pen);
  }

  std::optional<MapFrame> map_frame() const override {
    if (map_.thumbnail || map_.rows.empty() || map_.columns.empty()) {
      return std::nullopt;
    }
    return MapFrame{.cells = at_.cells,
                    .left = at_.row.extent,
                    .above = labels_.below() ? 0 : at_.column.extent,
                    .below = labels_.below() ? at_.column.extent : 0,
                    .scale = scale_area(),
                    .scale_below = at_.scale_width <= 0};
  }

  void draw_scale_in(Pen& pen, const QRectF& area) const override {
    if (at_.scale_width > 0) {
      draw_scale(pen, map_.scale, area, cells_.absent());
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
      const QRectF strip = at_.row_strip(*row);
      frame(strip);
      if (!map_.thumbnail) {
        labels_.light_row(pen, static_cast<std::size_t>(*row), glow);
      }
    }
    if (map_.arcs > 0 && !map_.thumbnail) {
      const auto word = row ? row : column;
      if (word && *word >= 0 && *word < std::min(rows, columns)) {
        arcs_.light(pen, area_, *word, highlight.all_keys);
      }
    }
    if (column && *column >= 0 && *column < columns) {
      const QRectF strip = at_.column_strip(*column);
      frame(strip);
      if (!map_.thumbnail) {
        labels_.light_column(pen, static_cast<std::size_t>(*column), glow);
      }
    }
  }

  std::optional<Hit> hit(QPointF point) const override {
    if (map_.rows.empty() || map_.columns.empty()) {
      return std::nullopt;
    }
    const double left = at_.cells.left() - at_.row.extent;
    const double top = at_.cells.top() - (labels_.below() ? 0 : at_.column.extent);
    const double bottom = at_.cells.bottom() + (labels_.below() ? at_.column.extent : 0);
    const bool of_row = point.y() >= at_.cells.top() && point.y() < at_.cells.bottom();
    if (point.x() < left || point.x() >= at_.cells.right() || point.y() < top || point.y() >= bottom ||
        (point.x() < at_.cells.left() && !of_row)) {
      return std::nullopt;
    }
    Hit hit;
    if (of_row) {
      hit.row = cells_.row_at(point.y());
    }
    if (point.x() >= at_.cells.left()) {
      hit.column = cells_.column_at(point.x());
    }
    if (hit.row >= 0 && hit.column >= 0) {
      hit.kind = Hit::Kind::cell;
      hit.area = at_.row_strip(hit.row) & at_.column_strip(hit.column);
    } else if (hit.row >= 0) {
      hit.kind = Hit::Kind::row_label;
      hit.area = at_.row_strip(hit.row).adjusted(-at_.row.extent, 0, 0, 0);
    } else {
      hit.kind = Hit::Kind::column_label;
      hit.area = at_.column_strip(hit.column).united(labels_.column_strip(hit.column));
    }
    hit.readout = readout(map_, hit.row, hit.column);
    return hit;
  }

 private:
  // Empty: there is none.
  QRectF scale_area() const {
    if (at_.scale_width > 0) {
      return {at_.cells.right(), at_.cells.top(), at_.scale_width,
              scale_length(map_.scale, style_, at_.cells.height(), cells_.absent())};
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

  void draw_blocks(Pen& pen) const {
    for (const std::int64_t column : map_.blocks) {
      const double x = at_.cells.left() + static_cast<double>(column) * at_.cell_width;
      const double beyond = at_.column.extent;
      pen.line({x, at_.cells.top() - (labels_.below() ? 0 : beyond)},
               {x, at_.cells.bottom() + (labels_.below() ? beyond : 0)}, ink(pen.theme()), 1.2);
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
  MapCells cells_;
  MapLabels labels_;
  MapArcs arcs_;
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

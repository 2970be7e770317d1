// Several figures in one: a grid with shared axes, legend or scale where the panels agree.
//
// The grid says what is shared (panel_grid.h). Where the page is lower than its rows, all of them shrink
// alike. Each panel is then laid out by its own kind.
//
// Trap: row_height() and add_panel() must agree on what a plot has around it (names_x, titles, its own
// legend); else plots of one row end at different heights.
#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "app/figures/body.h"
#include "app/figures/lines/legend.h"
#include "app/figures/maps/colour_bar.h"
#include "app/figures/panel_grid.h"
#include "app/figures/side_title.h"

namespace mog::figures {
namespace {

using analysis::FigureData;
using analysis::HeatMap;
using analysis::LinePlot;
using analysis::PanelFigure;
using analysis::TreeFigure;

class PanelBody final : public Body {
 public:
  PanelBody(const PanelFigure& figure, const Style& style, const QRectF& area)
      : figure_(figure), style_(style), area_(area), grid_(grid_of(figure, style, area.width())) {
    if (figure.panels.empty()) {
      return;
    }
    const auto maps = maps_of(figure, style, grid_.panel_width, grid_.columns);
    const double room =
        area.height() - grid_.legend - grid_.under - static_cast<double>(grid_.rows - 1) * grid_.gap_y;
    const std::vector<double> heights = fitted_heights(maps, room);
    if (maps) {
      framings_ = maps->framings(*std::min_element(heights.begin(), heights.end()) - grid_.title);
    }
    double y = area.top();
    for (std::int64_t row = 0; row < grid_.rows; ++row) {
      const double height = heights[static_cast<std::size_t>(row)];
      for (std::int64_t column = 0; column < grid_.columns; ++column) {
        add_panel(row, column, y, height);
      }
      y += height + grid_.gap_y;
    }
  }

  void draw(Pen& pen) const override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      draw_title(pen, i);
      bodies_[i]->draw(pen);
    }
    if (grid_.shared_axes && !bodies_.empty()) {
      const double height = areas_.back().bottom() - area_.top();
      const SideTitle title(drawable(std::get<LinePlot>(figure_.panels.front().body).y.text()), style_,
                            height);
      title.draw(pen, area_.left(), area_.top() + height / 2);
    }
    if (grid_.under > 0 && !bodies_.empty()) {
      const TypeFace face(style_, style_.body_pt);
      const QString title = drawable(std::get<LinePlot>(figure_.panels.front().body).x.text());
      const double top = area_.bottom() - grid_.legend - grid_.under + 2;
      pen.text({(area_.left() + grid_.left + area_.right()) / 2, top + face.ascent()}, title, face,
               ink(pen.theme()), Across::centre);
    }
    if (grid_.legend <= 0 || figure_.panels.empty()) {
      return;
    }
    const QRectF bottom(area_.left() + grid_.left, area_.bottom() - grid_.legend + 2 * kGap,
                        area_.width() - grid_.left, grid_.legend - 2 * kGap);
    if (grid_.lines) {
      const LinePlot& plot = fullest(figure_);
      draw_legend(pen, drawable(plot.legend_title), series_legend(plot, style_), bottom);
    } else if (grid_.trees) {
      const auto& first = std::get<TreeFigure>(figure_.panels.front().body);
      draw_tree_key(pen, key_of_trees(figure_, style_), bottom, carried_colour(first, pen.theme()));
    } else {
      draw_flat_scale(pen, std::get<HeatMap>(figure_.panels.front().body).scale, bottom);
    }
  }

  QStringList notes() const override {
    QStringList all;
    for (const auto& body : bodies_) {
      for (const QString& note : body->notes()) {
        all += all.contains(note) ? QStringList() : QStringList{note};
      }
    }
    return all;
  }

  void draw_highlight(Pen& pen, const Highlight& highlight) const override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const bool meant = !highlight.panel || *highlight.panel == static_cast<std::int64_t>(i);
      if (!meant) {
        continue;
      }
      if (highlight.panel && highlight.empty()) {
        pen.frame(areas_[i].adjusted(-1, -1, 1, 1), accent(pen.theme()), 1.6);
      }
      bodies_[i]->draw_highlight(pen, highlight);
    }
  }

  std::optional<Hit> hit(QPointF point) const override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!areas_[i].contains(point)) {
        continue;
      }
      std::optional<Hit> hit = bodies_[i]->hit(point);
      if (!hit) {
        hit = Hit{};
        hit->kind = Hit::Kind::panel;
        hit->area = areas_[i];
        hit->readout = drawable(figure_.panels[i].title);
      }
      hit->panel = static_cast<std::int64_t>(i);
      return hit;
    }
    return std::nullopt;
  }

 private:
  // Of the rows: all give way alike, of maps below each other the cells.
  std::vector<double> fitted_heights(const std::optional<MapGroup>& maps, double room) const {
    std::vector<double> heights;
    if (maps && maps->stacked()) {
      heights = maps->heights(room - grid_.title * static_cast<double>(grid_.rows));
      for (double& height : heights) {
        height += grid_.title;
      }
      return heights;
    }
    heights = row_heights(figure_, style_, grid_, maps);
    const double wanted = std::accumulate(heights.begin(), heights.end(), 0.0);
    for (double& height : heights) {
      height = std::max(1.0, height * room / wanted);
    }
    return heights;
  }

  void add_panel(std::int64_t row, std::int64_t column, double y, double height) {
    const auto index = static_cast<std::size_t>(row * grid_.columns + column);
    if (index >= figure_.panels.size()) {
      return;
    }
    double x = area_.left() + grid_.left + static_cast<double>(column) * (grid_.panel_width + grid_.gap_x);
    QRectF area(x, y + grid_.title, grid_.panel_width, std::max(1.0, height - grid_.title));
    const FigureData& panel = labelled(index, column);
    if (!grid_.lines) {
      areas_.emplace_back(x, y, grid_.panel_width, height);
      bodies_.push_back(grid_.trees ? lay_out(std::get<TreeFigure>(panel.body), style_, area, false)
                        : framings_.empty()
                            ? lay_out_body(panel, style_, area)
                            : lay_out(std::get<HeatMap>(panel.body), style_, area, framings_[index]));
      return;
    }
    LineFraming framing;
    framing.series_labels = !grid_.shared_legend;
    framing.x_title = names_x(figure_, grid_, index);
    if (grid_.shared_axes) {
      framing.y_title = false;
      framing.y_labels = column == 0;
      framing.left = 0;
      framing.right = 0;
      if (column == 0) {
        area.setLeft(area.left() - grid_.labels);
        framing.left = grid_.labels;
      }
      // Where the row has titles, the plots of its other panels end at the same height.
      area.setBottom(area.bottom() - (framing.x_title ? 0 : row_title(row)));
    }
    areas_.emplace_back(area.left(), y, area.width(), height);
    bodies_.push_back(lay_out(std::get<LinePlot>(panel.body), style_, area, framing));
  }

  // The panel; bars that lean on the labels at their left have their own where nothing stands there.
  const FigureData& labelled(std::size_t index, std::int64_t column) {
    const FigureData& panel = figure_.panels[index];
    const auto* const bars = std::get_if<analysis::BarPlot>(&panel.body);
    if (column > 0 || bars == nullptr || bars->labels) {
      return panel;
    }
    own_labels_.push_back(panel);
    std::get<analysis::BarPlot>(own_labels_.back().body).labels = true;
    return own_labels_.back();
  }

  // Height of the x axis title if any panel of the row has one.
  double row_title(std::int64_t row) const {
    const auto last =
        std::min(static_cast<std::size_t>((row + 1) * grid_.columns), figure_.panels.size()) - 1;
    return names_x(figure_, grid_, last) ? grid_.x_title : 0;
  }

  void draw_title(Pen& pen, std::size_t i) const {
    const TypeFace face = title_face(style_, grid_);
    const bool first_column = static_cast<std::int64_t>(i) % grid_.columns == 0;
    const double x = areas_[i].left() + (grid_.shared_axes && first_column ? grid_.labels : 0);
    double baseline = areas_[i].top() + face.ascent();
    const PanelTitle title = title_of(figure_, style_, grid_, i, grid_.panel_width);
    if (!title.label.isEmpty()) {
      pen.text({x, baseline}, title.label, title_face(style_, grid_, true), ink(pen.theme()));
    }
    for (const QString& line : title.lines) {
      pen.text({x + title.indent, baseline}, line, face, ink(pen.theme()));
      baseline += face.height();
    }
  }

  const PanelFigure& figure_;
  const Style& style_;
  QRectF area_;
  PanelGrid grid_;
  std::vector<QRectF> areas_;
  std::vector<MapFraming> framings_;   // of maps that compare
  std::deque<FigureData> own_labels_;  // what the bodies of such panels are of
  std::vector<std::unique_ptr<Body>> bodies_;
};

}  // namespace

std::unique_ptr<Body> lay_out(const PanelFigure& figure, const Style& style, const QRectF& area) {
  return std::make_unique<PanelBody>(figure, style, area);
}

double least_body_height(const PanelFigure& figure, const Style& style, double width) {
  if (figure.panels.empty()) {
    return 0;
  }
  const PanelGrid grid = grid_of(figure, style, width);
  if (const auto maps = maps_of(figure, style, grid.panel_width, grid.columns);
      maps && style.paper == Paper::screen) {
    const std::vector<double> heights = maps->least_heights();
    double least = static_cast<double>(grid.rows - 1) * grid.gap_y;
    for (std::int64_t row = 0; row < grid.rows; ++row) {
      least += tallest_of_row(heights, grid, row) + grid.title;
    }
    return least;
  }
  if (maps_among_others(figure) && style.paper == Paper::screen) {
    return wanted_height(figure, style, width);
  }
  double tallest = 0;
  for (const analysis::FigureData& panel : figure.panels) {
    const double least =
        grid.trees ? least_body_height(std::get<TreeFigure>(panel.body), style, grid.panel_width, false)
                   : least_body_height(panel, style, grid.panel_width);
    tallest = std::max(tallest, least <= 0 ? 0 : least + own_legend(panel, style, grid));
  }
  return tallest <= 0 ? 0
                      : static_cast<double>(grid.rows) * (tallest + grid.title + grid.gap_y) + grid.legend +
                            grid.under;
}

double wanted_height(const PanelFigure& figure, const Style& style, double width) {
  if (figure.panels.empty()) {
    return 0;
  }
  const PanelGrid grid = grid_of(figure, style, width);
  double height = grid.legend + grid.under + static_cast<double>(grid.rows - 1) * grid.gap_y;
  const auto maps = maps_of(figure, style, grid.panel_width, grid.columns);
  const std::vector<double> rows = row_heights(figure, style, grid, maps);
  return std::accumulate(rows.begin(), rows.end(), height);
}

}  // namespace mog::figures

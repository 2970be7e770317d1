// Several figures in one: a grid with shared axes, legend or scale where the panels agree.
//
// First it is decided what is shared (same axis title and limits, lines that the fullest panel's legend
// explains, thumbnails of one scale); that takes room from the page, and what is left is cut into columns of
// equal width and rows as high as their highest panel wants. Where the page is lower than that, all rows
// shrink alike. Each panel is then laid out by its own kind.
//
// Of shared y axes only the first column has labels, and its plot is wider by them, so that the plots
// themselves are equally wide. The x title stands under plots with nothing below them, or once under all, if
// it is longer than a plot.
//
// Trap: row_height() and add_panel() must agree on what a plot has around it (names_x, titles, its own
// legend); else plots of one row end at different heights.
#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "app/figures/body.h"
#include "app/figures/lines/legend.h"
#include "app/figures/maps/colour_bar.h"
#include "app/figures/maps/map_group.h"
#include "app/figures/side_title.h"
#include "app/figures/trees/tree_key.h"

namespace mog::figures {
namespace {

using analysis::FigureData;
using analysis::HeatMap;
using analysis::LinePlot;
using analysis::PanelFigure;
using analysis::TreeFigure;

template <class Kind>
bool all_are(const PanelFigure& figure) {
  return !figure.panels.empty() &&
         std::all_of(figure.panels.begin(), figure.panels.end(),
                     [](const FigureData& panel) { return std::holds_alternative<Kind>(panel.body); });
}

// The plot with the most lines: its legend explains the others where they have some of its lines.
const LinePlot& fullest(const PanelFigure& figure) {
  const auto most = std::max_element(
      figure.panels.begin(), figure.panels.end(), [](const FigureData& left, const FigureData& right) {
        return std::get<LinePlot>(left.body).series.size() < std::get<LinePlot>(right.body).series.size();
      });
  return std::get<LinePlot>(most->body);
}

bool same_legend(const PanelFigure& figure) {
  const LinePlot& first = fullest(figure);
  return std::all_of(figure.panels.begin(), figure.panels.end(), [&](const FigureData& panel) {
    const auto& plot = std::get<LinePlot>(panel.body);
    return std::all_of(plot.series.begin(), plot.series.end(), [&](const analysis::LineSeries& series) {
      return std::any_of(first.series.begin(), first.series.end(), [&](const analysis::LineSeries& other) {
        return other.label == series.label && other.colour == series.colour && other.dash == series.dash;
      });
    });
  });
}

bool same_axes(const PanelFigure& figure) {
  const auto& first = std::get<LinePlot>(figure.panels.front().body);
  return first.y_low && std::all_of(figure.panels.begin(), figure.panels.end(), [&](const FigureData& panel) {
           const auto& plot = std::get<LinePlot>(panel.body);
           return plot.y_low == first.y_low && plot.y_high == first.y_high && plot.y.text() == first.y.text();
         });
}

bool same_x(const PanelFigure& figure) {
  const std::string first = std::get<LinePlot>(figure.panels.front().body).x.text();
  return std::all_of(figure.panels.begin(), figure.panels.end(), [&](const FigureData& panel) {
    return std::get<LinePlot>(panel.body).x.text() == first;
  });
}

// One for all: a forest does not repeat it.
std::vector<TreeKeyEntry> key_of_trees(const PanelFigure& figure, const Style& style) {
  std::vector<const TreeFigure*> trees;
  for (const FigureData& panel : figure.panels) {
    trees.push_back(&std::get<TreeFigure>(panel.body));
  }
  return shared_tree_key(trees, style);
}

bool all_thumbnails(const PanelFigure& figure) {
  return all_are<HeatMap>(figure) &&
         std::all_of(figure.panels.begin(), figure.panels.end(),
                     [](const FigureData& panel) { return std::get<HeatMap>(panel.body).thumbnail; });
}

// Nothing where the panels are no maps that compare.
std::optional<MapGroup> maps_of(const PanelFigure& figure, const Style& style, double width,
                                std::int64_t columns) {
  std::vector<const HeatMap*> maps;
  for (const FigureData& panel : figure.panels) {
    if (const auto* map = std::get_if<HeatMap>(&panel.body)) {
      maps.push_back(map);
    }
  }
  if (maps.size() < figure.panels.size() || !MapGroup::compares(maps)) {
    return std::nullopt;
  }
  const bool stacked = columns == 1 && !maps.front()->square_cells;
  return MapGroup(std::move(maps), style, width, stacked);
}

// Maps beside plots: they have no cells in common that could give way alike.
bool maps_among_others(const PanelFigure& figure) {
  const auto is_map = [](const FigureData& panel) {
    const auto* const map = std::get_if<HeatMap>(&panel.body);
    return map != nullptr && !map->thumbnail;
  };
  return std::any_of(figure.panels.begin(), figure.panels.end(), is_map) &&
         !std::all_of(figure.panels.begin(), figure.panels.end(), is_map);
}

// How a grid is cut up.
struct Grid {
  std::int64_t columns = 1;
  std::int64_t rows = 1;
  double gap_x = 12;
  double gap_y = 10;
  double title = 0;        // height of a panel's title
  double labels = 0;       // of the shared y axis
  double left = 0;         // the same with the axis title
  double bottom = 0;       // margin of one line plot without the title of its x axis
  double x_title = 0;      // height of that title
  double under = 0;        // the same where one title stands under all plots, because it fits no single one
  double legend = 0;       // height of the shared legend or scale at the bottom
  double panel_width = 0;  // of the plots, the shared axis not counted
  bool lines = false;
  bool shared_axes = false;
  bool shared_legend = false;
  bool thumbnails = false;
  bool trees = false;
};

TypeFace title_face(const Style& style, const Grid& grid, bool bold = false) {
  return {style, grid.thumbnails ? smallest_type(style) : style.tick_pt, bold};
}

// "(a)" and what follows it, wrapped; thumbnails have no room for more than a line.
struct PanelTitle {
  QString label;
  double indent = 0;
  QStringList lines;
};
PanelTitle title_of(const PanelFigure& figure, const Style& style, const Grid& grid, std::size_t index,
                    double width) {
  PanelTitle title;
  if (figure.label_panels && figure.panels.size() <= 26) {
    title.label = QStringLiteral("(%1)").arg(QChar(static_cast<char16_t>(u'a' + index)));
    title.indent = title_face(style, grid, true).width(title.label) + 4;
  }
  const TypeFace face = title_face(style, grid);
  const QString text = drawable(figure.panels[index].title);
  const double room = std::max(width - title.indent, face.size());
  title.lines = grid.thumbnails ? QStringList{face.elided(text, room)} : face.wrapped(text, room);
  return title;
}

Grid grid_of(const PanelFigure& figure, const Style& style, double width) {
  Grid grid;
  const auto count = static_cast<std::int64_t>(figure.panels.size());
  grid.columns = std::clamp<std::int64_t>(figure.columns, 1, std::max<std::int64_t>(count, 1));
  grid.thumbnails = all_thumbnails(figure);
  grid.lines = all_are<LinePlot>(figure);
  grid.trees = all_are<TreeFigure>(figure) && figure.share_legend;
  // A plot needs some room: fewer columns on narrow paper.
  const double least = grid.thumbnails ? 0 : style.body_pt * 9;
  while (grid.columns > 1 && width / static_cast<double>(grid.columns) < least) {
    --grid.columns;
  }
  grid.rows = (count + grid.columns - 1) / grid.columns;
  const bool titled = std::any_of(figure.panels.begin(), figure.panels.end(),
                                  [](const FigureData& panel) { return !panel.title.empty(); });
  if (grid.thumbnails) {
    grid.gap_x = grid.gap_y = 5;
  }
  if (grid.lines) {
    const auto& first = std::get<LinePlot>(figure.panels.front().body);
    grid.shared_axes = same_axes(figure);
    grid.shared_legend = figure.share_legend && same_legend(figure);
    LineFraming framing;
    framing.series_labels = framing.x_title = framing.y_title = false;
    const LineMargins margins =
        line_margins(first, style, width / static_cast<double>(grid.columns), framing);
    const TypeFace title(style, style.body_pt);
    const double height = width / static_cast<double>(grid.columns) * 0.8 * static_cast<double>(grid.rows);
    grid.labels = grid.shared_axes ? margins.labels : 0;
    grid.left =
        grid.shared_axes ? SideTitle(drawable(first.y.text()), style, height).width() + grid.labels : 0;
    grid.bottom = margins.bottom;
    grid.x_title = title.height() + 2;
    if (grid.shared_legend) {
      grid.legend = legend_height(drawable(first.legend_title), series_legend(fullest(figure), style), style,
                                  width - grid.left) +
                    2 * kGap;
    }
  } else if (grid.trees) {
    grid.legend = tree_key_height(key_of_trees(figure, style), style, width) + 2 * kGap;
  } else if (grid.thumbnails && figure.share_legend) {
    grid.legend =
        flat_scale_height(std::get<HeatMap>(figure.panels.front().body).scale, style, width) + 2 * kGap;
  }
  grid.panel_width = (width - grid.left - static_cast<double>(grid.columns - 1) * grid.gap_x) /
                     static_cast<double>(grid.columns);
  if (grid.shared_axes && grid.columns > 1 && same_x(figure)) {
    const QString title = drawable(std::get<LinePlot>(figure.panels.front().body).x.text());
    grid.under = TypeFace(style, style.body_pt).width(title) > grid.panel_width ? grid.x_title : 0;
  }
  if (titled || figure.label_panels) {
    std::int64_t lines = 1;
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
      lines = std::max<std::int64_t>(lines, title_of(figure, style, grid, i, grid.panel_width).lines.size());
    }
    grid.title = title_face(style, grid).height() * static_cast<double>(lines) + 2;
  }
  return grid;
}

// Whether the x axis is named under this panel: where axes are shared, only where no panel lies below.
bool names_x(const PanelFigure& figure, const Grid& grid, std::size_t index) {
  return !grid.shared_axes ||
         (grid.under <= 0 && index + static_cast<std::size_t>(grid.columns) >= figure.panels.size());
}

// Height of a plot's own legend, where it has one below it.
double own_legend(const FigureData& panel, const Style& style, const Grid& grid) {
  if (!grid.lines || grid.shared_legend) {
    return 0;
  }
  const auto& plot = std::get<LinePlot>(panel.body);
  LineFraming bare;
  bare.series_labels = false;
  return line_margins(plot, style, grid.panel_width, {}).bottom -
         line_margins(plot, style, grid.panel_width, bare).bottom;
}

double tallest_of_row(const std::vector<double>& heights, const Grid& grid, std::int64_t row) {
  double tallest = 0;
  for (std::int64_t i = row * grid.columns;
       i < std::min(static_cast<std::int64_t>(heights.size()), (row + 1) * grid.columns); ++i) {
    tallest = std::max(tallest, heights[static_cast<std::size_t>(i)]);
  }
  return tallest;
}

double row_height(const PanelFigure& figure, const Style& style, const Grid& grid, std::int64_t row) {
  double height = 0;
  for (std::int64_t column = 0; column < grid.columns; ++column) {
    const auto index = static_cast<std::size_t>(row * grid.columns + column);
    if (index >= figure.panels.size()) {
      break;
    }
    if (grid.lines) {
      const double plot = std::clamp(grid.panel_width * 0.72, 60.0 * unit(style), 200.0 * unit(style));
      height = std::max(height, plot + grid.bottom + (names_x(figure, grid, index) ? grid.x_title : 0) +
                                    own_legend(figure.panels[index], style, grid) +
                                    TypeFace(style, style.tick_pt).height() / 2);
    } else if (grid.trees) {
      const auto& tree = std::get<TreeFigure>(figure.panels[index].body);
      height = std::max(height, wanted_height(tree, style, grid.panel_width, false));
    } else {
      height = std::max(height, wanted_height(figure.panels[index], style, grid.panel_width));
    }
  }
  return height + grid.title;
}

// What the rows want.
std::vector<double> row_heights(const PanelFigure& figure, const Style& style, const Grid& grid,
                                const std::optional<MapGroup>& maps) {
  const std::vector<double> of_maps = maps ? maps->wanted_heights() : std::vector<double>();
  std::vector<double> heights;
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    heights.push_back(maps ? tallest_of_row(of_maps, grid, row) + grid.title
                           : row_height(figure, style, grid, row));
  }
  return heights;
}

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
  Grid grid_;
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
  const Grid grid = grid_of(figure, style, width);
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
  const Grid grid = grid_of(figure, style, width);
  double height = grid.legend + grid.under + static_cast<double>(grid.rows - 1) * grid.gap_y;
  const auto maps = maps_of(figure, style, grid.panel_width, grid.columns);
  const std::vector<double> rows = row_heights(figure, style, grid, maps);
  return std::accumulate(rows.begin(), rows.end(), height);
}

}  // namespace mog::figures

// First it is decided what is shared (same axis title and limits, lines that the fullest panel's legend
// explains, thumbnails of one scale); that takes room from the page, and what is left is cut into columns of
// equal width and rows as high as their highest panel wants.
//
// Of shared y axes only the first column has labels, and its plot is wider by them, so that the plots
// themselves are equally wide. The x title stands under plots with nothing below them, or once under all, if
// it is longer than a plot.
#include "app/figures/panel_grid.h"

#include <algorithm>
#include <utility>

#include "app/figures/lines/legend.h"
#include "app/figures/maps/colour_bar.h"
#include "app/figures/side_title.h"

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

bool all_thumbnails(const PanelFigure& figure) {
  return all_are<HeatMap>(figure) &&
         std::all_of(figure.panels.begin(), figure.panels.end(),
                     [](const FigureData& panel) { return std::get<HeatMap>(panel.body).thumbnail; });
}

// What stands below a plot, but for its title and legend: turned labels are higher than those of the first
// panel.
double bottom_of(const FigureData& panel, const Style& style, const PanelGrid& grid) {
  LineFraming framing;
  framing.series_labels = framing.x_title = framing.y_title = false;
  return std::max(grid.bottom,
                  line_margins(std::get<LinePlot>(panel.body), style, grid.panel_width, framing).bottom);
}

double row_height(const PanelFigure& figure, const Style& style, const PanelGrid& grid, std::int64_t row) {
  double height = 0;
  for (std::int64_t column = 0; column < grid.columns; ++column) {
    const auto index = static_cast<std::size_t>(row * grid.columns + column);
    if (index >= figure.panels.size()) {
      break;
    }
    if (grid.lines) {
      const double plot = std::clamp(grid.panel_width * 0.72, 60.0 * unit(style), 200.0 * unit(style));
      height = std::max(height, plot + bottom_of(figure.panels[index], style, grid) +
                                    (names_x(figure, grid, index) ? grid.x_title : 0) +
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

}  // namespace

const LinePlot& fullest(const PanelFigure& figure) {
  const auto most = std::max_element(
      figure.panels.begin(), figure.panels.end(), [](const FigureData& left, const FigureData& right) {
        return std::get<LinePlot>(left.body).series.size() < std::get<LinePlot>(right.body).series.size();
      });
  return std::get<LinePlot>(most->body);
}

std::vector<TreeKeyEntry> key_of_trees(const PanelFigure& figure, const Style& style) {
  std::vector<const TreeFigure*> trees;
  for (const FigureData& panel : figure.panels) {
    trees.push_back(&std::get<TreeFigure>(panel.body));
  }
  return shared_tree_key(trees, style);
}

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

bool maps_among_others(const PanelFigure& figure) {
  const auto is_map = [](const FigureData& panel) {
    const auto* const map = std::get_if<HeatMap>(&panel.body);
    return map != nullptr && !map->thumbnail;
  };
  return std::any_of(figure.panels.begin(), figure.panels.end(), is_map) &&
         !std::all_of(figure.panels.begin(), figure.panels.end(), is_map);
}

TypeFace title_face(const Style& style, const PanelGrid& grid, bool bold) {
  return {style, grid.thumbnails ? smallest_type(style) : style.tick_pt, bold};
}

PanelTitle title_of(const PanelFigure& figure, const Style& style, const PanelGrid& grid, std::size_t index,
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

PanelGrid grid_of(const PanelFigure& figure, const Style& style, double width) {
  PanelGrid grid;
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

bool names_x(const PanelFigure& figure, const PanelGrid& grid, std::size_t index) {
  return !grid.shared_axes ||
         (grid.under <= 0 && index + static_cast<std::size_t>(grid.columns) >= figure.panels.size());
}

double own_legend(const FigureData& panel, const Style& style, const PanelGrid& grid) {
  if (!grid.lines || grid.shared_legend) {
    return 0;
  }
  const auto& plot = std::get<LinePlot>(panel.body);
  LineFraming bare;
  bare.series_labels = false;
  return line_margins(plot, style, grid.panel_width, {}).bottom -
         line_margins(plot, style, grid.panel_width, bare).bottom;
}

double tallest_of_row(const std::vector<double>& heights, const PanelGrid& grid, std::int64_t row) {
  double tallest = 0;
  for (std::int64_t i = row * grid.columns;
       i < std::min(static_cast<std::int64_t>(heights.size()), (row + 1) * grid.columns); ++i) {
    tallest = std::max(tallest, heights[static_cast<std::size_t>(i)]);
  }
  return tallest;
}

std::vector<double> row_heights(const PanelFigure& figure, const Style& style, const PanelGrid& grid,
                                const std::optional<MapGroup>& maps) {
  const std::vector<double> of_maps = maps ? maps->wanted_heights() : std::vector<double>();
  std::vector<double> heights;
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    heights.push_back(maps ? tallest_of_row(of_maps, grid, row) + grid.title
                           : row_height(figure, style, grid, row));
  }
  return heights;
}

}  // namespace mog::figures

// How panels are cut up into a grid, and what they share: axes, a legend, a scale, the size of cells.
#pragma once

#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/figures/body.h"
#include "app/figures/maps/map_group.h"
#include "app/figures/trees/tree_key.h"

namespace mog::figures {

// In points.
struct PanelGrid {
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

// `width`: of the page.
PanelGrid grid_of(const analysis::PanelFigure& figure, const Style& style, double width);

TypeFace title_face(const Style& style, const PanelGrid& grid, bool bold = false);

// "(a)" and what follows it, wrapped; thumbnails have no room for more than a line.
struct PanelTitle {
  QString label;
  double indent = 0;
  QStringList lines;
};
PanelTitle title_of(const analysis::PanelFigure& figure, const Style& style, const PanelGrid& grid,
                    std::size_t index, double width);

// The plot with the most lines: its legend explains the others where they have some of its lines.
const analysis::LinePlot& fullest(const analysis::PanelFigure& figure);
// One for all: a forest does not repeat it.
std::vector<TreeKeyEntry> key_of_trees(const analysis::PanelFigure& figure, const Style& style);
// Nothing where the panels are no maps that compare.
std::optional<MapGroup> maps_of(const analysis::PanelFigure& figure, const Style& style, double width,
                                std::int64_t columns);
// Maps beside plots: they have no cells in common that could give way alike.
bool maps_among_others(const analysis::PanelFigure& figure);
// Whether the x axis is named under this panel: where axes are shared, only where no panel lies below.
bool names_x(const analysis::PanelFigure& figure, const PanelGrid& grid, std::size_t index);
// Height of a plot's own legend, where it has one below it.
double own_legend(const analysis::FigureData& panel, const Style& style, const PanelGrid& grid);
// The greatest of the values of panels that stand in a row.
double tallest_of_row(const std::vector<double>& heights, const PanelGrid& grid, std::int64_t row);
// What the rows want.
std::vector<double> row_heights(const analysis::PanelFigure& figure, const Style& style,
                                const PanelGrid& grid, const std::optional<MapGroup>& maps);

}  // namespace mog::figures

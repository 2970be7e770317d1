// Order bands of the three parts beside what the parts make.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/figure_data/order_figure_parts.h"
#include "analysis/figure_data/order_figures.h"
#include "analysis/figure_data/panel_titles.h"
#include "analysis/mog/orders/order_bands.h"

namespace mog::analysis {

using namespace order_figures;

namespace {

LineSeries band_line(const std::vector<std::int64_t>& layers, Part part, BandKind kind, bool greatest) {
  LineSeries line;
  line.label = fmt::format("{} {}", name(kind), greatest ? "greatest" : "least");
  line.colour = kind == BandKind::exact ? ColourKey::of_part(part) : ColourKey();
  line.dash = kind == BandKind::exact ? Dash::dashed : Dash::dotted;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LinePoint point;
    point.x = static_cast<double>(i);
    if (const auto band = order_band(layers[i], part, kind)) {
      point.y = std::log2(static_cast<double>(greatest ? band->high : band->low));
    }
    line.points.push_back(point);
  }
  return line;
}

FigureData leaves_of_part(const WordStatistics& part_leaves, const std::vector<std::int64_t>& layers,
                          Part part) {
  LinePlot plot = plot_by_layer(part_leaves, layers, "leaves (log2)");
  plot.y.units = "";
  plot.y.averaged = "";
  LineSeries mean = line_of(part_leaves, layers, {.part = part}, "expected", ColourKey::of_part(part));
  for (LinePoint& point : mean.points) {
    point.y = std::log2(point.y);
    point.low = std::log2(point.low);
    point.high = std::log2(point.high);
  }
  plot.series.push_back(std::move(mean));
  for (const BandKind kind : {BandKind::exact, BandKind::nominal}) {
    plot.series.push_back(band_line(layers, part, kind, true));
    plot.series.push_back(band_line(layers, part, kind, false));
  }
  plot.y_low = 0;
  plot.y_high = static_cast<double>(layers.back());
  FigureData panel;
  panel.title = std::string(mog::name(part)) + ": leaves";
  panel.body = std::move(plot);
  return panel;
}

FigureData shares_of_part(const WordStatistics& bands, const std::vector<std::int64_t>& layers, Part part) {
  LinePlot plot = plot_by_layer(bands, layers, "share");
  plot.y.averaged = "";
  plot.series.push_back(
      line_of(bands, layers, {.part = part, .kind = "exact"}, "exact", ColourKey::of_part(part)));
  plot.series.push_back(
      line_of(bands, layers, {.part = part, .kind = "nominal"}, "nominal", ColourKey(), Dash::dotted));
  plot.y_low = 0;
  plot.y_high = 1;
  FigureData panel;
  panel.title = std::string(mog::name(part)) + ": share in the band";
  panel.body = std::move(plot);
  return panel;
}

}  // namespace

FigureData order_bands_figure(std::span<const WordStatistics> bands,
                              std::span<const WordStatistics> part_leaves) {
  need_cells(bands);
  need_cells(part_leaves);
  PanelFigure panels;
  panels.columns = 3;
  panels.share_legend = false;
  std::set<Part> joins;
  for (const WordStatistics& leaves : part_leaves) {
    for (const WordSeries& series : leaves.series) {
      if (series.part.attends()) {
        joins.insert(series.part);
      }
    }
  }
  const std::vector<std::string> titles = panel_titles_of(bands);
  const auto add = [&](FigureData panel, std::size_t recording) {
    panel.title = (bands.size() > 1 ? titles[recording] + ", " : "") + panel.title;
    panels.panels.push_back(std::move(panel));
  };
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const std::vector<std::int64_t> layers = layers_of(bands[i]);
    for (const Part part : joins) {
      add(leaves_of_part(part_leaves[i], layers, part), i);
    }
    for (const Part part : joins) {
      add(shares_of_part(bands[i], layers, part), i);
    }
  }
  FigureData figure;
  figure.body = std::move(panels);
  figure.caption =
      caption_of(bands, figure,
                 "; bands of disjoint joins without self entries: exact, and nominal as the paper "
                 "prints them; leaves, all numbers of them counted");
  return figure;
}

}  // namespace mog::analysis

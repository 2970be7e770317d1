#include "analysis/figure_data/order_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/ticks.h"
#include "analysis/mog/order_bands.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr const char* kLevel = "summary: attention averaged over heads, pieces merged to words";

void need_cells(const WordStatistics& statistics) {
  if (statistics.cells.empty()) {
    throw UsageError(
        fmt::format("a figure of \"{}\": no word of the recording has a value of it", statistics.measure));
  }
}

std::string averaged(const WordStatistics& statistics) {
  return statistics.averaging == Averaging::micro ? "mean over words" : "mean over sentences";
}

// n, what the bands are, and the error of sampling where there was any.
std::string counted(const WordStatistics& statistics, const std::string& more = "") {
  std::string n = grouped(statistics.sentences) + (statistics.sentences == 1 ? " sentence" : " sentences");
  if (!statistics.words.all()) {
    n += ", words " + statistics.words.label() + " of each";
  }
  n += more;
  double error = -1;
  for (const WordCell& cell : statistics.cells) {
    error = std::isnan(cell.sampling_error) ? error : std::max(error, cell.sampling_error);
  }
  if (error >= 0) {
    n += fmt::format(
        "; beyond 12 words {} derivations a word were sampled (seed {}): standard error at most {:.2g}",
        grouped(statistics.samples), statistics.bootstrap.seed, error);
  }
  if (statistics.bootstrap.resamples > 0) {
    n +=
        fmt::format("; bands: {:.0f}\u00a0% bootstrap over sentences", statistics.bootstrap.confidence * 100);
  }
  return n;
}

std::string caption_of(const WordStatistics& statistics, const std::string& more = "") {
  return caption(statistics.model, statistics.corpus_name, counted(statistics, more), kLevel);
}

LinePoint point_of(const WordCell* cell, double x) {
  LinePoint point;
  point.x = x;
  if (cell != nullptr) {
    point.y = cell->mean;
    point.low = cell->low;
    point.high = cell->high;
    point.sentences = cell->sentences;
    point.tokens = cell->words;
  }
  return point;
}

std::vector<std::int64_t> layers_of(const WordStatistics& statistics) {
  std::set<std::int64_t> layers;
  for (const WordSeries& series : statistics.series) {
    layers.insert(series.layer);
  }
  return {layers.begin(), layers.end()};
}

LinePlot plot_by_layer(const WordStatistics& statistics, const std::vector<std::int64_t>& layers,
                       const std::string& quantity) {
  LinePlot plot;
  plot.x.quantity = "layer";
  for (const std::int64_t layer : layers) {
    plot.x_categories.push_back(fmt::format("{}", layer));
  }
  plot.y = {quantity, statistics.units, averaged(statistics)};
  return plot;
}

std::string quantity_text(const WordStatistics& statistics) {
  const auto measures = {std::pair("order", "expected order with repeats"),
                         std::pair("distinct", "expected order (distinct words)"),
                         std::pair("simple", "probability of no overlap"),
                         std::pair("order-mass", "probability of an order with repeats"),
                         std::pair("distinct-mass", "probability of an order (distinct words)")};
  for (const auto& [name, text] : measures) {
    if (statistics.measure == name) {
      return text;
    }
  }
  return statistics.measure;
}

LineSeries line_of(const WordStatistics& statistics, const std::vector<std::int64_t>& layers,
                   WordSeries wanted, std::string label, ColourKey colour, Dash dash = Dash::solid) {
  LineSeries line;
  line.label = std::move(label);
  line.colour = colour;
  line.dash = dash;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    wanted.layer = layers[i];
    line.points.push_back(
        point_of(statistics.find(wanted, statistics.groups.front()), static_cast<double>(i)));
  }
  return line;
}

// ---- bands -------------------------------------------------------------------------------------------

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

FigureData orders_of_part(const WordStatistics& part_order, const std::vector<std::int64_t>& layers,
                          Part part) {
  LinePlot plot = plot_by_layer(part_order, layers, "order (log2)");
  plot.y.units = "";
  plot.y.averaged = "";
  LineSeries mean = line_of(part_order, layers, {.part = part}, "expected", ColourKey::of_part(part));
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
  panel.title = std::string(mog::name(part)) + ": orders";
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

FigureData order_by_layer_figure(const WordStatistics& statistics) {
  need_cells(statistics);
  const std::vector<std::int64_t> layers = layers_of(statistics);
  LinePlot plot = plot_by_layer(statistics, layers, quantity_text(statistics));
  plot.legend_title = statistics.by == "length"     ? "source words"
                      : statistics.by == "position" ? "place of the word"
                                                    : "part of speech";
  const auto count = static_cast<std::int64_t>(statistics.groups.size());
  for (std::int64_t g = 0; g < count; ++g) {
    const WordGroup& group = statistics.groups[static_cast<std::size_t>(g)];
    LineSeries line;
    line.label = group.label;
    line.colour = ColourKey::of_ramp(g, count);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      line.points.push_back(point_of(statistics.find({.layer = layers[i]}, group), static_cast<double>(i)));
    }
    plot.series.push_back(std::move(line));
  }
  FigureData figure;
  figure.caption = caption_of(statistics);
  figure.body = std::move(plot);
  return figure;
}

FigureData order_distribution_figure(const WordStatistics& statistics) {
  need_cells(statistics);
  const std::vector<std::int64_t> layers = layers_of(statistics);
  LinePlot plot;
  const bool distinct = statistics.measure == "distinct-mass";
  plot.x = {distinct ? "order k (distinct words)" : "order k (words with repeats)", "", ""};
  plot.y = {quantity_text(statistics), "", averaged(statistics)};
  plot.legend_title = "layer";
  std::string above;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LineSeries line;
    line.label = fmt::format("{}", layers[i]);
    line.colour = ColourKey::of_layer(static_cast<std::int64_t>(i), static_cast<std::int64_t>(layers.size()));
    for (const WordCell& cell : statistics.cells) {
      if (cell.series.layer != layers[i] || cell.group != statistics.groups.front()) {
        continue;
      }
      if (cell.series.kind.empty()) {
        line.points.push_back(point_of(&cell, static_cast<double>(cell.series.order)));
      } else {
        above += fmt::format("{}{:.2g} in layer {}",
                             above.empty() ? fmt::format("; above order {}: ", cell.series.order) : ", ",
                             cell.mean, layers[i]);
      }
    }
    plot.series.push_back(std::move(line));
  }
  FigureData figure;
  figure.caption = caption_of(statistics, above.empty() ? "; no order above those shown" : above);
  figure.body = std::move(plot);
  return figure;
}

FigureData joins_by_part_figure(const WordStatistics& joins) {
  need_cells(joins);
  const std::vector<std::int64_t> layers = layers_of(joins);
  LinePlot plot = plot_by_layer(joins, layers, "expected joins in a derivation of a word");
  plot.y.units = "";
  plot.legend_title = "part";
  for (const Part part : {Part::high, Part::middle1, Part::middle2, Part::full}) {
    const bool there = std::any_of(joins.series.begin(), joins.series.end(),
                                   [&](const WordSeries& series) { return series.part == part; });
    if (there) {
      plot.series.push_back(
          line_of(joins, layers, {.part = part}, std::string(mog::name(part)), ColourKey::of_part(part)));
    }
  }
  FigureData figure;
  figure.caption = caption_of(joins, "; joins of all derivations of the last layer, by their probability");
  figure.body = std::move(plot);
  return figure;
}

FigureData order_bands_figure(const WordStatistics& bands, const WordStatistics& part_order) {
  need_cells(bands);
  need_cells(part_order);
  const std::vector<std::int64_t> layers = layers_of(bands);
  PanelFigure panels;
  panels.columns = 3;
  panels.share_legend = false;
  constexpr std::array kParts = {Part::high, Part::middle1, Part::middle2};
  for (const Part part : kParts) {
    panels.panels.push_back(orders_of_part(part_order, layers, part));
  }
  for (const Part part : kParts) {
    panels.panels.push_back(shares_of_part(bands, layers, part));
  }
  FigureData figure;
  figure.caption =
      caption_of(bands,
                 "; bands of disjoint joins without self entries: exact, and nominal as the paper "
                 "prints them; orders with repeats, all orders counted");
  figure.body = std::move(panels);
  return figure;
}

FigureData layers_needed_figure(const WordStatistics& statistics) {
  need_cells(statistics);
  LinePlot plot;
  plot.x = {"sentence length", "words", ""};
  plot.y = {"layers needed", "", "mean over sentences"};
  plot.counts_label = "sentences";
  for (const WordGroup& group : statistics.groups) {
    plot.x_categories.push_back(group.label);
    std::int64_t most = 0;
    for (const WordCell& cell : statistics.cells) {
      most = cell.group == group ? std::max(most, cell.sentences) : most;
    }
    plot.counts.push_back(most);
  }
  std::vector<std::string> kinds;
  for (const WordSeries& series : statistics.series) {
    if (!series.kind.starts_with("share")) {
      kinds.push_back(series.kind);
    }
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    LineSeries line;
    line.label = kinds[i];
    line.colour = ColourKey::of_ramp(static_cast<std::int64_t>(i), static_cast<std::int64_t>(kinds.size()));
    line.dash = kinds[i] == "model" ? Dash::dashed : Dash::solid;
    for (std::size_t g = 0; g < statistics.groups.size(); ++g) {
      line.points.push_back(
          point_of(statistics.find({.kind = kinds[i]}, statistics.groups[g]), static_cast<double>(g)));
    }
    plot.series.push_back(std::move(line));
  }
  const bool found = std::find(kinds.begin(), kinds.end(), "found tree") != kinds.end();
  FigureData figure;
  figure.caption = caption(
      statistics.model, statistics.corpus_name,
      counted(statistics,
              found ? "; found tree: the depth of the best derivation with as many leaves as words" : ""),
      found ? kLevel : "algebra of gold trees");
  figure.body = std::move(plot);
  return figure;
}

}  // namespace mog::analysis

#include "analysis/figure_data/order_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/figure_data/order_figure_parts.h"
#include "analysis/figure_data/panel_titles.h"
#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/word_measures.h"
#include "io/recording/counted.h"

namespace mog::analysis {
using namespace order_figures;

namespace {

// One panel a recording with one y axis; a single recording is a figure without panels.
template <class Plot>
FigureData figure_of(std::span<const WordStatistics> statistics, const std::string& more, const Plot& plot) {
  FigureData figure;
  if (statistics.size() == 1) {
    figure.body = plot(statistics.front());
    figure.caption = caption_of(statistics, figure, more);
    return figure;
  }
  const std::vector<std::string> titles = panel_titles_of(statistics);
  PanelFigure panels;
  panels.columns = statistics.size() <= 2 ? 2 : (statistics.size() <= 6 ? 3 : 4);
  std::vector<double> values;
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    FigureData& panel = panels.panels.emplace_back();
    panel.title = titles[i];
    panel.body = plot(statistics[i]);
    for (const LineSeries& line : std::get<LinePlot>(panel.body).series) {
      for (const LinePoint& point : line.points) {
        values.insert(values.end(), {point.y, point.low, point.high});
      }
    }
  }
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  for (FigureData& panel : panels.panels) {
    if (!values.empty()) {
      std::get<LinePlot>(panel.body).y_low = *std::min_element(values.begin(), values.end());
      std::get<LinePlot>(panel.body).y_high = *std::max_element(values.begin(), values.end());
    }
  }
  figure.body = std::move(panels);
  figure.caption = caption_of(statistics, figure, more);
  return figure;
}

std::string quantity_text(const WordStatistics& statistics) {
  for (const WordMeasure measure : word_measures()) {
    if (statistics.measure == name(measure)) {
      return std::string(description(measure));
    }
  }
  return statistics.measure;
}

// The groups of all recordings, ascending: a colour means the same in every panel.
std::vector<WordGroup> all_groups(std::span<const WordStatistics> statistics) {
  std::set<WordGroup> groups;
  for (const WordStatistics& one : statistics) {
    groups.insert(one.groups.begin(), one.groups.end());
  }
  return {groups.begin(), groups.end()};
}

std::int64_t most_layers(std::span<const WordStatistics> statistics) {
  std::size_t most = 0;
  for (const WordStatistics& one : statistics) {
    most = std::max(most, layers_of(one).size());
  }
  return static_cast<std::int64_t>(most);
}

LinePlot groups_by_layer(const WordStatistics& statistics, const std::vector<WordGroup>& groups) {
  const std::vector<std::int64_t> layers = layers_of(statistics);
  LinePlot plot = plot_by_layer(statistics, layers, quantity_text(statistics));
  plot.y.units = "";  // the quantity says it
  plot.legend_title = statistics.by == "length"     ? "source words"
                      : statistics.by == "position" ? "place of the word"
                                                    : "part of speech";
  for (std::size_t g = 0; g < groups.size(); ++g) {
    LineSeries line;
    line.label = groups[g].label;
    if (groups[g].low >= 0) {
      line.lengths = LengthSpan{groups[g].low, groups[g].high};
    }
    const auto index = static_cast<std::int64_t>(g);
    const auto count = static_cast<std::int64_t>(groups.size());
    const bool ordered = statistics.by != "upos";
    line.colour = ordered ? ColourKey::of_ramp(index, count) : ColourKey::of_category(index, count);
    line.dash = ordered ? Dash::solid : dash_of_category(index);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      line.points.push_back(
          point_of(statistics.find({.layer = layers[i]}, groups[g]), static_cast<double>(i)));
    }
    plot.series.push_back(std::move(line));
  }
  return plot;
}

LinePlot distribution(const WordStatistics& statistics, std::int64_t colours) {
  const std::vector<std::int64_t> layers = layers_of(statistics);
  LinePlot plot;
  const bool distinct = statistics.measure == "distinct-mass";
  plot.x = {distinct ? "order k (distinct words)" : "leaves k (words with repeats)", "", ""};
  plot.y = {quantity_text(statistics), "", averaged(statistics)};
  plot.legend_title = "layer";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LineSeries line;
    line.label = fmt::format("{}", layers[i]);
    line.colour = ColourKey::of_layer(static_cast<std::int64_t>(i), colours);
    for (const WordCell& cell : statistics.cells) {
      if (cell.series.layer == layers[i] && cell.group == statistics.groups.front() &&
          cell.series.kind.empty()) {
        line.points.push_back(point_of(&cell, static_cast<double>(cell.series.k())));
      }
    }
    plot.series.push_back(std::move(line));
  }
  return plot;
}

// "; above 8 leaves: 0.2 in layer 1, …" of one recording; of several the greatest of each.
std::string above_text(std::span<const WordStatistics> statistics) {
  const bool distinct = statistics.front().measure == name(WordMeasure::distinct_mass);
  const auto above = [&](std::int64_t most) {
    return distinct ? fmt::format("; above order {}: ", most)
                    : fmt::format("; above {}: ", counted(most, "leaf", "leaves"));
  };
  std::string text;
  const std::vector<std::string> titles = panel_titles_of(statistics);
  for (std::size_t r = 0; r < statistics.size(); ++r) {
    const WordCell* most = nullptr;
    for (const WordCell& cell : statistics[r].cells) {
      if (cell.series.kind.empty() || cell.group != statistics[r].groups.front()) {
        continue;
      }
      if (statistics.size() == 1) {
        text += fmt::format("{}{:.2g} in layer {}", text.empty() ? above(cell.series.k()) : ", ", cell.mean,
                            cell.series.layer);
      }
      most = most == nullptr || cell.mean > most->mean ? &cell : most;
    }
    if (statistics.size() > 1 && most != nullptr) {
      text += fmt::format("{}{:.2g} at most ({}, layer {})", text.empty() ? above(most->series.k()) : ", ",
                          most->mean, titles[r], most->series.layer);
    }
  }
  return text.empty() ? fmt::format("; {} above those shown", distinct ? "no order" : "no leaves") : text;
}

LinePlot joins_by_part(const WordStatistics& joins) {
  const std::vector<std::int64_t> layers = layers_of(joins);
  LinePlot plot = plot_by_layer(joins, layers, "expected joins in a derivation of a word");
  plot.y.units = "";
  plot.legend_title = "part";
  std::set<Part> parts;
  for (const WordSeries& series : joins.series) {
    parts.insert(series.part);
  }
  for (const Part part : parts) {
    plot.series.push_back(line_of(joins, layers, {.part = part}, std::string(mog::name(part)),
                                  ColourKey::of_part(part), dash_of_part(part)));
  }
  return plot;
}

std::vector<std::string> kinds_of_layers(const WordStatistics& statistics) {
  std::vector<std::string> kinds;
  for (const WordSeries& series : statistics.series) {
    if (!series.kind.starts_with("share")) {
      kinds.push_back(series.kind);
    }
  }
  return kinds;
}

LinePlot layers_needed(const WordStatistics& statistics) {
  LinePlot plot;
  plot.x = {"sentence length", "words", ""};
  plot.y = {"layers needed", "", "mean over sentences"};
  plot.counts_label = "sentences";
  for (const WordGroup& group : statistics.groups) {
    plot.x_categories.push_back(group.label);
    if (group.low >= 0) {
      plot.x_lengths.push_back({group.low, group.high});
    }
    std::int64_t most = 0;
    for (const WordCell& cell : statistics.cells) {
      most = cell.group == group ? std::max(most, cell.sentences) : most;
    }
    plot.counts.push_back(most);
  }
  const std::vector<std::string> kinds = kinds_of_layers(statistics);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    LineSeries line;
    line.label = kinds[i];
    line.colour =
        ColourKey::of_category(static_cast<std::int64_t>(i), static_cast<std::int64_t>(kinds.size()));
    line.dash = kinds[i] == "model" ? Dash::dashed : Dash::solid;
    for (std::size_t g = 0; g < statistics.groups.size(); ++g) {
      line.points.push_back(
          point_of(statistics.find({.kind = kinds[i]}, statistics.groups[g]), static_cast<double>(g)));
    }
    plot.series.push_back(std::move(line));
  }
  return plot;
}

}  // namespace

FigureData leaves_by_layer_figure(std::span<const WordStatistics> statistics) {
  need_cells(statistics);
  const std::vector<WordGroup> groups = all_groups(statistics);
  return figure_of(statistics, "", [&](const WordStatistics& one) { return groups_by_layer(one, groups); });
}

FigureData leaves_distribution_figure(std::span<const WordStatistics> statistics) {
  need_cells(statistics);
  const std::int64_t colours = most_layers(statistics);
  return figure_of(statistics, above_text(statistics),
                   [&](const WordStatistics& one) { return distribution(one, colours); });
}

FigureData joins_by_part_figure(std::span<const WordStatistics> joins) {
  need_cells(joins);
  return figure_of(joins, "; joins of all derivations of the last layer, by their probability",
                   joins_by_part);
}

FigureData layers_needed_figure(std::span<const WordStatistics> statistics) {
  need_cells(statistics);
  const std::vector<std::string> kinds = kinds_of_layers(statistics.front());
  const bool found = std::find(kinds.begin(), kinds.end(), "found tree") != kinds.end();
  return figure_of(statistics,
                   found ? "; found tree: the depth of the best derivation with as many leaves as words" : "",
                   layers_needed);
}

}  // namespace mog::analysis

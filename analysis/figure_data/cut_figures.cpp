// The figure of a table of `mog ablate`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/cell_values.h"
#include "analysis/figure_data/effect_figures.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

struct CutRow {
  std::int64_t layer = 0;
  std::int64_t last_layer = 0;
  std::int64_t head = 0;
  std::string part;
  double mean = kAbsent;
  double low = kAbsent;
  double high = kAbsent;
  std::int64_t sentences = 0;
};

std::int64_t whole_of(const Cell& cell) {
  const double value = number_of(cell);
  return std::isfinite(value) ? static_cast<std::int64_t>(value) : 0;
}

// Parts in the order of the rows.
std::vector<std::string> parts_of(const std::vector<CutRow>& rows) {
  std::vector<std::string> parts;
  for (const CutRow& row : rows) {
    if (std::find(parts.begin(), parts.end(), row.part) == parts.end()) {
      parts.push_back(row.part);
    }
  }
  return parts;
}

FigureData heads_panel(const std::vector<CutRow>& rows, const std::string& part, const std::string& measure) {
  HeatMap map;
  map.row_title = "layer";
  map.column_title = "head";
  map.scale.quantity = {measure, "1", "mean over sentences"};
  std::set<std::int64_t> layers;
  std::set<std::int64_t> heads;
  double least = 0;
  double most = 0;
  for (const CutRow& row : rows) {
    if (row.part == part) {
      layers.insert(row.layer);
      heads.insert(row.head);
      least = std::isfinite(row.mean) ? std::min(least, row.mean) : least;
      most = std::isfinite(row.mean) ? std::max(most, row.mean) : most;
    }
  }
  map.scale.high = most > 0 ? most : 1;
  if (least < 0) {  // of a difference, of scores or surprisals
    map.scale.high = std::max(most, -least);
    map.scale.low = -map.scale.high;
    map.scale.kind = ColourScale::Kind::diverging;
  }
  for (const std::int64_t layer : layers) {
    map.rows.push_back({fmt::format("{}", layer), false, -1});
  }
  for (const std::int64_t head : heads) {
    map.columns.push_back({fmt::format("{}", head), false, -1});
  }
  for (const std::int64_t layer : layers) {
    for (const std::int64_t head : heads) {
      const auto found = std::find_if(rows.begin(), rows.end(), [&](const CutRow& row) {
        return row.part == part && row.layer == layer && row.head == head;
      });
      map.values.push_back(found == rows.end() ? kAbsent : found->mean);
    }
  }
  FigureData panel;
  panel.title = "heads of " + part;
  panel.body = std::move(map);
  return panel;
}

FigureData lines_panel(const std::vector<CutRow>& rows, const std::string& measure) {
  LinePlot plot;
  plot.x = {"layer", "", ""};
  plot.y = {measure, "1", "mean over sentences"};
  plot.legend_title = "cut";
  std::set<std::int64_t> layers;
  for (const CutRow& row : rows) {
    layers.insert(row.layer);
  }
  for (const std::int64_t layer : layers) {
    plot.x_categories.push_back(fmt::format("{}", layer));
  }
  const std::vector<std::string> parts = parts_of(rows);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    LineSeries series;
    series.label = parts[i];
    const auto place_of_part = static_cast<std::int64_t>(i);
    series.colour = ColourKey::of_category(place_of_part, static_cast<std::int64_t>(parts.size()));
    series.dash = dash_of_category(place_of_part);
    for (const CutRow& row : rows) {
      if (row.part == parts[i]) {
        const auto place = static_cast<double>(std::distance(layers.begin(), layers.find(row.layer)));
        series.points.push_back(
            {.x = place, .y = row.mean, .low = row.low, .high = row.high, .sentences = row.sentences});
      }
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const LinePoint& left, const LinePoint& right) { return left.x < right.x; });
    plot.series.push_back(std::move(series));
  }
  FigureData panel;
  panel.title = "cut in one layer";
  panel.body = std::move(plot);
  return panel;
}

FigureData bars_panel(const std::vector<CutRow>& rows, const std::string& measure) {
  BarPlot plot;
  plot.x = {measure, "1", "mean over sentences"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    plot.rows.push_back(
        {.label = fmt::format("{}, layers {}-{}", rows[i].part, rows[i].layer, rows[i].last_layer),
         .value = rows[i].mean,
         .low = rows[i].low,
         .high = rows[i].high,
         .sentences = rows[i].sentences,
         .colour = ColourKey::of_ramp(static_cast<std::int64_t>(i), static_cast<std::int64_t>(rows.size()))});
  }
  FigureData panel;
  panel.title = "cut in several layers together";
  panel.body = std::move(plot);
  return panel;
}

}  // namespace

FigureData effects_figure(const Table& table, const std::string& measure, const std::string& file) {
  for (const std::string& column :
       std::vector<std::string>{"model", "corpus", "factor", "layer", "last_layer", "head", "part",
                                "sentences", measure, measure + "_low", measure + "_high"}) {
    if (std::find(table.columns.begin(), table.columns.end(), column) == table.columns.end()) {
      throw UsageError(
          fmt::format("drawing {}: it has no column \"{}\"; expected a table of mog ablate with the "
                      "measure {} (--y)",
                      file, column, measure));
    }
  }
  const auto cell = [&](const std::vector<Cell>& row, const std::string& column) -> const Cell& {
    return row[table.column(column)];
  };
  std::map<std::string, std::string> same;
  std::vector<CutRow> of_heads;
  std::vector<CutRow> single;
  std::vector<CutRow> together;
  std::int64_t sentences = 0;
  // Absent in tables of earlier versions, and empty where nothing is scaled.
  const bool tells_toward =
      std::find(table.columns.begin(), table.columns.end(), "toward") != table.columns.end();
  for (const std::vector<Cell>& row : table.rows) {
    for (const char* const column : {"model", "corpus", "factor", "toward"}) {
      if (column == std::string_view("toward") && (!tells_toward || text_of(cell(row, column)).empty())) {
        continue;
      }
      const std::string own = text_of(cell(row, column));
      const auto [found, fresh] = same.emplace(column, own);
      if (!fresh && found->second != own) {
        throw UsageError(
            fmt::format("drawing {}: it has several values of {} (\"{}\", \"{}\"); a figure shows one", file,
                        column, found->second, own));
      }
    }
    CutRow cut{.layer = whole_of(cell(row, "layer")),
               .last_layer = whole_of(cell(row, "last_layer")),
               .head = whole_of(cell(row, "head")),
               .part = text_of(cell(row, "part")),
               .mean = number_of(cell(row, measure)),
               .low = number_of(cell(row, measure + "_low")),
               .high = number_of(cell(row, measure + "_high")),
               .sentences = whole_of(cell(row, "sentences"))};
    sentences = std::max(sentences, cut.sentences);
    const bool many = cut.last_layer > cut.layer;
    (many ? together : cut.head > 0 ? of_heads : single).push_back(std::move(cut));
  }
  std::vector<FigureData> panels;
  if (!single.empty()) {
    panels.push_back(lines_panel(single, measure));
  }
  if (!together.empty()) {
    panels.push_back(bars_panel(together, measure));
  }
  for (const std::string& part : parts_of(of_heads)) {
    panels.push_back(heads_panel(of_heads, part, measure));
  }
  if (panels.empty()) {
    throw UsageError(fmt::format("drawing {}: it has no rows", file));
  }
  FigureData figure;
  if (panels.size() == 1) {
    figure = std::move(panels.front());
  } else {
    PanelFigure body;
    body.columns = std::min<std::int64_t>(2, static_cast<std::int64_t>(panels.size()));
    body.panels = std::move(panels);
    figure.body = std::move(body);
  }
  figure.caption = fmt::format("{}, {}, {}, factor {}{}; {}3, causal", same["model"], same["corpus"],
                               counted(sentences, "sentence"), same["factor"],
                               same["toward"] == "mean" ? ", towards the mean" : "", kLevelOfClaim);
  add_to_caption(figure, intervals_clause(figure));
  return figure;
}

}  // namespace mog::analysis

#include "analysis/figure_data/logit_parts_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/cell_values.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::array<std::string_view, 8> kSame = {"model",   "text",     "measure", "answer",
                                                   "against", "position", "logit",   "capped"};

std::int64_t whole_of(const Cell& cell) {
  const double value = number_of(cell);
  return std::isfinite(value) ? static_cast<std::int64_t>(value) : 0;
}

struct PartRow {
  std::string part;
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::int64_t source = 0;
  std::string source_token;
  double value = 0;
};

// Layer × head, or layer × source.
FigureData cells_panel(const std::vector<PartRow>& rows) {
  const bool by_source = rows.front().source > 0;
  std::set<std::int64_t> layers;
  std::map<std::int64_t, std::string> columns;
  std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
  for (const PartRow& row : rows) {
    const std::int64_t column = by_source ? row.source : row.head;
    layers.insert(row.layer);
    columns[column] = by_source ? row.source_token : fmt::format("{}", row.head);
    sums[{row.layer, column}] += row.value;
  }
  HeatMap map;
  map.row_title = "layer";
  map.column_title = by_source ? "token read" : "head";
  map.square_cells = !by_source;
  double most = 0;
  for (const std::int64_t layer : layers) {
    map.rows.push_back({.text = fmt::format("{}", layer)});
    for (const auto& entry : columns) {
      const auto found = sums.find({layer, entry.first});
      map.values.push_back(found == sums.end() ? kAbsent : found->second);
      most = found == sums.end() ? most : std::max(most, std::abs(found->second));
    }
  }
  for (const auto& [column, text] : columns) {
    map.columns.push_back({.text = text});
  }
  map.scale.kind = ColourScale::Kind::diverging;
  map.scale.high = most > 0 ? most : 1;
  map.scale.low = -map.scale.high;
  map.scale.quantity = {"added to the logit", "logits", ""};
  FigureData panel;
  panel.title = by_source ? "heads, by the token that they read" : "heads";
  panel.body = std::move(map);
  return panel;
}

std::string bar_label(const PartRow& row) {
  std::string name = row.part;
  std::replace(name.begin(), name.end(), '_', ' ');
  if (row.part == "norm_bias" && row.layer == 0) {
    return "bias of the last norm";
  }
  return row.layer > 0 ? fmt::format("{} {}", name, row.layer) : name;
}

FigureData bars_panel(const std::vector<PartRow>& rows) {
  BarPlot plot;
  plot.x = {"added to the logit", "logits", ""};
  std::int64_t layers = 1;
  for (const PartRow& row : rows) {
    layers = std::max(layers, row.layer);
  }
  for (const PartRow& row : rows) {
    plot.rows.push_back({.label = bar_label(row),
                         .value = row.value,
                         .colour = row.layer > 0 ? ColourKey::of_layer(row.layer - 1, layers) : ColourKey{}});
  }
  FigureData panel;
  panel.title = "blocks and biases";
  panel.body = std::move(plot);
  return panel;
}

}  // namespace

FigureData logit_parts_figure(const Table& table, const std::string& file) {
  std::vector<std::string> needed(kSame.begin(), kSame.end());
  for (const char* const column : {"token", "part", "layer", "head", "source", "source_token", "value"}) {
    needed.emplace_back(column);
  }
  for (const std::string& column : needed) {
    if (std::find(table.columns.begin(), table.columns.end(), column) == table.columns.end()) {
      throw UsageError(fmt::format("drawing {}: it has no column \"{}\"; expected a table of mog attribute",
                                   file, column));
    }
  }
  const auto cell = [&](const std::vector<Cell>& row, std::string_view column) -> const Cell& {
    return row[table.column(column)];
  };
  std::map<std::string, std::string, std::less<>> same;
  std::vector<PartRow> heads;
  std::vector<PartRow> others;
  for (const std::vector<Cell>& row : table.rows) {
    for (const std::string_view column : kSame) {
      const std::string own = text_of(cell(row, column));
      const auto [found, fresh] = same.emplace(column, own);
      if (!fresh && found->second != own) {
        throw UsageError(
            fmt::format("drawing {}: it has several values of {} (\"{}\", \"{}\"); a figure shows one", file,
                        column, found->second, own));
      }
    }
    PartRow one{text_of(cell(row, "part")),         whole_of(cell(row, "layer")),
                whole_of(cell(row, "head")),        whole_of(cell(row, "source")),
                text_of(cell(row, "source_token")), number_of(cell(row, "value"))};
    (one.head > 0 ? heads : others).push_back(std::move(one));
  }
  if (heads.empty() && others.empty()) {
    throw UsageError(fmt::format("drawing {}: it has no rows", file));
  }
  std::vector<FigureData> panels;
  if (!heads.empty()) {
    panels.push_back(cells_panel(heads));
  }
  if (!others.empty()) {
    panels.push_back(bars_panel(others));
  }
  FigureData figure;
  if (panels.size() == 1) {
    figure = std::move(panels.front());
  } else {
    PanelFigure body;
    body.columns = 2;
    body.share_legend = false;
    body.panels = std::move(panels);
    figure.body = std::move(body);
  }
  const std::string against =
      same["against"].empty() ? std::string() : fmt::format(" less that of \"{}\"", same["against"]);
  figure.caption = fmt::format(
      "{}, \"{}\"; logit of \"{}\"{} behind token {}, {:.4g}{}; {}1, scales of the norms frozen",
      same["model"], same["text"], same["answer"], against, same["position"], number_of(Cell(same["logit"])),
      same["capped"] == same["logit"] ? "" : " before the cap", kLevelOfClaim);
  return figure;
}

}  // namespace mog::analysis

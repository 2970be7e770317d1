#include "analysis/figure_data/patching_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/cell_values.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

constexpr std::array<std::string_view, 4> kValues = {"effect", "change", "estimate", "estimated_effect"};
constexpr std::array<std::string_view, 8> kSame = {"model",  "clean_text", "corrupt_text",  "measure",
                                                   "answer", "against",    "read_position", "clean"};

std::int64_t whole_of(const Cell& cell) {
  const double value = number_of(cell);
  return std::isfinite(value) ? static_cast<std::int64_t>(value) : 0;
}

struct PatchedRow {
  std::int64_t layer = 0;
  std::int64_t head = 0;      // from 1; 0: none
  std::int64_t position = 0;  // from 1; 0: all tokens
  std::string token;
  double value = kAbsent;
};

// Direction, place and part, in the order of the table.
struct Group {
  std::string into;
  std::string place;
  std::string part;
  std::vector<PatchedRow> rows;
};

std::string token_text(const std::string& clean, const std::string& corrupt) {
  return clean == corrupt ? clean : clean + " / " + corrupt;
}

std::string title_of(const Group& group, bool directions, bool parts) {
  static const std::map<std::string, std::string> kNames = {{"residual", "residual state"},
                                                            {"attention", "attention output"},
                                                            {"feed_forward", "feed-forward output"},
                                                            {"head", "heads"}};
  const auto named = kNames.find(group.place);
  std::string title = named == kNames.end() ? group.place : named->second;
  if (parts && !group.part.empty()) {
    title += " of " + group.part;
  }
  return directions ? fmt::format("{}, into the {} run", title, group.into) : title;
}

FigureData panel_of(const Group& group, const std::string& title, const ColourScale& scale) {
  const bool heads = group.rows.front().head > 0;
  const bool positions = group.rows.front().position > 0;
  // Layer, the highest first as in every figure of layers and tokens, and head where columns are tokens.
  const auto higher = [](const auto& left, const auto& right) {
    return left.first != right.first ? left.first > right.first : left.second < right.second;
  };
  std::set<std::pair<std::int64_t, std::int64_t>, decltype(higher)> rows(higher);
  std::map<std::int64_t, std::string> columns;
  std::map<std::pair<std::pair<std::int64_t, std::int64_t>, std::int64_t>, double> values;
  for (const PatchedRow& row : group.rows) {
    const std::pair key{row.layer, positions ? row.head : 0};
    const std::int64_t column = positions ? row.position : row.head;
    rows.insert(key);
    columns[column] = positions ? row.token : fmt::format("{}", column);
    values[{key, column}] = row.value;
  }
  HeatMap map;
  map.row_title = heads && positions ? "layer and head" : "layer";
  map.column_title = positions ? "token" : "head";
  map.square_cells = !positions;
  map.scale = scale;
  for (const auto& [layer, head] : rows) {
    map.rows.push_back({.text = head > 0 ? fmt::format("{}.{}", layer, head) : fmt::format("{}", layer)});
  }
  for (const auto& [column, text] : columns) {
    map.columns.push_back({.text = text});
  }
  for (const auto& row : rows) {
    for (const auto& entry : columns) {
      const auto found = values.find({row, entry.first});
      map.values.push_back(found == values.end() ? kAbsent : found->second);
    }
  }
  FigureData panel;
  panel.title = title;
  panel.body = std::move(map);
  return panel;
}

AxisText scale_text(const std::string& value, const std::string& measure) {
  const std::string unit = measure == "cosine" ? "1" : "logits";
  if (value == "change") {
    return {"change by the patch", unit, ""};
  }
  if (value == "estimate") {
    return {"change estimated by the gradient", unit, ""};
  }
  return {value == "effect" ? "effect (0: corrupt, 1: clean)"
                            : "effect estimated by the gradient (0: corrupt, 1: clean)",
          "1", ""};
}

std::string reading_of(const std::map<std::string, std::string>& same) {
  const std::string place = same.at("read_position").empty()
                                ? std::string("mean over tokens")
                                : fmt::format("at token {}", same.at("read_position"));
  if (same.at("measure") == "cosine") {
    return fmt::format("cosine of the output to the clean one, {}", place);
  }
  return same.at("against").empty() ? fmt::format("logit of \"{}\" {}", same.at("answer"), place)
                                    : fmt::format("logit of \"{}\" less that of \"{}\" {}", same.at("answer"),
                                                  same.at("against"), place);
}

}  // namespace

FigureData patching_figure(const Table& table, const std::string& value, const std::string& file) {
  if (std::find(kValues.begin(), kValues.end(), value) == kValues.end()) {
    throw unknown_choice("--y", value, {"effect", "change", "estimate", "estimated_effect"});
  }
  std::vector<std::string> needed(kSame.begin(), kSame.end());
  for (const char* const column : {"into", "place", "layer", "part", "head", "position", "clean_token",
                                   "corrupt_token", value.c_str()}) {
    needed.emplace_back(column);
  }
  for (const std::string& column : needed) {
    if (std::find(table.columns.begin(), table.columns.end(), column) == table.columns.end()) {
      throw UsageError(
          fmt::format("drawing {}: it has no column \"{}\"; expected a table of mog patch", file, column));
    }
  }
  const auto cell = [&](const std::vector<Cell>& row, const std::string& column) -> const Cell& {
    return row[table.column(column)];
  };
  std::map<std::string, std::string> same;
  std::vector<Group> groups;
  double most = 0;
  for (const std::vector<Cell>& row : table.rows) {
    for (const std::string_view column : kSame) {
      const std::string own = text_of(cell(row, std::string(column)));
      const auto [found, fresh] = same.emplace(column, own);
      if (!fresh && found->second != own) {
        throw UsageError(
            fmt::format("drawing {}: it has several values of {} (\"{}\", \"{}\"); a figure shows one", file,
                        column, found->second, own));
      }
    }
    const std::string into = text_of(cell(row, "into"));
    const std::string place = text_of(cell(row, "place"));
    const std::string part = text_of(cell(row, "part"));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
      return one.into == into && one.place == place && one.part == part;
    });
    if (group == groups.end()) {
      groups.push_back({into, place, part, {}});
      group = groups.end() - 1;
    }
    group->rows.push_back(
        {.layer = whole_of(cell(row, "layer")),
         .head = whole_of(cell(row, "head")),
         .position = whole_of(cell(row, "position")),
         .token = token_text(text_of(cell(row, "clean_token")), text_of(cell(row, "corrupt_token"))),
         .value = number_of(cell(row, value))});
    const double found = group->rows.back().value;
    most = std::isfinite(found) ? std::max(most, std::abs(found)) : most;
  }
  const bool none = std::all_of(groups.begin(), groups.end(), [](const Group& group) {
    return std::none_of(group.rows.begin(), group.rows.end(),
                        [](const PatchedRow& row) { return std::isfinite(row.value); });
  });
  if (none) {
    throw UsageError(
        fmt::format("drawing {}: its column {} has no number; --y names another (effect, change, "
                    "estimate, estimated_effect)",
                    file, value));
  }
  ColourScale scale;
  scale.kind = ColourScale::Kind::diverging;
  scale.high = most > 0 ? most : 1;
  scale.low = -scale.high;
  scale.quantity = scale_text(value, same["measure"]);
  std::set<std::string> directions;
  std::set<std::string> parts;
  for (const Group& group : groups) {
    directions.insert(group.into);
    if (!group.part.empty()) {
      parts.insert(group.part);
    }
  }
  FigureData figure;
  std::vector<FigureData> panels;
  panels.reserve(groups.size());
  for (const Group& group : groups) {
    panels.push_back(panel_of(group, title_of(group, directions.size() > 1, parts.size() > 1), scale));
  }
  if (panels.size() == 1) {
    figure = std::move(panels.front());
  } else {
    PanelFigure body;
    body.columns = 2;
    body.panels = std::move(panels);
    figure.body = std::move(body);
  }
  const bool estimated = value.starts_with("estimate");
  figure.caption = fmt::format(
      "{}, \"{}\" and \"{}\"; {}; activations of {}; {}3, causal{}", same["model"], same["clean_text"],
      same["corrupt_text"], reading_of(same),
      directions.size() > 1          ? std::string("either text put into the run of the other")
      : directions.contains("clean") ? std::string("the corrupt text put into the run of the clean one")
                                     : std::string("the clean text put into the run of the corrupt one"),
      kLevelOfClaim, estimated ? ", to first order" : "");
  return figure;
}

}  // namespace mog::analysis

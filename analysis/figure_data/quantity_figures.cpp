#include "analysis/figure_data/quantity_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "analysis/figure_data/ticks.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kPanelColumns = 3;

// [entry] -> [row, column], averaged over heads or of one.
std::vector<std::vector<double>> maps_of(const QuantitySchema& schema, const std::vector<float>& flat,
                                         std::int64_t head, std::size_t cells) {
  std::int64_t heads = 1;
  std::int64_t entries = 1;
  for (std::size_t i = 0; i + 2 < schema.axes.size(); ++i) {
    (schema.axes[i] == Axis::head ? heads : entries) = schema.extents[i];
  }
  if (head < 0 || head > heads) {
    throw UsageError(
        fmt::format("{} has {} heads, counted from 1 (0 is their mean), but head {} was asked for",
                    schema.name.text(), heads, head));
  }
  std::vector<std::vector<double>> maps(static_cast<std::size_t>(entries), std::vector<double>(cells, 0.0));
  const std::int64_t first = head == 0 ? 0 : head - 1;
  const std::int64_t last = head == 0 ? heads : head;
  for (std::int64_t h = first; h < last; ++h) {
    for (std::size_t entry = 0; entry < maps.size(); ++entry) {
      const std::size_t begin = (static_cast<std::size_t>(h) * maps.size() + entry) * cells;
      for (std::size_t cell = 0; cell < cells; ++cell) {
        maps[entry][cell] += static_cast<double>(flat.at(begin + cell)) / static_cast<double>(last - first);
      }
    }
  }
  return maps;
}

// The same ends for all panels.
ColourScale scale_of(const std::vector<std::vector<double>>& maps, const QuantitySchema& schema) {
  double low = 0;
  double high = 0;
  for (const std::vector<double>& map : maps) {
    for (const double value : map) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  ColourScale scale;
  scale.quantity.quantity = schema.name.text();
  scale.quantity.units = schema.units == "probability" ? "1" : schema.units;
  const double most = round_range(0, std::max(high, -low) > 0 ? std::max(high, -low) : 1.0, 4).high;
  scale.high = most;
  if (low < 0) {
    scale.kind = ColourScale::Kind::diverging;
    scale.low = -most;
  }
  return scale;
}

}  // namespace

std::string level_text(const QuantityName& name) {
  constexpr const char* kAlgebra = "level 0: algebra, true for any input";
  constexpr const char* kFrozen =
      "level 1: exact for this input with attention, norm scales and activation slopes frozen";
  constexpr const char* kSummary = "level 2: a summary, one of several choices";
  const bool full = name.reduction() == Reduction::full;
  switch (name.quantity()) {
    case Quantity::norm_scale:
      return kAlgebra;
    case Quantity::logit_terms:
    case Quantity::separate_terms:
      return full ? kAlgebra : name.reduction() == Reduction::leave_out ? kFrozen : kSummary;
    case Quantity::aumann_shapley:
      return full || name.reduction() == Reduction::nodes || name.reduction() == Reduction::residual
                 ? kAlgebra
                 : kSummary;
    case Quantity::split:
    case Quantity::value_parts:
      return full ? kFrozen : kSummary;
    case Quantity::propagation:
      return full || name.reduction() == Reduction::norm ? kFrozen : kSummary;
    case Quantity::carried:
    case Quantity::pseudo_gate:
    case Quantity::kobayashi:
    case Quantity::mixing_ratio:
    case Quantity::globenc:
    case Quantity::alti:
    case Quantity::rollout:
    case Quantity::flow:
      return kSummary;
    default:
      return "";
  }
}

bool is_token_map(const QuantitySchema& schema) {
  const std::size_t axes = schema.axes.size();
  if (axes < 2 || axes > 4 || schema.name.stack() != Stack::encoder) {
    return false;
  }
  const bool map = schema.axes[axes - 2] == Axis::query && schema.axes[axes - 1] == Axis::key;
  const bool sources = schema.axes[axes - 2] == Axis::token && schema.axes[axes - 1] == Axis::source;
  return map || sources;
}

FigureData quantity_map_figure(const RecordingSource& source, std::int64_t index, const QuantityName& name,
                               std::int64_t head, const TokenOptions& options) {
  const RecordingHeader& header = source.header();
  const QuantitySchema* const schema = header.find(name);
  if (schema == nullptr || !is_token_map(*schema)) {
    throw UsageError(fmt::format("a map of {}: {}", name.text(),
                                 schema == nullptr
                                     ? "the recording of " + header.model.name + " does not hold it"
                                     : std::string("it has no values for pairs of tokens")));
  }
  const Sentence sentence = source.sentence(index);
  const auto tokens = sentence.tokens.size();
  const bool sources = schema->axes.back() == Axis::source;
  const std::size_t width = tokens + (sources ? 1 : 0);
  const auto maps = maps_of(*schema, source.read(index, name).to_floats(), head, tokens * width);
  const std::vector<WordLabel> labels = token_labels(sentence);
  HeatMap empty;
  empty.row_title = sources ? "token" : "query";
  empty.column_title = sources ? "source" : "key";
  empty.scale = scale_of(maps, *schema);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < tokens; ++i) {
    if (options.special_tokens || sentence.tokens[i].word >= 0) {
      rows.push_back(i);
      empty.rows.push_back(labels[i]);
    }
  }
  std::vector<std::size_t> columns = rows;
  empty.columns = empty.rows;
  if (sources) {
    columns.push_back(tokens);
    empty.columns.push_back({"bias", true, -1});
  }
  const std::string place = head > 0 ? fmt::format("head {}", head) : "mean over heads";
  const bool by_head = schema->axes.front() == Axis::head;
  FigureData result;
  result.title = name.text() + (by_head ? ", " + place : std::string());
  result.caption =
      caption(header.model, header.provenance.corpus_name, fmt::format("sentence {}", sentence.number),
              schema->description + (level_text(name).empty() ? "" : "; " + level_text(name)));
  if (maps.size() > 1) {
    empty.scale.quantity.quantity = std::string(mog::name(name.quantity()));  // the title has the whole name
  }
  std::vector<FigureData> panels;
  const auto entries =
      schema->axes.size() == 4 ? entry_names(schema->axes[1]) : std::vector<std::string_view>();
  for (std::size_t entry = 0; entry < maps.size(); ++entry) {
    HeatMap map = empty;
    map.values.clear();
    for (const std::size_t row : rows) {
      for (const std::size_t column : columns) {
        map.values.push_back(maps[entry][row * width + column]);
      }
    }
    FigureData panel;
    panel.title = entry < entries.size() ? std::string(entries[entry]) : "";
    panel.body = std::move(map);
    panels.push_back(std::move(panel));
  }
  if (panels.size() == 1) {
    result.body = std::move(panels.front().body);
  } else {
    PanelFigure figure;
    figure.columns = kPanelColumns;
    figure.panels = std::move(panels);
    result.body = std::move(figure);
  }
  return result;
}

}  // namespace mog::analysis

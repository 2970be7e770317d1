#include "analysis/figure_data/quantity_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/attribution/word_units.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/errors.h"
#include "io/recording/seen_keys.h"

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
  std::vector<double> all;
  for (const std::vector<double>& map : maps) {
    all.insert(all.end(), map.begin(), map.end());
  }
  return scale_of_values(all, schema);
}

double number_of(const Cell& cell) {
  if (const auto* const value = std::get_if<double>(&cell)) {
    return *value;
  }
  const auto* const whole = std::get_if<std::int64_t>(&cell);
  return whole == nullptr ? kAbsent : static_cast<double>(*whole);
}

std::int64_t count_of(const Cell& cell) {
  const auto* const whole = std::get_if<std::int64_t>(&cell);
  return whole == nullptr ? 0 : *whole;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

ColourScale scale_of_values(std::span<const double> values, const QuantitySchema& schema) {
  double low = 0;
  double high = 0;
  for (const double value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
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

bool entries_add_up(const QuantitySchema& schema) {
  switch (schema.name.reduction()) {
    case Reduction::covariance:
    case Reduction::covariance_heads:
    case Reduction::covariance_sums:
    case Reduction::absolute_share:
    case Reduction::projection:
    case Reduction::proximity:
    case Reduction::fine:
    case Reduction::tree_order:
    case Reduction::tree_order_bins:
    case Reduction::walk_order:
      return true;
    case Reduction::share:
      return schema.name.quantity() == Quantity::aumann_shapley || schema.axes.back() == Axis::context_side;
    case Reduction::full:
      return schema.name.quantity() == Quantity::split || schema.name.quantity() == Quantity::value_parts ||
             schema.name.quantity() == Quantity::pooling;
    default:
      return false;
  }
}

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
    case Quantity::contribution:
    case Quantity::memory_contribution:
      return full || name.reduction() == Reduction::norm || name.reduction() == Reduction::logit ? kFrozen
                                                                                                 : kSummary;
    case Quantity::carried:
    case Quantity::pseudo_gate:
    case Quantity::kobayashi:
    case Quantity::mixing_ratio:
    case Quantity::globenc:
    case Quantity::alti:
    case Quantity::memory_alti:
    case Quantity::rollout:
    case Quantity::flow:
      return kSummary;
    default:
      return "";
  }
}

bool is_score(const QuantityName& name) {
  return (name.quantity() == Quantity::logit_terms || name.quantity() == Quantity::separate_terms) &&
         name.reduction() == Reduction::full;
}

bool is_token_map(const QuantitySchema& schema) {
  const std::size_t axes = schema.axes.size();
  if (axes < 2 || axes > 4) {
    return false;
  }
  const bool map = schema.axes[axes - 2] == Axis::query && schema.axes[axes - 1] == Axis::key;
  const bool sources = schema.axes[axes - 2] == Axis::token && schema.axes[axes - 1] == Axis::source;
  return map || sources;
}

FigureData layer_figure(const Table& table, const std::string& quantity, bool stacked) {
  const auto at = [&](std::size_t row, const char* column) -> const Cell& {
    return table.rows[row][table.column(column)];
  };
  std::map<std::int64_t, std::size_t> places;  // layer -> category
  std::vector<std::string> entries;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    places.emplace(count_of(at(row, "layer")), 0);
    const auto& entry = std::get<std::string>(at(row, "entry"));
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) {
      entries.push_back(entry);
    }
  }
  LinePlot plot;
  plot.stacked = stacked;
  plot.x.quantity = "layer";
  plot.y.quantity = quantity;
  plot.legend_title = entries.size() > 1 ? "entry" : "";
  for (auto& [layer, place] : places) {
    place = plot.x_categories.size();
    plot.x_categories.push_back(layer > 0 ? std::to_string(layer) : "output");
  }
  const bool ordered = entries.size() > 1 && std::all_of(entries.begin(), entries.end(), is_number);
  const std::vector<EntryStyle> styles = entry_styles(entries);
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    LineSeries series;
    series.label = entries[entry];
    series.colour = styles[entry].colour;
    series.dash = styles[entry].dash;
    if (ordered) {
      series.colour =
          ColourKey::of_ramp(static_cast<std::int64_t>(entry), static_cast<std::int64_t>(entries.size()));
      series.dash = Dash::solid;
    }
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (std::get<std::string>(at(row, "entry")) != entries[entry]) {
        continue;
      }
      LinePoint point;
      point.x = static_cast<double>(places.at(count_of(at(row, "layer"))));
      point.y = number_of(at(row, "mean"));
      point.low = number_of(at(row, "low"));
      point.high = number_of(at(row, "high"));
      point.sentences = count_of(at(row, "sentences"));
      point.tokens = count_of(at(row, "tokens"));
      series.points.push_back(point);
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const LinePoint& left, const LinePoint& right) { return left.x < right.x; });
    plot.series.push_back(std::move(series));
  }
  FigureData figure;
  figure.body = std::move(plot);
  return figure;
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
  if (options.by_word && is_score(name)) {
    throw UsageError(fmt::format(
        "a map of {} by word: scores do not add up over the pieces of a word; weights do (aumann_shapley)",
        name.text()));
  }
  const Sentence sentence = source.sentence(index);
  auto tokens = sentence.tokens.size();
  const bool sources = schema->axes.back() == Axis::source;
  std::size_t width = tokens + (sources ? 1 : 0);
  auto maps = maps_of(*schema, source.read(index, name).to_floats(), head, tokens * width);
  std::vector<WordLabel> labels = token_labels(sentence, pieces_of(header));
  std::vector<bool> special;
  for (const Token& token : sentence.tokens) {
    special.push_back(token.word < 0);
  }
  std::vector<std::vector<std::int64_t>> tokens_of(tokens);  // of each row
  for (std::size_t token = 0; token < tokens; ++token) {
    tokens_of[token] = {static_cast<std::int64_t>(token)};
  }
  if (options.by_word) {
    const WordUnits units = word_units(sentence);
    tokens_of.assign(units.first.size(), {});
    for (std::size_t token = 0; token < units.of_token.size(); ++token) {
      tokens_of[static_cast<std::size_t>(units.of_token[token])].push_back(static_cast<std::int64_t>(token));
    }
    for (std::vector<double>& map : maps) {
      map = merge_pieces(map, static_cast<std::int64_t>(width), units);
    }
    const std::vector<WordLabel> pieces = std::exchange(labels, {});
    const std::vector<bool> pieces_special = std::exchange(special, {});
    for (const std::int64_t first : units.first) {
      const auto at = static_cast<std::size_t>(first);
      special.push_back(pieces_special[at]);
      labels.push_back(pieces[at]);
      if (!pieces_special[at]) {
        const auto word = static_cast<std::size_t>(sentence.tokens[at].word);
        labels.back() = {sentence.words[word].text, false, -1};
      }
    }
    width = width - tokens + units.first.size();
    tokens = units.first.size();
  }
  HeatMap empty;
  empty.row_title = sources ? "token" : "query";
  empty.column_title = sources ? "source" : "key";
  empty.scale = scale_of(maps, *schema);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < tokens; ++i) {
    if (options.special_tokens || !special[i]) {
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
  const SeenKeys seen = schema->axes.back() == Axis::key && name.stack() == header.stack().stack
                            ? SeenKeys(header, name.stack(), name.layer())
                            : SeenKeys();
  // Through layers with windows a token reaches as far as they do together; nothing comes from behind it.
  const StackDescription* const stack = header.system.find(name.stack());
  const bool from_before = sources && stack != nullptr && stack->causal;
  const auto sees = [&](std::size_t row, std::size_t column) {
    if (sources) {
      return !from_before || column >= tokens_of.size() || tokens_of[column].front() <= tokens_of[row].back();
    }
    return seen.all() || std::ranges::any_of(tokens_of[row], [&](std::int64_t query) {
             return std::ranges::any_of(tokens_of[column],
                                        [&](std::int64_t key) { return seen(query, key); });
           });
  };
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
  const auto entries = schema->axes.size() == 4 ? entry_names(schema->axes[1], schema->extents[1])
                                                : std::vector<std::string_view>();
  for (std::size_t entry = 0; entry < maps.size(); ++entry) {
    HeatMap map = empty;
    map.values.clear();
    for (const std::size_t row : rows) {
      for (const std::size_t column : columns) {
        map.values.push_back(sees(row, column) ? maps[entry][row * width + column] : kUnseen);
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

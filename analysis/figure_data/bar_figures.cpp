#include "analysis/figure_data/bar_figures.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/attribution/word_units.h"
#include "analysis/figure_data/quantity_figures.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// The values of one token: [category, entry].
struct Bars {
  std::vector<std::string> categories;
  std::vector<std::string> entries;
  std::vector<std::vector<double>> values;  // [entry][category]
};

FigureData drawn(const Bars& bars, AxisText x, AxisText y, const std::string& legend) {
  LinePlot plot;
  plot.stacked = true;
  plot.x = std::move(x);
  plot.y = std::move(y);
  plot.x_categories = bars.categories;
  plot.legend_title = bars.entries.size() > 1 ? legend : "";
  const std::vector<EntryStyle> styles = entry_styles(bars.entries);
  for (std::size_t entry = 0; entry < bars.entries.size(); ++entry) {
    LineSeries series;
    series.label = bars.entries[entry];
    series.colour = styles[entry].colour;
    series.dash = styles[entry].dash;
    for (std::size_t category = 0; category < bars.categories.size(); ++category) {
      series.points.push_back({.x = static_cast<double>(category), .y = bars.values[entry][category]});
    }
    plot.series.push_back(std::move(series));
  }
  FigureData figure;
  figure.body = std::move(plot);
  return figure;
}

// A bar for each entry, named below it, in its own colour, and one for their sum.
FigureData drawn_side_by_side(const std::vector<std::string>& entries, const std::vector<double>& values,
                              AxisText x, AxisText y) {
  LinePlot plot;
  plot.stacked = true;
  plot.x = std::move(x);
  plot.y = std::move(y);
  const std::vector<EntryStyle> styles = entry_styles(entries);
  double sum = 0;
  const auto add = [&](const std::string& name, double value, const EntryStyle& style) {
    LineSeries series;
    series.label = name;
    series.colour = style.colour;
    series.dash = style.dash;
    series.points.push_back({.x = static_cast<double>(plot.series.size()), .y = value});
    plot.series.push_back(std::move(series));
    plot.x_categories.push_back(name);
  };
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    add(entries[entry], values[entry], styles[entry]);
    sum += values[entry];
  }
  add("sum", sum, {});
  FigureData figure;
  figure.body = std::move(plot);
  return figure;
}

std::vector<std::string> names_of(Axis axis, std::int64_t extent) {
  const auto known = entry_names(axis, extent);
  std::vector<std::string> result(known.begin(), known.end());
  for (auto i = static_cast<std::int64_t>(result.size()); i < extent; ++i) {
    result.push_back(std::to_string(i + 1));
  }
  return result;
}

// One sentence, and which of its tokens (or words) is meant.
class TokenBars {
 public:
  TokenBars(const RecordingSource& source, std::int64_t index, std::span<const QuantityName> names,
            const TokenBarOptions& options)
      : source_(source),
        index_(index),
        names_(names),
        options_(options),
        sentence_(source.sentence(index)),
        units_(word_units(sentence_)) {
    if (!options_.by_word) {
      units_.of_token.clear();
      units_.first.clear();
      for (std::size_t i = 0; i < sentence_.tokens.size(); ++i) {
        units_.of_token.push_back(static_cast<std::int64_t>(i));
        units_.first.push_back(static_cast<std::int64_t>(i));
      }
    }
    require(options_.token, "token");
    for (std::int64_t unit = 0; unit < units_.count(); ++unit) {
      labels_.push_back(label(unit));
    }
  }

  FigureData figure() {
    if (names_.empty()) {
      throw UsageError("bars of a token: give the name of a recorded quantity");
    }
    const QuantitySchema& schema = find(names_.front());
    FigureData figure = is_token_map(schema) ? of_map(schema) : of_layers();
    figure.title = fmt::format("\"{}\" (token {}), {}", labels_[unit()], options_.token, title_);
    figure.caption = caption(source_.header().model, source_.header().provenance.corpus_name,
                             fmt::format("sentence {}", sentence_.number),
                             claim_.empty() ? schema.description : claim_ + "; " + schema.description);
    return figure;
  }

 private:
  std::size_t unit() const { return static_cast<std::size_t>(options_.token) - 1; }

  void require(std::int64_t number, const char* what) const {
    if (number < 1 || number > units_.count()) {
      throw UsageError(
          fmt::format("bars of a token: sentence {} has {} {}, counted from 1 with the special tokens; "
                      "{} {} is not one of them",
                      sentence_.number, units_.count(),
                      options_.by_word ? "words and special tokens" : "tokens", what, number));
    }
  }
  std::string label(std::int64_t unit) const {
    const Token& token =
        sentence_.tokens[static_cast<std::size_t>(units_.first[static_cast<std::size_t>(unit)])];
    if (options_.by_word && token.word >= 0) {
      return sentence_.words[static_cast<std::size_t>(token.word)].text;
    }
    return token_labels(
               sentence_,
               pieces_of(
                   source_.header()))[static_cast<std::size_t>(units_.first[static_cast<std::size_t>(unit)])]
        .text;
  }
  const QuantitySchema& find(const QuantityName& name) const {
    const QuantitySchema* const schema = source_.header().find(name);
    if (schema == nullptr) {
      throw UsageError(fmt::format("bars of {}: the recording of {} does not hold it", name.text(),
                                   source_.header().model.name));
    }
    return *schema;
  }

  // [entry] -> the token's row over the keys, heads averaged.
  std::vector<std::vector<double>> rows_of(const QuantitySchema& schema, std::int64_t entries,
                                           std::int64_t heads, std::int64_t columns) const {
    if (options_.head < 0 || options_.head > heads) {
      throw UsageError(
          fmt::format("{} has {} heads, counted from 1 (0 is their mean), but head {} was asked for",
                      schema.name.text(), heads, options_.head));
    }
    const std::vector<float> flat = source_.read(index_, schema.name).to_floats();
    const auto cells = sentence_.tokens.size() * static_cast<std::size_t>(columns);
    const std::int64_t first = options_.head == 0 ? 0 : options_.head - 1;
    const std::int64_t last = options_.head == 0 ? heads : options_.head;
    std::vector<std::vector<double>> result;
    for (std::int64_t entry = 0; entry < entries; ++entry) {
      std::vector<double> map(cells, 0.0);
      for (std::int64_t head = first; head < last; ++head) {
        const auto begin = static_cast<std::size_t>(head * entries + entry) * cells;
        for (std::size_t cell = 0; cell < cells; ++cell) {
          map[cell] += static_cast<double>(flat.at(begin + cell)) / static_cast<double>(last - first);
        }
      }
      const std::vector<double> merged = merge_pieces(map, columns, units_);
      const std::size_t width = merged.size() / units_.first.size();
      const auto row = merged.begin() + static_cast<std::ptrdiff_t>(unit() * width);
      result.emplace_back(row, row + static_cast<std::ptrdiff_t>(width));
    }
    return result;
  }

  FigureData of_map(const QuantitySchema& schema) {
    if (names_.size() > 1) {
      throw UsageError(fmt::format("bars of {} and {} more: maps are shown one at a time; name one layer",
                                   schema.name.text(), names_.size() - 1));
    }
    const bool scores = is_score(schema.name);
    if (scores && options_.by_word) {
      throw UsageError(
          fmt::format("bars of {} by word: scores do not add up over the pieces of a word; weights do "
                      "(aumann_shapley)",
                      schema.name.text()));
    }
    const bool by_head = schema.axes.front() == Axis::head;
    const bool terms = schema.axes.size() == 4;
    const bool sources = schema.axes.back() == Axis::source;
    const std::int64_t entries = terms ? schema.extents[1] : 1;
    const auto tokens = static_cast<std::int64_t>(sentence_.tokens.size());
    Bars bars;
    bars.entries = terms ? names_of(schema.axes[1], entries) : std::vector<std::string>{""};
    bars.categories = labels_;
    if (sources) {
      bars.categories.emplace_back("bias");
    }
    bars.values = rows_of(schema, entries, by_head ? schema.extents[0] : 1, tokens + (sources ? 1 : 0));
    title_ = schema.name.text();
    if (by_head) {
      title_ +=
          options_.head > 0 ? fmt::format(", head {}", options_.head) : std::string(", mean over heads");
    }
    claim_ = level_text(schema.name);
    if (scores) {
      claim_ += "; what is the same for all keys is left out of scores";
    }
    AxisText x{sources ? "source" : "key", "", ""};
    const AxisText y = axis_text(schema);
    if (options_.key > 0) {
      require(options_.key, "key");
      const auto key = static_cast<std::size_t>(options_.key) - 1;
      title_ += fmt::format(", key \"{}\" (token {})", labels_[key], options_.key);
      std::vector<double> values;
      for (const std::vector<double>& row : bars.values) {
        values.push_back(row[key]);
      }
      if (terms) {
        return drawn_side_by_side(bars.entries, values, {"term", "", ""}, y);
      }
      return drawn({{labels_[key]}, {""}, {values}}, {"key", "", ""}, y, "");
    }
    return drawn(bars, std::move(x), y, "term");
  }

  // [entry] values of the token in one layer.
  std::vector<double> entries_of(const QuantitySchema& schema, std::vector<std::string>& entries) const {
    const auto tokens = static_cast<std::int64_t>(sentence_.tokens.size());
    const std::vector<float> flat = source_.read(index_, schema.name).to_floats();
    const std::vector<double> values(flat.begin(), flat.end());
    const auto& axes = schema.axes;
    if (axes.size() == 2 && axes[0] == Axis::token && schema.extents[1] > 0 && axes[1] != Axis::d_model) {
      entries = names_of(axes[1], schema.extents[1]);
      const std::vector<double> merged = average_pieces(values, schema.extents[1], units_);
      const auto begin = merged.begin() + static_cast<std::ptrdiff_t>(unit() * entries.size());
      return {begin, begin + static_cast<std::ptrdiff_t>(entries.size())};
    }
    const bool vectors = axes.size() >= 3 && axes[axes.size() - 2] == Axis::token &&
                         axes.back() == Axis::d_model && axes.front() != Axis::token;
    if (!vectors) {
      throw UsageError(fmt::format("bars of {}: it has no entries of a token", schema.name.text()));
    }
    entries = {""};
    for (std::size_t axis = 0; axis + 2 < axes.size(); ++axis) {
      std::vector<std::string> longer;
      for (const std::string& before : entries) {
        for (const std::string& own : names_of(axes[axis], schema.extents[axis])) {
          longer.push_back(before.empty() ? own : fmt::format("{}.{}", before, own));
        }
      }
      entries = std::move(longer);
    }
    return projections(values, entries.size(), static_cast<std::size_t>(tokens),
                       static_cast<std::size_t>(schema.extents.back()));
  }

  // Parts of the unit's vectors on their sum, averaged over its tokens.
  std::vector<double> projections(const std::vector<double>& values, std::size_t entries, std::size_t tokens,
                                  std::size_t width) const {
    std::vector<double> result(entries, 0.0);
    double members = 0;
    for (std::size_t token = 0; token < tokens; ++token) {
      if (units_.of_token[token] != static_cast<std::int64_t>(unit())) {
        continue;
      }
      members += 1;
      std::vector<double> sum(width, 0.0);
      for (std::size_t entry = 0; entry < entries; ++entry) {
        for (std::size_t i = 0; i < width; ++i) {
          sum[i] += values[(entry * tokens + token) * width + i];
        }
      }
      double square = 0;
      for (const double value : sum) {
        square += value * value;
      }
      for (std::size_t entry = 0; entry < entries; ++entry) {
        double product = 0;
        for (std::size_t i = 0; i < width; ++i) {
          product += values[(entry * tokens + token) * width + i] * sum[i];
        }
        result[entry] += square > 0 ? product / square : 0;
      }
    }
    for (double& value : result) {
      value /= members;
    }
    return result;
  }

  FigureData of_layers() {
    if (options_.key > 0 || options_.head > 0) {
      throw UsageError(fmt::format("bars of {}: only maps have keys and heads; leave out --key and --head",
                                   names_.front().text()));
    }
    Bars bars;
    bool vectors = false;
    for (const QuantityName& name : names_) {
      const QuantitySchema& schema = find(name);
      std::vector<std::string> entries;
      const std::vector<double> values = entries_of(schema, entries);
      if (!bars.entries.empty() && entries != bars.entries) {
        throw UsageError(fmt::format("bars of {} and {}: they have other entries; name one quantity",
                                     names_.front().text(), name.text()));
      }
      vectors = vectors || schema.axes.back() == Axis::d_model;
      if (!entries_add_up(schema)) {
        throw UsageError(
            fmt::format("bars of {}: its entries do not add up to a whole (encoder.*.split, shares and "
                        "pseudo-gates do); quantity-by-layer shows them as lines",
                        name.text()));
      }
      bars.entries = std::move(entries);
      bars.values.resize(bars.entries.size());
      bars.categories.push_back(name.layer() > 0 ? std::to_string(name.layer()) : "output");
      for (std::size_t entry = 0; entry < values.size(); ++entry) {
        bars.values[entry].push_back(values[entry]);
      }
    }
    const QuantitySchema& schema = find(names_.front());
    title_ = names_.size() == 1 ? schema.name.text()
                                : std::string(name(schema.name.quantity())) +
                                      (schema.name.reduction() == Reduction::full
                                           ? std::string()
                                           : "." + std::string(name(schema.name.reduction())));
    claim_ = vectors
                 ? "shares: projection on the sum of the parts; level 2: a summary, one of several choices"
                 : level_text(schema.name);
    const AxisText y = vectors ? AxisText{"share of the representation", "1", ""} : axis_text(schema);
    return drawn(bars, {"layer", "", ""}, y, "part");
  }

  const RecordingSource& source_;
  std::int64_t index_;
  std::span<const QuantityName> names_;
  const TokenBarOptions& options_;
  Sentence sentence_;
  WordUnits units_;
  std::vector<std::string> labels_;
  std::string title_;
  std::string claim_;
};

}  // namespace

FigureData token_bars(const RecordingSource& source, std::int64_t index, std::span<const QuantityName> names,
                      const TokenBarOptions& options) {
  return TokenBars(source, index, names, options).figure();
}

}  // namespace mog::analysis

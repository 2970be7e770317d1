#include "analysis/figure_data/relation_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/cell_values.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kPercent = 100.0;

struct Row {
  std::int64_t layer = 0;
  std::string relation;
  std::string direction;
  std::string bin;
  LengthSpan lengths;
  std::int64_t sentences = 0;
  double pairs = 0;
  double share = 0;
  double share_low = 0;
  double share_high = 0;
  double weight = 0;
  double without = 0;
};

std::int64_t whole(double value, std::int64_t absent) {
  return std::isfinite(value) ? std::llround(value) : absent;
}

std::vector<Row> rows_of(const Table& table, const std::string& file) {
  for (const char* const column :
       {"model", "corpus", "layer", "relation", "direction", "bin", "length_low", "length_high", "sentences",
        "pairs", "share", "share_low", "share_high", "weight", "without"}) {
    if (std::ranges::find(table.columns, column) == table.columns.end()) {
      throw UsageError(fmt::format(
          "drawing {}: it has no column \"{}\"; expected a table of mog stats --quantity relations", file,
          column));
    }
  }
  std::vector<Row> rows;
  for (const std::vector<Cell>& cells : table.rows) {
    const auto text = [&](const char* column) { return text_of(cells[table.column(column)]); };
    const auto number = [&](const char* column) { return number_of(cells[table.column(column)]); };
    if (text("model") != text_of(table.rows.front()[table.column("model")]) ||
        text("corpus") != text_of(table.rows.front()[table.column("corpus")])) {
      throw UsageError(fmt::format("drawing {}: its rows are of several recordings; make it of one", file));
    }
    if (text("relation") == "none") {
      continue;
    }
    rows.push_back({.layer = whole(number("layer"), 0),
                    .relation = text("relation"),
                    .direction = text("direction"),
                    .bin = text("bin"),
                    .lengths = {whole(number("length_low"), 0), whole(number("length_high"), -1)},
                    .sentences = whole(number("sentences"), 0),
                    .pairs = number("pairs"),
                    .share = number("share"),
                    .share_low = number("share_low"),
                    .share_high = number("share_high"),
                    .weight = number("weight"),
                    .without = number("without")});
  }
  return rows;
}

// Rows pooled by their pairs.
struct Pool {
  double pairs = 0;
  double sum = 0;
  std::vector<const Row*> rows;
  void add(const Row& row, double value) {
    pairs += row.pairs;
    sum += row.pairs * value;
    rows.push_back(&row);
  }
};

// x: the category. interval: the only row's is that of the value.
LinePoint point_of(const Pool& pool, std::size_t x, bool interval) {
  LinePoint point;
  point.x = static_cast<double>(x);
  point.y = kPercent * pool.sum / pool.pairs;
  for (const Row* const row : pool.rows) {
    point.sentences = std::max(point.sentences, row->sentences);
  }
  if (interval && pool.rows.size() == 1) {
    point.low = kPercent * pool.rows.front()->share_low;
    point.high = kPercent * pool.rows.front()->share_high;
  }
  return point;
}

// A panel over categories: `category` names a row's, `series` its line, `value` what is pooled.
class Panel {
 public:
  Panel(std::string title, AxisText x, AxisText y) : title_(std::move(title)) {
    plot_.x = std::move(x);
    plot_.y = std::move(y);
  }
  void category(const std::string& name) {
    if (std::ranges::find(plot_.x_categories, name) == plot_.x_categories.end()) {
      plot_.x_categories.push_back(name);
    }
  }
  void add(const std::string& category, const std::string& series, const Row& row, double value) {
    const auto found = std::ranges::find(plot_.x_categories, category);
    if (found == plot_.x_categories.end()) {
      return;
    }
    if (std::ranges::find(series_, series) == series_.end()) {
      series_.push_back(series);
    }
    pools_[{series, static_cast<std::size_t>(found - plot_.x_categories.begin())}].add(row, value);
  }
  FigureData take(bool interval) {
    const auto count = static_cast<std::int64_t>(series_.size());
    for (std::int64_t index = 0; index < count; ++index) {
      LineSeries line;
      line.label = series_[static_cast<std::size_t>(index)];
      line.colour = ColourKey::of_category(index, count);
      line.dash = dash_of_category(index);
      for (std::size_t x = 0; x < plot_.x_categories.size(); ++x) {
        if (const auto found = pools_.find({line.label, x}); found != pools_.end()) {
          line.points.push_back(point_of(found->second, x, interval));
        }
      }
      plot_.series.push_back(std::move(line));
    }
    FigureData figure;
    figure.title = title_;
    figure.body = std::move(plot_);
    return figure;
  }

 private:
  std::string title_;
  LinePlot plot_;
  std::vector<std::string> series_;
  std::map<std::pair<std::string, std::size_t>, Pool> pools_;
};

// Those with the most pairs, the most first.
std::vector<std::string> frequent(const std::vector<Row>& rows, std::int64_t most) {
  std::vector<std::pair<std::string, double>> counts;
  for (const Row& row : rows) {
    const auto found = std::ranges::find(counts, row.relation, &std::pair<std::string, double>::first);
    if (found == counts.end()) {
      counts.emplace_back(row.relation, row.pairs);
    } else {
      found->second += row.pairs;
    }
  }
  std::ranges::stable_sort(counts, std::greater(), &std::pair<std::string, double>::second);
  std::vector<std::string> names;
  for (const auto& [name, pairs] : counts) {
    if (std::ssize(names) < most) {
      names.push_back(name);
    }
  }
  return names;
}

std::string line_of(const Row& row) {
  return row.direction.empty() ? "all" : row.direction;
}

}  // namespace

FigureData relation_figure(const Table& table, const RelationFigureOptions& options,
                           const std::string& file) {
  const std::vector<Row> rows = rows_of(table, file);
  std::vector<Row> of_layer = rows;
  std::erase_if(of_layer, [&](const Row& row) { return options.layer > 0 && row.layer != options.layer; });
  if (of_layer.empty()) {
    throw UsageError(fmt::format(
        "drawing {}: it has no relation{}", file,
        options.layer > 0 && !rows.empty() ? fmt::format(" in layer {}", options.layer) : std::string()));
  }
  const AxisText share = {"share of the score", "%", ""};
  const AxisText relation = {"relation", "", "those of most pairs first"};
  Panel shares("relations in the scores", relation, share);
  Panel weights("attention of their pairs", relation, {"attention weight", "%", "mean"});
  Panel layers("by layer, all relations", {"layer", "", ""}, share);
  Panel lengths("by sentence length, all relations", {"sentence length", "words", ""}, share);
  for (const std::string& name : frequent(of_layer, options.relations)) {
    shares.category(name);
    weights.category(name);
  }
  std::vector<std::pair<std::int64_t, std::string>> bins;
  for (const Row& row : rows) {
    layers.category(std::to_string(row.layer));
    bins.emplace_back(row.lengths.low, row.bin);
  }
  std::ranges::sort(bins);
  bins.erase(std::unique(bins.begin(), bins.end()), bins.end());
  for (const auto& [low, bin] : bins) {
    lengths.category(bin);
  }
  for (const Row& row : of_layer) {
    shares.add(row.relation, line_of(row), row, row.share);
    weights.add(row.relation, "with relations", row, row.weight);
    weights.add(row.relation, "content alone", row, row.without);
    lengths.add(row.bin, line_of(row), row, row.share);
  }
  for (const Row& row : rows) {
    layers.add(std::to_string(row.layer), line_of(row), row, row.share);
  }
  PanelFigure panels;
  panels.columns = 2;
  panels.panels.push_back(shares.take(true));
  panels.panels.push_back(weights.take(false));
  panels.panels.push_back(layers.take(true));
  if (bins.size() > 1) {
    panels.panels.push_back(lengths.take(true));
  }
  FigureData figure;
  figure.title = "Relations of the graph in attention";
  figure.body = std::move(panels);
  const auto& first = table.rows.front();
  figure.caption = fmt::format(
      "{}, {}, {}{}; share: |relation terms| / (|content| + |relation terms|), from the means of rows{}",
      file, text_of(first[table.column("model")]), text_of(first[table.column("corpus")]),
      options.layer > 0 ? fmt::format(", panels by relation and length: layer {}", options.layer)
                        : std::string(),
      bands_clause(figure, {}));
  return figure;
}

}  // namespace mog::analysis

#include "analysis/figure_data/effect_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/cell_values.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

struct Entry {
  std::string attribution;
  std::string measure;
  double fraction = kAbsent;
  double mean = kAbsent;
  double low = kAbsent;
  double high = kAbsent;
  std::int64_t sentences = 0;
};

// What a table of `mog faithfulness` says.
struct Faithfulness {
  std::vector<Entry> entries;
  std::vector<std::string> attributions;  // the highest correlation first
  std::string caption;

  Faithfulness(const Table& table, const std::string& file) {
    constexpr const char* kWhat = "a table of mog faithfulness";
    std::map<std::string, std::string> same;
    const std::vector<std::string> needed = {"model",       "corpus",  "target",   "erasure",   "special",
                                             "unit",        "measure", "fraction", "sentences", "mean",
                                             "attribution", "low",     "high"};
    for (const std::string& column : needed) {
      if (std::find(table.columns.begin(), table.columns.end(), column) == table.columns.end()) {
        throw UsageError(
            fmt::format("drawing {}: it has no column \"{}\"; expected {}", file, column, kWhat));
      }
    }
    const auto cell = [&](const std::vector<Cell>& row, const char* column) -> const Cell& {
      return row[table.column(column)];
    };
    for (const std::vector<Cell>& row : table.rows) {
      for (const char* const column : {"model", "corpus", "target", "erasure", "special", "unit"}) {
        const std::string own = text_of(cell(row, column));
        const auto [found, fresh] = same.emplace(column, own);
        if (!fresh && found->second != own) {
          throw UsageError(
              fmt::format("drawing {}: it has several values of {} (\"{}\", \"{}\"); a figure shows one",
                          file, column, found->second, own));
        }
      }
      entries.push_back({text_of(cell(row, "attribution")), text_of(cell(row, "measure")),
                         number_of(cell(row, "fraction")), number_of(cell(row, "mean")),
                         number_of(cell(row, "low")), number_of(cell(row, "high")),
                         static_cast<std::int64_t>(std::max(0.0, number_of(cell(row, "sentences"))))});
    }
    if (entries.empty()) {
      throw UsageError(fmt::format("drawing {}: it has no rows", file));
    }
    rank();
    std::int64_t most = 0;
    for (const Entry& entry : entries) {
      most = std::max(most, entry.sentences);
    }
    caption =
        fmt::format("{}, {}, {}; target {}, erased by {}, special tokens {}, by {}; {}3, causal",
                    same["model"], same["corpus"], counted(most, "sentence"), same["target"], same["erasure"],
                    same["special"] == "keep" ? "kept" : "erased as others", same["unit"], kLevelOfClaim);
  }

  void rank() {
    std::map<std::string, double> correlation;
    for (const Entry& entry : entries) {
      if (std::find(attributions.begin(), attributions.end(), entry.attribution) == attributions.end()) {
        attributions.push_back(entry.attribution);
      }
      if (entry.measure == "spearman") {
        correlation[entry.attribution] = std::isfinite(entry.mean) ? entry.mean : -2;
      }
    }
    std::stable_sort(attributions.begin(), attributions.end(),
                     [&](const std::string& left, const std::string& right) {
                       return correlation[left] > correlation[right];
                     });
  }

  const Entry* find(const std::string& attribution, const std::string& measure) const {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
      return entry.attribution == attribution && entry.measure == measure;
    });
    return found == entries.end() ? nullptr : &*found;
  }
};

FigureData bars(const Faithfulness& table, const std::string& measure, AxisText axis,
                const std::string& title) {
  BarPlot plot;
  plot.x = std::move(axis);
  plot.labels = measure == "spearman";
  const auto count = static_cast<std::int64_t>(table.attributions.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string& attribution = table.attributions[static_cast<std::size_t>(i)];
    BarRow row;
    row.label = attribution;
    row.colour = ColourKey::of_ramp(count - 1 - i, count);
    if (const Entry* const entry = table.find(attribution, measure)) {
      row.value = entry->mean;
      row.low = entry->low;
      row.high = entry->high;
      row.sentences = entry->sentences;
    }
    plot.rows.push_back(std::move(row));
  }
  FigureData panel;
  panel.title = title;
  panel.body = std::move(plot);
  return panel;
}

FigureData curves(const Faithfulness& table, const std::string& measure, const std::string& title) {
  LinePlot plot;
  plot.x = {"fraction of units", "", measure == "comprehensiveness" ? "erased" : "kept"};
  plot.y = {"effect on the target", "1", "mean over sentences"};
  plot.legend_title = "attribution";
  const auto count = static_cast<std::int64_t>(table.attributions.size());
  for (std::int64_t i = 0; i < count; ++i) {
    LineSeries series;
    series.label = table.attributions[static_cast<std::size_t>(i)];
    series.colour = ColourKey::of_category(i, count);
    series.dash = dash_of_category(i);
    for (const Entry& entry : table.entries) {
      if (entry.attribution == series.label && entry.measure == measure && std::isfinite(entry.fraction)) {
        series.points.push_back({.x = entry.fraction,
                                 .y = entry.mean,
                                 .low = entry.low,
                                 .high = entry.high,
                                 .sentences = entry.sentences});
      }
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const LinePoint& left, const LinePoint& right) { return left.x < right.x; });
    plot.series.push_back(std::move(series));
  }
  FigureData panel;
  panel.title = title;
  panel.body = std::move(plot);
  return panel;
}

}  // namespace

FigureData faithfulness_figure(const Table& table, const std::string& file) {
  const Faithfulness read(table, file);
  PanelFigure panels;
  panels.columns = 3;
  panels.panels.push_back(
      bars(read, "spearman", {"rank correlation", "", ""}, "agreement with leave-one-out"));
  panels.panels.push_back(
      bars(read, "comprehensiveness_area", {"effect", "", ""}, "first units erased (more is better)"));
  panels.panels.push_back(
      bars(read, "sufficiency_area", {"effect", "", ""}, "first units kept (less is better)"));
  FigureData figure;
  figure.title = "Faithfulness of attributions";
  figure.body = std::move(panels);
  figure.caption = read.caption;
  add_to_caption(figure, intervals_clause(figure));
  return figure;
}

FigureData faithfulness_curves(const Table& table, const std::string& file) {
  const Faithfulness read(table, file);
  PanelFigure panels;
  panels.columns = 2;
  panels.panels.push_back(curves(read, "comprehensiveness", "first units erased (higher is better)"));
  panels.panels.push_back(curves(read, "sufficiency", "first units kept (lower is better)"));
  FigureData figure;
  figure.title = "Effect of erasing and of keeping";
  figure.body = std::move(panels);
  figure.caption = read.caption;
  add_to_caption(figure, intervals_clause(figure));
  return figure;
}

}  // namespace mog::analysis

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "app/workflow/syntax_job.h"
#include "app/workflow/text_format.h"

namespace mog::app {
namespace {

using analysis::ColourKey;
using analysis::FigureData;
using analysis::HeatMap;
using analysis::LinePlot;

// The better direction of every map of attention.
std::map<std::tuple<std::int64_t, Part, std::int64_t>, const SyntaxRowScore*> best_directions(
    const SyntaxResult& result) {
  std::map<std::tuple<std::int64_t, Part, std::int64_t>, const SyntaxRowScore*> best;
  for (const SyntaxRowScore& entry : result.rows) {
    if (entry.row.source == SyntaxSource::attention) {
      const SyntaxRowScore*& slot = best[{entry.row.layer, entry.row.part, entry.row.head}];
      slot = slot == nullptr || entry.uuas.value > slot->uuas.value ? &entry : slot;
    }
  }
  return best;
}

analysis::LinePoint point(double x, const SyntaxRowScore& entry) {
  return {x,
          100 * entry.uuas.value,
          100 * entry.uuas.interval.low,
          100 * entry.uuas.interval.high,
          entry.sentences,
          0};
}

// A level line for one of the baselines; without a band, so that the lines of the model stay readable.
analysis::LineSeries level(std::string label, analysis::Dash dash, double value, double last) {
  analysis::LineSeries series;
  series.label = std::move(label);
  series.dash = dash;
  series.points.push_back({0, 100 * value, analysis::kAbsent, analysis::kAbsent, 0, 0});
  if (last > 0) {
    series.points.push_back({last, 100 * value, analysis::kAbsent, analysis::kAbsent, 0, 0});
  }
  return series;
}

LinePlot lines(const SyntaxResult& result) {
  LinePlot plot;
  plot.x = {"layer", "", ""};
  plot.y = {"UUAS of the best head", "%", ""};
  plot.y_low = 0;
  std::map<Part, std::map<std::int64_t, const SyntaxRowScore*>> of_part;
  std::int64_t layers = 1;
  for (const auto& [place, entry] : best_directions(result)) {
    const auto& [layer, part, head] = place;
    layers = std::max(layers, layer);
    const SyntaxRowScore*& slot = of_part[part][layer];
    // A mean counts only where no head was recorded.
    const bool better = slot == nullptr || (slot->row.head == 0 && head > 0) ||
                        ((slot->row.head > 0) == (head > 0) && entry->uuas.value > slot->uuas.value);
    slot = better ? entry : slot;
  }
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    plot.x_categories.push_back(fmt::format("{}", layer));
  }
  for (const auto& [part, points] : of_part) {
    analysis::LineSeries series;
    series.label = std::string(mog::name(part));
    series.colour = ColourKey::of_part(part);
    for (const auto& [layer, entry] : points) {
      series.points.push_back(point(static_cast<double>(layer - 1), *entry));
    }
    plot.series.push_back(std::move(series));
  }
  const auto add = [&](SyntaxSource source, const char* label, analysis::Dash dash) {
    for (const SyntaxRowScore& entry : result.rows) {
      if (entry.row.source == source) {
        plot.series.push_back(level(label, dash, entry.uuas.value, static_cast<double>(layers - 1)));
        return;
      }
    }
  };
  add(SyntaxSource::left_neighbour, "neighbours", analysis::Dash::dashed);
  add(SyntaxSource::random_tree, "random trees", analysis::Dash::dotted);
  return plot;
}

HeatMap heads(const SyntaxResult& result) {
  HeatMap map;
  map.row_title = "layer and part";
  map.column_title = "head";
  map.scale = {analysis::ColourScale::Kind::sequential, 0, 0, {"UUAS", "%", "better direction"}};
  map.square_cells = false;
  const auto best = best_directions(result);
  std::set<std::pair<std::int64_t, Part>> rows;
  std::int64_t last = 0;
  for (const auto& [place, entry] : best) {
    rows.insert({std::get<0>(place), std::get<1>(place)});
    last = std::max(last, std::get<2>(place));
  }
  map.columns.push_back({"mean", false, -1});
  for (std::int64_t head = 1; head <= last; ++head) {
    map.columns.push_back({fmt::format("{}", head), false, -1});
  }
  for (const auto& [layer, part] : rows) {
    map.rows.push_back({fmt::format("{} {}", layer, mog::name(part)), false, -1});
    for (std::int64_t head = 0; head <= last; ++head) {
      const auto found = best.find({layer, part, head});
      const double value = found == best.end() ? analysis::kAbsent : 100 * found->second->uuas.value;
      map.values.push_back(value);
      map.scale.high = std::isnan(value) ? map.scale.high : std::max(map.scale.high, value);
    }
  }
  map.scale.high = std::max(10.0, std::ceil(map.scale.high / 10) * 10);
  return map;
}

}  // namespace

FigureData syntax_figure(const SyntaxResult& result) {
  FigureData figure;
  const std::string facts = fmt::format(
      "{}; {}, {} sentences, {} words{}; {}; bands: {:g} % bootstrap over sentences; the best head is chosen "
      "on "
      "these sentences (summary)",
      result.model.empty() ? "model not named" : printable(result.model), printable(result.recording),
      grouped(result.sentences), grouped(result.words),
      result.options.punctuation ? "" : " without punctuation",
      result.options.projective ? "projective trees" : "maximum spanning arborescences",
      100 * result.options.bootstrap.confidence);
  analysis::PanelFigure panels;
  panels.columns = 2;
  panels.share_legend = false;
  FigureData left;
  left.title = "By layer";
  left.body = lines(result);
  FigureData right;
  right.title = "Every head";
  right.body = heads(result);
  panels.panels.push_back(std::move(left));
  panels.panels.push_back(std::move(right));
  figure.title = "Gold edges found in either direction";
  figure.caption = facts;
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::app

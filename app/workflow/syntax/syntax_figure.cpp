#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "app/workflow/common/text_format.h"
#include "app/workflow/syntax/syntax_job.h"
#include "io/recording/counted.h"

namespace mog::app {
namespace {

using analysis::ColourKey;
using analysis::FigureData;
using analysis::HeatMap;
using analysis::LinePlot;

bool has(const SyntaxResult& result, SyntaxSource source) {
  return std::any_of(result.rows.begin(), result.rows.end(),
                     [&](const SyntaxRowScore& entry) { return entry.row.source == source; });
}

// The better direction of every map of attention, or of the joins of every layer and part.
std::map<std::tuple<std::int64_t, Part, std::int64_t>, const SyntaxRowScore*> best_directions(
    const SyntaxResult& result, SyntaxSource source) {
  std::map<std::tuple<std::int64_t, Part, std::int64_t>, const SyntaxRowScore*> best;
  for (const SyntaxRowScore& entry : result.rows) {
    if (entry.row.source == source && entry.row.layer > 0) {
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

// Sources that are of no layer, the better direction of each.
void add_whole_sources(const SyntaxResult& result, std::int64_t layers, LinePlot& plot) {
  std::map<SyntaxSource, const SyntaxRowScore*> best;
  for (const SyntaxRowScore& entry : result.rows) {
    if (!entry.row.is_baseline() && entry.row.layer == 0) {
      const SyntaxRowScore*& slot = best[entry.row.source];
      slot = slot == nullptr || entry.uuas.value > slot->uuas.value ? &entry : slot;
    }
  }
  // Hues that no part has.
  constexpr std::array<std::int64_t, 3> kFree = {1, 5, 6};
  std::size_t index = 0;
  for (const auto& [source, entry] : best) {
    const auto round = static_cast<std::int64_t>(index / kFree.size());
    const std::int64_t category = kFree[index % kFree.size()] + round * ColourKey::kHues;
    ++index;
    plot.series.push_back(level(entry->row.name(), analysis::dash_of_category(category), entry->uuas.value,
                                static_cast<double>(layers - 1)));
    plot.series.back().colour = ColourKey::of_category(category, 3 * ColourKey::kHues);
  }
}

LinePlot lines(const SyntaxResult& result) {
  LinePlot plot;
  plot.x = {"layer", "", ""};
  const bool of_heads = has(result, SyntaxSource::attention);
  const auto best = best_directions(result, of_heads ? SyntaxSource::attention : SyntaxSource::joins);
  plot.y = {of_heads       ? "UUAS of the best head"
            : best.empty() ? "UUAS"
                           : "UUAS of the expected joins",
            "%", ""};
  plot.y_low = 0;
  std::map<Part, std::map<std::int64_t, const SyntaxRowScore*>> of_part;
  std::int64_t layers = 1;
  for (const auto& [place, entry] : best) {
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
    series.label = part == Part::none ? "all parts" : std::string(mog::name(part));
    series.colour = ColourKey::of_part(part);
    series.dash = analysis::dash_of_part(part);
    for (const auto& [layer, entry] : points) {
      series.points.push_back(point(static_cast<double>(layer - 1), *entry));
    }
    plot.series.push_back(std::move(series));
  }
  add_whole_sources(result, layers, plot);
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
  const auto best = best_directions(result, SyntaxSource::attention);
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
      "{}; {}, {} {}, {} {}{}; {}; bands: {:g} % bootstrap over sentences{} (summary{}{})",
      result.model.empty() ? "model not named" : printable(result.model), printable(result.recording),
      grouped(result.sentences), plural(result.sentences, "sentence"), grouped(result.words),
      plural(result.words, "word"), result.options.punctuation ? "" : " without punctuation",
      result.options.projective ? "projective trees" : "maximum spanning arborescences",
      100 * result.options.bootstrap.confidence,
      has(result, SyntaxSource::attention) ? "; the best head is chosen on these sentences" : "",
      result.grammar.empty() ? "" : ": ", result.grammar);
  analysis::PanelFigure panels;
  panels.columns = 2;
  panels.share_legend = false;
  FigureData left;
  left.title = "By layer";
  left.body = lines(result);
  figure.title = "Gold edges found in either direction";
  figure.caption = facts;
  if (!has(result, SyntaxSource::attention)) {
    figure.body = std::move(left.body);
    return figure;
  }
  FigureData right;
  right.title = "Every head";
  right.body = heads(result);
  panels.panels.push_back(std::move(left));
  panels.panels.push_back(std::move(right));
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::app

#include "analysis/figure_data/corpus_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/measure_text.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/counted.h"

namespace mog::analysis {
namespace {

LineSeries series_of(Part part) {
  LineSeries series;
  if (part == Part::none) {
    series.colour = ColourKey::of_palette(PartColour::vermillion);  // a gate: the weight of what is new
    return series;
  }
  series.label = mog::name(part);
  series.colour = ColourKey::of_part(part);
  series.dash = dash_of_part(part);
  return series;
}

// A model, and what its recording is called where that says more.
std::string who(const ModelCard& model, const std::string& recording) {
  if (recording.empty()) {
    return model.name;
  }
  return recording.starts_with(model.name) ? recording : fmt::format("{} \"{}\"", model.name, recording);
}

std::string models_text(const PairedDifference& difference) {
  const std::string first = who(difference.first, difference.first_recording);
  const std::string second = who(difference.second, difference.second_recording);
  return first == second ? first + " (second recording less first)" : second + " less " + first;
}

std::string caption_of(const PairedDifference& difference, const FigureData& figure) {
  std::string n = difference.pairs_text();
  if (!difference.words.all()) {
    n += ", words " + difference.words.label() + " of each";
  }
  n += bands_clause(figure, difference.bootstrap);
  const std::size_t cells = difference.cells.size();
  n += fmt::format("; p: max-T test by {} sign flips of sentences, adjusted for {} {}",
                   grouped(difference.permutations), cells, cells == 1 ? "cell" : "cells");
  const std::string& corpus = difference.first_corpus;
  ModelCard models;
  models.name = models_text(difference);
  return caption(models,
                 corpus == difference.second_corpus ? corpus : corpus + ", " + difference.second_corpus, n,
                 "summary");
}

}  // namespace

FigureData corpus_difference_figure(const PairedDifference& difference) {
  std::vector<std::int64_t> layers;
  for (const PairedCell& cell : difference.cells) {
    layers.push_back(cell.series.layer);
  }
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  LinePlot plot;
  plot.x.quantity = "layer";
  for (const std::int64_t layer : layers) {
    plot.x_categories.push_back(fmt::format("{}", layer));
  }
  plot.y.quantity = fmt::format("Δ {}", measure_text(difference.measure, difference.gate));
  plot.y.units = units(difference.measure);
  plot.y.averaged = "mean over sentences";
  plot.zero_line = 0.0;
  plot.significant = kSignificant;
  std::map<Part, LineSeries> lines;
  for (const PairedCell& cell : difference.cells) {
    if (cell.series.head != 0) {
      continue;
    }
    const auto at = std::lower_bound(layers.begin(), layers.end(), cell.series.layer);
    LineSeries& line = lines.try_emplace(cell.series.part, series_of(cell.series.part)).first->second;
    LinePoint point;
    point.x = static_cast<double>(at - layers.begin());
    point.y = cell.difference;
    point.low = cell.low;
    point.high = cell.high;
    point.sentences = difference.sentences;
    point.p = cell.p;
    line.points.push_back(point);
  }
  for (auto& [part, line] : lines) {
    plot.series.push_back(std::move(line));
  }
  plot.legend_title = plot.series.size() > 1 ? "part" : "";
  FigureData figure;
  figure.body = std::move(plot);
  figure.caption = caption_of(difference, figure);
  return figure;
}

}  // namespace mog::analysis

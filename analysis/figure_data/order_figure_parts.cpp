#include "analysis/figure_data/order_figure_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::analysis::order_figures {
namespace {

// What the numbers are a summary of: the choices behind the grammar, of algebra alone where there is none.
std::string level_of(const WordStatistics& statistics) {
  return statistics.grammar.empty() ? "algebra of gold trees" : "summary: " + statistics.grammar;
}

// n, what the bands are, and the error of sampling where there was any.
std::string counted(const WordStatistics& statistics, const FigureData& figure, const std::string& more) {
  std::string n = grouped(statistics.sentences) + (statistics.sentences == 1 ? " sentence" : " sentences");
  if (!statistics.words.all()) {
    n += ", words " + statistics.words.label() + " of each";
  }
  n += more;
  double error = -1;
  for (const WordCell& cell : statistics.cells) {
    error = std::isnan(cell.sampling_error) ? error : std::max(error, cell.sampling_error);
  }
  if (error >= 0) {
    n += fmt::format(
        "; beyond 12 words {} derivations a word were sampled (seed {}): standard error at most {:.2g}",
        grouped(statistics.samples), statistics.bootstrap.seed, error);
  }
  return n + bands_clause(figure, statistics.bootstrap);
}

// What of a list of texts is new, one after the other.
std::string distinct_texts(const std::vector<std::string>& texts) {
  std::string result;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    if (!text.empty() && seen.insert(text).second) {
      result += (result.empty() ? "" : ", ") + text;
    }
  }
  return result;
}

}  // namespace

void need_cells(std::span<const WordStatistics> statistics) {
  for (const WordStatistics& one : statistics) {
    if (one.cells.empty()) {
      throw UsageError(
          fmt::format("a figure of \"{}\": no word of the recording has a value of it", one.measure));
    }
  }
  if (statistics.empty()) {
    throw UsageError("a figure of leaves and orders needs at least one recording");
  }
}

std::string averaged(const WordStatistics& statistics) {
  return statistics.averaging == Averaging::micro ? "mean over words" : "mean over sentences";
}

// Of one recording, or what several of them have together; `more` is of the first.
std::string caption_of(std::span<const WordStatistics> statistics, const FigureData& figure,
                       const std::string& more) {
  ModelCard models;
  std::vector<std::string> names;
  std::vector<std::string> corpora;
  std::vector<std::string> levels;
  for (const WordStatistics& one : statistics) {
    names.push_back(one.model.name);
    corpora.push_back(one.corpus_name);
    levels.push_back(level_of(one));
  }
  models.name = names.size() > 6
                    ? fmt::format("{} to {} ({} models)", names.front(), names.back(), names.size())
                    : distinct_texts(names);
  std::vector<std::string> counts;
  for (const WordStatistics& one : statistics) {
    counts.push_back(fmt::format("{}", one.sentences));
  }
  std::string n = counted(statistics.front(), figure, more);
  if (const std::string all = distinct_texts(counts); all.find(',') != std::string::npos) {
    n = all + n.substr(n.find(' '));
  }
  return caption(models, distinct_texts(corpora), n, distinct_texts(levels));
}

LinePoint point_of(const WordCell* cell, double x) {
  LinePoint point;
  point.x = x;
  if (cell != nullptr) {
    point.y = cell->mean;
    point.low = cell->low;
    point.high = cell->high;
    point.sentences = cell->sentences;
    point.tokens = cell->words;
  }
  return point;
}

std::vector<std::int64_t> layers_of(const WordStatistics& statistics) {
  std::set<std::int64_t> layers;
  for (const WordSeries& series : statistics.series) {
    layers.insert(series.layer);
  }
  return {layers.begin(), layers.end()};
}

LinePlot plot_by_layer(const WordStatistics& statistics, const std::vector<std::int64_t>& layers,
                       const std::string& quantity) {
  LinePlot plot;
  plot.x.quantity = "layer";
  for (const std::int64_t layer : layers) {
    plot.x_categories.push_back(fmt::format("{}", layer));
  }
  plot.y = {quantity, statistics.units, averaged(statistics)};
  return plot;
}

LineSeries line_of(const WordStatistics& statistics, const std::vector<std::int64_t>& layers,
                   WordSeries wanted, std::string label, ColourKey colour, Dash dash) {
  LineSeries line;
  line.label = std::move(label);
  line.colour = colour;
  line.dash = dash;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    wanted.layer = layers[i];
    line.points.push_back(
        point_of(statistics.find(wanted, statistics.groups.front()), static_cast<double>(i)));
  }
  return line;
}

}  // namespace mog::analysis::order_figures

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/measure_text.h"
#include "analysis/figure_data/panel_titles.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::string_view quantity_text(const LengthStatistics& statistics) {
  return measure_text(statistics.measure, statistics.gate);
}

// The series of one part (and head) by ascending layer: indices into LengthStatistics::series.
std::vector<std::int64_t> series_of(const LengthStatistics& statistics, Part part, std::int64_t head) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < statistics.series.size(); ++i) {
    if (statistics.series[i].part == part && statistics.series[i].head == head) {
      result.push_back(static_cast<std::int64_t>(i));
    }
  }
  return result;
}

LinePoint point_of(const LengthCell& cell, double x, const WeightFigureOptions& options) {
  LinePoint point;
  point.x = x;
  point.sentences = cell.sentences;
  point.tokens = cell.tokens;
  if (cell.sentences >= std::max<std::int64_t>(options.minimum_sentences, 1)) {
    const bool difference = options.view == WeightPlot::difference_by_length;
    point.y = difference ? cell.difference : cell.mean;
    point.low = difference ? cell.difference_low : cell.low;
    point.high = difference ? cell.difference_high : cell.high;
  }
  return point;
}

std::int64_t bins_to_show(const LengthStatistics& statistics) {
  for (std::int64_t bin = statistics.bins.size(); bin > 0; --bin) {
    if (!statistics.bin_sentences[static_cast<std::size_t>(bin - 1)].empty()) {
      return bin;
    }
  }
  return 1;
}

AxisText y_text(const LengthStatistics& statistics, WeightPlot view) {
  AxisText result;
  result.quantity = quantity_text(statistics);
  if (view == WeightPlot::difference_by_length) {
    result.quantity = fmt::format("Δ {}, to {} words", quantity_text(statistics),
                                  statistics.bins.label(std::max<std::int64_t>(statistics.first_bin, 0)));
  }
  result.units = units(statistics.measure);
  result.averaged = statistics.averaging == Averaging::micro ? "mean over words" : "mean over sentences";
  return result;
}

LinePlot plot_by_layer(const LengthStatistics& statistics, std::span<const std::int64_t> series,
                       const WeightFigureOptions& options) {
  LinePlot plot;
  plot.x.quantity = "layer";
  plot.legend_title = statistics.by == BinnedBy::length ? "source words" : "place of the word";
  for (const std::int64_t index : series) {
    plot.x_categories.push_back(fmt::format("{}", statistics.series[static_cast<std::size_t>(index)].layer));
  }
  const std::int64_t bins = bins_to_show(statistics);
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    LineSeries line;
    line.colour = ColourKey::of_ramp(bin, bins);
    line.label = statistics.bins.label(bin);
    line.lengths = LengthSpan{statistics.bins.low(bin), statistics.bins.high(bin)};
    for (std::size_t i = 0; i < series.size(); ++i) {
      line.points.push_back(point_of(statistics.cell(series[i], bin), static_cast<double>(i), options));
    }
    const bool any = std::any_of(line.points.begin(), line.points.end(),
                                 [](const LinePoint& point) { return std::isfinite(point.y); });
    if (any) {
      plot.series.push_back(std::move(line));
    }
  }
  return plot;
}

LinePlot plot_by_length(const LengthStatistics& statistics, std::span<const std::int64_t> series,
                        const WeightFigureOptions& options) {
  LinePlot plot;
  const bool by_length = statistics.by == BinnedBy::length;
  plot.x.quantity = by_length ? "sentence length" : "place of the word in its sentence";
  plot.x.units = by_length ? "words" : "";
  plot.legend_title = "layer";
  plot.counts_label = "sentences";
  const std::int64_t bins = bins_to_show(statistics);
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    plot.x_categories.push_back(statistics.bins.label(bin));
    plot.x_lengths.push_back({statistics.bins.low(bin), statistics.bins.high(bin)});
    plot.counts.push_back(
        static_cast<std::int64_t>(statistics.bin_sentences[static_cast<std::size_t>(bin)].size()));
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    LineSeries line;
    line.colour = ColourKey::of_layer(static_cast<std::int64_t>(i), static_cast<std::int64_t>(series.size()));
    line.label = fmt::format("{}", statistics.series[static_cast<std::size_t>(series[i])].layer);
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      line.points.push_back(point_of(statistics.cell(series[i], bin), static_cast<double>(bin), options));
    }
    plot.series.push_back(std::move(line));
  }
  if (options.view == WeightPlot::difference_by_length) {
    plot.zero_line = 0.0;
  }
  return plot;
}

LinePlot plot_of(const LengthStatistics& statistics, Part part, const WeightFigureOptions& options) {
  const auto series = series_of(statistics, part, options.head);
  if (series.empty()) {
    throw UsageError(
        fmt::format("a figure of \"{}\" by layer and length: there is no head {}; heads count from 1, 0 is "
                    "the mean over heads",
                    name(statistics.measure), options.head));
  }
  LinePlot plot = options.view == WeightPlot::by_layer ? plot_by_layer(statistics, series, options)
                                                       : plot_by_length(statistics, series, options);
  plot.y = y_text(statistics, options.view);
  return plot;
}

std::vector<Part> parts_of(const LengthStatistics& statistics) {
  std::set<Part> parts;
  for (const MeasuredSeries& series : statistics.series) {
    parts.insert(series.part);
  }
  return {parts.begin(), parts.end()};
}

// One y axis for all panels.
void share_y(std::vector<FigureData>& panels) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const FigureData& panel : panels) {
    const auto& plot = std::get<LinePlot>(panel.body);
    for (const LineSeries& series : plot.series) {
      for (const LinePoint& point : series.points) {
        const bool band = !of_few_sentences(plot, series, point);
        for (const double value : {point.y, band ? point.low : point.y, band ? point.high : point.y,
                                   plot.zero_line.value_or(point.y)}) {
          low = std::isfinite(value) ? std::min(low, value) : low;
          high = std::isfinite(value) ? std::max(high, value) : high;
        }
      }
    }
  }
  if (low <= high) {
    for (FigureData& panel : panels) {
      std::get<LinePlot>(panel.body).y_low = low;
      std::get<LinePlot>(panel.body).y_high = high;
    }
  }
}

// A layer looks the same in every panel, however many layers its model has: one legend for all.
void share_layer_colours(std::vector<FigureData>& panels) {
  std::size_t most = 0;
  for (const FigureData& panel : panels) {
    most = std::max(most, std::get<LinePlot>(panel.body).series.size());
  }
  for (FigureData& panel : panels) {
    std::int64_t layer = 0;
    for (LineSeries& series : std::get<LinePlot>(panel.body).series) {
      series.colour = ColourKey::of_layer(layer++, static_cast<std::int64_t>(most));
    }
  }
}

// Sentences of the bins that have a point: some have too few of them.
std::int64_t drawn_sentences(const LengthStatistics& statistics, const WeightFigureOptions& options) {
  std::set<BinnedSentence> drawn;
  for (std::int64_t bin = 0; bin < statistics.bins.size(); ++bin) {
    bool any = false;
    for (std::size_t i = 0; i < statistics.series.size(); ++i) {
      any |= statistics.series[i].head == options.head &&
             std::isfinite(point_of(statistics.cell(static_cast<std::int64_t>(i), bin), 0, options).y);
    }
    if (any) {
      const auto& sentences = statistics.bin_sentences[static_cast<std::size_t>(bin)];
      drawn.insert(sentences.begin(), sentences.end());
    }
  }
  return static_cast<std::int64_t>(drawn.size());
}

// "293 of 300 sentences (bins of fewer than 10 are left out), words 1-8 of each", of several "293, 120 …", a
// number a corpus in their order.
std::string n_text(std::span<const LengthStatistics> statistics, const WeightFigureOptions& options) {
  std::string counts;
  std::set<std::pair<std::string, std::string>> said;  // of a corpus
  bool all = true;
  bool one_sentence = statistics.size() == 1;
  for (const LengthStatistics& one : statistics) {
    const std::int64_t drawn = drawn_sentences(one, options);
    all &= drawn == one.sentences;
    one_sentence &= one.sentences == 1;
    const std::string count =
        drawn == one.sentences ? grouped(drawn) : grouped(drawn) + " of " + grouped(one.sentences);
    if (said.emplace(one.corpus_name, count).second) {
      counts += (counts.empty() ? "" : ", ") + count;
    }
  }
  std::string n = counts + (one_sentence ? " sentence" : " sentences");
  if (!all) {
    n += fmt::format(" (bins of fewer than {} are left out)", options.minimum_sentences);
  }
  const WordRange& words = statistics.front().words;
  return words.all() ? n : n + ", words " + words.label() + " of each";
}

}  // namespace

std::string_view measure_text(Measure measure, GateKind gate) {
  switch (measure) {
    case Measure::gate:
      return gate == GateKind::update || gate == GateKind::input_forget
                 ? "gate: share of the new value"
                 : "gate weight of high + middle order";
    case Measure::share:
      return "share of the part's norm";
    case Measure::entropy:
      return "entropy of attention rows";
    case Measure::maximum:
      return "greatest attention weight of a row";
    case Measure::leaves:
      return "expected leaves (words with repeats)";
    case Measure::sink:
      return "attention to the first token";
  }
  return "";
}

std::string caption(const ModelCard& model, const std::string& corpus, const std::string& n,
                    const std::string& level) {
  std::string result;
  const auto append = [&](const std::string& label, const std::string& text) {
    if (!text.empty()) {
      result += (result.empty() ? "" : "; ") + label + text;
    }
  };
  append("model ", model.name);
  append("corpus ", corpus);
  append("", n);
  append(std::string(kLevelOfClaim), level);
  return result;
}

FigureData weight_figure(const LengthStatistics& statistics, const WeightFigureOptions& options) {
  FigureData figure;
  const auto captioned = [&] {
    const std::string n = n_text({&statistics, 1}, options) + bands_clause(figure, statistics.bootstrap);
    figure.caption = caption(statistics.model, statistics.corpus_name, n, "summary");
    return std::move(figure);
  };
  const std::vector<Part> parts = parts_of(statistics);
  if (parts.size() <= 1) {
    figure.body = plot_of(statistics, parts.empty() ? Part::none : parts.front(), options);
    return captioned();
  }
  PanelFigure panels;
  panels.columns = 2;
  for (const Part part : parts) {
    FigureData panel;
    panel.title = mog::name(part);
    panel.body = plot_of(statistics, part, options);
    panels.panels.push_back(std::move(panel));
  }
  share_y(panels.panels);
  figure.body = std::move(panels);
  return captioned();
}

FigureData weight_panels(std::span<const LengthStatistics> statistics, const WeightFigureOptions& options) {
  if (statistics.empty()) {
    throw UsageError("a figure with one panel a recording needs at least one recording");
  }
  if (statistics.size() == 1) {
    return weight_figure(statistics.front(), options);
  }
  std::vector<std::string> corpora;
  std::vector<std::string> models_in_order;
  for (const LengthStatistics& one : statistics) {
    if (std::find(corpora.begin(), corpora.end(), one.corpus_name) == corpora.end()) {
      corpora.push_back(one.corpus_name);
    }
    if (std::find(models_in_order.begin(), models_in_order.end(), one.model.name) == models_in_order.end()) {
      models_in_order.push_back(one.model.name);
    }
  }
  const std::vector<std::string> titles = panel_titles_of(statistics);
  PanelFigure panels;
  panels.columns = statistics.size() <= 2 ? 2 : (statistics.size() <= 6 ? 3 : 4);
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    const LengthStatistics& one = statistics[i];
    const std::vector<Part> parts = parts_of(one);
    for (const Part part : parts) {
      FigureData panel;
      panel.title = titles[i];
      if (part != Part::none) {
        panel.title += fmt::format(", {}", mog::name(part));
      }
      panel.body = plot_of(one, part, options);
      panels.panels.push_back(std::move(panel));
    }
  }
  share_y(panels.panels);
  if (options.view != WeightPlot::by_layer) {
    share_layer_colours(panels.panels);
  }
  FigureData figure;
  ModelCard models;
  models.name = models_in_order.size() > 3 ? fmt::format("{} to {} ({} models)", models_in_order.front(),
                                                         models_in_order.back(), models_in_order.size())
                                           : fmt::format("{}", fmt::join(models_in_order, ", "));
  figure.body = std::move(panels);
  figure.caption =
      caption(models, fmt::format("{}", fmt::join(corpora, ", ")),
              n_text(statistics, options) + bands_clause(figure, statistics.front().bootstrap), "summary");
  return figure;
}

}  // namespace mog::analysis

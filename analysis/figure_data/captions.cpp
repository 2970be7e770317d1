#include "analysis/figure_data/captions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mog::analysis {
namespace {

bool has_width(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && high > low;
}

// Calls `see(value, low, high, sentences)` for what a figure of lines or bars shows.
template <class See>
void for_each_mark(const FigureData& figure, const See& see) {
  if (const auto* const panels = std::get_if<PanelFigure>(&figure.body)) {
    for (const FigureData& panel : panels->panels) {
      for_each_mark(panel, see);
    }
  } else if (const auto* const plot = std::get_if<LinePlot>(&figure.body)) {
    for (const LineSeries& series : plot->series) {
      for (LinePoint point : series.points) {
        if (plot->stacked || of_few_sentences(*plot, series, point)) {  // drawn without intervals
          point.low = point.high = kAbsent;
        }
        see(point);
      }
    }
  } else if (const auto* const bars = std::get_if<BarPlot>(&figure.body)) {
    for (const BarRow& row : bars->rows) {
      see(LinePoint{.y = row.value, .low = row.low, .high = row.high, .sentences = row.sentences});
    }
  }
}

bool shows_few(const FigureData& figure) {
  if (const auto* const panels = std::get_if<PanelFigure>(&figure.body)) {
    return std::any_of(panels->panels.begin(), panels->panels.end(), shows_few);
  }
  const auto* const plot = std::get_if<LinePlot>(&figure.body);
  return plot != nullptr &&
         std::any_of(plot->series.begin(), plot->series.end(), [plot](const LineSeries& series) {
           return std::any_of(series.points.begin(), series.points.end(),
                              [&](const LinePoint& point) { return of_few_sentences(*plot, series, point); });
         });
}

std::size_t level_of_claim(const std::string& caption) {
  const std::string_view mark = kLevelOfClaim;
  if (caption.starts_with(mark)) {
    return 0;
  }
  const std::size_t at = caption.find("; " + std::string(mark));
  return at == std::string::npos ? caption.size() : at;
}

}  // namespace

bool of_few_sentences(const LinePlot& plot, const LineSeries& series, const LinePoint& point) {
  return !plot.stacked && (series.lengths || !plot.x_lengths.empty()) && std::isfinite(point.y) &&
         point.sentences < kFewSentences;
}

bool shows_intervals(const FigureData& figure) {
  bool any = false;
  for_each_mark(figure, [&](const LinePoint& point) {
    any |= std::isfinite(point.y) && has_width(point.low, point.high);
  });
  return any;
}

std::string bands_clause(const FigureData& figure, const BootstrapOptions& bootstrap) {
  std::string clause;
  if (bootstrap.resamples > 0 && shows_intervals(figure)) {
    clause = fmt::format("; bands: {:.0f}\u00a0% bootstrap over sentences", bootstrap.confidence * 100);
  }
  return shows_few(figure) ? fmt::format("{}; open marks: fewer than {} sentences", clause, kFewSentences)
                           : clause;
}

std::string intervals_clause(const FigureData& figure) {
  return shows_intervals(figure) ? "95 % bootstrap intervals over sentences" : "";
}

std::int64_t most_sentences(const FigureData& figure) {
  std::int64_t most = 0;
  for_each_mark(figure, [&](const LinePoint& point) {
    most = std::isfinite(point.y) ? std::max(most, point.sentences) : most;
  });
  return most;
}

void add_to_caption(FigureData& figure, const std::string& clause) {
  if (clause.empty()) {
    return;
  }
  const std::size_t at = level_of_claim(figure.caption);
  figure.caption.insert(at, at == 0 ? clause + (figure.caption.empty() ? "" : "; ") : "; " + clause);
}

std::string short_caption(const std::string& caption) {
  return caption.substr(0, level_of_claim(caption));
}

}  // namespace mog::analysis

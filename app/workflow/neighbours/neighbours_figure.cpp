// Neighbours as a figure: words in their contexts, and what they have in common.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/no_cell.h"
#include "analysis/figure_data/ticks.h"
#include "app/workflow/neighbours/neighbours_job.h"
#include "io/recording/counted.h"

namespace mog::app {
namespace {

using analysis::FigureData;
using analysis::HeatMap;
using analysis::LinePlot;

constexpr std::size_t kMostShown = 12;  // relations

std::string measure_text(const Neighbours& neighbours) {
  return fmt::format("{} of {}{}{}", neighbours.measure, neighbours.quantity,
                     neighbours.head > 0 ? fmt::format(", head {}", neighbours.head) : "",
                     neighbours.centered ? ", less the mean over the corpus" : "");
}

void add_row(HeatMap& map, const NeighbourWord& word, const std::string& label, std::int64_t context) {
  map.rows.push_back({.text = label});
  for (std::int64_t place = -context; place <= context; ++place) {
    const std::int64_t at = word.word - 1 + place;
    if (at < 0 || at >= static_cast<std::int64_t>(word.words.size())) {
      map.texts.emplace_back();
      map.values.push_back(analysis::kNoCell);
      map.details.emplace_back("no word");
      continue;
    }
    const std::string& text = map.texts.emplace_back(word.words[static_cast<std::size_t>(at)]);
    const double value =
        map.values.emplace_back(!word.gives.empty() ? word.gives[static_cast<std::size_t>(at)]
                                : place == 0        ? word.similarity
                                                    : analysis::kNoCell);
    map.details.push_back(value == analysis::kNoCell   ? text
                          : value == analysis::kUnseen ? text + ", not seen"
                                                       : text + ", " + analysis::readable(value));
  }
}

// Where attention is drawn: what of it goes to what is not drawn.
std::string special_text(const Neighbours& neighbours) {
  double sum = 0;
  for (const NeighbourWord& word : neighbours.found) {
    sum += word.special;
  }
  if (!(sum + neighbours.word.special > 0)) {
    return "";
  }
  return fmt::format(
      "; special tokens, not shown, take {:.2f}{}", neighbours.word.special,
      neighbours.found.empty()
          ? ""
          : fmt::format(" (of the neighbours {:.2f})", sum / static_cast<double>(neighbours.found.size())));
}

HeatMap concordance(const Neighbours& neighbours, std::int64_t context) {
  HeatMap map;
  map.row_title = "sentence:word, " + neighbours.measure;
  map.column_title = "place";
  map.text_title = "word";
  map.square_cells = false;
  for (std::int64_t place = -context; place <= context; ++place) {
    map.columns.push_back({.text = place > 0 ? fmt::format("+{}", place) : std::to_string(place)});
  }
  add_row(map, neighbours.word, fmt::format("{}:{}", neighbours.word.sentence, neighbours.word.word),
          context);
  for (const NeighbourWord& word : neighbours.found) {
    add_row(map, word, fmt::format("{}:{}  {:.3f}", word.sentence, word.word, word.similarity), context);
  }
  map.scale.quantity = {neighbours.word.gives.empty() ? neighbours.measure : "attention of the word at 0",
                        "1", ""};
  if (!neighbours.word.gives.empty()) {
    double greatest = 1e-6;
    for (const double value : map.values) {
      greatest = std::isfinite(value) ? std::max(greatest, value) : greatest;
    }
    map.scale.high = greatest;
  }
  return map;
}

LinePlot shares(const Neighbours& neighbours, const std::string& group) {
  LinePlot plot;
  plot.joined = false;
  plot.x.quantity = group == "upos" ? "part of speech" : group == "relation" ? "relation" : "k-occurrence";
  plot.y = {"share of the words", "1", ""};
  plot.y_low = 0;
  analysis::LineSeries own{
      .label = "neighbours", .colour = analysis::ColourKey::of_category(0, 2), .points = {}};
  analysis::LineSeries all{.label = group == "occurrences" ? "words drawn" : "corpus",
                           .colour = analysis::ColourKey::of_category(1, 2),
                           .points = {}};
  for (const NeighbourShare& share : neighbours.shares) {
    if (share.group != group || plot.x_categories.size() >= kMostShown) {
      continue;
    }
    const auto x = static_cast<double>(plot.x_categories.size());
    plot.x_categories.push_back(share.value);
    plot.counts.push_back(share.neighbours);
    const analysis::ShareRatio& ratio = share.ratio;
    own.points.push_back(
        {.x = x, .y = ratio.share, .low = ratio.low * ratio.of_all, .high = ratio.high * ratio.of_all});
    all.points.push_back({.x = x, .y = ratio.of_all});
  }
  plot.counts_label = "neighbours";
  plot.series = {std::move(own), std::move(all)};
  plot.legend_title = "words";
  return plot;
}

}  // namespace

FigureData neighbours_figure(const Neighbours& neighbours, std::int64_t context, NeighboursShown shown) {
  analysis::PanelFigure panels;
  panels.share_legend = false;
  const std::string title = fmt::format("Neighbours of \"{}\"", neighbours.word.text());
  panels.panels.push_back({.title = title, .caption = "", .body = concordance(neighbours, context)});
  for (const char* const group : {"upos", "relation", "occurrences"}) {
    LinePlot plot = shares(neighbours, group);
    if (!plot.x_categories.empty()) {
      panels.panels.push_back({.title = "", .caption = "", .body = std::move(plot)});
    }
  }
  const bool list_only = shown == NeighboursShown::list || panels.panels.size() == 1;
  FigureData figure;
  const std::string pairs = neighbours.reference > 0
                                ? fmt::format("; any two words {} ({} drawn)",
                                              pairs_text(neighbours.occurrence), neighbours.reference)
                                : "";
  figure.caption =
      analysis::caption(neighbours.model, neighbours.corpus,
                        fmt::format("{} of {} compared by {}{}{}", counted(neighbours.words, "word"),
                                    counted(neighbours.sentences, "sentence"), measure_text(neighbours),
                                    pairs, special_text(neighbours)),
                        list_only ? "summary" : "summary; intervals of 95 % (Wilson)");
  if (list_only) {
    figure.title = title;
    figure.body = std::move(panels.panels.front().body);
  } else {
    figure.body = std::move(panels);
  }
  return figure;
}

}  // namespace mog::app

#include "analysis/figure_data/trajectory_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/figure_data/trajectory_rows.h"
#include "analysis/statistics/change_points.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

void require(const std::vector<std::string>& known, const std::string& asked, const char* option,
             const std::string& file) {
  if (std::find(known.begin(), known.end(), asked) != known.end()) {
    return;
  }
  std::string list;
  for (const std::string& one : known) {
    list += (list.empty() ? "" : ", ") + (one.empty() ? std::string("(none)") : one);
  }
  throw UsageError(fmt::format("figure trajectory --{} {}: {} has {}{}", option, asked, file, list,
                               did_you_mean(asked, known)));
}

// How the line of a layer looks.
struct LineLook {
  std::string label;
  std::string name;  // in the caption
  ColourKey colour;
  Dash dash = Dash::solid;
};

LineSeries series_of(const TrajectoryRows& rows, const std::vector<std::size_t>& chosen,
                     const std::string& layer, const LineLook& look) {
  LineSeries series{.label = look.label, .colour = look.colour, .dash = look.dash, .points = {}};
  for (const std::size_t row : chosen) {
    if (rows.text(row, "layer") == layer) {
      series.points.push_back({.x = rows.number(row, "update"),
                               .y = rows.number(row, "mean"),
                               .low = rows.number(row, "low"),
                               .high = rows.number(row, "high"),
                               .sentences = rows.whole(row, "sentences"),
                               .tokens = rows.whole(row, "tokens")});
    }
  }
  std::sort(series.points.begin(), series.points.end(),
            [](const LinePoint& left, const LinePoint& right) { return left.x < right.x; });
  return series;
}

// Marks them on the line and says where they are: "layer 3 at 1200, 3400"; empty: none.
std::string mark_changes(LineSeries& series, const std::string& name) {
  std::vector<double> x;
  std::vector<double> y;
  for (const LinePoint& point : series.points) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  std::string places;
  for (const std::size_t at : change_points(x, y)) {
    series.points[at].change = true;
    places += fmt::format("{}{}", places.empty() ? "" : ", ", shortest(series.points[at].x));
  }
  return places.empty() ? places : fmt::format("{} at {}", name, places);
}

struct Panel {
  FigureData figure;
  std::string part;
  std::string changes;  // for the caption
};

// Of what: "gate weight" of words, "token cosine" of pairs of them.
AxisText axis_of(const std::string& measure, const std::string& units) {
  if (measure == "token_cosine") {
    return {"token cosine", units, "mean over pairs of tokens"};
  }
  if (measure == "uuas") {
    return {"UUAS of the best tree", units, ""};
  }
  std::string text = measure;
  std::replace(text.begin(), text.end(), '_', ' ');
  return {text, units, "mean over words"};
}

// One y axis for all, so that panels compare.
void share_axis(PanelFigure& panels) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  const auto plots = [&](const auto& act) {
    for (FigureData& panel : panels.panels) {
      act(std::get<LinePlot>(panel.body));
    }
  };
  plots([&](const LinePlot& plot) {
    for (const LineSeries& series : plot.series) {
      for (const LinePoint& point : series.points) {
        for (const double value : {point.y, point.low, point.high}) {
          if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
          }
        }
      }
    }
  });
  if (low < high) {
    plots([&](LinePlot& plot) {
      plot.y_low = low;
      plot.y_high = high;
    });
  }
}

// What is drawn of one run: rows of one measure, length and head.
struct Choice {
  TrajectoryRows rows;
  std::string name;  // of the run
  std::string measure;
  std::vector<std::size_t> chosen;
};

// Whether a row is one of them.
auto among(const std::vector<std::size_t>& chosen) {
  return [&chosen](std::size_t row) { return std::find(chosen.begin(), chosen.end(), row) != chosen.end(); };
}

Choice choose(const Trajectory& run, const TrajectoryOptions& options) {
  check_trajectory(run);
  Choice choice{TrajectoryRows(run), run.name, options.measure, {}};
  const TrajectoryRows& rows = choice.rows;
  std::string& measure = choice.measure;
  const auto all = [](std::size_t) { return true; };
  measure = measure.empty() ? rows.text(0, "measure") : measure;
  require(rows.values("measure", all), measure, "measure", run.file);
  const auto of_measure = [&](std::size_t row) { return rows.text(row, "measure") == measure; };
  require(rows.values("bin", of_measure), options.length, "length", run.file);
  const auto of_length = [&](std::size_t row) {
    return of_measure(row) && rows.text(row, "bin") == options.length;
  };
  require(rows.values("head", of_length), options.head, "head", run.file);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (of_length(row) && rows.text(row, "head") == options.head) {
      choice.chosen.push_back(row);
    }
  }
  const auto keep = [&](const char* column, const std::string& wanted) {
    if (wanted.empty()) {
      return;
    }
    require(rows.values(column, among(choice.chosen)), wanted, column, run.file);
    std::erase_if(choice.chosen, [&](std::size_t row) { return rows.text(row, column) != wanted; });
  };
  keep("part", options.part);
  keep("layer", options.layer);
  return choice;
}

// Of all runs, so that a layer has one colour.
std::vector<std::string> layers_of(const std::vector<Choice>& choices) {
  std::vector<std::string> layers;
  for (const Choice& choice : choices) {
    for (const std::size_t row : choice.chosen) {
      std::string layer = choice.rows.text(row, "layer");
      if (std::find(layers.begin(), layers.end(), layer) == layers.end()) {
        layers.push_back(std::move(layer));
      }
    }
  }
  std::sort(layers.begin(), layers.end(), [](const std::string& left, const std::string& right) {
    return std::pair(left.size(), left) < std::pair(right.size(), right);
  });
  return layers;
}

// "tagger; dev.conllu, 100 sentences of 10–19 words", of several runs each that differs.
std::string what_was_watched(const std::vector<Choice>& choices, const std::string& length) {
  std::string text;
  std::vector<std::string> said;
  for (const Choice& choice : choices) {
    const std::size_t first = choice.chosen.front();
    std::string one =
        fmt::format("{}, {} sentences{}", choice.rows.text(first, "corpus"),
                    choice.rows.whole(first, "sentences"), length == "all" ? "" : " of " + length + " words");
    if (choices.size() == 1) {
      return choice.rows.text(first, "model") + "; " + one;
    }
    if (std::find(said.begin(), said.end(), one) == said.end()) {
      text += (said.empty() ? "" : " | ") + one;
      said.push_back(std::move(one));
    }
  }
  return counted(static_cast<std::int64_t>(choices.size()), "run") + "; " + text;
}

// Lines of runs: colours of layers, and dashes of runs where several share a panel.
class Lines {
 public:
  Lines(const std::vector<Choice>& choices, const TrajectoryOptions& options)
      : layers_(layers_of(choices)),
        runs_(static_cast<std::int64_t>(choices.size())),
        together_(options.together && choices.size() > 1),
        change_points_(options.change_points) {}

  bool together() const { return together_; }
  std::string legend_title() const {
    return !together_ ? "layer" : layers_.size() > 1 ? "layer, run" : "run";
  }
  // Adds the lines of the panel's part of a run.
  void add(const Choice& choice, std::int64_t run, Panel& panel) const {
    std::vector<std::size_t> chosen = choice.chosen;
    std::erase_if(chosen, [&](std::size_t row) { return choice.rows.text(row, "part") != panel.part; });
    auto& plot = std::get<LinePlot>(panel.figure.body);
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      const LineLook look = look_of(layer, run, choice.name);
      LineSeries series = series_of(choice.rows, chosen, layers_[layer], look);
      if (series.points.empty()) {
        continue;
      }
      if (change_points_) {
        const std::string changes = mark_changes(series, look.name);
        panel.changes += (panel.changes.empty() || changes.empty() ? "" : "; ") + changes;
      }
      plot.series.push_back(std::move(series));
    }
  }

 private:
  LineLook look_of(std::size_t layer, std::int64_t run, const std::string& name) const {
    const std::string of_layer = layers_[layer].empty() ? "all" : layers_[layer];
    const auto layers = static_cast<std::int64_t>(layers_.size());
    const ColourKey colour = ColourKey::of_layer(static_cast<std::int64_t>(layer), layers);
    if (!together_) {
      return {of_layer, "layer " + of_layer, colour, Dash::solid};
    }
    if (layers == 1) {
      return {name, name, ColourKey::of_category(run, runs_), dash_of_category(run)};
    }
    constexpr std::int64_t kDashes = 3;
    return {of_layer + ", " + name, name + ", layer " + of_layer, colour, static_cast<Dash>(run % kDashes)};
  }

  std::vector<std::string> layers_;  // of all runs, so that a layer has one colour
  std::int64_t runs_ = 1;
  bool together_ = false;
  bool change_points_ = true;
};

Panel empty_panel(const Choice& choice, const std::string& part, const std::string& run,
                  const std::string& legend_title) {
  LinePlot plot;
  plot.x = {"update", "", ""};
  plot.y = axis_of(choice.measure, choice.rows.text(choice.chosen.front(), "units"));
  plot.legend_title = legend_title;
  Panel panel{.figure = {}, .part = part, .changes = {}};
  panel.figure.title = fmt::format("{}{}{}", run, run.empty() || part.empty() ? "" : ", ", part);
  panel.figure.body = std::move(plot);
  return panel;
}

// A panel a part of each run; of runs together a panel a part.
std::vector<Panel> panels_of(const std::vector<Choice>& choices, const Lines& lines) {
  std::vector<Panel> panels;
  for (std::size_t run = 0; run < choices.size(); ++run) {
    const Choice& choice = choices[run];
    for (const std::string& part : choice.rows.values("part", among(choice.chosen))) {
      auto at = lines.together() ? std::find_if(panels.begin(), panels.end(),
                                                [&](const Panel& panel) { return panel.part == part; })
                                 : panels.end();
      if (at == panels.end()) {
        const bool named = !lines.together() && choices.size() > 1;
        panels.push_back(
            empty_panel(choice, part, named ? choice.name : std::string(), lines.legend_title()));
        at = panels.end() - 1;
      }
      lines.add(choice, static_cast<std::int64_t>(run), *at);
    }
  }
  return panels;
}

}  // namespace

FigureData trajectory_figure(const std::vector<Trajectory>& runs, const TrajectoryOptions& options) {
  std::vector<Choice> choices;
  for (const Trajectory& run : runs) {
    TrajectoryOptions of_run = options;
    of_run.measure = choices.empty() ? options.measure : choices.front().measure;
    choices.push_back(choose(run, of_run));
  }
  if (choices.empty()) {
    throw UsageError("figure trajectory: give trajectory.csv of `mog train --watch`");
  }
  FigureData figure;
  PanelFigure panels;
  std::string changes;
  for (Panel& panel : panels_of(choices, Lines(choices, options))) {
    if (!panel.changes.empty()) {
      changes += fmt::format("{}{}{}{}", changes.empty() ? "" : " | ", panel.figure.title,
                             panel.figure.title.empty() ? "" : ": ", panel.changes);
    }
    panels.panels.push_back(std::move(panel.figure));
  }
  figure.caption =
      what_was_watched(choices, options.length) + "; after each validation, 0: before the first update";
  if (options.change_points) {
    figure.caption += changes.empty() ? "; no change points" : "; rings: change points (" + changes + ")";
  }
  if (panels.panels.size() == 1) {
    figure.body = std::move(panels.panels.front().body);
    return figure;
  }
  share_axis(panels);
  panels.columns = std::min<std::int64_t>(2, static_cast<std::int64_t>(panels.panels.size()));
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::analysis

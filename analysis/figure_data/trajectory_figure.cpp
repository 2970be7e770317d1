#include "analysis/figure_data/trajectory_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/figure_data/cell_values.h"
#include "analysis/statistics/change_points.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

// Rows of one table, by the names of its columns.
class Rows {
 public:
  explicit Rows(const Trajectory& run) : run_(run) {
    for (const char* const name : {"update", "measure", "layer", "part", "head", "bin", "mean", "low", "high",
                                   "sentences", "tokens", "units", "model", "corpus"}) {
      if (std::find(run.table.columns.begin(), run.table.columns.end(), name) == run.table.columns.end()) {
        throw UsageError(fmt::format(
            "figure trajectory: {} has no column {}; it takes trajectory.csv of `mog train --watch`",
            run.file, name));
      }
    }
    if (run.table.rows.empty()) {
      throw UsageError(fmt::format("figure trajectory: {} has no rows", run.file));
    }
  }

  std::size_t size() const { return run_.table.rows.size(); }
  std::string text(std::size_t row, const char* column) const {
    return text_of(run_.table.rows[row][run_.table.column(column)]);
  }
  double number(std::size_t row, const char* column) const {
    return number_of(run_.table.rows[row][run_.table.column(column)]);
  }
  std::int64_t whole(std::size_t row, const char* column) const {
    const double value = number(row, column);
    return std::isfinite(value) ? static_cast<std::int64_t>(value) : 0;
  }
  // What the rows that `keeps` takes have in a column, in their order.
  template <class Keeps>
  std::vector<std::string> values(const char* column, const Keeps& keeps) const {
    std::vector<std::string> found;
    for (std::size_t row = 0; row < size(); ++row) {
      std::string value = text(row, column);
      if (keeps(row) && std::find(found.begin(), found.end(), value) == found.end()) {
        found.push_back(std::move(value));
      }
    }
    return found;
  }
  const std::string& file() const { return run_.file; }

 private:
  const Trajectory& run_;
};

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

LineSeries series_of(const Rows& rows, const std::vector<std::size_t>& chosen, const std::string& layer) {
  LineSeries series;
  series.label = layer.empty() ? "all" : layer;
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
std::string mark_changes(LineSeries& series) {
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
  return places.empty() ? places : fmt::format("layer {} at {}", series.label, places);
}

struct Panel {
  FigureData figure;
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

// `layers`: of all panels, so that a layer has one colour.
Panel panel_of(const Rows& rows, const std::vector<std::size_t>& chosen, const std::string& measure,
               const std::vector<std::string>& layers, bool change_points) {
  LinePlot plot;
  plot.x = {"update", "", ""};
  plot.y = axis_of(measure, rows.text(chosen.front(), "units"));
  plot.legend_title = "layer";
  Panel panel;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LineSeries series = series_of(rows, chosen, layers[i]);
    if (series.points.empty()) {
      continue;
    }
    series.colour =
        ColourKey::of_layer(static_cast<std::int64_t>(i), static_cast<std::int64_t>(layers.size()));
    if (change_points) {
      const std::string changes = mark_changes(series);
      panel.changes += (panel.changes.empty() || changes.empty() ? "" : "; ") + changes;
    }
    plot.series.push_back(std::move(series));
  }
  panel.figure.body = std::move(plot);
  return panel;
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
  Rows rows;
  std::string measure;
  std::vector<std::size_t> chosen;
};

Choice choose(const Trajectory& run, const TrajectoryOptions& options) {
  Choice choice{Rows(run), options.measure, {}};
  const Rows& rows = choice.rows;
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
  if (!options.part.empty()) {
    const auto is_chosen = [&](std::size_t row) {
      return std::find(choice.chosen.begin(), choice.chosen.end(), row) != choice.chosen.end();
    };
    require(rows.values("part", is_chosen), options.part, "part", run.file);
    std::erase_if(choice.chosen, [&](std::size_t row) { return rows.text(row, "part") != options.part; });
  }
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
  const std::vector<std::string> layers = layers_of(choices);
  FigureData figure;
  PanelFigure panels;
  std::string changes;
  for (std::size_t run = 0; run < choices.size(); ++run) {
    const Choice& choice = choices[run];
    const auto is_chosen = [&](std::size_t row) {
      return std::find(choice.chosen.begin(), choice.chosen.end(), row) != choice.chosen.end();
    };
    for (const std::string& part : choice.rows.values("part", is_chosen)) {
      std::vector<std::size_t> chosen = choice.chosen;
      std::erase_if(chosen, [&](std::size_t row) { return choice.rows.text(row, "part") != part; });
      Panel panel = panel_of(choice.rows, chosen, choice.measure, layers, options.change_points);
      const std::string of_run = runs.size() > 1 ? runs[run].name : std::string();
      panel.figure.title = fmt::format("{}{}{}", of_run, of_run.empty() || part.empty() ? "" : ", ", part);
      if (!panel.changes.empty()) {
        changes += fmt::format("{}{}{}{}", changes.empty() ? "" : " | ", panel.figure.title,
                               panel.figure.title.empty() ? "" : ": ", panel.changes);
      }
      panels.panels.push_back(std::move(panel.figure));
    }
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

// Figures of the tables of `mog train --watch`: panels and lines of runs, what can be chosen, bad rows.
#include <gtest/gtest.h>

#include <string>

#include "analysis/figure_data/trajectory_figure.h"
#include "analysis/statistics/csv_table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr const char* kHead =
    "update,epoch,model,corpus,measure,units,layer,part,head,bin,length_low,length_high,sentences,tokens,"
    "mean,"
    "low,high\n";

// Two layers of two parts; the gate has no part, and bins of lengths.
std::string rows_of(const std::string& model) {
  std::string text = kHead;
  for (const char* const update : {"0", "100"}) {
    const std::string of = std::string(update) + ",1," + model + ",dev.txt,";
    for (const char* const layer : {"1", "2"}) {
      for (const char* const part : {"high", "low"}) {
        text += of + "share,1," + layer + "," + part + ",,all,0,,5,40,0.5,0.4,0.6\n";
      }
      text += of + "gate,1," + layer + ",,,all,0,,5,40,0.2,0.1,0.3\n";
      text += of + "gate,1," + layer + ",,,0-10,0,10,3,20,0.25,,\n";
    }
  }
  return text;
}

Trajectory run_of(const std::string& name, const std::string& text) {
  return {name + ".csv", parse_csv(text, name + ".csv"), name};
}

std::vector<std::string> labels(const FigureData& panel) {
  std::vector<std::string> all;
  for (const LineSeries& series : std::get<LinePlot>(panel.body).series) {
    all.push_back(series.label);
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(Trajectory, ALineALayerAndAPanelAPart) {
  const FigureData figure = trajectory_figure({run_of("a", rows_of("a"))}, {.change_points = false});
  const auto& panels = std::get<PanelFigure>(figure.body).panels;
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].title, "high");
  EXPECT_EQ(labels(panels[1]), (Texts{"1", "2"}));
  const auto& points = std::get<LinePlot>(panels[0].body).series[1].points;
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1].x, 100);
  EXPECT_EQ(points[1].low, 0.4);
}

TEST(Trajectory, RunsStandBesideEachOtherOrInOnePanel) {
  const std::vector<Trajectory> runs = {run_of("a", rows_of("a")), run_of("b", rows_of("b"))};
  const FigureData apart = trajectory_figure(runs, {.measure = "gate"});
  ASSERT_EQ(std::get<PanelFigure>(apart.body).panels.size(), 2U);
  EXPECT_EQ(std::get<PanelFigure>(apart.body).panels[1].title, "b");
  const FigureData together = trajectory_figure(runs, {.measure = "gate", .together = true});
  EXPECT_EQ(labels(together), (Texts{"1, a", "2, a", "1, b", "2, b"}));
  const auto& series = std::get<LinePlot>(together.body).series;
  EXPECT_EQ(series[0].colour, series[2].colour);  // of layer 1
  EXPECT_NE(series[0].dash, series[2].dash);
  const FigureData layer = trajectory_figure(runs, {.measure = "gate", .layer = "2", .together = true});
  EXPECT_EQ(labels(layer), (Texts{"a", "b"}));
  EXPECT_NE(std::get<LinePlot>(layer.body).series[0].colour, std::get<LinePlot>(layer.body).series[1].colour);
  const FigureData parts = trajectory_figure(runs, {.together = true});
  ASSERT_EQ(std::get<PanelFigure>(parts.body).panels.size(), 2U);
  EXPECT_EQ(labels(std::get<PanelFigure>(parts.body).panels[0]).size(), 4U);
}

TEST(Trajectory, WhatCanBeChosenIsInAllRuns) {
  const Trajectory whole = run_of("a", rows_of("a"));
  const TrajectoryChoices choices = trajectory_choices({whole}, "gate");
  EXPECT_EQ(choices.measures, (Texts{"share", "gate"}));
  EXPECT_EQ(choices.lengths, (Texts{"all", "0-10"}));
  EXPECT_EQ(choices.layers, (Texts{"1", "2"}));
  EXPECT_EQ(choices.heads, (Texts{""}));
  EXPECT_EQ(trajectory_choices({whole}, "").lengths, (Texts{"all"}));  // of the first
  const Trajectory short_one =
      run_of("b", std::string(kHead) + "0,1,b,dev.txt,gate,1,2,,,all,0,,5,40,0.2,0.1,0.3\n");
  const TrajectoryChoices common = trajectory_choices({whole, short_one}, "gate");
  EXPECT_EQ(common.measures, (Texts{"gate"}));
  EXPECT_EQ(common.layers, (Texts{"2"}));
  EXPECT_EQ(common.lengths, (Texts{"all"}));
}

TEST(Trajectory, ABadRowIsNamedByItsLine) {
  const auto refusal = [](const std::string& text) {
    try {
      check_trajectory(run_of("bad", text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(rows_of("a")), "");
  const std::string row = "0,1,b,dev.txt,gate,1,2,,,all,0,,5,40,0.2,0.1,0.3\n";
  const std::string text = refusal(kHead + row + "100,1,b,dev.txt,gate,1,2,,,all,0,,5,40,much,0.1,0.3\n");
  EXPECT_NE(text.find("bad.csv, line 3: mean is \"much\""), std::string::npos) << text;
  const std::string update = refusal(kHead + row + ",1,b,dev.txt,gate,1,2,,,all,0,,5,40,0.2,0.1,0.3\n");
  EXPECT_NE(update.find("line 3: update"), std::string::npos) << update;
  EXPECT_NE(refusal(kHead).find("has no rows"), std::string::npos);
  EXPECT_NE(refusal("layer,mean\n1,2\n").find("no column update"), std::string::npos);
}

TEST(Trajectory, WhatIsNotThereIsRefused) {
  const std::vector<Trajectory> runs = {run_of("a", rows_of("a"))};
  EXPECT_THROW(trajectory_figure({}), UsageError);
  EXPECT_THROW(trajectory_figure(runs, {.measure = "gait"}), UsageError);
  EXPECT_THROW(trajectory_figure(runs, {.layer = "3"}), UsageError);
  EXPECT_THROW(trajectory_figure(runs, {.length = "0-10"}), UsageError);  // not of shares
}

}  // namespace
}  // namespace mog::analysis

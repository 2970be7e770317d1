#include "app/workflow/figures/plot_job.h"

#include <gtest/gtest.h>

#include "analysis/statistics/csv_table.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

const analysis::Table kScores = analysis::parse_csv(
    "model,layers,task,value,low,high\n"
    "gate,5,upos,0.8,0.7,0.9\n"
    "gate,12,upos,0.9,0.8,1\n"
    "plain,5,upos,0.6,,\n"
    "gate,5,ner,0.1,,\n",
    "scores.csv");

TEST(Plot, LinesBandsAndNumericPlaces) {
  PlotOptions options{.x = "layers", .y = "value", .low = "low", .high = "high", .lines = "model"};
  options.where = {"task=upos"};
  const analysis::FigureData figure = plot_table(kScores, options, "scores.csv");
  const auto& plot = std::get<analysis::LinePlot>(figure.body);
  ASSERT_EQ(plot.series.size(), 2U);
  EXPECT_EQ(plot.series[0].label, "gate");
  EXPECT_TRUE(plot.x_categories.empty());
  ASSERT_EQ(plot.series[0].points.size(), 2U);
  EXPECT_DOUBLE_EQ(plot.series[0].points[1].x, 12);
  EXPECT_DOUBLE_EQ(plot.series[0].points[1].y, 0.9);
  EXPECT_DOUBLE_EQ(plot.series[0].points[0].low, 0.7);
  EXPECT_EQ(plot.series[1].points.size(), 1U);
}

TEST(Plot, RowsOfOnePlaceAreSeeds) {
  const analysis::FigureData figure =
      plot_table(kScores, {.x = "task", .y = "value", .where = {"layers=5"}}, "scores.csv");
  const auto& plot = std::get<analysis::LinePlot>(figure.body);
  ASSERT_EQ(plot.series.size(), 1U);
  EXPECT_EQ(plot.x_categories, (std::vector<std::string>{"upos", "ner"}));
  EXPECT_DOUBLE_EQ(plot.series[0].points[0].y, 0.7);  // of .8 and .6
  EXPECT_DOUBLE_EQ(plot.series[0].points[0].low, 0.6);
  EXPECT_DOUBLE_EQ(plot.series[0].points[0].high, 0.8);
}

TEST(Plot, WhatIsNotInTheTableIsRefused) {
  EXPECT_THROW(plot_table(kScores, {.x = "depth", .y = "value"}, "s.csv"), UsageError);
  EXPECT_THROW(plot_table(kScores, {.x = "layers", .y = "value", .where = {"task=pos"}}, "s.csv"),
               UsageError);
  EXPECT_THROW(plot_table(kScores, {.x = "layers", .y = "value", .where = {"task"}}, "s.csv"), UsageError);
  EXPECT_THROW(plot_table(kScores, {.x = "layers", .y = "value", .low = "low"}, "s.csv"), UsageError);
  EXPECT_THROW(plot_table(kScores, {.x = "layers", .y = "model"}, "s.csv"), FormatError);
  EXPECT_THROW(plot_files({}, {.x = "a", .y = "b"}), UsageError);
}

}  // namespace
}  // namespace mog::app

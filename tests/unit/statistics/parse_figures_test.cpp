// Error plots of parsers from the table of `mog evaluate --by`: panels, lines, order, bad tables.
#include "analysis/figure_data/parse_figures.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/statistics/csv_table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Texts = std::vector<std::string>;

// system,measure,by,group,length_low,length_high,value,low,high,sentences,reference,signature
std::string rows_of(const std::string& system, const std::string& shift) {
  std::string text;
  const auto add = [&](const std::string& measure, const std::string& rest) {
    text += system + "," + measure + "," + rest + ",nrefs:1|conll18|punct:no\n";
  };
  for (const std::string measure : {"UAS", "LAS"}) {
    add(measure, "all,all,,," + shift + "0,80,90,1200,1500");
    add(measure, "relation,nsubj,,," + shift + "1,70,90,900,700");
    add(measure, "relation,obj,,," + shift + "2,60,90,700,500");
    add(measure, "relation,list,,,0,,,1,0");
    add(measure, "dependency-length,root,,," + shift + "3,80,95,1200,1200");
    add(measure, "dependency-length,1,1,2," + shift + "4,80,95,1100,200");
    add(measure, "dependency-length,16+,16,," + shift + "5,20,95,3,4");
  }
  return text;
}

constexpr const char* kHead =
    "system,measure,by,group,length_low,length_high,value,low,high,sentences,reference,signature\n";

Table table_of(const std::string& rows) {
  return parse_csv(kHead + rows, "errors.csv");
}

TEST(ParseFigures, APanelAGroupingAndALineASystem) {
  const Table table = table_of(rows_of("out/a.conllu", "8") + rows_of("out/b.conllu", "9"));
  const FigureData figure = parse_errors_figure(table, {}, "errors.csv");
  const auto& panels = std::get<PanelFigure>(figure.body).panels;
  ASSERT_EQ(panels.size(), 2U);
  const auto& lengths = std::get<LinePlot>(panels[0].body);
  EXPECT_EQ(lengths.x_categories, (Texts{"root", "1", "16+"}));
  EXPECT_EQ(lengths.counts, (std::vector<std::int64_t>{1200, 200, 4}));
  EXPECT_EQ(lengths.y.text(), "LAS F1 (%)");
  ASSERT_EQ(lengths.series.size(), 2U);
  EXPECT_EQ(lengths.series[0].label, "a");
  EXPECT_EQ(lengths.series[1].points[1].y, 94);
  EXPECT_EQ(lengths.series[1].points[2].x, 2);
  EXPECT_EQ(lengths.x_lengths[2].low, 16);
  EXPECT_EQ(lengths.x_lengths[2].high, -1);
  // Relations of the reference alone.
  const auto& relations = std::get<LinePlot>(panels[1].body);
  EXPECT_EQ(relations.x_categories, (Texts{"nsubj", "obj"}));
  EXPECT_EQ(relations.y.text(), "LAS recall (%)");
  EXPECT_TRUE(relations.counts.empty());
  // Relations have no order that a line could follow.
  EXPECT_FALSE(relations.joined);
  EXPECT_TRUE(lengths.joined);
  EXPECT_EQ(
      figure.caption,
      "errors.csv, 1,200 sentences, 1,500 words without punctuation; scores of CoNLL 2018, F1 by each "
      "parse's "
      "own tree and the reference's; bands: 95\u00a0% bootstrap over sentences; open marks: fewer than 10 "
      "sentences");
}

TEST(ParseFigures, WhatIsChosen) {
  const Table table = table_of(rows_of("a/x.conllu", "8") + rows_of("b/x.conllu", "9"));
  const FigureData figure = parse_errors_figure(table, {.measure = "UAS", .relations = 1}, "errors.csv");
  const auto& panels = std::get<PanelFigure>(figure.body).panels;
  const auto& relations = std::get<LinePlot>(panels[1].body);
  EXPECT_EQ(relations.x_categories, Texts{"nsubj"});
  EXPECT_EQ(relations.y.quantity, "UAS recall");
  EXPECT_EQ(relations.series[1].label, "b/x.conllu");  // the names alone would be the same
}

std::string refusal(const std::string& rows, const ParseErrorOptions& options = {}) {
  try {
    parse_errors_figure(table_of(rows), options, "errors.csv");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseFigures, RefusesOtherTables) {
  EXPECT_NE(refusal(rows_of("a", "8"), {.measure = "LSA"}).find("did you mean LAS"), std::string::npos);
  EXPECT_NE(refusal("a,LAS,all,all,,,80,70,90,10,100,s\n").find("no row of LAS by a group"),
            std::string::npos);
  EXPECT_NE(refusal("a,LAS,all,all,,,80,70,90,10,100,s\nb,LAS,all,all,,,80,70,90,10,101,s\n")
                .find("different references: 100 words in 10 sentences, and 101 in 10"),
            std::string::npos);
  EXPECT_THROW(parse_errors_figure(parse_csv("system,measure\na,LAS\n", "e.csv"), {}, "e.csv"), UsageError);
}

}  // namespace
}  // namespace mog::analysis

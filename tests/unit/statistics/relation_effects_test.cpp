// Relations of a graph in attention: counts of a recording worked by hand, their figure, and maps with the
// graph drawn over them.
#include "analysis/statistics/relation_effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/relation_figures.h"
#include "analysis/statistics/csv_table.h"
#include "analysis/statistics/running_table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

const QuantityName kGraph(Stack::encoder, 0, Part::none, Quantity::graph);
const QuantityName kTerms(Stack::encoder, 2, Part::full, Quantity::graph_terms);
const QuantityName kMap(Stack::encoder, 2, Part::full, Quantity::attention);
const std::vector<RelationName> kNames = {{"none", ""}, {"obj", "to the head"}, {"obj", "to the dependent"}};

// Two heads, two sentences: "a b" with the pair (1, 2) in relation 1 and (2, 1) in relation 2, and "c".
void write(MemoryRecording& recording, bool graph = true) {
  RecordingHeader header;
  header.model.name = "m";
  header.model.layers = 2;
  header.provenance.corpus_name = "c";
  RecordingBatch batch;
  batch.sentences.resize(2);
  batch.sentences[0].number = 1;
  batch.sentences[0].words = {{"a", {}}, {"b", {}}};
  batch.sentences[0].tokens = {{"a", 4, 0, {}}, {"b", 5, 1, {}}};
  batch.sentences[1].number = 2;
  batch.sentences[1].words = {{"c", {}}};
  batch.sentences[1].tokens = {{"c", 6, 0, {}}};
  if (graph) {
    header.quantities.push_back({kGraph, {Axis::query, Axis::key}, {0, 0}, DType::float32, "1", "graph"});
    batch.quantities.emplace_back(kGraph, HostTensor::of<float>({5}, {0, 1, 2, 0, 0}));
  }
  header.quantities.push_back(
      {kMap, {Axis::head, Axis::query, Axis::key}, {2, 0, 0}, DType::float32, "probability", "attention"});
  batch.quantities.emplace_back(kMap, HostTensor::of<float>({10}, std::vector<float>(10, 0.5F)));
  header.quantities.push_back({kTerms,
                               {Axis::head, Axis::graph_term, Axis::query, Axis::key},
                               {2, 3, 0, 0},
                               DType::float32,
                               "1",
                               "terms"});
  // Of a head: content, with the query, with the key; rows are queries.
  std::vector<float> values = {0, 2, 3, 3, 0, 2, 0, 0, 0, 0, 4, 0};
  values.insert(values.end(), {0, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0});  // the second head reads no graph
  values.insert(values.end(), {7, 0, 0, 7, 0, 0});                    // of "c"
  batch.quantities.emplace_back(kTerms, HostTensor::of<float>({30}, values));
  recording.begin(header);
  recording.write(batch);
  recording.finish();
}

double number(const Table& table, std::size_t row, const char* column) {
  return std::get<double>(table.rows[row][table.column(column)]);
}
std::string text(const Table& table, std::size_t row, const char* column) {
  return std::get<std::string>(table.rows[row][table.column(column)]);
}
std::int64_t count(const Table& table, std::size_t row, const char* column) {
  return std::get<std::int64_t>(table.rows[row][table.column(column)]);
}

RelationOptions options(bool by_head) {
  RelationOptions options;
  options.bins = LengthBins({0, 2});
  options.by_head = by_head;
  options.bootstrap.resamples = 0;
  return options;
}

TEST(RelationEffects, AreCountedPairByPair) {
  MemoryRecording recording;
  write(recording);
  const RecordingSource* const sources[] = {&recording};
  const Table table = relation_effects(sources, kNames, options(true));
  // Of each head: none of both bins, and two relations.
  ASSERT_EQ(table.rows.size(), 8U);
  EXPECT_EQ(text(table, 0, "relation"), "none");
  EXPECT_EQ(text(table, 0, "bin"), LengthBins({0, 2}).label(0));
  EXPECT_EQ(count(table, 1, "pairs"), 2);
  const double strong = 1 / (1 + std::exp(-4.0));
  const double weak = 1 / (1 + std::exp(-2.0));
  EXPECT_EQ(text(table, 2, "relation"), "obj");
  EXPECT_EQ(text(table, 2, "direction"), "to the head");
  EXPECT_EQ(count(table, 2, "layer"), 2);
  EXPECT_EQ(count(table, 2, "head"), 1);
  EXPECT_EQ(count(table, 2, "sentences"), 1);
  EXPECT_EQ(count(table, 2, "pairs"), 1);
  EXPECT_NEAR(number(table, 2, "content"), 1, 1e-12);
  EXPECT_NEAR(number(table, 2, "relation_key"), 1, 1e-12);
  EXPECT_NEAR(number(table, 2, "relation_query"), 0, 1e-12);
  EXPECT_NEAR(number(table, 2, "share"), 0.5, 1e-12);
  EXPECT_NEAR(number(table, 2, "weight"), strong, 1e-12);
  EXPECT_NEAR(number(table, 2, "without"), weak, 1e-12);
  EXPECT_NEAR(number(table, 2, "difference"), strong - weak, 1e-12);
  EXPECT_EQ(text(table, 3, "direction"), "to the dependent");
  EXPECT_NEAR(number(table, 3, "share"), 1, 1e-12);
  EXPECT_NEAR(number(table, 3, "weight"), strong, 1e-12);
  EXPECT_NEAR(number(table, 3, "without"), 0.5, 1e-12);
  for (const std::size_t row : {4U, 5U, 6U, 7U}) {
    EXPECT_EQ(count(table, row, "head"), 2);
    EXPECT_EQ(number(table, row, "difference"), 0);
  }
}

TEST(RelationEffects, HeadsAreAveraged) {
  MemoryRecording recording;
  write(recording);
  const RecordingSource* const sources[] = {&recording};
  const Table table = relation_effects(sources, kNames, options(false));
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(count(table, 2, "pairs"), 1);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[2][table.column("head")]));
  EXPECT_NEAR(number(table, 2, "share"), 0.25, 1e-12);
}

TEST(RelationEffects, AreTheSameOfSentencesThatPassBy) {
  MemoryRecording recording;
  write(recording);
  const RecordingSource* const sources[] = {&recording};
  for (const bool heads : {false, true}) {
    RelationOptions drawn = options(heads);
    drawn.bootstrap.resamples = 50;
    const Table expected = relation_effects(sources, kNames, drawn);
    const auto whole = running_relations(kNames, drawn, recording.header());
    whole->add(recording);
    const Table found = whole->table();
    ASSERT_EQ(found.columns, expected.columns);
    ASSERT_EQ(found.rows.size(), expected.rows.size());
    for (std::size_t row = 0; row < expected.rows.size(); ++row) {
      for (const char* const column :
           {"share", "content", "relation_key", "relation_query", "weight", "without", "difference"}) {
        EXPECT_NEAR(number(found, row, column), number(expected, row, column), 1e-12) << column << row;
      }
      for (const char* const column : {"layer", "sentences", "pairs", "length_low"}) {
        EXPECT_EQ(count(found, row, column), count(expected, row, column)) << column << row;
      }
      EXPECT_EQ(text(found, row, "relation"), text(expected, row, "relation"));
      EXPECT_EQ(text(found, row, "bin"), text(expected, row, "bin"));
    }
    // Once more: the same sentences as a part of their own, added up.
    const auto merged = running_relations(kNames, drawn, recording.header());
    merged->sums()[0]->add_words(whole->sums()[0]->words());
    EXPECT_EQ(to_csv(merged->table()), to_csv(found));
  }
}

TEST(RelationEffects, WhatIsNotThereIsRefused) {
  MemoryRecording without;
  write(without, false);
  const RecordingSource* const lacking[] = {&without};
  EXPECT_THROW(relation_effects(lacking, kNames, options(false)), UsageError);
  MemoryRecording recording;
  write(recording);
  const RecordingSource* const sources[] = {&recording};
  EXPECT_THROW(relation_effects(sources, std::span(kNames).first(2), options(false)), FormatError);
  EXPECT_THROW(attention_figure(without, 0, 2, Part::full, 0, {.graph = true}), UsageError);
}

TEST(RelationFigure, PanelsPoolRowsByTheirPairs) {
  const Table table = parse_csv(
      "model,corpus,layer,relation,direction,bin,length_low,length_high,sentences,pairs,share,share_low,"
      "share_high,weight,without\n"
      "m,c,1,none,,1–9,0,10,9,900,0.1,0.1,0.1,0.1,0.1\n"
      "m,c,1,obj,to the head,1–9,0,10,9,30,0.2,0.1,0.3,0.5,0.1\n"
      "m,c,1,obj,to the head,10+,10,,9,10,0.6,0.5,0.7,0.5,0.3\n"
      "m,c,1,det,to the head,1–9,0,10,9,50,0.4,0.3,0.5,0.25,0.2\n"
      "m,c,2,obj,to the dependent,1–9,0,10,9,40,0.8,0.7,0.9,0.9,0.5\n",
      "t.csv");
  const FigureData figure = relation_figure(table, {}, "t.csv");
  const auto& panels = std::get<PanelFigure>(figure.body).panels;
  ASSERT_EQ(panels.size(), 4U);
  const auto& shares = std::get<LinePlot>(panels[0].body);
  EXPECT_EQ(shares.x_categories, (std::vector<std::string>{"obj", "det"}));
  ASSERT_EQ(shares.series.size(), 2U);
  EXPECT_EQ(shares.series[0].label, "to the head");
  EXPECT_NEAR(shares.series[0].points[0].y, 30, 1e-9);  // (30 · 0.2 + 10 · 0.6) / 40
  EXPECT_NEAR(shares.series[0].points[1].low, 30, 1e-9);
  const auto& weights = std::get<LinePlot>(panels[1].body);
  EXPECT_EQ(weights.series[1].label, "content alone");
  EXPECT_NEAR(weights.series[0].points[0].y, 70, 1e-9);
  const auto& layers = std::get<LinePlot>(panels[2].body);
  EXPECT_EQ(layers.x_categories, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(std::get<LinePlot>(panels[3].body).x_categories, (std::vector<std::string>{"1–9", "10+"}));
  EXPECT_THROW(relation_figure(table, {.layer = 3}, "t.csv"), UsageError);
  EXPECT_THROW(relation_figure(parse_csv("model,layer\nm,1\n", "t.csv"), {}, "t.csv"), UsageError);
}

TEST(AttentionFigure, FramesThePairsOfTheGraph) {
  MemoryRecording recording;
  write(recording);
  const FigureData figure = attention_figure(recording, 0, 2, Part::full, 0, {.graph = true});
  const auto& map = std::get<HeatMap>(figure.body);
  EXPECT_EQ(map.marks, (std::vector<CellMark>{{0, 1}, {1, 0}}));
  EXPECT_NE(figure.caption.find("framed"), std::string::npos);
}

}  // namespace
}  // namespace mog::analysis

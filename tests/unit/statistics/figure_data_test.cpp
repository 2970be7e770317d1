#include "analysis/figure_data/figure_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/panel_titles.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::string join(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) {
    result += (result.empty() ? "" : " ") + text;
  }
  return result;
}

TEST(Ticks, StepsAreOneTwoFive) {
  EXPECT_EQ(join(ticks(0, 1, 6).labels()), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(join(ticks(0.43, 0.58, 4).labels()), "0.45 0.50 0.55");
  EXPECT_EQ(join(ticks(-0.05, 0.1, 5).labels()), "−0.05 0.00 0.05 0.10");
  EXPECT_EQ(join(ticks(0, 1234, 4).labels()), "0 500 1000");
  EXPECT_EQ(join(ticks(1e-6, 3e-6, 3).labels()), "0.000001 0.000002 0.000003");
  for (const double low : {-3.7, 0.0, 1e-9, 12345.6}) {
    for (const double width : {1e-6, 0.3, 7.0, 1e5}) {
      const Ticks found = ticks(low, low + width, 6);
      ASSERT_LE(found.values.size(), 6U);
      const double mantissa = found.step / std::pow(10, std::floor(std::log10(found.step * 1.0000001)));
      EXPECT_TRUE(std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 ||
                  std::abs(mantissa - 5) < 1e-6)
          << found.step;
    }
  }
}

TEST(Ticks, EmptyAndOddRangesDoNotHang) {
  EXPECT_FALSE(ticks(2, 2, 5).values.empty());
  EXPECT_FALSE(ticks(0, 0, 5).values.empty());
  EXPECT_FALSE(ticks(NAN, 1, 5).values.empty());
  EXPECT_FALSE(ticks(5, 1, 5).values.empty());
  const RoundRange range = round_range(0.432, 0.581);
  EXPECT_NEAR(range.low, 0.40, 1e-12);
  EXPECT_NEAR(range.high, 0.60, 1e-12);
}

TEST(Ticks, NumbersForReadOuts) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(readable(0.123456), "0.1235");
  EXPECT_EQ(readable(12.3456), "12.35");
  EXPECT_EQ(readable(123456), "123456");
  EXPECT_EQ(readable(kAbsent), "absent");
}

TEST(FigureData, CsvHoldsTheNumbersBehindALinePlot) {
  LinePlot plot;
  plot.x_categories = {"1–9", "10+"};
  plot.series = {{"1", {}, Dash::solid, {{0, 0.1, 0.05, 0.15, 3, 20}, {1, kAbsent, kAbsent, kAbsent, 0, 0}}}};
  FigureData figure;
  figure.body = plot;
  EXPECT_EQ(figure.kind(), "line");
  EXPECT_EQ(figure.to_csv(),
            "series,x,x_label,y,low,high,sentences,tokens\n"
            "1,0,1–9,0.1,0.05,0.15,3,20\n"
            "1,1,10+,,,,0,0\n");
  // The bounds of bins as numbers, whether they are places on the axis or lines.
  plot.x_lengths = {{0, 10}, {10, -1}};
  figure.body = plot;
  EXPECT_EQ(figure.to_csv(),
            "series,x,x_label,y,low,high,sentences,tokens,length_low,length_high\n"
            "1,0,1–9,0.1,0.05,0.15,3,20,0,10\n"
            "1,1,10+,,,,0,0,10,\n");
  plot.x_lengths.clear();
  plot.x_categories = {"1", "2"};
  plot.series.front().label = "1–9";
  plot.series.front().lengths = LengthSpan{0, 10};
  figure.body = plot;
  EXPECT_EQ(figure.to_csv(),
            "series,x,x_label,y,low,high,sentences,tokens,length_low,length_high\n"
            "1–9,0,1,0.1,0.05,0.15,3,20,0,10\n"
            "1–9,1,2,,,,0,0,0,10\n");
}

TEST(FigureData, CsvOfMatricesArcsAndPanels) {
  HeatMap map;
  map.rows = {{"a,b", false, 0}};
  map.columns = {{"x", false, 0}, {"\"", false, 1}};
  map.values = {0.25, kAbsent};
  FigureData heat;
  heat.title = "one";
  heat.body = map;
  EXPECT_EQ(heat.to_csv(),
            "row,column,row_label,column_label,value\n1,1,\"a,b\",x,0.25\n1,2,\"a,b\",\"\"\"\",\n");
  ArcFigure arcs;
  arcs.words = {{"a", false, 0}, {"b", false, 1}};
  arcs.arcs = {{0, 1, 0.5, Part::high, 2, "", "(a, b, …)"}};
  FigureData arc;
  arc.title = "two";
  arc.body = arcs;
  EXPECT_EQ(
      arc.to_csv(),
      "source,source_text,target,target_text,part,layer,weight,label,tuple\n1,a,2,b,high,2,0.5,\"\",\"(a, b, "
      "…)\"\n");
  PanelFigure panels;
  panels.panels = {heat, arc};
  FigureData both;
  both.body = panels;
  const Table table = both.table();
  EXPECT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.columns[0], "panel");
  EXPECT_EQ(std::get<double>(table.rows[2][table.column("weight")]), 0.5);
  EXPECT_EQ(table.rows[2][table.column("value")].index(), 0U);
  EXPECT_EQ(std::get<std::string>(table.rows[2][table.column("panel_title")]), "two");
}

// Two tokens and </s>; two heads, layers 1 and 2 of part high.
class SentenceFigures : public ::testing::Test {
 protected:
  void SetUp() override {
    RecordingHeader header;
    header.model.name = "m";
    header.model.tokenizer = "bpe";
    header.provenance.corpus_name = "c";
    RecordingBatch batch;
    Sentence text;
    text.number = 7;
    text.words = {{"over", {}}, {"it", {}}};
    text.tokens = {{"ov@@", 4, 0, {}}, {"er", 5, 0, {}}, {"</s>", 2, -1, {}}};
    batch.sentences = {text};
    for (std::int64_t layer = 1; layer <= 2; ++layer) {
      const QuantityName name(Stack::encoder, layer, Part::high, Quantity::attention);
      header.quantities.push_back(
          {name, {Axis::head, Axis::query, Axis::key}, {2, 0, 0}, DType::float32, "1", ""});
      std::vector<float> values;
      for (int i = 0; i < 18; ++i) {
        values.push_back(static_cast<float>(layer) * 0.25F + static_cast<float>(i) / 64.0F);
      }
      batch.quantities.emplace_back(name, HostTensor::of<float>({18}, values));
    }
    const QuantityName gate(Stack::encoder, 1, Part::none, Quantity::gate);
    header.quantities.push_back({gate, {Axis::token, Axis::d_model}, {0, 2}, DType::float32, "1", ""});
    batch.quantities.emplace_back(gate,
                                  HostTensor::of<float>({6}, std::vector<float>{0, 1, 0.5F, 0.25F, 1, 1}));
    recording_.begin(header);
    recording_.write(batch);
    recording_.finish();
  }
  MemoryRecording recording_;
};

TEST_F(SentenceFigures, AttentionOfAStretchIsThatPartOfTheMap) {
  const AttentionMap whole = attention_map(recording_, 0, 1, Part::high, 2);
  const AttentionMap part = attention_map(recording_, 0, 1, Part::high, 2, {}, {2, 3}, {1, 2});
  EXPECT_EQ(part.rows, 2);
  EXPECT_EQ(part.columns, 2);
  EXPECT_EQ(part.values,
            (std::vector<double>{whole.values[3], whole.values[4], whole.values[6], whole.values[7]}));
  const FigureData figure =
      attention_figure(recording_, 0, 1, Part::high, 2, {.by_word = true, .queries = {2, 3}, .keys = {1, 2}});
  const auto& map = std::get<HeatMap>(figure.body);
  ASSERT_EQ(map.rows.size(), 2U);  // "over" with its first piece, too, and </s>
  ASSERT_EQ(map.columns.size(), 1U);
  EXPECT_EQ(map.values,
            (std::vector<double>{(whole.values[0] + whole.values[1] + whole.values[3] + whole.values[4]) / 2,
                                 whole.values[6] + whole.values[7]}));
  EXPECT_NE(figure.title.find("tokens 1 to 3 on tokens 1 to 2"), std::string::npos) << figure.title;
  const FigureData arcs = attention_arcs(recording_, 0, 1, std::vector{Part::high}, 2,
                                         {.threshold = 0, .tokens = {.queries = {1, 2}, .keys = {1, 2}}});
  EXPECT_EQ(std::get<ArcFigure>(arcs.body).words.size(), 2U);
  EXPECT_EQ(std::get<ArcFigure>(arcs.body).arcs.size(), 4U);
  const AttentionOverview overview =
      attention_overview(recording_, 0, {.part = Part::high, .queries = {2, 3}, .keys = {1, 1}});
  const auto& tile = std::get<HeatMap>(overview.maps.at(0).at(2).body);
  EXPECT_EQ(tile.values, (std::vector<double>{whole.values[3], whole.values[6]}));
  for (const Stretch& wrong : {Stretch{0, 2}, Stretch{2, 1}, Stretch{1, 4}}) {
    EXPECT_THROW(attention_map(recording_, 0, 1, Part::high, 2, {}, wrong), UsageError);
  }
  EXPECT_THROW(attention_arcs(recording_, 0, 1, std::vector{Part::high}, 2,
                              {.tokens = {.queries = {1, 2}, .keys = {2, 3}}}),
               UsageError);
}

TEST_F(SentenceFigures, AttentionOfOneHeadAndMeans) {
  const auto value = [&](std::int64_t layer, std::int64_t head) {
    return attention_map(recording_, 0, layer, Part::high, head).values[5];  // query 2, key 3
  };
  EXPECT_DOUBLE_EQ(value(1, 1), 0.25 + 5 / 64.0);
  EXPECT_DOUBLE_EQ(value(1, 2), 0.25 + 14 / 64.0);
  EXPECT_DOUBLE_EQ(value(1, 0), 0.25 + 9.5 / 64.0);
  EXPECT_DOUBLE_EQ(value(0, 0), 0.375 + 9.5 / 64.0);
  EXPECT_DOUBLE_EQ(attention_map(recording_, 0, 2, Part::none, 2).values[0], 0.5 + 9 / 64.0);
  EXPECT_THROW(value(3, 0), UsageError);
  EXPECT_THROW(value(1, 3), UsageError);
  EXPECT_THROW(attention_map(recording_, 1, 1, Part::high, 0), UsageError);
  EXPECT_THROW(attention_map(recording_, 0, 1, Part::middle1, 0), UsageError);
  EXPECT_EQ(attention_layers(recording_.header()), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(attention_parts(recording_.header()), std::vector<Part>{Part::high});
}

TEST_F(SentenceFigures, FiguresHaveLabelsCaptionAndNumbers) {
  const FigureData figure = attention_figure(recording_, 0, 1, Part::high, 1);
  const auto& map = std::get<HeatMap>(figure.body);
  EXPECT_EQ(map.rows[0], (WordLabel{"ov", false, 0}));
  EXPECT_EQ(map.rows[1], (WordLabel{"er", false, 0}));
  EXPECT_EQ(map.rows[2], (WordLabel{"</s>", true, -1}));
  EXPECT_DOUBLE_EQ(map.value(1, 2), 0.25 + 5 / 64.0);
  EXPECT_EQ(figure.caption, "model m; corpus c; sentence 7; level of the claim: summary");
  const FigureData without = attention_figure(recording_, 0, 1, Part::high, 1, {.special_tokens = false});
  EXPECT_EQ(std::get<HeatMap>(without.body).columns.size(), 2U);
  EXPECT_DOUBLE_EQ(std::get<HeatMap>(without.body).value(1, 0), 0.25 + 3 / 64.0);
}

TEST_F(SentenceFigures, GatesByLayerAndDimension) {
  const auto gates = std::get<HeatMap>(gate_figure(recording_, 0).body);
  ASSERT_EQ(gates.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(gates.value(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(gates.value(0, 1), 0.375);
  const auto dimensions = std::get<HeatMap>(gate_dimensions_figure(recording_, 0, 1).body);
  ASSERT_EQ(dimensions.columns.size(), 2U);
  EXPECT_DOUBLE_EQ(dimensions.value(1, 1), 0.25);
  EXPECT_THROW(gate_dimensions_figure(recording_, 0, 2), UsageError);
}

TEST_F(SentenceFigures, ArcsAboveAThreshold) {
  const std::vector<Part> parts = {Part::high};
  const FigureData figure =
      attention_arcs(recording_, 0, 2, parts, 2, {.threshold = 0.6, .at_most = 3, .from = {}, .tokens = {}});
  const auto& arcs = std::get<ArcFigure>(figure.body);
  ASSERT_EQ(arcs.arcs.size(), 3U);
  EXPECT_EQ(arcs.arcs[0].source, 2);  // the greatest value is the last one
  EXPECT_EQ(arcs.arcs[0].target, 2);
  EXPECT_DOUBLE_EQ(arcs.arcs[0].weight, 0.5 + 17 / 64.0);
  EXPECT_NE(figure.caption.find("the strongest 3 of 9 arcs"), std::string::npos) << figure.caption;
}

TEST(WeightFigure, SeriesPointsAndCounts) {
  LengthStatistics statistics;
  statistics.model.name = "m";
  statistics.model.layers = 2;
  statistics.bins = LengthBins({0, 10, 20});
  statistics.first_bin = 0;
  statistics.sentences = 5;
  statistics.series = {{1, Part::none, 0}, {2, Part::none, 0}};
  statistics.bin_sentences = {{{1, 0, 0, 3}, {2, 1, 0, 4}, {3, 2, 0, 4}}, {{4, 3, 0, 12}, {5, 4, 0, 13}}, {}};
  for (std::int64_t series = 0; series < 2; ++series) {
    for (std::int64_t bin = 0; bin < 3; ++bin) {
      LengthCell cell;
      cell.series = statistics.series[static_cast<std::size_t>(series)];
      cell.bin = bin;
      cell.sentences = bin == 2 ? 0 : 3 - bin;
      cell.mean =
          bin == 2 ? kAbsent : 0.5 + 0.1 * static_cast<double>(series) + 0.01 * static_cast<double>(bin);
      cell.low = cell.high = cell.mean;
      cell.difference = 0.01 * static_cast<double>(bin);
      statistics.cells.push_back(cell);
    }
  }
  const auto by_layer = std::get<LinePlot>(weight_figure(statistics).body);
  EXPECT_EQ(by_layer.x_categories, (std::vector<std::string>{"1", "2"}));
  ASSERT_EQ(by_layer.series.size(), 2U);
  EXPECT_EQ(by_layer.series[1].label, "10–19");
  EXPECT_DOUBLE_EQ(by_layer.series[1].points[1].y, 0.61);
  const auto difference =
      std::get<LinePlot>(weight_figure(statistics, {.view = WeightPlot::difference_by_length}).body);
  EXPECT_EQ(difference.x_categories, (std::vector<std::string>{"1–9", "10–19"}));
  EXPECT_EQ(difference.counts, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(difference.series[1].label, "2");
  EXPECT_DOUBLE_EQ(difference.series[1].points[1].y, 0.01);
  EXPECT_TRUE(difference.zero_line.has_value());
  const auto few = std::get<LinePlot>(
      weight_figure(statistics, {.view = WeightPlot::by_length, .minimum_sentences = 3}).body);
  EXPECT_TRUE(std::isnan(few.series[0].points[1].y));
  // The caption counts the sentences that are drawn, and names intervals only where there are some.
  statistics.bootstrap.resamples = 1000;
  const WeightFigureOptions at_least_three{.view = WeightPlot::by_length, .minimum_sentences = 3};
  const std::string left_out = weight_figure(statistics, at_least_three).caption;
  EXPECT_NE(left_out.find("3 of 5 sentences (bins of fewer than 3 are left out)"), std::string::npos)
      << left_out;
  const std::string all = weight_figure(statistics).caption;
  EXPECT_NE(all.find("; 5 sentences;"), std::string::npos) << all;
  EXPECT_EQ(all.find("bootstrap"), std::string::npos) << all;
  const std::vector<LengthStatistics> twice = {statistics, statistics};
  const std::string several = weight_panels(twice, at_least_three).caption;
  EXPECT_NE(several.find("3 of 5 sentences (bins"), std::string::npos) << several;
  // Corpora and how many sentences each has stand in one order, that of the panels.
  std::vector<LengthStatistics> corpora = {statistics, statistics, statistics};
  corpora[0].corpus_name = "z.txt";
  corpora[1].corpus_name = corpora[2].corpus_name = "a.txt";
  const std::string of_two = weight_panels(corpora).caption;
  EXPECT_NE(of_two.find("corpus z.txt, a.txt; 5, 5 sentences"), std::string::npos) << of_two;
  statistics.cells.front().high += 0.1;
  EXPECT_EQ(weight_figure(statistics).caption.find("bands:"), std::string::npos);  // of few sentences
  statistics.cells.front().sentences = 10;
  const std::string banded = weight_figure(statistics).caption;
  EXPECT_NE(banded.find("bands: 95\u00a0% bootstrap over sentences"), std::string::npos) << banded;
  EXPECT_NE(banded.find("open marks: fewer than 10 sentences"), std::string::npos) << banded;
  const std::vector<LengthStatistics> two = {statistics, statistics};
  const auto panels = std::get<PanelFigure>(weight_panels(two).body);
  EXPECT_EQ(panels.panels.size(), 2U);
  EXPECT_EQ(std::get<LinePlot>(panels.panels[0].body).y_low, 0.5);
}

TEST(FigureData, PanelsAreCalledByWhatTellsRecordingsApart) {
  const auto titles = [](const std::vector<LengthStatistics>& statistics) {
    return panel_titles_of(std::span<const LengthStatistics>(statistics));
  };
  using Titles = std::vector<std::string>;
  std::vector<LengthStatistics> two(2);
  two[0].model.name = two[1].model.name = "m";
  two[0].corpus_name = two[1].corpus_name = "c";
  EXPECT_EQ(titles(two), (Titles{"m, c", "m, c"}));  // nothing tells
  two[0].recording.text = "m (a.rec)";
  two[1].recording.text = "m (b.rec)";
  EXPECT_EQ(titles(two), (Titles{"m (a.rec)", "m (b.rec)"}));
  two[1].corpus_name = "d";
  EXPECT_EQ(titles(two), (Titles{"c", "d"}));
  two[1].model.name = "n";
  EXPECT_EQ(titles(two), (Titles{"m", "n"}));
  two[0].model.layers = 2;
  two[1].model.layers = 3;
  EXPECT_EQ(titles(two), (Titles{"2 layers", "3 layers"}));
  two[1].recording = {"novels", true};  // what a person chose leads
  EXPECT_EQ(titles(two), (Titles{"m (a.rec)", "novels"}));
}

}  // namespace
}  // namespace mog::analysis

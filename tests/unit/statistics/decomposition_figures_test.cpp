// Figures of decompositions and of joins: what their colours, stripes and axes say, and which arcs they draw.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "analysis/figure_data/bar_figures.h"
#include "analysis/figure_data/derivation_figures.h"
#include "analysis/figure_data/quantity_figures.h"

namespace mog::analysis {
namespace {

std::vector<std::string> texts(Axis axis, std::int64_t extent) {
  const auto names = entry_names(axis, extent);
  return {names.begin(), names.end()};
}

std::set<std::pair<std::int64_t, Dash>> distinct(const std::vector<std::string>& entries) {
  std::set<std::pair<std::int64_t, Dash>> result;
  for (const EntryStyle& style : entry_styles(entries)) {
    EXPECT_EQ(style.colour.kind, ColourKey::Kind::entry);
    result.emplace(style.colour.index, style.dash);
  }
  return result;
}

TEST(EntryStyles, NoTwoEntriesLookTheSame) {
  for (const auto& [axis, extent] : std::map<Axis, std::int64_t>{{Axis::gate_part, 17},
                                                                 {Axis::order_group, 6},
                                                                 {Axis::separate_term, 9},
                                                                 {Axis::covariance_sum, 8},
                                                                 {Axis::split_norm, 5}}) {
    const auto entries = texts(axis, extent);
    ASSERT_EQ(entries.size(), static_cast<std::size_t>(extent));
    EXPECT_EQ(distinct(entries).size(), entries.size());
  }
  const auto with_positions = texts(Axis::gate_part, 19);
  EXPECT_EQ(distinct(with_positions).size(), with_positions.size());
  std::vector<std::string> unknown;
  for (int i = 0; i < 30; ++i) {
    unknown.push_back("entry " + std::to_string(i));
  }
  EXPECT_EQ(distinct(unknown).size(), unknown.size());
}

// pp green, pi blue, ip sky blue, ii vermilion, wherever they stand; what a cause does to the two parts of a
// state has its colour, plain and striped.
TEST(EntryStyles, NamesHaveTheirColours) {
  const auto terms = entry_styles({"pp", "pi", "ip", "ii", "bp", "bi"});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(terms[i], (EntryStyle{ColourKey::of_entry(static_cast<std::int64_t>(i)), Dash::solid}));
  }
  const auto values = entry_styles({"u.p", "u.i", "pp.p", "pp.i", "ii.p", "ii.i"});
  EXPECT_EQ(values[2], (EntryStyle{ColourKey::of_entry(0), Dash::solid}));
  EXPECT_EQ(values[3], (EntryStyle{ColourKey::of_entry(0), Dash::dashed}));
  EXPECT_EQ(values[4].colour, values[5].colour);
  EXPECT_EQ(values[4].colour, ColourKey::of_entry(3));
}

// One head of two tokens; term t of query q and key k has the value t + 1 + q + 10 k.
void write_terms(MemoryRecording& recording, Quantity quantity, const std::string& units) {
  RecordingHeader header;
  header.model.name = "m";
  header.model.layers = 1;
  RecordingBatch batch;
  Sentence text;
  text.number = 1;
  text.words = {{"a", {}}, {"b", {}}};
  text.tokens = {{"a", 4, 0, {}}, {"b", 5, 1, {}}};
  batch.sentences = {text};
  const QuantityName name(Stack::encoder, 1, Part::full, quantity);
  header.quantities.push_back({name,
                               {Axis::head, Axis::logit_term, Axis::query, Axis::key},
                               {1, 6, 0, 0},
                               DType::float64,
                               units,
                               ""});
  std::vector<double> values;
  for (int term = 0; term < 6; ++term) {
    for (int cell = 0; cell < 4; ++cell) {
      values.push_back(term + 1 + cell / 2 + 10 * (cell % 2));
    }
  }
  batch.quantities.emplace_back(name, HostTensor::of<double>({24}, values));
  recording.begin(header);
  recording.write(batch);
  recording.finish();
}

TEST(TokenBars, TermsOfOneKeyHaveTheColoursOfTheStackedForm) {
  MemoryRecording recording;
  write_terms(recording, Quantity::logit_terms, "1");
  const std::vector<QuantityName> names = {recording.header().quantities.front().name};
  const auto stacked = std::get<LinePlot>(token_bars(recording, 0, names, {.token = 2, .head = 1}).body);
  const auto one =
      std::get<LinePlot>(token_bars(recording, 0, names, {.token = 2, .key = 2, .head = 1}).body);
  ASSERT_EQ(stacked.series.size(), 6U);
  ASSERT_EQ(one.series.size(), 7U);
  for (std::size_t term = 0; term < 6; ++term) {
    EXPECT_EQ(one.series[term].label, stacked.series[term].label);
    EXPECT_EQ(one.series[term].colour, stacked.series[term].colour);
    ASSERT_EQ(one.series[term].points.size(), 1U);
    EXPECT_DOUBLE_EQ(one.series[term].points[0].x, static_cast<double>(term));
    EXPECT_DOUBLE_EQ(one.series[term].points[0].y, stacked.series[term].points[1].y);
  }
  EXPECT_EQ(one.x_categories, (std::vector<std::string>{"pp", "pi", "ip", "ii", "bp", "bi", "sum"}));
  EXPECT_DOUBLE_EQ(one.series[6].points[0].y, 21 + 6 * 11);
  EXPECT_EQ(one.y.text(), "attention score (logits)");
  EXPECT_EQ(stacked.y.text(), "attention score (logits)");
}

TEST(TokenBars, AxesAreNamedInWords) {
  MemoryRecording recording;
  write_terms(recording, Quantity::aumann_shapley, "probability");
  const std::vector<QuantityName> names = {recording.header().quantities.front().name};
  const auto plot = std::get<LinePlot>(token_bars(recording, 0, names, {.token = 1, .key = 1}).body);
  EXPECT_EQ(plot.y.text(), "effect on the attention weight (probability)");
}

// In long sentences no join is expected often: the strongest ones are drawn nevertheless.
TEST(PosteriorArcs, WithoutAThresholdTheStrongestAreDrawn) {
  const std::vector<std::string> words = {"a", "b"};
  const std::vector<Part> parts = {Part::high};
  const EdgePosteriors posteriors = {{{0, 0.02, 0.001, 0}}, {{0, 0.01, 0.004, 0.007}}};
  const FigureData figure = posterior_arcs(posteriors, parts, words);
  const auto& arcs = std::get<ArcFigure>(figure.body).arcs;
  ASSERT_EQ(arcs.size(), 2U);  // 0.03 and 0.007; 0.005 is less than a fifth of 0.03
  EXPECT_DOUBLE_EQ(arcs[0].weight, 0.03);
  EXPECT_DOUBLE_EQ(arcs[1].weight, 0.007);
  EXPECT_EQ(figure.title, "Joins expected at least 0.006 times, a fifth of the most frequent");
  EXPECT_TRUE(std::get<ArcFigure>(posterior_arcs(posteriors, parts, words, 0.1).body).arcs.empty());
  EXPECT_TRUE(std::get<ArcFigure>(posterior_arcs({{{0, 0, 0, 0}}}, parts, words).body).arcs.empty());
}

}  // namespace
}  // namespace mog::analysis

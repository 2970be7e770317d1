// The information flow: what states take from others, by hand and as sums, and what is kept of it.
#include "analysis/figure_data/information_flow.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "analysis/figure_data/head_bars.h"
#include "tests/unit/analysis/random_recording.h"

namespace mog::analysis {
namespace {

// Weights into every state.
std::map<std::pair<std::int64_t, std::int64_t>, double> sums(const InformationFlow& flow) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> result;
  flow.for_each_edge([&](const FlowEdge& edge) { result[{edge.to_row, edge.to_word}] += edge.weight; });
  return result;
}

void expect_whole(const InformationFlow& flow) {
  const auto found = sums(flow);
  EXPECT_EQ(found.size(), (flow.rows().size() - 1) * static_cast<std::size_t>(flow.words()));
  for (const auto& [state, sum] : found) {
    EXPECT_NEAR(sum, 1, 1e-6) << "row " << state.first << " word " << state.second;
  }
}

const FlowFigure& body(const FigureData& figure) {
  return std::get<FlowFigure>(figure.body);
}

// A recording of one sentence of some words with values of its tokens.
class TokenRecording {
 public:
  TokenRecording(std::int64_t words, ModelCard model) {
    header_.model = std::move(model);
    sentence_.number = 3;
    for (std::int64_t word = 0; word < words; ++word) {
      sentence_.words.push_back({"w" + std::to_string(word + 1), {word, word + 1}});
      sentence_.tokens.push_back({"w" + std::to_string(word + 1), 5, word, {word, word + 1}});
    }
  }
  void add(const std::string& name, const std::vector<float>& values, std::vector<Axis> axes = {Axis::token},
           std::vector<std::int64_t> extents = {0}) {
    const auto size = static_cast<std::int64_t>(values.size());
    HostTensor tensor = HostTensor::of<float>({size}, values);
    header_.quantities.push_back(
        {QuantityName::parse(name), std::move(axes), std::move(extents), tensor.dtype(), "1", ""});
    tensors_.emplace(QuantityName::parse(name), std::move(tensor));
  }
  MemoryRecording& recording() {
    std::sort(header_.quantities.begin(), header_.quantities.end(),
              [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
    recording_->begin(header_);
    RecordingBatch batch;
    batch.sentences = {sentence_};
    for (const QuantitySchema& schema : header_.quantities) {
      batch.quantities.emplace_back(schema.name,
                                    tensors_.at(schema.name).reshaped({tensors_.at(schema.name).size()}));
    }
    recording_->write(batch);
    recording_->finish();
    return *recording_;
  }

 private:
  RecordingHeader header_;
  Sentence sentence_;
  std::map<QuantityName, HostTensor> tensors_;
  std::shared_ptr<MemoryRecording> recording_ = std::make_shared<MemoryRecording>();
};

ModelCard card(const std::string& kind, std::int64_t layers, bool bidirectional = false) {
  ModelCard model;
  model.encoder_kind = kind;
  model.layers = layers;
  model.heads = 1;
  model.bidirectional = bidirectional;
  return model;
}

TokenRecording plain_of_two_words() {
  TokenRecording test(2, card("transformer", 1));
  test.add("encoder.1.full.attention", {0.25F, 0.75F, 1, 0}, {Axis::head, Axis::query, Axis::key}, {1, 0, 0});
  return test;
}

TEST(InformationFlow, WeightsIntoEveryStateSumToOne) {
  for (const char* fusion : {"weight_gate", "self_gate", ""}) {
    for (const bool plain_first : {false, true}) {
      const test::RandomRecording random(
          {.fusion = fusion, .words = 5, .layers = 3, .first_layer_plain = plain_first});
      expect_whole(InformationFlow(random.recording(), 0));
      expect_whole(InformationFlow(random.recording(), 0, {.heads = {2}}));
      expect_whole(InformationFlow(random.recording(), 0, {.keep_pieces = true}));
    }
  }
}

TEST(InformationFlow, PartsOfAGraphTransformerStayParallel) {
  const test::RandomRecording random({.words = 3, .layers = 2, .zeros = 0});
  const FigureData figure = InformationFlow(random.recording(), 0).figure({.threshold = 0.0});
  std::map<std::vector<std::int64_t>, std::set<std::pair<Part, bool>>> parallel;
  for (const FlowEdge& edge : body(figure).edges) {
    parallel[{edge.from_row, edge.from_word, edge.to_row, edge.to_word}].insert({edge.part, edge.carried});
  }
  const std::set<std::pair<Part, bool>> parts = {
      {Part::high, false}, {Part::middle1, false}, {Part::middle2, false}};
  auto own = parts;
  own.insert({Part::low, true});
  EXPECT_EQ((parallel[{1, 0, 2, 1}]), parts);
  EXPECT_EQ((parallel[{1, 1, 2, 1}]), own);
  // Nothing is previous to the first layer.
  EXPECT_EQ((parallel[{0, 0, 1, 1}]), (std::set<std::pair<Part, bool>>{{Part::high, false}}));
}

TEST(InformationFlow, APlainLayerByHand) {
  TokenRecording test = plain_of_two_words();
  const InformationFlow flow(test.recording(), 0);
  std::string text;
  flow.for_each_edge([&](const FlowEdge& edge) {
    text += std::to_string(edge.from_word + 1) + (edge.carried ? "=" : "-") +
            std::to_string(edge.to_word + 1) + " " + std::to_string(edge.weight).substr(0, 5) + "\n";
  });
  EXPECT_EQ(text, "1=1 0.500\n1-1 0.125\n2-1 0.375\n2=2 0.500\n1-2 0.500\n");
  const FigureData figure = flow.figure();
  EXPECT_NE(body(figure).weight.averaged.find("1/2 (assumed)"), std::string::npos);
  EXPECT_EQ(flow.sentence(), 3);
}

TEST(InformationFlow, TheCarriedShareIsTheRecordedOne) {
  TokenRecording test = plain_of_two_words();
  test.add("encoder.1.split.norm", {3, 1, 9, 9, 9, 1, 1, 9, 9, 9}, {Axis::token, Axis::split_norm}, {0, 5});
  test.add("encoder.1.pseudo_gate.proximity", {.5F, 0, 0, 0, .5F, 0, .1F, .2F, .1F, 0, .6F, 0},
           {Axis::token, Axis::order_group}, {0, 6});
  const MemoryRecording& recording = test.recording();
  std::vector<double> carried;
  const InformationFlow flow(recording, 0);
  flow.for_each_edge([&](const FlowEdge& edge) {
    if (edge.carried) {
      carried.push_back(edge.weight);
    }
  });
  EXPECT_EQ(carried, (std::vector<double>{0.75, 0.5}));
  expect_whole(flow);
  EXPECT_NE(body(flow.figure()).weight.averaged.find("split.norm"), std::string::npos);
  // What is asked for goes before what is recorded.
  InformationFlow(recording, 0, {.rho = 0.25}).for_each_edge([&](const FlowEdge& edge) {
    EXPECT_TRUE(!edge.carried || edge.weight == 0.25);
  });
}

TEST(InformationFlow, ThePseudoGateStandsForTheCarriedShare) {
  TokenRecording test = plain_of_two_words();
  test.add("encoder.1.pseudo_gate.proximity", {.5F, 0, 0, 0, .5F, 0, .1F, .2F, .1F, 0, .6F, 0},
           {Axis::token, Axis::order_group}, {0, 6});
  std::vector<double> carried;
  InformationFlow(test.recording(), 0).for_each_edge([&](const FlowEdge& edge) {
    if (edge.carried) {
      carried.push_back(edge.weight);
    }
  });
  ASSERT_EQ(carried.size(), 2U);
  EXPECT_NEAR(carried[0], 1, 1e-6);
  EXPECT_NEAR(carried[1], 0.25, 1e-6);
}

TEST(InformationFlow, RecurrentStepsGoAlongTheRow) {
  TokenRecording test(3, card("gru", 1));
  test.add("encoder.1.gate.mean", {.9F, .5F, .75F});
  test.add("encoder.1.recurrent.output.share", {0, .5F, .25F});
  const InformationFlow flow(test.recording(), 0);
  expect_whole(flow);
  std::string text;
  flow.for_each_edge([&](const FlowEdge& edge) {
    text += std::to_string(edge.from_row) + "." + std::to_string(edge.from_word + 1) + " " +
            std::to_string(edge.to_word + 1) + " " +
            (edge.carried ? std::string("carried") : std::string(mog::name(edge.part))) + " " +
            std::to_string(edge.weight).substr(0, 6) + "\n";
  });
  EXPECT_EQ(text,
            "0.1 1 below 1.0000\n"
            "1.1 2 carried 0.5000\n1.1 2 recurrent 0.2500\n0.2 2 below 0.2500\n"
            "1.2 3 carried 0.2500\n1.2 3 recurrent 0.1875\n0.3 3 below 0.5625\n");
}

TEST(InformationFlow, TwoDirectionsHaveRowsOfTheirOwn) {
  TokenRecording test(3, card("gru", 2, true));
  for (const char* layer : {"1", "2"}) {
    const std::string prefix = std::string("encoder.") + layer + ".";
    test.add(prefix + "forward.gate.mean", {.9F, .5F, .75F});
    test.add(prefix + "backward.gate.mean", {.25F, .5F, .9F});
    test.add(prefix + "forward_recurrent.output.share", {0, .5F, .25F});
    test.add(prefix + "backward_recurrent.output.share", {.5F, .5F, 0});
    test.add(prefix + "forward.output.share", {.25F, .5F, 1});
  }
  const InformationFlow flow(test.recording(), 0);
  expect_whole(flow);
  ASSERT_EQ(flow.rows().size(), 7U);
  EXPECT_EQ(flow.rows()[2].label, "1 backward");
  // What the backward state of the first word has read: the words after it.
  const FigureData back = flow.figure({.threshold = 0.0, .state = parse_flow_state("1@1:backward")});
  std::set<std::int64_t> rows;
  for (const FlowEdge& edge : body(back).edges) {
    rows.insert(edge.to_row);
    EXPECT_TRUE(edge.from_row == 0 || edge.from_word == edge.to_word + 1);
  }
  EXPECT_EQ(rows, (std::set<std::int64_t>{2}));
}

TEST(InformationFlow, AboutTwoEdgesAWordAndLayerAreShown) {
  const test::RandomRecording random({.words = 12, .layers = 4, .zeros = 0});
  const InformationFlow flow(random.recording(), 0);
  std::int64_t shown = 0;
  const FigureData figure = flow.figure();
  for (const FlowEdge& edge : body(figure).edges) {
    EXPECT_GE(edge.weight, flow.automatic_threshold());
    shown += edge.carried ? 0 : 1;
  }
  EXPECT_LE(shown, 2 * 12 * 4);
  EXPECT_GE(shown, 2 * 12 * 4 * 6 / 10);
}

// What stands behind a tree: of each word and layer the strongest others, all parts together.
TEST(InformationFlow, TheStrongestKeysOfAState) {
  const test::RandomRecording random({.words = 6, .layers = 3});
  const InformationFlow flow(random.recording(), 0);
  std::map<std::array<std::int64_t, 3>, double> sums;
  flow.for_each_edge([&](const FlowEdge& edge) {
    if (!edge.carried) {
      sums[{edge.to_row, edge.to_word, edge.from_word}] += edge.weight;
    }
  });
  const std::vector<TreeFlow> keys = strongest_keys(flow);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> found;
  for (const TreeFlow& key : keys) {
    EXPECT_NE(key.word, key.key);
    EXPECT_NEAR(key.weight, (sums[{key.layer, key.word, key.key}]), 1e-12);
    found[{key.layer, key.word}].push_back(key.weight);
  }
  EXPECT_EQ(found.size(), 18U);
  for (const auto& [state, weights] : found) {
    ASSERT_EQ(weights.size(), 2U);
    EXPECT_GE(weights[0], weights[1]);
    int stronger = 0;
    for (const auto& [edge, weight] : sums) {
      stronger += edge[0] == state.first && edge[1] == state.second && edge[2] != edge[1] &&
                          weight > weights[1] + 1e-12
                      ? 1
                      : 0;
    }
    EXPECT_LE(stronger, 1);
  }
}

TEST(InformationFlow, OnlyTheRelativesOfAState) {
  const test::RandomRecording random({.words = 8, .layers = 4});
  const InformationFlow flow(random.recording(), 0);
  const double threshold = 0.05;
  const FlowState state = parse_flow_state("4@3");
  EXPECT_EQ(state, (FlowState{.word = 3, .layer = 3}));
  EXPECT_EQ(flow_state_text(state), "4@3");
  for (const bool out : {false, true}) {
    FlowState wanted = state;
    wanted.descendants = out;
    const FigureData figure = flow.figure({.threshold = threshold, .state = wanted});
    const FlowFigure& some = body(figure);
    ASSERT_TRUE(some.state.has_value());
    EXPECT_EQ(*some.state, 3 * 8 + 3);
    EXPECT_FALSE(some.edges.empty());
    std::set<std::int64_t> reached = {*some.state};
    for (int turn = 0; turn < 5; ++turn) {
      for (const FlowEdge& edge : some.edges) {
        const std::int64_t from = some.node(edge.from_row, edge.from_word);
        const std::int64_t to = some.node(edge.to_row, edge.to_word);
        if (reached.contains(out ? from : to)) {
          reached.insert(out ? to : from);
        }
      }
    }
    for (const FlowEdge& edge : some.edges) {
      EXPECT_GE(edge.weight, threshold);
      EXPECT_TRUE(reached.contains(some.node(edge.from_row, edge.from_word)));
      EXPECT_TRUE(reached.contains(some.node(edge.to_row, edge.to_word)));
    }
  }
  EXPECT_THROW(flow.figure({.state = parse_flow_state("9@1")}), UsageError);
  EXPECT_THROW(flow.figure({.state = parse_flow_state("1@5")}), UsageError);
  for (const char* wrong : {"", "4", "4@", "@2", "0@1", "4@-1", "4@2x", "4@2:nothing"}) {
    EXPECT_THROW(parse_flow_state(wrong), Error) << wrong;
  }
}

TEST(InformationFlow, NoMoreThanTheStrongest) {
  const test::RandomRecording random({.words = 8, .layers = 4});
  const InformationFlow flow(random.recording(), 0);
  const FigureData all = flow.figure({.threshold = 0.0});
  const FigureData some = flow.figure({.threshold = 0.0, .at_most = 10});
  ASSERT_EQ(body(some).edges.size(), 10U);
  double weakest = 1;
  for (const FlowEdge& edge : body(some).edges) {
    weakest = std::min(weakest, edge.weight);
  }
  std::size_t stronger = 0;
  for (const FlowEdge& edge : body(all).edges) {
    stronger += edge.weight > weakest ? 1 : 0;
  }
  EXPECT_LE(stronger, 9U);
  EXPECT_NE(some.caption.find("the strongest"), std::string::npos);
  EXPECT_EQ(all.to_csv().substr(0, 60), "from_state,from,from_text,to_state,to,to_text,part,carried,w");
}

TEST(HeadBars, AreTheMapsOfTheHeads) {
  TokenRecording test(2, card("transformer", 1));
  test.add("encoder.1.full.attention", {0.25F, 0.75F, 1, 0, 0.5F, 0.5F, 0.1F, 0.9F},
           {Axis::head, Axis::query, Axis::key}, {2, 0, 0});
  test.add("encoder.1.full.attention.norm", {1, 4, 3, 1}, {Axis::head, Axis::query}, {2, 0});
  const FigureData figure =
      head_bars(test.recording(), 0, {.layer = 1, .query = 1, .key = 2, .by_word = true});
  const auto& panels = std::get<PanelFigure>(figure.body).panels;
  ASSERT_EQ(panels.size(), 2U);
  const auto& weights = std::get<BarPlot>(panels[0].body).rows;
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_NEAR(weights[0].value, 0.75, 1e-6);
  EXPECT_NEAR(weights[1].value, 0.5, 1e-6);
  const auto& given = std::get<BarPlot>(panels[1].body).rows;
  EXPECT_NEAR(given[0].value, 0.75 * 0.25, 1e-6);
  EXPECT_NEAR(given[1].value, 0.5 * 0.75, 1e-6);
}

TEST(HeadBars, SayWhatIsMissing) {
  TokenRecording test = plain_of_two_words();
  const MemoryRecording& recording = test.recording();
  EXPECT_THROW(head_bars(recording, 0, {.layer = 2, .query = 1, .key = 1}), UsageError);
  EXPECT_THROW(head_bars(recording, 0, {.layer = 1, .part = Part::high, .query = 1, .key = 1}), UsageError);
  EXPECT_THROW(head_bars(recording, 0, {.layer = 1, .query = 3, .key = 1}), UsageError);
  EXPECT_THROW(head_bars(recording, 0, {.layer = 1, .query = 1}), UsageError);
  EXPECT_TRUE(
      std::holds_alternative<BarPlot>(head_bars(recording, 0, {.layer = 1, .query = 1, .key = 1}).body));
}

}  // namespace
}  // namespace mog::analysis

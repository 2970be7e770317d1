// Parsers that go on action by action, on a model whose scores are written by hand, and what they learn from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "app/workflow/experiment/train_data.h"
#include "app/workflow/graphs/parse_sentences.h"
#include "app/workflow/graphs/read_graphs.h"
#include "app/workflow/parse/parse_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::ParserAction;
using analysis::ParserState;
using model::DependencyTree;
using model::GraphArc;
using model::StateTokens;

constexpr std::size_t kActions = analysis::kParserActions;

model::GraphConfig transitions(std::vector<std::string> labels, bool link_pieces = false) {
  model::GraphConfig graph;
  graph.kind = model::GraphKind::transitions;
  graph.labels = std::move(labels);
  graph.link_pieces = link_pieces;
  graph.refinements = 0;
  return graph;
}

// [CLS], a token a word (the first one two), [SEP]; the token of [CLS] tells the sentences apart.
Sentence sentence_of(std::int64_t id, std::size_t words) {
  Sentence sentence;
  sentence.number = id;
  sentence.tokens.push_back({"[CLS]", id, -1, {}});
  for (std::size_t word = 0; word < words; ++word) {
    sentence.words.push_back({"w" + std::to_string(word + 1), {}});
    for (int piece = 0; piece < (word == 0 ? 2 : 1); ++piece) {
      sentence.tokens.push_back({"p", 50, static_cast<std::int64_t>(word), {}});
    }
  }
  sentence.tokens.push_back({"[SEP]", 51, -1, {}});
  return sentence;
}

// Follows every sentence with a state of its own and gives the scores that `choose` wants.
class ScriptedTransitions final : public model::Model {
 public:
  using Choose = std::function<void(std::int64_t id, const ParserState& state, std::span<float> actions,
                                    std::span<float> labels)>;
  // checks: the tokens of every state, where `choose` wants actions that are taken.
  ScriptedTransitions(model::GraphConfig graph, bool reads_graph, Choose choose, bool checks = true)
      : choose_(std::move(choose)), checks_(checks) {
    config_.encoder.kind = model::EncoderKind::transformer;
    config_.graph = std::move(graph);
    if (reads_graph) {
      config_.encoder.graph_input.emplace().relations = config_.graph->relations();
    }
    config_.tasks["upos"] = {"A", "B"};
    config_.vocab_size = 60;
  }
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return model::quantities(config_); }
  void run(const model::PackedBatch&, std::span<const model::Intervention>,
           std::span<model::Observer* const>) const override {
    FAIL() << "states are scored with run_states()";
  }
  void run_states(const model::PackedBatch& batch, std::span<const model::Intervention>,
                  std::span<model::Observer* const> observers, const model::NextStates& next) const override {
    encodings_.push_back(batch);
    show_tags(batch, observers);
    const std::size_t labels = config_.graph->labels.size();
    model::StateScores scores;
    for (std::vector<StateTokens> states = next({}); !states.empty(); states = next(scores)) {
      scores.actions.assign(states.size() * kActions, 0.0F);
      scores.labels.assign(states.size() * labels, 0.0F);
      for (std::size_t at = 0; at < states.size(); ++at) {
        score(batch, states[at], std::span(scores.actions).subspan(at * kActions, kActions),
              std::span(scores.labels).subspan(at * labels, labels));
      }
    }
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch&, const model::BeamOptions&,
                                                        std::stop_token) const override {
    return {};
  }
  const std::vector<model::PackedBatch>& encodings() const { return encodings_; }

 private:
  // The first word has tag B, all others A.
  void show_tags(const model::PackedBatch& batch, std::span<model::Observer* const> observers) const {
    const QuantityName name = QuantityName::tag_scores("upos");
    for (model::Observer* const observer : observers) {
      if (!observer->wants(name)) {
        continue;
      }
      std::vector<float> values;
      model::PackedValues packed;
      packed.offsets = {0};
      for (std::int64_t s = 0; s < batch.sentences(); ++s) {
        for (std::int64_t token = 0; token < batch.length(s); ++token) {
          values.insert(values.end(), {0.5F, token == 1 ? 1.0F : 0.0F});
        }
        packed.offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
      packed.values = HostTensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
      observer->observe(name, packed);
    }
  }
  void score(const model::PackedBatch& batch, const StateTokens& tokens, std::span<float> actions,
             std::span<float> labels) const {
    const auto after = std::upper_bound(batch.offsets.begin(), batch.offsets.end(), tokens[1]);
    const std::int64_t first = *std::prev(after);
    const std::int64_t id = batch.ids[static_cast<std::size_t>(first)];
    const auto words = static_cast<std::int32_t>(*after - first - 3);
    ParserState& state = states_.try_emplace(id, words).first->second;
    // The tokens are those of the state: the first word has two.
    const auto token = [&](std::int32_t word) { return first + (word < 2 ? word : word + 1); };
    const auto stack = state.stack();
    if (!checks_) {
      choose_(id, state, actions, labels);
      return;
    }
    EXPECT_EQ(tokens[0], stack.size() > 1 ? token(stack[stack.size() - 2]) : -1);
    EXPECT_EQ(tokens[1], token(stack.back()));
    EXPECT_EQ(tokens[2], state.buffer().empty() ? -1 : token(state.buffer().front()));
    choose_(id, state, actions, labels);
    const auto best = std::max_element(labels.begin(), labels.end()) - labels.begin();
    const ParserAction action =
        static_cast<ParserAction>(std::max_element(actions.begin(), actions.end()) - actions.begin());
    if (state.is_legal(action)) {
      const bool arc = action == ParserAction::left_arc || action == ParserAction::right_arc;
      state.apply({action, arc ? static_cast<std::int32_t>(best) : analysis::kNoLabel});
    }
  }

  Choose choose_;
  bool checks_;
  model::ModelConfig config_;
  ModelCard card_;
  mutable std::map<std::int64_t, ParserState> states_;
  mutable std::vector<model::PackedBatch> encodings_;
};

// The second tree is not projective.
const std::map<std::int64_t, DependencyTree> kGold = {
    {1, {{2, 5, 5, 5, 0}, {0, 2, 1, 2, 3}}}, {2, {{3, 4, 0, 3}, {1, 2, 3, 0}}}, {3, {{0}, {3}}}};
const std::vector<std::string> kLabels = {"a", "b", "c", "root"};

void follow_oracle(std::int64_t id, const ParserState& state, std::span<float> actions,
                   std::span<float> labels) {
  const DependencyTree& gold = kGold.at(id);
  const analysis::ParserTransition right = analysis::StaticOracle(gold.heads, gold.labels).next(state);
  actions[static_cast<std::size_t>(right.action)] = 3.0F;
  if (right.label >= 0) {
    labels[static_cast<std::size_t>(right.label)] = 2.0F;
  }
}

std::vector<Sentence> gold_sentences() {
  std::vector<Sentence> sentences;
  for (const auto& [id, tree] : kGold) {
    sentences.push_back(sentence_of(id, tree.heads.size()));
  }
  return sentences;
}

TEST(TransitionParser, ScoresOfTheOracleGiveTheGoldTrees) {
  const std::vector<Sentence> sentences = gold_sentences();
  for (const bool reads : {true, false}) {
    for (const std::int64_t batch_tokens : {1, 2000}) {
      const ScriptedTransitions model(transitions(kLabels), reads, follow_oracle);
      const std::vector<Parse> parses = parse_sentences(model, sentences, {.batch_tokens = batch_tokens});
      for (std::size_t at = 0; at < parses.size(); ++at) {
        const DependencyTree& gold = kGold.at(static_cast<std::int64_t>(at) + 1);
        const analysis::ParserTrace oracle = analysis::oracle_trace(gold.heads, gold.labels);
        EXPECT_EQ(parses[at].best.tree, gold);
        EXPECT_EQ(parses[at].rounds, (std::vector<DependencyTree>{gold}));
        ASSERT_EQ(parses[at].steps.size(), oracle.transitions.size());
        for (std::size_t step = 0; step < oracle.transitions.size(); ++step) {
          EXPECT_EQ(parses[at].steps[step].transition, oracle.transitions[step]);
        }
        EXPECT_EQ(parses[at].tags.at("upos").front(), "B");
        EXPECT_EQ(parses[at].tags.at("upos").size(), gold.heads.size());
        for (std::size_t word = 0; word < gold.heads.size(); ++word) {
          EXPECT_GT(parses[at].best.head_probabilities[word], 0.8);
          // Among those that the arc may have: root alone for the root's, the other three for all else.
          const double others = gold.heads[word] == 0 ? 0.0 : 2.0;
          EXPECT_NEAR(parses[at].best.label_probabilities[word], 1.0 / (1.0 + others * std::exp(-2.0)), 1e-6);
        }
      }
      // Once without a graph; with one as often as the longest sentence has words (each, one by one).
      const std::size_t together = reads ? 5 : 1;
      const std::size_t apart = reads ? 5 + 4 + 1 : 3;
      EXPECT_EQ(model.encodings().size(), batch_tokens == 1 ? apart : together);
    }
  }
}

TEST(TransitionParser, TheGraphThatIsReadIsThatOfTheArcsSoFar) {
  const model::GraphConfig graph = transitions(kLabels, true);
  const ScriptedTransitions model(graph, true, follow_oracle);
  const std::vector<Sentence> sentences = {sentence_of(2, 4)};
  parse_sentences(model, sentences);
  const DependencyTree& gold = kGold.at(2);
  ParserState state(4);
  const analysis::StaticOracle oracle(gold.heads, gold.labels);
  for (const model::PackedBatch& batch : model.encodings()) {
    const DependencyTree sofar = {{state.heads().begin(), state.heads().end()},
                                  {state.labels().begin(), state.labels().end()}};
    EXPECT_EQ(batch.arcs, model::dependency_arcs(graph, sentences[0], sofar));
    const std::size_t arcs = state.removed().size();
    while (state.removed().size() == arcs) {
      state.apply(oracle.next(state));
    }
  }
  EXPECT_TRUE(state.is_final());
}

// A run that is looked at reads what the last of its own encodings read.
TEST(TransitionParser, LookedAtItReadsAllArcsButTheLast) {
  const ScriptedTransitions model(transitions(kLabels, true), true, follow_oracle);
  const std::vector<Sentence> sentences = {sentence_of(2, 4)};
  const std::vector<std::vector<GraphArc>> read = read_graphs(model, sentences);
  EXPECT_EQ(read[0], model.encodings().back().arcs);
  EXPECT_EQ(read[0].size(), 2 * (3 + 1)) << "three words, and a second piece of the first";
}

TEST(TransitionParser, HangsOneWordOnTheRootAndMayBeProjective) {
  // Wants an arc to the right, of label root, wherever it can.
  const ScriptedTransitions eager(
      transitions(kLabels), false,
      [](std::int64_t, const ParserState&, std::span<float> actions, std::span<float> labels) {
        actions[1] = 2.0F;
        actions[2] = 1.0F;
        labels[3] = 1.0F;
      },
      /*checks=*/false);
  const std::vector<Parse> one = parse_sentences(eager, std::vector<Sentence>{sentence_of(1, 3)});
  EXPECT_EQ(one[0].best.tree, (DependencyTree{{0, 1, 1}, {3, 0, 0}}));
  EXPECT_NEAR(one[0].steps[1].probabilities[1], 0.0, 1e-12) << "an arc from the root comes last";

  const ScriptedTransitions swapping(
      transitions(kLabels), false,
      [](std::int64_t, const ParserState&, std::span<float> actions, std::span<float>) {
        actions[3] = 2.0F;
        actions[2] = 1.0F;
      },
      /*checks=*/false);
  const auto swaps = [&](bool projective) {
    const std::vector<Parse> parses =
        parse_sentences(swapping, std::vector<Sentence>{sentence_of(1, 4)}, {.projective = projective});
    return std::count_if(parses[0].steps.begin(), parses[0].steps.end(),
                         [](const ParseStep& step) { return step.transition.action == ParserAction::swap; });
  };
  EXPECT_EQ(swaps(false), 4 * 3 / 2);
  EXPECT_EQ(swaps(true), 0);
}

TEST(TransitionParser, RefusesRefinements) {
  const ScriptedTransitions model(transitions(kLabels), true, follow_oracle);
  try {
    parse_sentences(model, gold_sentences(), {.refinements = 0});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("leave out --refinements"), std::string::npos) << error.what();
  }
}

TEST(TransitionParser, TheTraceHasEveryStateAndItsProbabilities) {
  const ScriptedTransitions model(transitions(kLabels), true, follow_oracle);
  const std::vector<Sentence> sentences = gold_sentences();
  const std::vector<Parse> parses = parse_sentences(model, sentences);
  const auto trace = nlohmann::json::parse(trace_text(*model.config().graph, sentences[1], parses[1]));
  const DependencyTree& gold = kGold.at(2);
  const analysis::ParserTrace oracle = analysis::oracle_trace(gold.heads, gold.labels);
  ASSERT_EQ(trace["transitions"].size(), oracle.transitions.size());
  int swaps = 0;
  for (std::size_t at = 0; at < oracle.transitions.size(); ++at) {
    const auto& line = trace["transitions"][at];
    const ParserState state = oracle.after(at);
    EXPECT_EQ(line["action"], analysis::name(oracle.transitions[at].action));
    EXPECT_EQ(line["stack"].get<std::vector<std::int32_t>>(),
              std::vector<std::int32_t>(state.stack().begin(), state.stack().end()));
    EXPECT_EQ(line["buffer"].get<std::vector<std::int32_t>>(),
              std::vector<std::int32_t>(state.buffer().begin(), state.buffer().end()));
    EXPECT_EQ(line["arcs"].size(), state.removed().size());
    double sum = 0.0;
    for (const auto& [action, probability] : line["probabilities"].items()) {
      sum += probability.get<double>();
    }
    EXPECT_NEAR(sum, 1.0, 3e-4);
    EXPECT_EQ(line.contains("label"), oracle.transitions[at].label >= 0);
    swaps += line["action"] == "SWAP" ? 1 : 0;
  }
  EXPECT_EQ(swaps, 1);
}

TEST(TransitionParser, LearnsFromTheStatesOnTheWay) {
  const model::GraphConfig graph = transitions(kLabels, true);
  const DependencyTree& gold = kGold.at(2);
  const Sentence sentence = sentence_of(2, 4);
  const analysis::ParserTrace oracle = analysis::oracle_trace(gold.heads, gold.labels);
  Example example;
  for (const Token& token : sentence.tokens) {
    example.ids.push_back(token.id);
  }
  example.labels["upos"].assign(example.ids.size(), 1);
  add_tree(example, graph, sentence, gold, true);
  ASSERT_EQ(example.states.size(), oracle.transitions.size());
  EXPECT_EQ(example.batch_cost(), 4 * example.cost());
  const model::TrainingBatch batch = make_batch({example, example}, {0, 1});
  ASSERT_EQ(batch.input.sentences(), 2 * 4);
  ASSERT_EQ(batch.transitions->states.size(), 2 * oracle.transitions.size());
  EXPECT_EQ(batch.labels.at("upos").size(), static_cast<std::size_t>(batch.input.tokens()));
  EXPECT_EQ(batch.labels.at("upos")[0], 1);
  EXPECT_EQ(batch.labels.at("upos")[example.ids.size()], -1) << "tags are learnt once";
  std::int64_t encoding = -1;
  std::size_t arcs = 99;
  for (std::size_t at = 0; at < oracle.transitions.size(); ++at) {
    const ParserState state = oracle.after(at);
    encoding += state.removed().size() != arcs ? 1 : 0;
    arcs = state.removed().size();
    const std::int64_t first = batch.input.offsets[static_cast<std::size_t>(encoding)];
    const StateTokens& tokens = batch.transitions->states[at];
    EXPECT_EQ(tokens[1],
              first + (state.stack().back() < 2 ? state.stack().back() : state.stack().back() + 1));
    EXPECT_EQ(tokens[2] < 0, state.buffer().empty());
    EXPECT_EQ(batch.transitions->actions[at], static_cast<std::int64_t>(oracle.transitions[at].action));
    EXPECT_EQ(batch.transitions->labels[at], oracle.transitions[at].label);
    std::vector<GraphArc> own;
    for (const GraphArc& arc : batch.input.arcs) {
      if (arc.query >= first && arc.query < first + batch.input.length(encoding)) {
        own.push_back({arc.query - first, arc.key - first, arc.relation});
      }
    }
    std::sort(own.begin(), own.end(), [](const GraphArc& left, const GraphArc& right) {
      return std::pair(left.query, left.key) < std::pair(right.query, right.key);
    });
    EXPECT_EQ(own, model::dependency_arcs(graph, sentence,
                                          {{state.heads().begin(), state.heads().end()},
                                           {state.labels().begin(), state.labels().end()}}));
  }
  Example plain;
  plain.ids = example.ids;
  add_tree(plain, graph, sentence, gold, false);
  EXPECT_EQ(plain.batch_cost(), plain.cost());
  EXPECT_EQ(make_batch({plain}, {0}).input.sentences(), 1);
  EXPECT_EQ(make_batch({plain}, {0}).transitions->actions,
            std::vector<std::int64_t>(
                batch.transitions->actions.begin(),
                batch.transitions->actions.begin() + static_cast<std::ptrdiff_t>(plain.states.size())));
}

}  // namespace
}  // namespace mog::app

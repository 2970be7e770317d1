// Parsers that read states: what they are given of each, from a parse and from a batch to learn from, on a
// model whose scores are written by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "app/workflow/experiment/train_data.h"
#include "app/workflow/graphs/parse_sentences.h"
#include "app/workflow/graphs/read_graphs.h"
#include "app/workflow/parse/parse_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::ParserState;
using analysis::ParserTransition;
using model::Composition;
using model::DependencyTree;
using model::StateClassifier;
using model::StateSegment;

constexpr std::int64_t kSeparator = 2;
constexpr std::int64_t kRoot = 100;  // and the number of the sentence
constexpr std::int64_t kWord = 10;   // and the number of the word

// The second tree is not projective, and hangs words on words with dependents of their own.
const std::map<std::int64_t, DependencyTree> kGold = {
    {1, {{2, 5, 5, 5, 0}, {0, 2, 1, 2, 3}}}, {2, {{3, 4, 0, 3}, {1, 2, 3, 0}}}, {3, {{0}, {3}}}};

model::ModelConfig parser(bool reads, StateClassifier classifier, Composition composition,
                          std::int64_t history) {
  model::ModelConfig config;
  config.encoder.kind = model::EncoderKind::transformer;
  config.eos_id = kSeparator;
  model::GraphConfig& graph = config.graph.emplace();
  graph.kind = model::GraphKind::state_transitions;
  graph.labels = {"a", "b", "c", "root"};
  graph.link_pieces = false;
  graph.refinements = 0;
  graph.classifier = classifier;
  graph.composition = composition;
  graph.history = history;
  config.tasks = {{"upos", {"A", "B"}}};
  if (reads) {
    config.encoder.graph_input.emplace().relations = graph.relations();
  }
  return config;
}

// The first word has two tokens; the last one of a sentence of five has none.
Sentence sentence_of(std::int64_t number) {
  Sentence sentence;
  sentence.number = number;
  sentence.tokens.push_back({"[CLS]", kRoot + number, -1, {}});
  const auto words = static_cast<std::int64_t>(kGold.at(number).heads.size());
  for (std::int64_t word = 1; word <= words; ++word) {
    sentence.words.push_back({"w" + std::to_string(word), {}});
    if (word < 5) {
      sentence.tokens.push_back({"w", kWord + word, word - 1, {}});
    }
    if (word == 1) {
      sentence.tokens.push_back({"##w", 99, 0, {}});
    }
  }
  sentence.tokens.push_back({"[SEP]", kSeparator, -1, {}});
  return sentence;
}

std::vector<Sentence> sentences() {
  return {sentence_of(1), sentence_of(2), sentence_of(3)};
}

// "(w3 (w4 w1:0):2)": a composed word with all that it is made of.
std::string text_of(const std::vector<model::ComposedWord>& words, std::int64_t number) {
  const model::ComposedWord& word = words[static_cast<std::size_t>(number)];
  return word.id >= 0 ? std::to_string(word.id)
                      : "(" + text_of(words, word.head) + " " + text_of(words, word.dependent) + ":" +
                            std::to_string(word.label) + ")";
}

// A derivation as the test follows it, and what is expected of each of its states.
class Follower {
 public:
  Follower(const model::ModelConfig& config, std::int64_t number)
      : config_(config), number_(number), state_(static_cast<std::int32_t>(kGold.at(number).heads.size())) {
    for (std::int32_t vertex = 0; vertex <= state_.words(); ++vertex) {
      own_.push_back(std::to_string(id(vertex)));
    }
    texts_ = own_;
  }

  ParserTransition right() const {
    const DependencyTree& gold = kGold.at(number_);
    return analysis::StaticOracle(gold.heads, gold.labels).next(state_);
  }
  void apply(const ParserTransition& transition) {
    state_.apply(transition);
    past_.push_back(transition);
    if (transition.label >= 0) {
      const std::int32_t word = state_.removed().back();
      const std::int32_t head = state_.heads()[static_cast<std::size_t>(word) - 1];
      const bool recursive = config_.graph->composition == Composition::recursive;
      const std::vector<std::string>& of = recursive ? texts_ : own_;
      texts_[at(head)] =
          "(" + of[at(head)] + " " + of[at(word)] + ":" + std::to_string(transition.label) + ")";
    }
  }
  bool done() const { return state_.is_final(); }

  // Whether sentence `s` of the batch is this state, and `tokens` what the heads read of it.
  void expect(const model::PackedBatch& batch, std::int64_t s, const model::StateTokens& tokens) const {
    const model::StateInput& states = *batch.states;
    const std::int64_t first = batch.offsets[at(s)];
    std::vector<std::int64_t> ids;
    std::vector<StateSegment> segments;
    std::vector<std::int32_t> vertices;
    const auto add = [&](std::span<const std::int32_t> words, StateSegment segment, bool ends) {
      for (const std::int32_t word : words) {
        ids.push_back(id(word));
        segments.push_back(segment);
        vertices.push_back(word);
      }
      if (ends) {
        ids.push_back(kSeparator);
        segments.push_back(segment);
        vertices.push_back(-1);
      }
    };
    add(state_.stack(), StateSegment::stack, true);
    add(state_.buffer(), StateSegment::buffer, true);
    if (config_.encoder.graph_input) {
      add(state_.removed(), StateSegment::removed, false);
    }
    ASSERT_EQ(std::vector(batch.ids.begin() + first, batch.ids.begin() + batch.offsets[at(s) + 1]), ids);
    EXPECT_TRUE(std::equal(segments.begin(), segments.end(), states.segments.begin() + first));
    expect_arcs(batch, first, vertices);
    for (std::size_t token = 0; config_.graph->composition != Composition::none && token < ids.size();
         ++token) {
      const std::int64_t number = states.composed[at(first) + token];
      const bool composed = vertices[token] >= 0 && segments[token] != StateSegment::removed;
      EXPECT_EQ(number < 0 ? std::to_string(ids[token]) : text_of(states.words, number),
                composed ? texts_[at(vertices[token])] : std::to_string(ids[token]));
    }
    EXPECT_EQ(states.composed.size(),
              config_.graph->composition == Composition::none ? 0 : static_cast<std::size_t>(batch.tokens()));
    expect_history(states, s);
    const auto place = [&](std::int32_t vertex) {
      return first + (std::find(vertices.begin(), vertices.end(), vertex) - vertices.begin());
    };
    const auto stack = state_.stack();
    const model::StateTokens words = {stack.size() > 1 ? place(stack[stack.size() - 2]) : -1,
                                      place(stack.back()),
                                      state_.buffer().empty() ? -1 : place(state_.buffer().front())};
    EXPECT_EQ(tokens, config_.graph->classifier == StateClassifier::cls ? (model::StateTokens{first, -1, -1})
                                                                        : words);
  }

 private:
  template <class Integer>
  static std::size_t at(Integer index) {
    return static_cast<std::size_t>(index);
  }
  std::int64_t id(std::int32_t vertex) const {
    return vertex == 0 ? kRoot + number_ : vertex == 5 ? config_.unk_id : kWord + vertex;
  }
  void expect_arcs(const model::PackedBatch& batch, std::int64_t first,
                   const std::vector<std::int32_t>& vertices) const {
    std::size_t found = 0;
    const auto end = first + static_cast<std::int64_t>(vertices.size());
    for (const model::GraphArc& arc : batch.arcs) {
      if (arc.query < first || arc.query >= end) {
        continue;
      }
      ++found;
      const std::int32_t query = vertices[at(arc.query - first)];
      const std::int32_t key = vertices[at(arc.key - first)];
      const bool down = arc.relation > 4;  // from the head
      const std::int32_t word = down ? key : query;
      EXPECT_EQ(state_.heads()[at(word) - 1], down ? query : key);
      EXPECT_EQ(state_.labels()[at(word) - 1], (arc.relation - 1) % 4);
    }
    EXPECT_EQ(found, config_.encoder.graph_input ? 2 * state_.removed().size() : 0);
  }
  void expect_history(const model::StateInput& states, std::int64_t s) const {
    if (config_.graph->history == 0) {
      EXPECT_TRUE(states.history.empty() && states.derivations.empty());
      return;
    }
    const auto [derivation, length] = states.history[at(s)];
    ASSERT_EQ(at(length), past_.size());
    for (std::size_t step = 0; step < past_.size(); ++step) {
      EXPECT_EQ(states.derivations[at(derivation)][step],
                (model::PastTransition{static_cast<std::int64_t>(past_[step].action), past_[step].label}));
    }
  }

  const model::ModelConfig& config_;
  std::int64_t number_;
  ParserState state_;
  std::vector<ParserTransition> past_;
  std::vector<std::string> own_;    // [vertex]
  std::vector<std::string> texts_;  // [vertex] composed
};

// Gives the scores of the right transitions, and checks every state that it is asked about.
class OracleModel final : public model::Model {
 public:
  explicit OracleModel(model::ModelConfig config) : config_(std::move(config)) { card_.name = "oracle"; }
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "test"; }
  std::vector<QuantitySchema> quantities() const override { return {}; }
  // Tag B for the first word, A for all others.
  void run(const model::PackedBatch& batch, std::span<const model::Intervention>,
           std::span<model::Observer* const> observers) const override {
    EXPECT_FALSE(batch.states);
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
    for (model::Observer* const observer : observers) {
      observer->observe(QuantityName::tag_scores("upos"), packed);
    }
  }
  void run_states(const model::PackedBatch& batch, std::span<const model::Intervention>,
                  std::span<model::Observer* const>, const model::NextStates& next) const override {
    ++encodings;
    const std::vector<model::StateTokens> states = next({});
    ASSERT_EQ(static_cast<std::int64_t>(states.size()), batch.sentences());
    model::StateScores scores;
    scores.actions.assign(4 * states.size(), 0.0F);
    scores.labels.assign(config_.graph->labels.size() * states.size(), 0.0F);
    for (std::size_t s = 0; s < states.size(); ++s) {
      const std::int64_t number = batch.ids[static_cast<std::size_t>(batch.offsets[s])] - kRoot;
      Follower& follower = followers_.try_emplace(number, config_, number).first->second;
      follower.expect(batch, static_cast<std::int64_t>(s), states[s]);
      const ParserTransition right = follower.right();
      scores.actions[4 * s + static_cast<std::size_t>(right.action)] = 3.0F;
      if (right.label >= 0) {
        scores.labels[config_.graph->labels.size() * s + static_cast<std::size_t>(right.label)] = 2.0F;
      }
      follower.apply(right);
    }
    EXPECT_TRUE(next(scores).empty()) << "an encoding is of one state";
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch&, const model::BeamOptions&,
                                                        std::stop_token) const override {
    return {};
  }
  mutable int encodings = 0;

 private:
  model::ModelConfig config_;
  ModelCard card_;
  mutable std::map<std::int64_t, Follower> followers_;
};

std::vector<model::ModelConfig> all_parsers() {
  std::vector<model::ModelConfig> configs;
  for (const bool reads : {true, false}) {
    for (const Composition composition :
         {Composition::none, Composition::recursive, Composition::last_dependent}) {
      configs.push_back(parser(reads, StateClassifier::pooled, composition, 0));
      configs.push_back(parser(reads, StateClassifier::cls, composition, 7));
    }
  }
  return configs;
}

TEST(StateParser, IsAskedAboutEveryStateAndGivesTheTree) {
  for (const model::ModelConfig& config : all_parsers()) {
    const OracleModel model(config);
    const std::vector<Sentence> given = sentences();
    const std::vector<Parse> parses = parse_sentences(model, given);
    std::size_t longest = 0;
    for (std::size_t at = 0; at < parses.size(); ++at) {
      const DependencyTree& gold = kGold.at(given[at].number);
      EXPECT_EQ(parses[at].best.tree, gold);
      EXPECT_EQ(parses[at].steps.size(), analysis::oracle_trace(gold.heads).transitions.size());
      EXPECT_EQ(parses[at].tags.at("upos")[0], "B");
      longest = std::max(longest, parses[at].steps.size());
      const auto trace = nlohmann::json::parse(trace_text(*config.graph, given[at], parses[at]));
      EXPECT_EQ(trace["transitions"].size(), parses[at].steps.size());
    }
    EXPECT_EQ(model.encodings, static_cast<int>(longest));
  }
}

TEST(StateParser, ReadsNoGraphOfASentenceAsItStands) {
  const OracleModel model(parser(true, StateClassifier::pooled, Composition::none, 0));
  EXPECT_EQ(read_graphs(model, sentences()), std::vector<std::vector<model::GraphArc>>(3));
  EXPECT_EQ(model.encodings, 0);
}

TEST(StateParser, LearnsFromEveryState) {
  for (const model::ModelConfig& config : all_parsers()) {
    std::vector<Example> examples;
    for (const Sentence& sentence : sentences()) {
      Example& example = examples.emplace_back();
      for (const Token& token : sentence.tokens) {
        example.ids.push_back(token.id);
      }
      example.labels["upos"].assign(example.ids.size(), 1);
      add_derivation(example, config, sentence, kGold.at(sentence.number));
    }
    const model::TrainingBatch batch = make_batch(examples, {1, 0, 2});
    const model::TransitionLabels& labels = *batch.transitions;
    std::int64_t s = 0;
    std::size_t state = 0;
    for (const std::int64_t number : {2, 1, 3}) {
      const std::vector<std::int64_t>& ids = examples[static_cast<std::size_t>(number) - 1].ids;
      const auto first = static_cast<std::size_t>(batch.input.offsets[static_cast<std::size_t>(s)]);
      for (std::size_t token = 0; token < ids.size(); ++token) {
        EXPECT_EQ(batch.input.ids[first + token], ids[token]) << "tags are learnt from the sentence";
        EXPECT_EQ(batch.labels.at("upos")[first + token], 1);
        EXPECT_EQ(batch.input.states->segments[first + token], StateSegment::buffer);
      }
      EXPECT_EQ(batch.labels.at("upos")[first + ids.size()], -1);
      Follower follower(config, number);
      for (++s; !follower.done(); ++s, ++state) {
        follower.expect(batch.input, s, labels.states[state]);
        const ParserTransition right = follower.right();
        EXPECT_EQ(labels.actions[state], static_cast<std::int64_t>(right.action));
        EXPECT_EQ(labels.labels[state], right.label);
        follower.apply(right);
      }
    }
    EXPECT_EQ(s, batch.input.sentences());
    EXPECT_EQ(state, labels.states.size());
    EXPECT_EQ(batch.labels.at("upos").size(), static_cast<std::size_t>(batch.input.tokens()));
    std::int64_t cost = 0;
    for (const Example& example : examples) {
      const model::TrainingBatch alone = make_batch({example}, {0});
      std::int64_t longest = 0;
      for (std::int64_t text = 0; text < alone.input.sentences(); ++text) {
        longest = std::max(longest, alone.input.length(text));
      }
      EXPECT_EQ(example.cost(), longest);
      cost += example.batch_cost();
    }
    EXPECT_GE(cost, batch.input.tokens());
  }
}

TEST(StateParser, AStateLongerThanThePositionsIsRefusedForItsSentence) {
  for (const model::ModelConfig& config : all_parsers()) {
    for (const Sentence& sentence : sentences()) {
      Example example;
      add_derivation(example, config, sentence, kGold.at(sentence.number));
      example.labels["upos"] = {};
      for (const Token& token : sentence.tokens) {
        example.ids.push_back(token.id);
      }
      const std::int64_t longest = example.cost();
      EXPECT_NO_THROW(require_room(config, sentence, longest, "")) << "as long as what is read";
      EXPECT_NO_THROW(require_room(config, sentence, 0, "")) << "no limit";
      try {
        require_room(config, sentence, longest - 1, "Parsing f.txt, line 7");
        ADD_FAILURE() << "not refused";
      } catch (const ModelError& error) {
        const std::string message = error.what();
        EXPECT_TRUE(message.starts_with("Parsing f.txt, line 7: ")) << message;
        EXPECT_NE(message.find(std::to_string(longest) + " tokens, the model's positions end at " +
                               std::to_string(longest - 1) + "; "),
                  std::string::npos)
            << message;
      }
    }
  }
}

// An arc whose label the model does not know is no part of what it reads.
TEST(StateParser, AnUnknownLabelIsLeftOut) {
  const model::ModelConfig config = parser(true, StateClassifier::pooled, Composition::recursive, 7);
  Example example;
  add_derivation(example, config, sentence_of(2), {{3, 4, 0, 3}, {1, -1, 3, 0}});
  const model::TrainingBatch batch = make_batch({example}, {0});
  for (const model::GraphArc& arc : batch.input.arcs) {
    EXPECT_GT(arc.relation, 0);
  }
  EXPECT_EQ(std::count(batch.transitions->labels.begin(), batch.transitions->labels.end(), -1),
            static_cast<std::ptrdiff_t>(batch.transitions->states.size()) - 3);
  std::int64_t compositions = 0;
  for (const model::ComposedWord& word : batch.input.states->words) {
    compositions += word.id < 0 ? 1 : 0;
    EXPECT_TRUE(word.id >= 0 || word.label >= 0);
  }
  EXPECT_EQ(compositions, 2) << "four arcs, one without a label; the last one comes after the last state";
}

}  // namespace
}  // namespace mog::app

// Parsers that read states through the façade, against the formulas of docs/model-directory.md, written out
// in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "io/recording/errors.h"
#include "model/trainer.h"

namespace mog::model {
namespace {

using Vector = std::vector<double>;
using WeightTable = std::map<std::string, HostTensor>;

constexpr std::size_t kWidth = 8;    // d_model
constexpr std::int64_t kSpare = 14;  // ids from here on are in no batch

ModelConfig parser(StateClassifier classifier, Composition composition, std::int64_t history, bool reads) {
  ModelConfig config;
  config.encoder.layers = 2;
  config.encoder.d_model = config.encoder.attention_dim = static_cast<std::int64_t>(kWidth);
  config.encoder.heads = 2;
  config.encoder.ffn_dim = 12;
  config.encoder.kind = EncoderKind::transformer;
  config.vocab_size = 20;
  GraphConfig& graph = config.graph.emplace();
  graph.kind = GraphKind::state_transitions;
  graph.labels = {"a", "b", "root"};
  graph.width = 6;
  graph.label_width = 4;
  graph.refinements = 0;
  graph.link_pieces = false;
  graph.classifier = classifier;
  graph.composition = composition;
  graph.history = history;
  if (reads) {
    config.encoder.graph_input.emplace().relations = graph.relations();
  }
  return config;
}

std::unique_ptr<Trainer> trainer(const ModelConfig& config, const WeightTable* weights = nullptr) {
  TrainerOptions options;
  options.seed = 4;
  return create_trainer(config, options, {.device = "cpu"}, weights);
}

// Three states on two derivations; words of the buffer have ids of their own, as those of the stack.
PackedBatch three_states(const ModelConfig& config) {
  PackedBatch batch;
  StateInput& states = batch.states.emplace();
  const auto add = [&](const std::vector<std::int64_t>& ids, const std::vector<GraphArc>& arcs,
                       const std::vector<StateSegment>& segments) {
    batch.append(ids, config.encoder.graph_input ? arcs : std::vector<GraphArc>{});
    states.segments.insert(states.segments.end(), segments.begin(), segments.end());
  };
  using enum StateSegment;
  add({2, 4, 5, 2, 8, 9, 2}, {}, {stack, stack, stack, stack, buffer, buffer, buffer});
  add({2, 6, 2, 10, 2, 12}, {{1, 5, 4}, {5, 1, 1}}, {stack, stack, stack, buffer, buffer, removed});
  add({2, 2, 11, 9, 2}, {}, {stack, stack, buffer, buffer, buffer});
  if (config.graph->history > 0) {
    states.derivations = {{{2, -1}, {2, -1}, {0, 1}, {1, 2}}, {{2, -1}, {3, -1}}};
    states.history = {{0, 3}, {1, 2}, {1, 0}};
  }
  return batch;
}

const std::vector<StateTokens> kStates = {{1, 2, 4}, {7, 8, 10}, {-1, 13, 15}};
const std::vector<StateTokens> kFirst = {{0, -1, -1}, {7, -1, -1}, {13, -1, -1}};

StateScores scores_of(const Model& model, const PackedBatch& batch, const std::vector<StateTokens>& states,
                      std::span<Observer* const> observers = {}) {
  StateScores all;
  bool asked = false;
  model.run_states(batch, {}, observers, [&](const StateScores& scores) {
    all = scores;
    return std::exchange(asked, true) ? std::vector<StateTokens>{} : states;
  });
  return all;
}

class Output final : public Observer {
 public:
  std::optional<DType> wants(const QuantityName& name) const override {
    return name.text() == "encoder.output" ? std::optional<DType>(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& /*name*/, const PackedValues& values) override {
    const auto all = values.values.values<float>();
    rows.assign(all.begin(), all.end());
    return true;
  }
  Vector rows;
};

Vector numbers(const WeightTable& weights, const std::string& name) {
  const auto values = weights.at(name).values<float>();
  return {values.begin(), values.end()};
}

Vector linear(const WeightTable& weights, const std::string& name, const Vector& x) {
  const Vector weight = numbers(weights, name + ".weight");
  Vector y = weights.contains(name + ".bias") ? numbers(weights, name + ".bias")
                                              : Vector(weight.size() / x.size(), 0.0);
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t column = 0; column < x.size(); ++column) {
      y[row] += weight[row * x.size() + column] * x[column];
    }
  }
  return y;
}

template <class Function>
Vector mapped(Vector x, Function function) {
  std::transform(x.begin(), x.end(), x.begin(), function);
  return x;
}

Vector row_of(const Vector& table, std::int64_t row, std::size_t width) {
  const auto begin = table.begin() + row * static_cast<std::ptrdiff_t>(width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

Vector sum(Vector x, const Vector& y) {
  std::transform(x.begin(), x.end(), y.begin(), x.begin(), std::plus<>());
  return x;
}

// The state of the upper layer after these transitions.
Vector history_of(const WeightTable& weights, std::span<const PastTransition> past, std::size_t h) {
  const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  std::vector<Vector> states;
  std::vector<Vector> cells;
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    states.push_back(row_of(numbers(weights, "parser.history.first_state"), layer, h));
    cells.push_back(row_of(numbers(weights, "parser.history.first_cell"), layer, h));
  }
  for (const PastTransition& transition : past) {
    Vector x = row_of(numbers(weights, "parser.history.actions.weight"), transition.action, h);
    if (transition.label >= 0) {
      x = sum(x, row_of(numbers(weights, "parser.history.labels.weight"), transition.label, h));
    }
    for (std::size_t layer = 0; layer < 2; ++layer) {
      const std::string name = "parser.history.layers." + std::to_string(layer);
      const Vector gates =
          sum(linear(weights, name + ".input", x), linear(weights, name + ".recurrent", states[layer]));
      for (std::size_t at = 0; at < h; ++at) {
        cells[layer][at] =
            sigmoid(gates[h + at]) * cells[layer][at] + sigmoid(gates[at]) * std::tanh(gates[2 * h + at]);
        states[layer][at] = sigmoid(gates[3 * h + at]) * std::tanh(cells[layer][at]);
      }
      x = states[layer];
    }
  }
  return states.back();
}

// A head on a state by its formula.
Vector head_scores(const WeightTable& weights, const std::string& head, Vector read, const Vector& history) {
  Vector pooled = mapped(linear(weights, head + ".pool", read), [](double x) { return std::tanh(x); });
  pooled.insert(pooled.end(), history.begin(), history.end());
  return linear(weights, head + ".output", mapped(linear(weights, head + ".hidden", pooled), [](double x) {
                  return x > 0.0 ? x : 0.1 * x;
                }));
}

TEST(StateParser, ScoresAreThoseOfTheFormulas) {
  for (const StateClassifier classifier : {StateClassifier::pooled, StateClassifier::cls}) {
    for (const std::int64_t h : {0, 5}) {
      const ModelConfig config = parser(classifier, Composition::none, h, true);
      const PackedBatch batch = three_states(config);
      const auto training = trainer(config);
      const WeightTable weights = training->weights();
      const bool first = classifier == StateClassifier::cls;
      const std::vector<StateTokens>& states = first ? kFirst : kStates;
      Output output;
      Observer* const observers[] = {&output};
      const StateScores scores = scores_of(*training->model(), batch, states, observers);
      for (const auto& [head, tokens, classes] :
           {std::tuple("actions", first ? 1 : 3, 4), std::tuple("labels", first ? 1 : 2, 3)}) {
        const std::vector<float>& found = std::string(head) == "actions" ? scores.actions : scores.labels;
        ASSERT_EQ(found.size(), states.size() * static_cast<std::size_t>(classes));
        for (std::size_t state = 0; state < states.size(); ++state) {
          Vector read;
          for (int at = 0; at < tokens; ++at) {
            const std::int64_t token = states[state][static_cast<std::size_t>(at)];
            const Vector row =
                token < 0 ? numbers(weights, "heads.actions.missing") : row_of(output.rows, token, kWidth);
            read.insert(read.end(), row.begin(), row.end());
          }
          Vector history;
          if (h > 0) {
            const auto [derivation, length] = batch.states->history[state];
            const auto& past = batch.states->derivations[static_cast<std::size_t>(derivation)];
            history = history_of(weights, std::span(past).first(static_cast<std::size_t>(length)),
                                 static_cast<std::size_t>(h));
          }
          const Vector expected = head_scores(weights, "heads." + std::string(head), read, history);
          for (std::size_t at = 0; at < expected.size(); ++at) {
            EXPECT_NEAR(found[state * expected.size() + at], expected[at], 1e-5) << head << state;
          }
        }
      }
    }
  }
}

void set_row(WeightTable& weights, std::int64_t row, const Vector& values) {
  HostTensor& table = weights.at("encoder.embed_tokens.weight");
  for (std::size_t at = 0; at < values.size(); ++at) {
    table.mutable_values<float>()[static_cast<std::size_t>(row) * kWidth + at] =
        static_cast<float>(values[at]);
  }
}

void expect_same(const StateScores& left, const StateScores& right) {
  ASSERT_EQ(left.actions.size(), right.actions.size());
  ASSERT_FALSE(left.actions.empty());
  for (std::size_t at = 0; at < left.actions.size(); ++at) {
    EXPECT_NEAR(left.actions[at], right.actions[at], 1e-5);
  }
  for (std::size_t at = 0; at < left.labels.size(); ++at) {
    EXPECT_NEAR(left.labels[at], right.labels[at], 1e-5);
  }
}

// A composed word is as one of the vocabulary that has the composed vector.
TEST(StateParser, ACompositionIsTheVectorOfItsFormula) {
  const ModelConfig config = parser(StateClassifier::pooled, Composition::recursive, 0, false);
  const auto training = trainer(config);
  WeightTable weights = training->weights();
  PackedBatch batch = three_states(config);
  StateInput& states = *batch.states;
  // Words of two sentences mixed: the second composition reads the first, the last one both of the others.
  states.words = {{.id = 4},
                  {.id = 12},
                  {.head = 0, .dependent = 1, .label = 2},
                  {.id = 13},
                  {.head = 3, .dependent = 2, .label = 0},
                  {.head = 2, .dependent = 4, .label = 1}};
  states.composed.assign(static_cast<std::size_t>(batch.tokens()), -1);
  states.composed[1] = 2;
  states.composed[8] = 5;
  states.composed[16] = 4;
  states.composed[2] = 3;  // a word itself, another than the token's id says
  const StateScores composed = scores_of(*training->model(), batch, kStates);

  std::vector<Vector> vectors;
  for (const ComposedWord& word : states.words) {
    if (word.id >= 0) {
      vectors.push_back(row_of(numbers(weights, "encoder.embed_tokens.weight"), word.id, kWidth));
      continue;
    }
    Vector parts = vectors[static_cast<std::size_t>(word.head)];
    for (const Vector& more :
         {vectors[static_cast<std::size_t>(word.dependent)],
          row_of(numbers(weights, "parser.composition.labels.weight"), word.label, kWidth)}) {
      parts.insert(parts.end(), more.begin(), more.end());
    }
    const Vector inner =
        mapped(linear(weights, "parser.composition.join", parts), [](double x) { return std::tanh(x); });
    vectors.push_back(sum(linear(weights, "parser.composition.output", inner),
                          vectors[static_cast<std::size_t>(word.head)]));
  }
  PackedBatch plain = batch;
  plain.states->words.clear();
  std::int64_t spare = kSpare;
  for (std::size_t token = 0; token < plain.ids.size(); ++token) {
    const std::int64_t number = std::exchange(plain.states->composed[token], -1);
    if (number >= 0) {
      set_row(weights, spare, vectors[static_cast<std::size_t>(number)]);
      plain.ids[token] = spare++;
    }
  }
  expect_same(composed, scores_of(*trainer(config, &weights)->model(), plain, kStates));
  plain.ids = batch.ids;
  EXPECT_GT(std::abs(scores_of(*training->model(), plain, kStates).actions[0] - composed.actions[0]), 1e-4F);
}

// A segment's vector is as one that stands in the vocabulary already; 2 is in two segments.
TEST(StateParser, SegmentsAreAddedToTheWords) {
  ModelConfig config = parser(StateClassifier::pooled, Composition::none, 0, true);
  config.encoder.embed_scale = false;
  const auto training = trainer(config);
  WeightTable weights = training->weights();
  const PackedBatch batch = three_states(config);
  const StateScores segmented = scores_of(*training->model(), batch, kStates);

  const Vector segments = numbers(weights, "parser.segments.weight");
  const Vector words = numbers(weights, "encoder.embed_tokens.weight");
  PackedBatch plain = batch;
  for (std::size_t token = 0; token < plain.ids.size(); ++token) {
    const auto segment = static_cast<std::int64_t>(batch.states->segments[token]);
    std::int64_t& id = plain.ids[token];
    const Vector vector = sum(row_of(words, id, kWidth), row_of(segments, segment, kWidth));
    id = id == 2 && segment == 1 ? kSpare : id;
    set_row(weights, id, vector);
  }
  HostTensor& table = weights.at("parser.segments.weight");
  std::fill(table.mutable_values<float>().begin(), table.mutable_values<float>().end(), 0.0F);
  expect_same(segmented, scores_of(*trainer(config, &weights)->model(), plain, kStates));
  EXPECT_GT(std::abs(scores_of(*trainer(config, &weights)->model(), batch, kStates).actions[0] -
                     segmented.actions[0]),
            1e-5F);
}

TEST(StateParser, RefusesStatesThatDoNotFit) {
  const ModelConfig config = parser(StateClassifier::pooled, Composition::recursive, 5, false);
  const auto model = trainer(config)->model();
  const auto refused = [&](const auto& spoil, const std::string& part) {
    PackedBatch batch = three_states(config);
    batch.states->words = {{.id = 4}, {.id = 5}, {.head = 0, .dependent = 1, .label = 2}};
    batch.states->composed.assign(static_cast<std::size_t>(batch.tokens()), -1);
    spoil(batch);
    try {
      scores_of(*model, batch, kStates);
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused([](PackedBatch& batch) { batch.states.reset(); }, "the batch has none");
  refused([](PackedBatch& batch) { batch.states->segments.pop_back(); },
          "with 17 segments; there must be 18");
  refused([](PackedBatch& batch) { batch.states->composed.clear(); }, "with 0 composed tokens");
  refused([](PackedBatch& batch) { batch.states->words[2].head = 2; }, "the head 2; 0 to 1 are possible");
  refused([](PackedBatch& batch) { batch.states->words[2].label = 3; }, "the label 3");
  refused([](PackedBatch& batch) { batch.states->words[1].id = 20; }, "the word 20");
  refused([](PackedBatch& batch) { batch.states->composed[4] = 3; }, "the composition 3");
  refused([](PackedBatch& batch) { batch.states->history.pop_back(); }, "with 2 histories; there must be 3");
  refused([](PackedBatch& batch) { batch.states->history[2].second = 3; }, "a history of 3; 0 to 2");
  refused([](PackedBatch& batch) { batch.states->derivations[0][1].action = 4; }, "the action 4");
  EXPECT_THROW(scores_of(*model, three_states(config), kStates), ShapeError);
  ModelConfig plain = config;
  plain.graph->kind = GraphKind::transitions;
  plain.graph->composition = Composition::none;
  plain.graph->history = 0;
  EXPECT_THROW(scores_of(*trainer(plain)->model(), three_states(plain), kStates), ModelError);
}

}  // namespace
}  // namespace mog::model

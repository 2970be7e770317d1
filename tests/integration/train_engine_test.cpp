// The engine's trainer through the façade: gradients against finite differences, exact resume, learning.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <tuple>
#include <utility>

#include "io/recording/errors.h"
#include "model/tensor_table.h"
#include "model/trainer.h"
#include "model/warm_start.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/test_device.h"

namespace mog::model {
namespace {

using WeightTable = std::map<std::string, HostTensor>;

ModelConfig small_config(EncoderKind kind, bool share_qkv = false) {
  ModelConfig config;
  config.encoder.kind = kind;
  config.encoder.layers = 2;
  config.encoder.d_model = 8;
  config.encoder.heads = 2;
  config.encoder.attention_dim = kind == EncoderKind::graph_transformer ? 4 : 8;
  config.encoder.ffn_dim = 12;
  config.encoder.activation = Activation::gelu;  // smooth, for finite differences
  config.encoder.share_qkv = share_qkv;
  config.vocab_size = 20;
  config.tasks = {{"ner", {"O", "B-X", "I-X"}}, {"upos", {"A", "B", "C", "D"}}};
  return config;
}

ModelConfig translator(bool share_output) {
  ModelConfig config = small_config(EncoderKind::graph_transformer);
  config.tasks.clear();
  config.decoder.emplace();
  config.decoder->layers = 1;
  config.decoder->d_model = 8;
  config.decoder->heads = 2;
  config.decoder->ffn_dim = 12;
  config.decoder->activation = Activation::gelu;
  config.decoder->share_output_embedding = share_output;
  config.target_vocab_size = 15;
  config.tokenizer.target_vocab = "target_vocab.txt";
  return config;
}

// What a parser that reads states has beside the tokens: all segments, words with a dependent that has one
// itself, and what was done before.
void add_state_input(const ModelConfig& config, std::int64_t first, std::int64_t length, PackedBatch& batch) {
  StateInput& states = batch.states ? *batch.states : batch.states.emplace();
  const std::vector<std::int64_t>& ids = batch.ids;
  const auto words = static_cast<std::int64_t>(states.words.size());
  for (std::int64_t at = 0; at < length; ++at) {
    states.segments.push_back(static_cast<StateSegment>(at % kStateSegments));
    if (config.graph->composition != Composition::none) {
      states.words.push_back({.id = ids[static_cast<std::size_t>(first + at)]});
      states.composed.push_back(at == 0 ? words + length + 1 : at == 1 ? words : -1);
    }
  }
  if (config.graph->composition != Composition::none) {
    states.words.push_back({.head = words + 1, .dependent = words, .label = 1});
    states.words.push_back({.head = words, .dependent = words + length, .label = 0});
  }
  if (config.graph->history > 0) {
    states.history.emplace_back(static_cast<std::int64_t>(states.derivations.size()), length - 2);
    states.derivations.push_back({{2, -1}, {0, 1}, {3, -1}, {1, 2}});
  }
}

// States of the tokens at `first`, some without a first word of the buffer or a second one of the stack, and
// some without a label.
void add_states(const ModelConfig& config, std::int64_t first, std::int64_t length, std::mt19937& random,
                TrainingBatch& batch) {
  TransitionLabels& labels = batch.transitions ? *batch.transitions : batch.transitions.emplace();
  const auto draw = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(count));
  };
  for (std::int64_t state = 0; state < 4; ++state) {
    labels.states.push_back({state == 1 ? -1 : first + draw(length), first + draw(length),
                             state == 2 ? -1 : first + draw(length)});
    labels.actions.push_back(draw(4));
    labels.labels.push_back(state < 2 ? -1 : draw(static_cast<std::int64_t>(config.graph->labels.size())));
  }
  for (std::int64_t at = 1; config.encoder.graph_input && at < length; ++at) {
    batch.input.arcs.push_back({first + at, first, 1 + draw(config.encoder.graph_input->relations - 1)});
  }
}

// A tree (or links back) of the tokens at `first`, the last of which is the root, and another as input.
void add_graph(const ModelConfig& config, std::int64_t first, std::int64_t length, std::mt19937& random,
               TrainingBatch& batch) {
  GraphLabels& graph = batch.graph ? *batch.graph : batch.graph.emplace();
  const bool tree = config.graph->kind == GraphKind::dependencies;
  const auto draw = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(count));
  };
  for (std::int64_t at = 0; at < length; ++at) {
    graph.nodes.push_back(tree && length > 3 && at == 1 ? 0 : 1);  // the second piece of a word
    graph.classes.push_back(tree ? draw(static_cast<std::int64_t>(config.graph->labels.size())) : -1);
    for (const PairHead& head : pair_heads(*config.graph)) {
      if (head.classes > 0) {
        continue;
      }
      const std::int64_t key = tree ? (draw(2) == 0 ? first + length - 1 : first) : first + draw(at + 1);
      const bool labelled = graph.nodes.back() != 0 && at != 2;
      graph.keys[head.name].push_back(!labelled              ? GraphLabels::kUnlabelled
                                      : !tree && at % 2 == 1 ? GraphLabels::kNone
                                                             : key);
    }
    if (config.encoder.graph_input && at > 0) {
      batch.input.arcs.push_back({first + at, first, 1 + draw(config.encoder.graph_input->relations - 1)});
    }
  }
}

TrainingBatch batch_for(const ModelConfig& config, std::uint32_t seed,
                        const std::vector<std::int64_t>& lengths = {5, 5, 3, 2}) {
  std::mt19937 random(seed);
  TrainingBatch batch;
  for (const std::int64_t length : lengths) {
    std::vector<std::int64_t> ids;
    for (std::int64_t at = 0; at + 1 < length; ++at) {
      ids.push_back(4 + static_cast<std::int64_t>(random() % 16));
    }
    ids.push_back(2);
    const std::int64_t first = batch.input.tokens();
    batch.input.append(ids);
    if (config.graph && config.graph->by_transitions()) {
      add_states(config, first, length, random, batch);
      if (config.graph->reads_states()) {
        add_state_input(config, first, length, batch.input);
      }
    } else if (config.graph) {
      add_graph(config, first, length, random, batch);
    }
    for (const auto& [task, tags] : config.tasks) {
      for (std::int64_t at = 0; at + 1 < length; ++at) {
        // Some tokens have no label.
        batch.labels[task].push_back(at % 3 == 2 ? -1 : static_cast<std::int64_t>(random() % tags.size()));
      }
      batch.labels[task].push_back(-1);
    }
    if (config.decoder) {
      if (batch.input.target_offsets.empty()) {
        batch.input.target_offsets.push_back(0);
      }
      batch.input.target_ids.push_back(2);
      for (std::int64_t at = 0; at < length; ++at) {
        const std::int64_t id = 4 + static_cast<std::int64_t>(random() % 11);
        batch.input.target_ids.push_back(id);
        batch.target_labels.push_back(id);
      }
      batch.target_labels.push_back(2);
      batch.input.target_offsets.push_back(static_cast<std::int64_t>(batch.input.target_ids.size()));
    }
  }
  return batch;
}

TrainerOptions quiet() {
  TrainerOptions options;
  options.dropout = 0.0;
  options.pair_dropout = 0.0;
  options.label_smoothing = 0.1;
  options.task_weights = {{"ner", 0.5}};
  return options;
}

std::unique_ptr<Trainer> trainer(const ModelConfig& config, const TrainerOptions& options,
                                 const WeightTable* initial = nullptr) {
  return create_trainer(config, options, {.device = test::test_device()}, initial);
}

// With an epsilon far above every gradient the first Adam update is lr / epsilon · gradient.
WeightTable gradient_of(const ModelConfig& config, const WeightTable& weights, const TrainingBatch& batch) {
  TrainerOptions options = quiet();
  options.epsilon = 1e3;
  const auto stepping = trainer(config, options, &weights);
  stepping->step({batch}, 1e3);
  WeightTable gradients;
  for (const auto& [name, after] : stepping->weights()) {
    const auto before = weights.at(name).values<float>();
    HostTensor gradient(DType::float32, after.shape());
    for (std::size_t at = 0; at < before.size(); ++at) {
      gradient.mutable_values<float>()[at] = before[at] - after.values<float>()[at];
    }
    gradients.emplace(name, gradient);
  }
  return gradients;
}

// Loss at weights + step · direction, the direction being zero outside `name`.
double loss_at(const ModelConfig& config, const WeightTable& weights, const std::string& name,
               const std::vector<float>& direction, float step, const TrainingBatch& batch) {
  WeightTable moved = weights;
  HostTensor tensor(DType::float32, weights.at(name).shape());
  for (std::size_t at = 0; at < direction.size(); ++at) {
    tensor.mutable_values<float>()[at] = weights.at(name).values<float>()[at] + step * direction[at];
  }
  moved[name] = tensor;
  return trainer(config, quiet(), &moved)->evaluate(batch).loss;
}

// Every tensor's gradient along a random direction against a central difference of the loss over `length`.
void check_gradients(const ModelConfig& config, float length = 2e-2F, std::uint32_t seed = 7) {
  const TrainingBatch batch = batch_for(config, seed);
  TrainerOptions options = quiet();
  options.seed = 3;
  WeightTable weights = trainer(config, options)->weights();
  for (auto& [name, tensor] : weights) {
    // As large as after some training: a layer norm over vectors near zero is bent too much.
    const float scale = name.find("relation_") != std::string::npos ? 25.0F : 1.0F;
    for (float& value : tensor.mutable_values<float>()) {
      value *= scale;
    }
  }
  const WeightTable gradients = gradient_of(config, weights, batch);
  std::mt19937 random(11);
  std::int64_t moving = 0;
  for (const TensorSpec& spec : tensor_table(config)) {
    std::vector<float> direction;
    double square = 0.0;
    double expected = 0.0;
    for (std::int64_t at = 0; at < gradients.at(spec.name).size(); ++at) {
      const auto value = static_cast<float>(static_cast<double>(random()) / 4294967295.0 * 2.0 - 1.0);
      direction.push_back(value);
      square += static_cast<double>(value) * static_cast<double>(value);
    }
    for (std::size_t at = 0; at < direction.size(); ++at) {
      direction[at] /= static_cast<float>(std::sqrt(square));
      expected += static_cast<double>(direction[at]) *
                  static_cast<double>(gradients.at(spec.name).values<float>()[at]);
    }
    const double measured = (loss_at(config, weights, spec.name, direction, length, batch) -
                             loss_at(config, weights, spec.name, direction, -length, batch)) /
                            (2.0 * static_cast<double>(length));
    // The loss is known to about 2e-7, so the difference quotient to that over the length (1e-5 of the usual
    // one); curvature adds a little.
    const double noise = std::max(5e-5, 3e-7 / static_cast<double>(length));
    EXPECT_NEAR(measured, expected, noise + 1e-2 * std::abs(expected)) << spec.name;
    moving += std::abs(expected) > 1e-4 ? 1 : 0;
  }
  EXPECT_GT(moving, static_cast<std::int64_t>(tensor_table(config).size()) / 2);
}

TEST(TrainerGradient, OfAGraphTransformerTagger) {
  check_gradients(small_config(EncoderKind::graph_transformer));
}
TEST(TrainerGradient, OfSharedMapsAndSelfGate) {
  ModelConfig config = small_config(EncoderKind::graph_transformer, true);
  config.encoder.fusion = Fusion::self_gate;
  config.encoder.residual = Residual::update;
  check_gradients(config);
}
TEST(TrainerGradient, OfAPlainTransformerTagger) {
  check_gradients(small_config(EncoderKind::transformer));
}
TEST(TrainerGradient, OfATranslator) {
  check_gradients(translator(false));
}
TEST(TrainerGradient, OfATranslatorThatSharesItsOutputEmbedding) {
  check_gradients(translator(true));
}

ModelConfig with_global(ModelConfig config, CapsulePooling pooling, RouteAxis axis) {
  GretConfig& gret = config.gret.emplace();
  gret.capsules = 3;
  gret.ffn_dim = pooling == CapsulePooling::attentive ? 10 : 0;
  gret.pooling = pooling;
  gret.route_axis = axis;
  return config;
}
// A shorter way meets fewer of the kinks that the rectifiers of pooling have.
TEST(TrainerGradient, OfTranslatorsWithAGlobalRepresentation) {
  constexpr float kShort = 5e-3F;
  check_gradients(with_global(translator(false), CapsulePooling::attentive, RouteAxis::positions), kShort);
  check_gradients(with_global(translator(false), CapsulePooling::attentive, RouteAxis::capsules), kShort);
  check_gradients(with_global(translator(true), CapsulePooling::concatenation, RouteAxis::positions));
  ModelConfig shared = with_global(translator(true), CapsulePooling::mean, RouteAxis::positions);
  shared.gret->share_capsules = true;
  shared.gret->share_gru = false;
  check_gradients(shared);
}

ModelConfig parser_config(RelationForm form, NoRelation none, GraphKind kind = GraphKind::dependencies) {
  ModelConfig config = small_config(EncoderKind::transformer);
  GraphConfig& graph = config.graph.emplace();
  graph.kind = kind;
  graph.width = 6;
  graph.label_width = 4;
  graph.link_pieces = graph.is_tree() && !graph.reads_states();
  if (graph.is_tree()) {
    graph.labels = {"a", "b", "root"};
  }
  GraphInputConfig& input = config.encoder.graph_input.emplace();
  input.form = form;
  input.none = none;
  input.relations = graph.relations();
  return config;
}
// The leaky rectifiers have kinks, which a shorter way seldom meets; with this seed it meets none.
TEST(TrainerGradient, OfParsersThatReadAGraph) {
  constexpr float kShort = 1e-3F;
  constexpr std::uint32_t kSeed = 8;
  check_gradients(parser_config(RelationForm::three_term, NoRelation::zero), kShort, kSeed);
  check_gradients(parser_config(RelationForm::two_term, NoRelation::learned), kShort, kSeed);
  ModelConfig normed = parser_config(RelationForm::unscaled, NoRelation::learned);
  normed.encoder.graph_input->key_norm = normed.encoder.graph_input->value_norm = true;
  normed.encoder.graph_input->share = true;
  check_gradients(normed, kShort, kSeed);
  check_gradients(parser_config(RelationForm::three_term, NoRelation::zero, GraphKind::coreference), kShort,
                  kSeed);
}

TEST(TrainerGradient, OfTransitionParsers) {
  constexpr float kShort = 1e-3F;
  constexpr std::uint32_t kSeed = 8;
  check_gradients(parser_config(RelationForm::three_term, NoRelation::zero, GraphKind::transitions), kShort,
                  kSeed);
  ModelConfig plain = parser_config(RelationForm::three_term, NoRelation::zero, GraphKind::transitions);
  plain.encoder.graph_input.reset();
  check_gradients(plain, kShort, kSeed);
}

TEST(TrainerGradient, OfParsersThatReadStates) {
  constexpr float kShort = 1e-3F;
  constexpr std::uint32_t kSeed = 8;
  ModelConfig config =
      parser_config(RelationForm::three_term, NoRelation::zero, GraphKind::state_transitions);
  check_gradients(config, kShort, kSeed);
  config.encoder.graph_input.reset();
  config.graph->classifier = StateClassifier::cls;
  config.graph->composition = Composition::recursive;
  config.graph->history = 5;
  check_gradients(config, kShort, kSeed);
}

// Mean of -log p of the labels, of scores [label, class].
double mean_nll(const std::vector<float>& scores, const std::vector<std::int64_t>& labels) {
  const std::size_t classes = scores.size() / labels.size();
  double nll = 0.0;
  double count = 0.0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    double sum = 0.0;
    for (std::size_t at = 0; labels[row] >= 0 && at < classes; ++at) {
      sum += std::exp(static_cast<double>(scores[row * classes + at]));
    }
    if (labels[row] >= 0) {
      nll +=
          std::log(sum) - static_cast<double>(scores[row * classes + static_cast<std::size_t>(labels[row])]);
      count += 1.0;
    }
  }
  return nll / count;
}

// Scores of all states of a batch by one encoding, `step` of them at a time.
StateScores scores_of(const Model& model, const PackedBatch& batch, const std::vector<StateTokens>& states,
                      std::size_t step) {
  StateScores all;
  std::size_t given = 0;
  model.run_states(batch, {}, {}, [&](const StateScores& scores) {
    all.actions.insert(all.actions.end(), scores.actions.begin(), scores.actions.end());
    all.labels.insert(all.labels.end(), scores.labels.begin(), scores.labels.end());
    const std::size_t from = std::exchange(given, std::min(given + step, states.size()));
    return std::vector<StateTokens>(states.begin() + static_cast<std::ptrdiff_t>(from),
                                    states.begin() + static_cast<std::ptrdiff_t>(given));
  });
  return all;
}

// The loss of a transition parser is that of the scores that the model gives, in any number of steps.
TEST(Trainer, TheLossOfStatesIsThatOfTheirScores) {
  for (const bool reads : {true, false}) {
    ModelConfig config = parser_config(RelationForm::three_term, NoRelation::zero, GraphKind::transitions);
    config.tasks.clear();
    if (!reads) {
      config.encoder.graph_input.reset();
    }
    const TrainingBatch batch = batch_for(config, 5);
    const auto training = trainer(config, quiet());
    const auto model = training->model();
    for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
      const StateScores scores = scores_of(*model, batch.input, batch.transitions->states, step);
      ASSERT_EQ(scores.actions.size(), 4 * batch.transitions->states.size());
      EXPECT_NEAR(training->evaluate(batch).nll,
                  (mean_nll(scores.actions, batch.transitions->actions) +
                   mean_nll(scores.labels, batch.transitions->labels)) /
                      2.0,
                  1e-5);
    }
    // A sentence has the same scores alone.
    PackedBatch alone;
    alone.append(std::span(batch.input.ids).first(5));
    for (const GraphArc& arc : batch.input.arcs) {
      if (arc.query < 5) {
        alone.arcs.push_back(arc);
      }
    }
    const std::vector<StateTokens> first(batch.transitions->states.begin(),
                                         batch.transitions->states.begin() + 4);
    const StateScores own = scores_of(*model, alone, first, 2);
    const StateScores all = scores_of(*model, batch.input, batch.transitions->states, 100);
    for (std::size_t at = 0; at < own.labels.size(); ++at) {
      EXPECT_NEAR(own.labels[at], all.labels[at], 1e-5);
    }
  }
}

TEST(Trainer, TransitionParsersRefuseWhatTheyCannotRead) {
  const ModelConfig config =
      parser_config(RelationForm::three_term, NoRelation::zero, GraphKind::transitions);
  TrainingBatch batch = batch_for(config, 5);
  const auto training = trainer(config, quiet());
  const auto model = training->model();
  EXPECT_THROW(scores_of(*model, batch.input, {{0, 5, -1}}, 1), ShapeError);  // two sentences
  EXPECT_THROW(scores_of(*model, batch.input, {{0, 1, 15}}, 1), ShapeError);  // behind the last
  EXPECT_THROW(scores_of(*model, batch.input, {{0, 1, -2}}, 1), ShapeError);
  batch.transitions->actions[0] = 4;
  EXPECT_THROW(training->step({batch}, 1e-3), ModelError);
  batch.transitions->actions.pop_back();
  EXPECT_THROW(training->step({batch}, 1e-3), ShapeError);
  const auto pairs = trainer(parser_config(RelationForm::three_term, NoRelation::zero), quiet());
  EXPECT_THROW(scores_of(*pairs->model(), batch.input, {{0, 1, 2}}, 1), UsageError);
}

// The loss of the heads is that of the scores that the model shows.
void check_loss_of_pairs(GraphKind kind, const std::vector<std::int64_t>& lengths) {
  ModelConfig config = parser_config(RelationForm::three_term, NoRelation::zero, kind);
  config.tasks.clear();
  TrainingBatch batch = batch_for(config, 5, lengths);
  const auto training = trainer(config, quiet());
  PairScores shown;
  batch.graph->rounds = 2;
  batch.graph->next = [&](const PairScores& scores) {
    shown = scores;
    return batch.input.arcs;
  };
  training->evaluate(batch);
  double nll = 0.0;
  double labels = 0.0;
  for (const PairHead& head : pair_heads(*config.graph)) {
    double own = 0.0;
    double count = 0.0;
    const std::vector<std::int64_t>& keys = batch.graph->keys.at(head.classes > 0 ? "arcs" : head.name);
    for (std::int64_t s = 0; s < batch.input.sentences(); ++s) {
      const std::int64_t first = batch.input.offsets[static_cast<std::size_t>(s)];
      const std::int64_t length = batch.input.length(s);
      const std::int64_t area = shown.area[static_cast<std::size_t>(s)];
      const std::vector<float>& all = shown.values.at(head.name);
      for (std::int64_t query = 0; query < length; ++query) {
        const std::int64_t key = keys[static_cast<std::size_t>(first + query)];
        const auto score = [&](std::int64_t class_, std::int64_t of_key) {
          const std::int64_t classes = std::max<std::int64_t>(head.classes, 1);
          return static_cast<double>(
              all[static_cast<std::size_t>(area * classes + (class_ * length + query) * length + of_key)]);
        };
        if (key == GraphLabels::kUnlabelled || (head.classes > 0 && key < 0)) {
          continue;
        }
        double sum = kind == GraphKind::coreference ? 1.0 : 0.0;  // none has score 0
        double right = 0.0;
        if (head.classes > 0) {
          for (std::int64_t label = 0; label < head.classes; ++label) {
            sum += std::exp(score(label, key - first));
          }
          right = score(batch.graph->classes[static_cast<std::size_t>(first + query)], key - first);
        } else {
          for (std::int64_t other = 0; other < length; ++other) {
            const bool may = batch.graph->nodes[static_cast<std::size_t>(first + other)] != 0 &&
                             (kind == GraphKind::dependencies || other <= query);
            sum += may ? std::exp(score(0, other)) : 0.0;
          }
          right = key == GraphLabels::kNone ? 0.0 : score(0, key - first);
        }
        own += std::log(sum) - right;
        count += 1.0;
      }
    }
    ASSERT_GT(count, 0.0) << head.name;
    nll += own / count;
    labels += 1.0;
  }
  EXPECT_NEAR(training->evaluate(batch).nll, nll / labels, 1e-5);
}
TEST(Trainer, TheLossOfPairsIsThatOfTheirScores) {
  for (const GraphKind kind : {GraphKind::dependencies, GraphKind::coreference}) {
    check_loss_of_pairs(kind, {5, 5, 3, 2});
    check_loss_of_pairs(kind, {4});
  }
}

// Vectors of no relation that are frozen stay as they are, whatever the decay.
TEST(Trainer, AFrozenVectorOfNoRelationStays) {
  const ModelConfig config = parser_config(RelationForm::three_term, NoRelation::frozen);
  TrainerOptions options = quiet();
  options.weight_decay = 0.1;
  const auto training = trainer(config, options);
  const std::string name = "encoder.layers.0.self_attn.relation_key.none";
  const HostTensor before = training->weights().at(name);
  EXPECT_NE(before.values<float>()[0], 0.0F);
  training->step({batch_for(config, 3)}, 1e-2);
  const HostTensor after = training->weights().at(name);
  EXPECT_TRUE(std::equal(before.values<float>().begin(), before.values<float>().end(),
                         after.values<float>().begin()));
}

ModelConfig recurrent_config(EncoderKind kind, RecurrentCell cell) {
  ModelConfig config = small_config(kind);
  config.encoder.heads = config.encoder.attention_dim = config.encoder.ffn_dim = 0;
  config.encoder.cell = cell;
  config.encoder.embedding_dim = 6;
  config.encoder.position = Position::none;
  config.encoder.embed_scale = false;
  return config;
}
ModelConfig bidirectional(ModelConfig config) {
  config.encoder.bidirectional = true;
  return config;
}
TEST(TrainerGradient, OfRecurrentTaggers) {
  check_gradients(recurrent_config(EncoderKind::gru, RecurrentCell::gru_reset));
  check_gradients(recurrent_config(EncoderKind::gru, RecurrentCell::gru));
  check_gradients(recurrent_config(EncoderKind::lstm, RecurrentCell::lstm));
}
TEST(Trainer, TheLossOfRecurrentTaggersFalls) {
  for (const auto& [kind, cell] :
       {std::pair(EncoderKind::gru, RecurrentCell::gru_reset),
        std::pair(EncoderKind::gru, RecurrentCell::gru_plain),
        std::pair(EncoderKind::gru, RecurrentCell::gru), std::pair(EncoderKind::lstm, RecurrentCell::lstm)}) {
    for (const bool narrow : {false, true}) {
      const ModelConfig config = recurrent_config(kind, cell);
      TrainerOptions options = quiet();
      options.dropout = 0.1;
      options.bfloat16_products = narrow;
      const auto training = trainer(config, options);
      const TrainingBatch batch = batch_for(config, 3);
      const double before = training->evaluate(batch).loss;
      for (int step = 0; step < 40; ++step) {
        training->step({batch}, 1e-2);
      }
      EXPECT_LT(training->evaluate(batch).loss, 0.8 * before) << name(cell) << (narrow ? " bfloat16" : "");
    }
  }
}
TEST(TrainerGradient, OfBidirectionalTaggers) {
  check_gradients(bidirectional(recurrent_config(EncoderKind::gru, RecurrentCell::gru)));
  check_gradients(bidirectional(recurrent_config(EncoderKind::lstm, RecurrentCell::lstm)));
}

// A recurrent student's states against those of a teacher of any kind, and the reverse.
TEST(Trainer, RecurrentEncodersLearnFromTeachersAndTeach) {
  const ModelConfig plain = small_config(EncoderKind::transformer);
  const ModelConfig gru = recurrent_config(EncoderKind::gru, RecurrentCell::gru_reset);
  const ModelConfig two = bidirectional(recurrent_config(EncoderKind::lstm, RecurrentCell::lstm));
  for (const auto& [student, teacher] :
       {std::pair(gru, plain), std::pair(two, plain), std::pair(two, gru), std::pair(plain, two)}) {
    TrainerOptions other = quiet();
    other.seed = 99;
    const auto teaching = trainer(teacher, other);
    for (const bool layerwise : {false, true}) {
      const auto learning = trainer(student, quiet());
      learning->set_teacher(teaching->model());
      const TrainingBatch batch = batch_for(student, 3);
      LossWeights losses;
      losses.tasks = 0.0;
      losses.hidden = 1.0;
      losses.last = 1.0;
      losses.sentence = 0.1;
      losses.layerwise = layerwise;
      if (layerwise && student.encoder.layers != teacher.encoder.layers) {
        continue;
      }
      const double before = learning->step({batch}, 1e-2, losses).total;
      double after = before;
      for (int step = 0; step < 60; ++step) {
        after = learning->step({batch}, 1e-2, losses).total;
      }
      EXPECT_LT(after, 0.7 * before) << name(student.encoder.kind) << " from " << name(teacher.encoder.kind)
                                     << (layerwise ? ", layerwise" : "");
    }
    const auto learning = trainer(student, quiet());
    learning->set_teacher(teaching->model());
    LossWeights maps;
    maps.attention = 1.0;
    try {
      learning->step({batch_for(student, 3)}, 1e-2, maps);
      ADD_FAILURE() << "attention was compared";
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("take hidden, last or sentence"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Trainer, ARecurrentEncoderStartsFromOneLikeItOrFromEmbeddings) {
  const ModelConfig config = bidirectional(recurrent_config(EncoderKind::gru, RecurrentCell::gru));
  TrainerOptions other = quiet();
  other.seed = 99;
  const WeightTable theirs = trainer(config, other)->weights();
  const WeightTable same = warm_start(config, quiet(), config, theirs, {});
  for (const auto& [name, tensor] : theirs) {
    EXPECT_EQ(same.at(name).to_floats(), tensor.to_floats()) << name;
  }
  // Of a Transformer the embeddings, as they enter the first layer.
  ModelConfig plain = small_config(EncoderKind::transformer);
  ModelConfig wide = config;
  wide.encoder.embedding_dim = 0;
  const WeightTable source = trainer(plain, other)->weights();
  const WeightTable started = warm_start(wide, quiet(), plain, source, {});
  const std::vector<float> from = source.at("encoder.embed_tokens.weight").to_floats();
  const std::vector<float> to = started.at("encoder.embed_tokens.weight").to_floats();
  const float scale = plain.encoder.embed_scale ? std::sqrt(static_cast<float>(plain.encoder.d_model)) : 1.0F;
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_NEAR(to[i], scale * from[i], 1e-5);
  }
  const WeightTable drawn = trainer(wide, quiet())->weights();
  EXPECT_EQ(started.at("heads.upos.weight").to_floats(), drawn.at("heads.upos.weight").to_floats());
  // What does not fit is named.
  const auto refused = [&](const ModelConfig& mine, const ModelConfig& other_config,
                           const WeightTable& weights, const char* word) {
    try {
      warm_start(mine, quiet(), other_config, weights, {});
      ADD_FAILURE() << word;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused(config, plain, source, "set encoder.embedding_dim = ");
  refused(plain, config, theirs, "it is recurrent (kind = gru)");
  refused(recurrent_config(EncoderKind::gru, RecurrentCell::gru), config, theirs, "a bidirectional gru");
}

TEST(Trainer, TheUntrainedLossIsThatOfAGuess) {
  // With logits near zero every class has about the same probability.
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  TrainerOptions options = quiet();
  WeightTable weights = trainer(config, options)->weights();
  for (auto& [name, tensor] : weights) {
    if (name.starts_with("heads.")) {
      tensor = HostTensor(DType::float32, tensor.shape());
      std::fill(tensor.mutable_values<float>().begin(), tensor.mutable_values<float>().end(), 0.0F);
    }
  }
  const StepResult result = trainer(config, options, &weights)->evaluate(batch_for(config, 1));
  // Weights 0.5 and 1: (0.5 ln 3 + ln 4) / 1.5.
  EXPECT_NEAR(result.nll, (0.5 * std::log(3.0) + std::log(4.0)) / 1.5, 1e-6);
  EXPECT_NEAR(result.loss, result.nll, 1e-6);  // smoothing does not matter for an even guess
}

TEST(Trainer, AccumulatedBatchesAreOneBatch) {
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  const TrainingBatch first = batch_for(config, 1);
  const TrainingBatch second = batch_for(config, 2);
  TrainingBatch both = first;
  both.input.ids.insert(both.input.ids.end(), second.input.ids.begin(), second.input.ids.end());
  for (std::size_t at = 1; at < second.input.offsets.size(); ++at) {
    both.input.offsets.push_back(first.input.tokens() + second.input.offsets[at]);
  }
  for (auto& [task, labels] : both.labels) {
    labels.insert(labels.end(), second.labels.at(task).begin(), second.labels.at(task).end());
  }
  const auto apart = trainer(config, quiet());
  const auto together = trainer(config, quiet());
  const StepResult left = apart->step({first, second}, 1e-2);
  const StepResult right = together->step({both}, 1e-2);
  EXPECT_NEAR(left.loss, right.loss, 1e-6);
  EXPECT_NEAR(left.gradient_norm, right.gradient_norm, 1e-5);
  EXPECT_EQ(left.labels, right.labels);
}

TEST(Trainer, ClippingBoundsTheUpdate) {
  const ModelConfig config = small_config(EncoderKind::transformer);
  TrainerOptions options = quiet();
  options.epsilon = 1e3;
  options.clip_norm = 0.01;
  const auto clipped = trainer(config, options);
  const WeightTable before = clipped->weights();
  const StepResult result = clipped->step({batch_for(config, 1)}, 1e3);
  EXPECT_GT(result.gradient_norm, 0.1);  // before clipping
  double square = 0.0;
  for (const auto& [name, after] : clipped->weights()) {
    for (std::size_t at = 0; at < after.values<float>().size(); ++at) {
      const double change =
          static_cast<double>(after.values<float>()[at] - before.at(name).values<float>()[at]);
      square += change * change;
    }
  }
  EXPECT_NEAR(std::sqrt(square), 0.01, 2e-4);
}

TEST(Trainer, LearnsASmallSetByHeart) {
  for (const EncoderKind kind : {EncoderKind::graph_transformer, EncoderKind::transformer}) {
    const ModelConfig config = small_config(kind);
    TrainerOptions options = quiet();
    options.label_smoothing = 0.0;
    options.dropout = 0.05;
    options.word_dropout = 0.02;
    options.clip_norm = 1.0;
    const auto learning = trainer(config, options);
    const TrainingBatch batch = batch_for(config, 5);
    for (int step = 0; step < 300; ++step) {
      learning->step({batch}, 1e-2);
    }
    EXPECT_LT(learning->evaluate(batch).nll, 0.1);
  }
}

TEST(Trainer, ATranslatorLearnsAPairByHeart) {
  const ModelConfig config = translator(true);
  TrainerOptions options = quiet();
  options.label_smoothing = 0.0;
  const auto learning = trainer(config, options);
  const TrainingBatch batch = batch_for(config, 5);
  for (int step = 0; step < 300; ++step) {
    learning->step({batch}, 1e-2);
  }
  EXPECT_LT(learning->evaluate(batch).nll, 0.1);
}

TEST(Trainer, ATranslatorWithAGlobalRepresentationLearnsAPairByHeart) {
  const ModelConfig config = with_global(translator(true), CapsulePooling::attentive, RouteAxis::positions);
  for (const bool narrow : {false, true}) {
    TrainerOptions options = quiet();
    options.label_smoothing = 0.0;
    options.bfloat16_products = narrow;
    const auto learning = trainer(config, options);
    const TrainingBatch batch = batch_for(config, 5);
    for (int step = 0; step < 200; ++step) {
      learning->step({batch}, 1e-2);
    }
    EXPECT_LT(learning->evaluate(batch).nll, 0.1) << (narrow ? "bfloat16" : "float32");
  }
}

// Bit for bit on the processor; a graphics card sums in another order each time.
void check_resumed(const ModelConfig& config) {
  const bool exact = test::test_device() == "cpu";
  const double allowed = exact ? 0.0 : 1e-3;
  const test::TemporaryFolder folder;
  TrainerOptions options;
  options.dropout = 0.3;
  options.attention_dropout = 0.1;
  options.activation_dropout = 0.1;
  options.word_dropout = 0.2;
  const auto batch = [&](int step) { return batch_for(config, static_cast<std::uint32_t>(step)); };
  const auto whole = trainer(config, options);
  std::vector<double> losses;
  for (int step = 0; step < 12; ++step) {
    losses.push_back(whole->step({batch(step)}, 1e-2).loss);
    if (step == 5) {
      whole->save_state(folder.file("state"));
    }
  }
  const auto resumed = trainer(config, options);
  resumed->step({batch(99)}, 1e-2);  // whatever it did before is forgotten
  resumed->load_state(folder.file("state"));
  for (int step = 6; step < 12; ++step) {
    EXPECT_NEAR(resumed->step({batch(step)}, 1e-2).loss, losses[static_cast<std::size_t>(step)], allowed)
        << step;
  }
  const WeightTable left = whole->weights();
  for (const auto& [name, tensor] : resumed->weights()) {
    EXPECT_TRUE(!exact || std::ranges::equal(tensor.values<float>(), left.at(name).values<float>())) << name;
  }
}

TEST(Trainer, AResumedRunGivesTheSameLossesBitForBit) {
  check_resumed(small_config(EncoderKind::graph_transformer));
}
TEST(Trainer, SoDoesOneWithAGlobalRepresentation) {
  check_resumed(with_global(translator(true), CapsulePooling::attentive, RouteAxis::positions));
}

// Its tensors come last, so that a seed draws the same encoder and decoder with and without it.
TEST(Trainer, AGlobalRepresentationLeavesTheOtherDrawsAsTheyAre) {
  const ModelConfig plain = translator(false);
  const ModelConfig config = with_global(plain, CapsulePooling::attentive, RouteAxis::positions);
  TrainerOptions options = quiet();
  options.branch_scale = 0.25;
  const WeightTable drawn = trainer(config, options)->weights();
  for (const auto& [name, tensor] : trainer(plain, options)->weights()) {
    EXPECT_TRUE(std::ranges::equal(tensor.values<float>(), drawn.at(name).values<float>())) << name;
  }
  // Each capsule, and each gate of the GRU, is drawn as a matrix of its own; branches are others.
  for (const auto& [name, rows, columns] :
       {std::tuple("gret.layers.1.capsule.weight", 8, 8), std::tuple("gret.gru.weight_ih", 8, 8),
        std::tuple("gret.pool_output.fc2.weight", 8, 10), std::tuple("gret.gate.weight", 8, 16)}) {
    const float bound = std::sqrt(6.0F / static_cast<float>(rows + columns));
    float most = 0.0F;
    for (const float value : drawn.at(name).values<float>()) {
      most = std::max(most, std::abs(value));
    }
    EXPECT_LE(most, bound) << name;
    EXPECT_GT(most, 0.9F * bound) << name;
  }
}

TEST(Trainer, ASeedMeansTheSameWeightsAndMasks) {
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  TrainerOptions options;
  options.dropout = 0.3;
  const TrainingBatch batch = batch_for(config, 1);
  const double first = trainer(config, options)->step({batch}, 1e-2).loss;
  EXPECT_EQ(trainer(config, options)->step({batch}, 1e-2).loss, first);
  options.seed = 2;
  EXPECT_NE(trainer(config, options)->step({batch}, 1e-2).loss, first);
}

TEST(Trainer, BranchScaleDampsTheBranches) {
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  TrainerOptions options;
  const WeightTable full = trainer(config, options)->weights();
  options.branch_scale = 0.25;
  for (const auto& [name, damped] : trainer(config, options)->weights()) {
    const bool branch = name.ends_with("out_proj.weight") || name.ends_with("fc2.weight") ||
                        (name.ends_with(".low.weight") && name.find("gate") == std::string::npos);
    const float factor = branch ? 0.25F : 1.0F;
    for (std::size_t at = 0; at < damped.values<float>().size(); ++at) {
      ASSERT_FLOAT_EQ(damped.values<float>()[at], factor * full.at(name).values<float>()[at]) << name;
    }
  }
}

// Against a run without frozen tensors: some have no gradient in any case (layer 1 sees an empty P).
TEST(Trainer, FrozenTensorsStayBitForBitAndOnlyThey) {
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  TrainerOptions options = quiet();
  options.weight_decay = 0.1;  // decoupled: it must not touch frozen tensors either
  const auto changed = [&](const TrainerOptions& chosen) {
    const auto learning = trainer(config, chosen);
    const WeightTable before = learning->weights();
    for (std::uint32_t step = 0; step < 5; ++step) {
      learning->step({batch_for(config, step)}, 1e-2);
    }
    std::map<std::string, bool> result;
    for (const auto& [name, after] : learning->weights()) {
      result[name] = !std::ranges::equal(after.values<float>(), before.at(name).values<float>());
    }
    return result;
  };
  const std::map<std::string, bool> all = changed(options);
  options.frozen = {"encoder.embed_", "encoder.layers.0.high.", "heads.ner"};
  std::int64_t frozen = 0;
  for (const auto& [name, moved] : changed(options)) {
    const bool held = std::ranges::any_of(options.frozen,
                                          [&](const std::string& start) { return name.starts_with(start); });
    EXPECT_EQ(moved, all.at(name) && !held) << name;
    frozen += held && all.at(name) ? 1 : 0;
  }
  // The table, weights and most biases of four maps, weight and bias of the head: they move where they may.
  EXPECT_GE(frozen, 1 + 4 + 2);
}

TEST(Trainer, ALossThatIsNotFiniteLeavesTheWeightsUnchanged) {
  const ModelConfig config = small_config(EncoderKind::transformer);
  WeightTable weights = trainer(config, quiet())->weights();
  HostTensor huge(DType::float32, weights.at("heads.upos.weight").shape());
  std::fill(huge.mutable_values<float>().begin(), huge.mutable_values<float>().end(), 3e38F);
  weights["heads.upos.weight"] = huge;
  const auto diverged = trainer(config, quiet(), &weights);
  try {
    diverged->step({batch_for(config, 1)}, 1e-2);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("left unchanged"), std::string::npos) << error.what();
  }
  for (const auto& [name, tensor] : diverged->weights()) {
    EXPECT_TRUE(std::ranges::equal(tensor.values<float>(), weights.at(name).values<float>())) << name;
  }
}

TEST(Trainer, StatesOfOthersAndDamagedOnesAreRefused) {
  const test::TemporaryFolder folder;
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  const auto first = trainer(config, quiet());
  first->step({batch_for(config, 1)}, 1e-2);
  const std::filesystem::path file = folder.file("state");
  first->save_state(file);
  TrainerOptions other = quiet();
  other.dropout = 0.2;
  EXPECT_THROW(trainer(config, other)->load_state(file), ModelError);
  EXPECT_THROW(trainer(small_config(EncoderKind::transformer), quiet())->load_state(file), ModelError);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THROW(trainer(config, quiet())->load_state(file), FormatError);
  folder.write("state", "");
  EXPECT_THROW(trainer(config, quiet())->load_state(file), FormatError);
  EXPECT_THROW(trainer(config, quiet())->load_state(folder.file("absent")), Error);
}

TEST(Trainer, WrongBatchesAreRefused) {
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  const auto any = trainer(config, quiet());
  TrainingBatch batch = batch_for(config, 1);
  batch.labels["upos"].pop_back();
  EXPECT_THROW(any->step({batch}, 1e-2), ShapeError);
  batch = batch_for(config, 1);
  batch.labels["upos"][0] = 4;
  EXPECT_THROW(any->step({batch}, 1e-2), ModelError);
  batch = batch_for(config, 1);
  batch.labels["xpos"] = batch.labels["upos"];
  EXPECT_THROW(any->step({batch}, 1e-2), UsageError);
  batch = batch_for(config, 1);
  batch.input.ids[0] = 20;
  EXPECT_THROW(any->step({batch}, 1e-2), ModelError);
  WeightTable weights = any->weights();
  weights.erase("heads.upos.bias");
  EXPECT_THROW(trainer(config, quiet(), &weights), ModelError);
}

TEST(Trainer, ItsModelIsTheOneInTraining) {
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  const auto learning = trainer(config, quiet());
  learning->step({batch_for(config, 1)}, 1e-2);
  const auto model = learning->model();
  EXPECT_EQ(model->config(), config);
  EXPECT_EQ(model->card().parameters, parameter_count(config));
}

}  // namespace
}  // namespace mog::model

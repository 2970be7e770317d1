#include "tests/integration/training_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "model/tensor_table.h"
#include "tests/unit/engine/test_device.h"

namespace mog::model {

ModelConfig small_config(EncoderKind kind, bool share_qkv) {
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
namespace {

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

}  // namespace

TrainingBatch batch_for(const ModelConfig& config, std::uint32_t seed,
                        const std::vector<std::int64_t>& lengths) {
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
                                 const WeightTable* initial) {
  return create_trainer(config, options, {.device = test::test_device()}, initial);
}
namespace {

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

}  // namespace

// Every tensor's gradient along a random direction against a central difference of the loss over `length`.
void check_gradients(const ModelConfig& config, float length, std::uint32_t seed) {
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

}  // namespace mog::model

// The engine's trainer through the façade: gradients against finite differences, exact resume, learning. Of
// models that read and write graphs: train_graph_engine_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <tuple>
#include <utility>

#include "io/recording/errors.h"
#include "model/tensor_table.h"
#include "model/warm_start.h"
#include "tests/integration/training_case.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/test_device.h"

namespace mog::model {
namespace {

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

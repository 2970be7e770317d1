// Distillation and warm start through the façade.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "io/recording/errors.h"
#include "model/tensor_table.h"
#include "model/trainer.h"
#include "model/warm_start.h"
#include "tests/unit/engine/test_device.h"

namespace mog::model {
namespace {

using WeightTable = std::map<std::string, HostTensor>;

ModelConfig encoder(EncoderKind kind, std::int64_t layers = 2) {
  ModelConfig config;
  config.encoder.kind = kind;
  config.encoder.layers = layers;
  config.encoder.d_model = 8;
  config.encoder.heads = 2;
  config.encoder.attention_dim = kind == EncoderKind::graph_transformer ? 4 : 8;
  config.encoder.ffn_dim = 12;
  config.encoder.activation = Activation::gelu;
  config.vocab_size = 20;
  return config;
}

TrainerOptions quiet(std::int64_t seed = 1) {
  TrainerOptions options;
  options.dropout = 0.0;
  options.seed = seed;
  options.positions = 12;
  return options;
}

std::unique_ptr<Trainer> trainer(const ModelConfig& config, const TrainerOptions& options,
                                 const WeightTable* initial = nullptr) {
  return create_trainer(config, options, {.device = test::test_device()}, initial);
}

TrainingBatch sentences(std::uint32_t seed) {
  std::mt19937 random(seed);
  TrainingBatch batch;
  for (const std::int64_t length : {6, 4, 4, 3}) {
    std::vector<std::int64_t> ids;
    for (std::int64_t at = 0; at + 1 < length; ++at) {
      ids.push_back(4 + static_cast<std::int64_t>(random() % 16));
    }
    ids.push_back(2);
    batch.input.append(ids);
  }
  return batch;
}

// The losses of one step from `weights`, which it does not change (learning rate 0).
StepResult losses_of(const ModelConfig& config, const TrainerOptions& options, const WeightTable& weights,
                     const std::shared_ptr<const Model>& teacher, const LossWeights& losses,
                     const TrainingBatch& batch) {
  const auto any = trainer(config, options, &weights);
  any->set_teacher(teacher);
  return any->step({batch}, 0.0, losses);
}

// Every tensor's gradient of the summed losses along a random direction against a central difference.
void check_gradients(const ModelConfig& config, TrainerOptions options, const LossWeights& losses,
                     const TrainingBatch& batch = sentences(7)) {
  const auto teaching = trainer(encoder(EncoderKind::transformer), quiet(5));
  const std::shared_ptr<const Model> teacher = teaching->model();
  const WeightTable weights = trainer(config, quiet(3))->weights();
  options.epsilon = 1e3;  // far above every gradient: the first update is lr / epsilon · gradient
  const auto stepping = trainer(config, options, &weights);
  stepping->set_teacher(teacher);
  stepping->step({batch}, 1e3, losses);
  const WeightTable after = stepping->weights();
  std::mt19937 random(11);
  std::int64_t moving = 0;
  for (const auto& [name, before] : weights) {
    std::vector<float> direction;
    double square = 0.0;
    for (std::int64_t at = 0; at < before.size(); ++at) {
      direction.push_back(static_cast<float>(static_cast<double>(random()) / 4294967295.0 * 2.0 - 1.0));
      square += static_cast<double>(direction.back()) * static_cast<double>(direction.back());
    }
    double expected = 0.0;
    WeightTable moved[2] = {weights, weights};
    constexpr float kStep = 1e-2F;
    for (std::size_t at = 0; at < direction.size(); ++at) {
      direction[at] /= static_cast<float>(std::sqrt(square));
      expected += static_cast<double>(direction[at]) *
                  static_cast<double>(before.values<float>()[at] - after.at(name).values<float>()[at]);
    }
    for (const int side : {0, 1}) {
      HostTensor tensor(DType::float32, before.shape());
      for (std::size_t at = 0; at < direction.size(); ++at) {
        tensor.mutable_values<float>()[at] =
            before.values<float>()[at] + (side == 0 ? kStep : -kStep) * direction[at];
      }
      moved[side][name] = tensor;
    }
    const double measured = (losses_of(config, options, moved[0], teacher, losses, batch).total -
                             losses_of(config, options, moved[1], teacher, losses, batch).total) /
                            (2.0 * static_cast<double>(kStep));
    EXPECT_NEAR(measured, expected, 2e-4 + 2e-2 * std::abs(expected)) << name;
    moving += std::abs(expected) > 1e-3 ? 1 : 0;
  }
  EXPECT_GT(moving, static_cast<std::int64_t>(weights.size()) / 3);
}

TEST(DistillationGradient, OfStates) {
  check_gradients(encoder(EncoderKind::graph_transformer), quiet(), {.hidden = 1.0, .last = 0.5});
  TrainerOptions cosine = quiet();
  cosine.state_loss = StateLoss::cosine;
  check_gradients(encoder(EncoderKind::graph_transformer), cosine, {.hidden = 1.0});
}
TEST(DistillationGradient, OfAttentionMaps) {
  check_gradients(encoder(EncoderKind::graph_transformer), quiet(), {.attention = 5.0});
}
TEST(DistillationGradient, OfSentences) {
  check_gradients(encoder(EncoderKind::graph_transformer), quiet(), {.sentence = 3.0});
}
TEST(DistillationGradient, OfUnits) {
  TrainingBatch batch = sentences(7);
  TeacherReading reading;
  std::int64_t at = 0;
  for (std::int64_t sentence = 0; sentence < batch.input.sentences(); ++sentence) {
    // The student's first two tokens are one of the teacher's.
    const auto begin = batch.input.ids.begin() + batch.input.offsets[static_cast<std::size_t>(sentence)];
    const auto end = batch.input.ids.begin() + batch.input.offsets[static_cast<std::size_t>(sentence) + 1];
    reading.input.append(std::vector<std::int64_t>(begin + 1, end));
    for (auto token = begin; token != end; ++token) {
      reading.units.push_back(token == begin ? at : at++);
    }
    for (std::int64_t unit = at - (end - begin - 1); unit < at; ++unit) {
      reading.teacher_units.push_back(unit);
    }
  }
  reading.count = at;
  batch.teacher_reading = reading;
  check_gradients(encoder(EncoderKind::graph_transformer), quiet(), {.hidden = 1.0, .sentence = 1.0}, batch);
}
TEST(DistillationGradient, LayerByLayer) {
  check_gradients(encoder(EncoderKind::graph_transformer), quiet(), {.hidden = 1.0, .layerwise = true});
  check_gradients(encoder(EncoderKind::transformer), quiet(), {.hidden = 1.0, .layerwise = true});
}

TEST(Distillation, AModelIsItsOwnTeacher) {
  const ModelConfig config = encoder(EncoderKind::transformer);
  const auto any = trainer(config, quiet());
  const LossWeights losses{.hidden = 1.0, .last = 1.0, .attention = 1.0, .sentence = 1.0};
  const StepResult result = losses_of(config, quiet(), any->weights(), any->model(), losses, sentences(1));
  ASSERT_EQ(result.distillation.size(), 4U);
  for (const auto& [name, value] : result.distillation) {
    EXPECT_NEAR(value, 0.0, 1e-6) << name;
  }
  const LossWeights layerwise{.hidden = 1.0, .layerwise = true};
  EXPECT_NEAR(losses_of(config, quiet(), any->weights(), any->model(), layerwise, sentences(1)).total, 0.0,
              1e-6);
}

TEST(Distillation, TheTeacherMayHaveItsOwnIds) {
  const ModelConfig config = encoder(EncoderKind::transformer);
  const auto teaching = trainer(config, quiet());
  // The student's id i is the teacher's id 22 - i (special ids apart).
  WeightTable weights = teaching->weights();
  HostTensor& table = weights.at("encoder.embed_tokens.weight");
  const HostTensor before = teaching->weights().at("encoder.embed_tokens.weight");
  TrainingBatch batch = sentences(1);
  for (std::int64_t id = 4; id < 19; ++id) {
    for (std::int64_t at = 0; at < 8; ++at) {
      table.mutable_values<float>()[static_cast<std::size_t>(id * 8 + at)] =
          before.values<float>()[static_cast<std::size_t>((22 - id) * 8 + at)];
    }
  }
  for (std::int64_t& id : batch.input.ids) {
    id = std::min<std::int64_t>(id, 18);
    batch.teacher_ids.push_back(id < 4 ? id : 22 - id);
  }
  const StepResult same = losses_of(config, quiet(), weights, teaching->model(), {.hidden = 1.0}, batch);
  EXPECT_NEAR(same.total, 0.0, 1e-9);
  batch.teacher_ids.clear();
  EXPECT_GT(losses_of(config, quiet(), weights, teaching->model(), {.hidden = 1.0}, batch).total, 1e-2);
}

// Cut alike, the losses are those of the shared reading.
TEST(Distillation, TheTeacherMayReadItsOwnPieces) {
  const ModelConfig config = encoder(EncoderKind::transformer);
  const auto teaching = trainer(encoder(EncoderKind::transformer), quiet(5));
  const WeightTable weights = trainer(config, quiet())->weights();
  const LossWeights losses{.hidden = 1.0, .last = 1.0, .sentence = 1.0};
  TrainingBatch batch = sentences(1);
  const StepResult shared = losses_of(config, quiet(), weights, teaching->model(), losses, batch);
  batch.teacher_reading = TeacherReading{.input = batch.input};
  for (std::int64_t at = 0; at < batch.input.tokens(); ++at) {
    batch.teacher_reading->units.push_back(at);
    batch.teacher_reading->teacher_units.push_back(at);
  }
  batch.teacher_reading->count = batch.input.tokens();
  const StepResult own = losses_of(config, quiet(), weights, teaching->model(), losses, batch);
  for (const auto& [name, value] : shared.distillation) {
    EXPECT_NEAR(own.distillation.at(name), value, 1e-6) << name;
  }
}

// Last states of a model, [token][d].
std::vector<std::vector<double>> last_states(const Model& model, const std::vector<std::int64_t>& ids) {
  class Keeper final : public Observer {
   public:
    std::optional<DType> wants(const QuantityName& name) const override {
      const bool last =
          name.stack() == Stack::encoder && name.layer() == 0 && name.quantity() == Quantity::output;
      return last ? std::optional<DType>(DType::float32) : std::nullopt;
    }
    bool observe(const QuantityName&, const PackedValues& values) override {
      const std::span<const float> all = values.values.values<float>();
      for (std::size_t at = 0; at < all.size(); at += 8) {
        states.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                            all.begin() + static_cast<std::ptrdiff_t>(at) + 8);
      }
      return true;
    }
    std::vector<std::vector<double>> states;
  };
  Keeper keeper;
  Observer* const observers[] = {&keeper};
  PackedBatch batch;
  batch.append(ids);
  model.run(batch, {}, observers);
  return keeper.states;
}

TEST(Distillation, StatesOfOtherPiecesAreComparedAsMeansOfUnits) {
  const ModelConfig config = encoder(EncoderKind::transformer);
  const auto teaching = trainer(encoder(EncoderKind::transformer), quiet(5));
  const auto learning = trainer(config, quiet());
  TrainingBatch batch;
  batch.input.append(std::vector<std::int64_t>{4, 5, 6, 7, 2});
  TeacherReading reading;
  reading.input.append(std::vector<std::int64_t>{9, 8, 10, 2});
  reading.units = {0, 1, 1, 1, 2};
  reading.teacher_units = {0, 1, 1, 2};
  reading.count = 3;
  batch.teacher_reading = reading;
  const auto ours = last_states(*learning->model(), batch.input.ids);
  const auto theirs = last_states(*teaching->model(), reading.input.ids);
  ASSERT_EQ(ours.size(), 5U);
  ASSERT_EQ(theirs.size(), 4U);
  double square = 0.0;
  double product = 0.0;
  double norms[2] = {0.0, 0.0};
  for (std::size_t d = 0; d < 8; ++d) {
    const double differences[3] = {
        ours[0][d] - theirs[0][d],
        (ours[1][d] + ours[2][d] + ours[3][d]) / 3.0 - (theirs[1][d] + theirs[2][d]) / 2.0,
        ours[4][d] - theirs[3][d]};
    for (const double difference : differences) {
      square += difference * difference;
    }
    double left = 0.0;
    double right = 0.0;
    for (const auto& state : ours) {
      left += state[d] / 5.0;
    }
    for (const auto& state : theirs) {
      right += state[d] / 4.0;
    }
    product += left * right;
    norms[0] += left * left;
    norms[1] += right * right;
  }
  const StepResult result = losses_of(config, quiet(), learning->weights(), teaching->model(),
                                      {.last = 1.0, .sentence = 1.0}, batch);
  EXPECT_NEAR(result.distillation.at("last"), square / 24.0, 1e-5);
  EXPECT_NEAR(result.distillation.at("sentence"), 1.0 - product / std::sqrt(norms[0] * norms[1]), 1e-5);

  learning->set_teacher(teaching->model());
  EXPECT_THROW(learning->step({batch}, 0.0, {.attention = 1.0}), UsageError);
  batch.teacher_reading->units.pop_back();
  EXPECT_THROW(learning->step({batch}, 0.0, {.last = 1.0}), ShapeError);
}

TEST(Distillation, AccumulatedBatchesAreOneBatch) {
  const ModelConfig config = encoder(EncoderKind::graph_transformer);
  const auto teaching = trainer(encoder(EncoderKind::transformer), quiet(5));
  const LossWeights losses{.hidden = 1.0, .last = 1.0, .attention = 1.0};
  const TrainingBatch first = sentences(1);
  TrainingBatch second;
  second.input.append(std::vector<std::int64_t>{7, 9, 11, 2});
  TrainingBatch both = first;
  both.input.append(std::vector<std::int64_t>{7, 9, 11, 2});
  const auto apart = trainer(config, quiet());
  const auto together = trainer(config, quiet());
  apart->set_teacher(teaching->model());
  together->set_teacher(teaching->model());
  const StepResult left = apart->step({first, second}, 1e-2, losses);
  const StepResult right = together->step({both}, 1e-2, losses);
  EXPECT_NEAR(left.total, right.total, 1e-5);
  EXPECT_NEAR(left.gradient_norm, right.gradient_norm, 1e-4);
}

TEST(Distillation, AStudentLearnsItsTeacher) {
  const ModelConfig config = encoder(EncoderKind::graph_transformer);
  const auto teaching = trainer(encoder(EncoderKind::transformer), quiet(5));
  const auto learning = trainer(config, quiet());
  learning->set_teacher(teaching->model());
  const LossWeights losses{.hidden = 1.0, .sentence = 1.0};
  const double before = learning->step({sentences(1)}, 1e-2, losses).total;
  for (int step = 0; step < 300; ++step) {
    learning->step({sentences(1)}, 1e-2, losses);
  }
  EXPECT_LT(learning->step({sentences(1)}, 0.0, losses).total, 0.05 * before);
}

TEST(Distillation, WrongTeachersAreRefused) {
  const ModelConfig config = encoder(EncoderKind::graph_transformer);
  const auto any = trainer(config, quiet());
  EXPECT_THROW(any->step({sentences(1)}, 1e-2, {.hidden = 1.0}), UsageError);
  ModelConfig wide = encoder(EncoderKind::transformer);
  wide.encoder.d_model = 16;
  wide.encoder.attention_dim = 16;
  EXPECT_THROW(any->set_teacher(trainer(wide, quiet())->model()), ModelError);
  any->set_teacher(trainer(encoder(EncoderKind::transformer, 3), quiet())->model());
  EXPECT_NO_THROW(any->step({sentences(1)}, 1e-2, {.hidden = 1.0}));
  EXPECT_THROW(any->step({sentences(1)}, 1e-2, {.hidden = 1.0, .layerwise = true}), ModelError);
  TrainingBatch batch = sentences(1);
  batch.teacher_ids = {4, 5};
  EXPECT_THROW(any->step({batch}, 1e-2, {.hidden = 1.0}), ShapeError);
}

TEST(MixedProducts, GiveNearlyTheSameStep) {
  const ModelConfig config = encoder(EncoderKind::graph_transformer);
  const auto teaching = trainer(encoder(EncoderKind::transformer), quiet(5));
  TrainerOptions mixed = quiet();
  mixed.bfloat16_products = true;
  const auto left = trainer(config, quiet());
  const auto right = trainer(config, mixed);
  left->set_teacher(teaching->model());
  right->set_teacher(teaching->model());
  const LossWeights losses{.hidden = 1.0};
  const StepResult exact = left->step({sentences(1)}, 1e-2, losses);
  const StepResult rounded = right->step({sentences(1)}, 1e-2, losses);
  EXPECT_NE(exact.total, rounded.total);
  EXPECT_NEAR(rounded.total, exact.total, 0.02 * exact.total);
  EXPECT_NEAR(rounded.gradient_norm, exact.gradient_norm, 0.03 * exact.gradient_norm);
}

// Rows of every head beyond the first `rank` are zero, so that a student of that width can do the same.
WeightTable of_low_rank(WeightTable weights, std::int64_t width, std::int64_t rank) {
  for (auto& [name, tensor] : weights) {
    const bool cut = name.find("q_proj") != std::string::npos || name.find("v_proj") != std::string::npos;
    const std::int64_t rows = tensor.shape()[0];
    const std::int64_t columns = tensor.size() / rows;
    for (std::int64_t row = 0; cut && row < rows; ++row) {
      for (std::int64_t at = 0; row % width >= rank && at < columns; ++at) {
        tensor.mutable_values<float>()[static_cast<std::size_t>(row * columns + at)] = 0.0F;
      }
    }
  }
  return weights;
}

TEST(WarmStart, TheFirstLayerIsThePlainOneWhereItsRankAllowsIt) {
  const ModelConfig plain = encoder(EncoderKind::transformer, 1);
  ModelConfig graph = encoder(EncoderKind::graph_transformer, 1);
  for (const bool shared : {false, true}) {
    graph.encoder.share_qkv = shared;
    WeightTable weights = of_low_rank(trainer(plain, quiet(4))->weights(), 4, 2);
    // Biases that matter.
    for (auto& [name, tensor] : weights) {
      for (std::size_t at = 0; name.ends_with("v_proj.bias") && at < tensor.values<float>().size(); ++at) {
        tensor.mutable_values<float>()[at] = at % 4 < 2 ? 0.3F : 0.0F;
      }
    }
    const WeightTable start =
        warm_start(graph, quiet(), plain, weights,
                   {.middle_scale = 0.0, .low_scale = 0.0, .gate_bias = 0.5, .gate_scale = 0.0});
    const auto teaching = trainer(plain, quiet(), &weights);
    const StepResult result =
        losses_of(graph, quiet(), start, teaching->model(), {.hidden = 1.0, .attention = 1.0}, sentences(2));
    EXPECT_NEAR(result.distillation.at("hidden"), 0.0, 1e-9) << shared;
    EXPECT_NEAR(result.distillation.at("attention"), 0.0, 1e-6) << shared;
  }
}

TEST(WarmStart, TheSameConfigurationIsCopied) {
  ModelConfig config = encoder(EncoderKind::graph_transformer);
  const WeightTable weights = trainer(config, quiet(4))->weights();
  ModelConfig tagger = config;
  tagger.tasks = {{"upos", {"A", "B"}}};
  const WeightTable start = warm_start(tagger, quiet(), config, weights, {});
  for (const auto& [name, tensor] : weights) {
    EXPECT_TRUE(std::ranges::equal(start.at(name).values<float>(), tensor.values<float>())) << name;
  }
  EXPECT_EQ(start.at("heads.upos.weight").shape(), (std::vector<std::int64_t>{2, 8}));
}

TEST(WarmStart, EmbeddingsFollowTheMap) {
  const ModelConfig plain = encoder(EncoderKind::transformer);
  ModelConfig small = plain;
  small.vocab_size = 6;
  const WeightTable weights = trainer(plain, quiet(4))->weights();
  const WeightTable start = warm_start(small, quiet(), plain, weights, {.rows = {0, 1, 2, 3, 17, -1}});
  const auto from = weights.at("encoder.embed_tokens.weight").values<float>();
  const auto to = start.at("encoder.embed_tokens.weight").values<float>();
  for (std::size_t at = 0; at < 8; ++at) {
    EXPECT_EQ(to[4 * 8 + at], from[17 * 8 + at]);
    EXPECT_NE(to[5 * 8 + at], 0.0F);
  }
  EXPECT_THROW(warm_start(small, quiet(), plain, weights, {}), ModelError);
  EXPECT_THROW(warm_start(small, quiet(), plain, weights, {.rows = {0, 1, 2, 3, 17, 20}}), ModelError);
}

TEST(WarmStart, WhatDoesNotFitIsNamed) {
  const ModelConfig plain = encoder(EncoderKind::transformer);
  const WeightTable weights = trainer(plain, quiet(4))->weights();
  ModelConfig other = encoder(EncoderKind::graph_transformer);
  other.encoder.ffn_dim = 16;
  try {
    warm_start(other, quiet(), plain, weights, {});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("encoder.ffn_dim is 16 here and 12 there"), std::string::npos)
        << error.what();
  }
  other = encoder(EncoderKind::graph_transformer);
  EXPECT_THROW(warm_start(other, quiet(), plain, weights, {.cut = HeadCut::select}), ModelError);
  other.encoder.heads = 1;
  EXPECT_THROW(warm_start(other, quiet(), plain, weights, {}), ModelError);
  EXPECT_NO_THROW(warm_start(other, quiet(), plain, weights, {.cut = HeadCut::select}));
  const ModelConfig graph = encoder(EncoderKind::graph_transformer);
  EXPECT_THROW(warm_start(plain, quiet(), graph, trainer(graph, quiet())->weights(), {}), ModelError);
}

}  // namespace
}  // namespace mog::model

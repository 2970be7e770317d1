// heads = "fit" against a reference in float64 that is written out here: ridge regressions by Gaussian
// elimination, attention, layer norm and feed-forward of every token, on the states that the source shows.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "io/recording/errors.h"
#include "model/tensor_table.h"
#include "model/trainer.h"
#include "model/warm_start.h"
#include "tests/integration/dense_reference.h"
#include "tests/unit/engine/test_device.h"

namespace mog::model {
namespace {

using test::Map;
using test::Matrix;
using test::Row;
using test::WeightTable;

constexpr std::size_t kModel = 8;
constexpr std::size_t kWidth = test::kHeadWidth;
constexpr double kGateBias = 0.5;

ModelConfig encoder(EncoderKind kind) {
  ModelConfig config;
  config.encoder.kind = kind;
  config.encoder.layers = 2;
  config.encoder.d_model = kModel;
  // The source has two heads of width 4, every part of the student one.
  config.encoder.heads = kind == EncoderKind::graph_transformer ? 1 : 2;
  config.encoder.attention_dim = kind == EncoderKind::graph_transformer ? 4 : 8;
  config.encoder.ffn_dim = 12;
  config.encoder.activation = Activation::gelu;
  config.vocab_size = 20;
  return config;
}

TrainerOptions quiet(std::int64_t seed) {
  TrainerOptions options;
  options.dropout = 0.0;
  options.seed = seed;
  options.positions = 12;
  return options;
}

// Weights whose biases and norms matter.
WeightTable source_weights() {
  WeightTable weights =
      create_trainer(encoder(EncoderKind::transformer), quiet(4), {.device = test::test_device()})->weights();
  std::mt19937 random(3);
  for (auto& [name, tensor] : weights) {
    for (std::size_t at = 0; tensor.shape().size() == 1 && at < tensor.values<float>().size(); ++at) {
      tensor.mutable_values<float>()[at] += static_cast<float>(random() % 1000) / 2500.0F - 0.2F;
    }
  }
  return weights;
}

TrainingBatch sample() {
  std::mt19937 random(17);
  TrainingBatch batch;
  for (std::int64_t sentence = 0; sentence < 45; ++sentence) {
    std::vector<std::int64_t> ids;
    for (std::int64_t at = 0; at + 1 < 8 - sentence / 9; ++at) {
      ids.push_back(4 + static_cast<std::int64_t>(random() % 16));
    }
    ids.push_back(2);
    batch.input.append(ids);
  }
  return batch;
}

class States final : public Observer {
 public:
  std::optional<DType> wants(const QuantityName& name) const override {
    const bool embedding = name.quantity() == Quantity::embedding && name.stack() == Stack::encoder;
    const bool output = name.quantity() == Quantity::output && name.stack() == Stack::encoder &&
                        name.layer() > 0 && name.part() == Part::none && name.reduction() == Reduction::full;
    return embedding || output ? std::optional<DType>(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& name, const PackedValues& values) override {
    const std::span<const float> all = values.values.values<float>();
    Matrix& states = layers[static_cast<std::size_t>(name.layer())];
    for (std::size_t at = 0; at < all.size(); at += kModel) {
      states.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                          all.begin() + static_cast<std::ptrdiff_t>(at + kModel));
    }
    return true;
  }
  std::map<std::size_t, Matrix> layers;  // 0: the embeddings
};

std::map<std::size_t, Matrix> states_of(const ModelConfig& config, const WeightTable& weights,
                                        const TrainingBatch& batch) {
  States states;
  Observer* const observers[] = {&states};
  create_trainer(config, quiet(1), {.device = test::test_device()}, &weights)
      ->model()
      ->run(batch.input, {}, observers);
  return states.layers;
}

void expect_map(const WeightTable& weights, const std::string& name, const Map& expected) {
  const Map found = test::map_of(weights, name);
  EXPECT_LT(test::greatest_difference(found.weight, expected.weight), 2e-4) << name;
  EXPECT_LT(test::greatest_difference({found.bias}, {expected.bias}), 2e-4) << name;
}

// Follows the fit up the layers and expects every tensor where it belongs.
class Reference {
 public:
  Reference(const WeightTable& source, const WeightTable& start, const TrainingBatch& batch)
      : source_(source), start_(start), batch_(batch) {
    states_ = states_of(encoder(EncoderKind::transformer), source, batch);
    full_ = states_.at(0);
    previous_ = Matrix(full_.size(), Row(kModel, 0.0));
  }

  void layer(std::size_t number) {
    prefix_ = "encoder.layers." + std::to_string(number - 1) + ".";
    const Matrix& state = states_.at(number - 1);
    const Matrix incremental = test::sum(full_, previous_, -1.0);
    std::array<Matrix, 3> targets;
    std::array<Map, 3> of_i;
    std::array<Map, 3> of_p;
    for (std::size_t at = 0; at < 3; ++at) {
      targets[at] = test::applied(test::map_of(source_, prefix_ + "self_attn." + kProjections[at]), state);
      of_i[at] = test::regressed(incremental, targets[at], 1e-3);
      of_p[at] = number == 1 ? Map{Matrix(kModel, Row(kModel, 0.0)), test::mean_of(targets[at])}
                             : test::regressed(previous_, targets[at], 1e-3);
    }
    Matrix context(full_.size());
    for (std::size_t head = 0; head < 2; ++head) {
      const Matrix one = test::attended(test::columns_of(targets[0], head * kWidth, kWidth),
                                        test::columns_of(targets[1], head * kWidth, kWidth),
                                        test::columns_of(targets[2], head * kWidth, kWidth), batch_.input);
      for (std::size_t token = 0; token < one.size(); ++token) {
        context[token].insert(context[token].end(), one[token].begin(), one[token].end());
      }
    }
    const Matrix their_z = test::applied(test::map_of(source_, prefix_ + "self_attn.out_proj"), context);
    const Matrix x = contexts(number, of_i, of_p, incremental);
    const Matrix z = check_outputs(number, x, test::sum(test::sum(state, their_z), full_, -1.0));
    const Matrix next =
        check_feed_forward(test::normalised(test::sum(full_, z), source_, prefix_ + "attn_layer_norm"),
                           test::normalised(test::sum(state, their_z), source_, prefix_ + "attn_layer_norm"));
    previous_ = full_;
    full_ = next;
  }
  const Matrix& full() const { return full_; }

 private:
  static constexpr std::array<const char*, 3> kProjections = {"q_proj", "k_proj", "v_proj"};

  // Columns of the regression of the outputs: one head a part, and P above layer 1.
  Matrix contexts(std::size_t number, const std::array<Map, 3>& of_i, const std::array<Map, 3>& of_p,
                  const Matrix& incremental) {
    constexpr std::array<const char*, 3> kParts = {"high", "middle1", "middle2"};
    Matrix columns(full_.size());
    for (std::size_t part = 0; part < 3; ++part) {
      std::array<Map, 3> maps;
      std::array<const Matrix*, 3> inputs{};
      const auto map_for = [&](std::size_t at, std::size_t head) {
        const bool from_p = (part == 2 && at == 0) || (part == 1 && at > 0);
        inputs[at] = from_p ? &previous_ : &incremental;
        return test::head_of(from_p ? of_p[at] : of_i[at], head);
      };
      // Which of the two heads the part got is the fit's choice; all of its three maps must be that head's.
      const std::string owner = prefix_ + kParts[part] + ".";
      const Matrix found = test::map_of(start_, owner + "v_proj").weight;
      const Row bias = test::map_of(start_, owner + "v_proj").bias;
      const auto distance = [&](std::size_t head) {
        const Map map = map_for(2, head);
        return test::greatest_difference(found, map.weight) + test::greatest_difference({bias}, {map.bias});
      };
      const std::size_t head = distance(0) < distance(1) ? 0 : 1;
      for (std::size_t at = 0; at < 3; ++at) {
        maps[at] = map_for(at, head);
        expect_map(start_, owner + kProjections[at], maps[at]);
      }
      const Matrix one =
          test::attended(test::applied(maps[0], *inputs[0]), test::applied(maps[1], *inputs[1]),
                         test::applied(maps[2], *inputs[2]), batch_.input);
      for (std::size_t token = 0; token < one.size(); ++token) {
        columns[token].insert(columns[token].end(), one[token].begin(), one[token].end());
      }
    }
    for (std::size_t token = 0; number > 1 && token < columns.size(); ++token) {
      columns[token].insert(columns[token].end(), previous_[token].begin(), previous_[token].end());
    }
    return columns;
  }

  Matrix check_outputs(std::size_t number, const Matrix& x, const Matrix& target) {
    const Map fitted = test::regressed(x, target, 1e-3);
    const double w = 1.0 / (1.0 + std::exp(-kGateBias));
    const Row none(kModel, 0.0);
    const auto block = [&](std::size_t first, std::size_t count, double factor) {
      Matrix weight = test::columns_of(fitted.weight, first, count);
      for (Row& row : weight) {
        for (double& value : row) {
          value *= factor;
        }
      }
      return weight;
    };
    expect_map(start_, prefix_ + "high.out_proj", {block(0, kWidth, 1.0 / w), fitted.bias});
    expect_map(start_, prefix_ + "middle1.out_proj", {block(kWidth, kWidth, 1.0 / w), none});
    expect_map(start_, prefix_ + "middle2.out_proj", {block(2 * kWidth, kWidth, 1.0 / w), none});
    expect_map(start_, prefix_ + "low",
               {number > 1 ? block(3 * kWidth, kModel, 1.0 / (1.0 - w)) : Matrix(kModel, none), fitted.bias});
    expect_map(start_, prefix_ + "gate.new", {Matrix(kModel, none), Row(kModel, kGateBias)});
    expect_map(start_, prefix_ + "gate.low", {Matrix(kModel, none), none});
    return test::applied(fitted, x);
  }

  Matrix check_feed_forward(const Matrix& ours, const Matrix& theirs) {
    const Map up = test::map_of(source_, prefix_ + "fc1");
    const Map down = test::map_of(source_, prefix_ + "fc2");
    const Matrix wanted = test::sum(theirs, test::applied(down, test::inner(up, theirs)));
    const Matrix hidden = test::inner(up, ours);
    const Matrix given = test::sum(ours, test::applied(down, hidden));
    const Map correction = test::regressed(hidden, test::sum(wanted, given, -1.0), 1e-2);
    Map corrected = down;
    corrected.weight = test::sum(down.weight, correction.weight);
    corrected.bias = test::sum({down.bias}, {correction.bias}).front();
    expect_map(start_, prefix_ + "fc1", up);
    expect_map(start_, prefix_ + "fc2", corrected);
    return test::normalised(test::sum(given, test::applied(correction, hidden)), source_,
                            prefix_ + "ffn_layer_norm");
  }

  const WeightTable& source_;
  const WeightTable& start_;
  const TrainingBatch& batch_;
  std::map<std::size_t, Matrix> states_;
  Matrix full_;
  Matrix previous_;
  std::string prefix_;
};

TEST(WarmStartFit, IsTheLeastSquaresOfEveryMapInTurn) {
  const ModelConfig plain = encoder(EncoderKind::transformer);
  const ModelConfig graph = encoder(EncoderKind::graph_transformer);
  const WeightTable source = source_weights();
  const TrainingBatch batch = sample();
  const WeightTable start = warm_start(graph, quiet(1), plain, source,
                                       {.cut = HeadCut::fit, .gate_bias = kGateBias, .sample = batch});
  Reference reference(source, start, batch);
  const std::map<std::size_t, Matrix> student = states_of(graph, start, batch);
  for (const std::size_t layer : {1U, 2U}) {
    reference.layer(layer);
    // The student runs as the fit said it would.
    EXPECT_LT(test::greatest_difference(student.at(layer), reference.full()), 5e-4) << layer;
  }
}

// On the text that it was fitted to, the student is nearer to its source than when heads are cut.
TEST(WarmStartFit, IsNearerToTheSourceThanACut) {
  const ModelConfig plain = encoder(EncoderKind::transformer);
  const ModelConfig graph = encoder(EncoderKind::graph_transformer);
  const WeightTable source = source_weights();
  const TrainingBatch batch = sample();
  const Matrix theirs = states_of(plain, source, batch).at(2);
  const auto distance = [&](HeadCut cut) {
    const WeightTable start =
        warm_start(graph, quiet(1), plain, source, {.cut = cut, .gate_bias = kGateBias, .sample = batch});
    const Matrix ours = states_of(graph, start, batch).at(2);
    double square = 0.0;
    for (std::size_t token = 0; token < ours.size(); ++token) {
      for (std::size_t at = 0; at < kModel; ++at) {
        square += (ours[token][at] - theirs[token][at]) * (ours[token][at] - theirs[token][at]);
      }
    }
    return square;
  };
  EXPECT_LT(distance(HeadCut::fit), 0.5 * distance(HeadCut::select));
}

}  // namespace
}  // namespace mog::model

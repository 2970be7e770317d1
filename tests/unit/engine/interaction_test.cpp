// What the MoG paper demands of an encoder (A.7 eq. 10, A.8.4 eq. 11): a representation is a sum of its
// subgraphs' representations, and the function that lets two words interact takes such sums apart:
// f(Σ r_i, Σ r_j) = Σ w_ij f(r_i, r_j), with f(a, b) ≠ f(b, a). The logits of attention and the gate sums of
// GRU and LSTM do; softmax and sigmoid behind them do not.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "io/checkpoint/safetensors.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/recurrent_case.h"

namespace mog::test {
namespace {

using Vector = std::vector<double>;

Vector sum_of(const std::vector<Vector>& parts) {
  Vector sum(parts.front().size(), 0.0);
  for (const Vector& part : parts) {
    std::transform(sum.begin(), sum.end(), part.begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

// `count` random vectors whose sum is `whole`.
std::vector<Vector> constituents(const Vector& whole, std::size_t count, std::mt19937& random) {
  std::vector<Vector> parts;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    Vector part(whole.size());
    for (double& value : part) {
      value = static_cast<double>(random()) / 4294967295.0 * 2.0 - 1.0;
    }
    parts.push_back(part);
  }
  Vector last = whole;
  for (const Vector& part : parts) {
    std::transform(last.begin(), last.end(), part.begin(), last.begin(), std::minus<>());
  }
  parts.push_back(last);
  return parts;
}

Vector row(const std::vector<float>& values, std::size_t width, std::size_t index) {
  Vector result;
  for (std::size_t i = 0; i < width; ++i) {
    result.push_back(static_cast<double>(values.at(index * width + i)));
  }
  return result;
}

double distance(const Vector& left, const Vector& right) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    greatest = std::max(greatest, std::abs(left[i] - right[i]));
  }
  return greatest;
}

// ---- recurrent encoders ----

struct Gate {
  std::string tensor;  // "update"
  Quantity quantity;   // as shown
  bool complement;     // shown is 1 - σ(sum)
  bool tanh;           // tanh instead of σ
};

std::vector<Gate> gates_of(const std::string& cell) {
  if (cell == "lstm") {
    return {{"input_gate", Quantity::input_gate, false, false},
            {"forget_gate", Quantity::forget_gate, false, false},
            {"output_gate", Quantity::output_gate, false, false},
            {"candidate", Quantity::candidate, false, true}};
  }
  std::vector<Gate> gates = {{"update", Quantity::gate, cell == "gru", false},
                             {"reset", Quantity::reset, false, false}};
  if (cell == "gru_plain") {
    gates.push_back({"candidate", Quantity::candidate, false, true});
  }
  return gates;
}

// A cell, and what is looked at: the one direction of a unidirectional encoder (`none`) or one of two.
struct DirectedCell {
  std::string cell;
  Part direction = Part::none;
};

class GateSums : public testing::TestWithParam<DirectedCell> {};

TEST_P(GateSums, AreSumsOverPairsOfConstituents) {
  const Part direction = GetParam().direction;
  const bool two = direction != Part::none;
  const bool backward = direction == Part::backward;
  const RecurrentCase one = two ? open_bidirectional(GetParam().cell) : open_recurrent(GetParam().cell);
  const std::size_t sentence = two ? 1 : 0;  // of seven words
  const std::size_t width = two ? 6 : 12;
  Collector found;
  const std::vector<model::Observer*> observers = {&found};
  one.model->run(two ? bidirectional_batch() : one.batch(), {}, observers);
  const std::vector<float> below = found.of({Stack::encoder, 1, Part::none, Quantity::output}, sentence);
  const std::vector<float> states = found.of({Stack::encoder, 2, direction, Quantity::output}, sentence);
  std::mt19937 random(5);
  for (const Gate& gate : gates_of(one.cell)) {
    const std::string name = (backward ? "encoder.layers.1.backward." : "encoder.layers.1.") + gate.tensor;
    const Matrix w(one.weights.at(name + ".input.weight"));
    const Matrix u(one.weights.at(name + ".recurrent.weight"));
    const Vector b = row(one.weights.at(name + ".input.bias").to_floats(), width, 0);
    const std::vector<float> shown = found.of({Stack::encoder, 2, direction, gate.quantity}, sentence);
    for (std::size_t step = backward ? 0 : 1; step < (backward ? 6U : 7U); ++step) {
      const Vector r_a = row(below, 12, step);  // from the layer below, of both directions
      // From the step before: backward that of the next word.
      const Vector r_b = row(states, width, backward ? step + 1 : step - 1);
      const std::vector<Vector> as = constituents(r_a, 3, random);
      const std::vector<Vector> bs = constituents(r_b, 4, random);
      const auto f = [&](const Vector& left, const Vector& right, double left_share, double right_share) {
        const Vector wx = w.times(left);
        const Vector uh = u.times(right);
        Vector value(wx.size());
        for (std::size_t d = 0; d < value.size(); ++d) {
          value[d] = left_share * wx[d] + right_share * uh[d];
        }
        return value;
      };
      // Σ_i Σ_j (W a_i / |b| + U b_j / |a|) + b
      std::vector<Vector> pairs = {b};
      std::vector<Vector> open;  // the same through the sigmoid
      for (const Vector& a_i : as) {
        for (const Vector& b_j : bs) {
          pairs.push_back(f(a_i, b_j, 1.0 / 4, 1.0 / 3));
          open.push_back(pairs.back());
          for (double& value : open.back()) {
            value = 1.0 / (1.0 + std::exp(-value));
          }
        }
      }
      const Vector right = sum_of(pairs);
      const Vector left = sum_of({f(r_a, r_b, 1.0, 1.0), b});
      EXPECT_LE(distance(left, right), 1e-6) << name << " step " << step;
      if (!two) {  // with two directions the operands have different widths: they cannot even change places
        EXPECT_GT(distance(left, sum_of({f(r_b, r_a, 1.0, 1.0), b})), 1e-3) << "not symmetric";
      }
      Vector closed = left;
      for (double& value : closed) {
        value = 1.0 / (1.0 + std::exp(-value));
      }
      EXPECT_GT(distance(closed, sum_of(open)), 1e-2) << "the sigmoid does not take sums apart";
      // And this sum is what the engine's gate was made of.
      for (std::size_t d = 0; d < right.size(); ++d) {
        double expected = gate.tanh ? std::tanh(right[d]) : 1.0 / (1.0 + std::exp(-right[d]));
        expected = gate.complement ? 1.0 - expected : expected;
        EXPECT_NEAR(static_cast<double>(shown[step * width + d]), expected, 1e-6) << name;
      }
    }
  }
}

std::vector<DirectedCell> directed_cells() {
  std::vector<DirectedCell> cells;
  for (const std::string& cell : recurrent_cells()) {
    for (const Part direction : {Part::none, Part::forward, Part::backward}) {
      cells.push_back({cell, direction});
    }
  }
  return cells;
}

INSTANTIATE_TEST_SUITE_P(Cells, GateSums, testing::ValuesIn(directed_cells()), [](const auto& tested) {
  const std::string_view direction = mog::name(tested.param.direction);
  return tested.param.cell + (direction.empty() ? "" : "_" + std::string(direction));
});

// ---- attention ----

struct AttentionCase {
  std::string model;  // a golden model
  Part part;
  std::string maps;  // where its query and key maps are
  Quantity query;    // what they read in layer 2
  Quantity key;
};

class AttentionLogits : public testing::TestWithParam<AttentionCase> {};

// Maps of head 1 without their biases: [head width, d].
Matrix head_of(const std::map<std::string, HostTensor>& weights, const std::string& name,
               std::int64_t heads) {
  Matrix map(weights.at(name + ".weight"));
  map.rows /= static_cast<std::size_t>(heads);
  map.values.resize(map.rows * map.columns);
  return map;
}

TEST_P(AttentionLogits, TakeSumsApartAndSoftmaxDoesNot) {
  const AttentionCase& one = GetParam();
  const GoldenCase golden = open_golden(one.model);
  const model::EncoderConfig& config = golden.model->config().encoder;
  const auto weights = io::read_tensors(golden_directory(one.model) / "model.safetensors");
  const Matrix q = head_of(weights, one.maps + ".q_proj", config.heads);
  const Matrix k = head_of(weights, one.maps + ".k_proj", config.heads);
  const Vector bq = row(weights.at(one.maps + ".q_proj.bias").to_floats(), q.rows, 0);
  const Vector bk = row(weights.at(one.maps + ".k_proj.bias").to_floats(), k.rows, 0);
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.rows));
  const auto f = [&](const Vector& left, const Vector& right) {
    const Vector query = q.times(left);
    const Vector key = k.times(right);
    return scale * std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
  };
  Collector found;
  const std::vector<model::Observer*> observers = {&found};
  golden.model->run(golden.batch({1}), {}, observers);
  const std::vector<float> queries = found.of({Stack::encoder, 2, Part::none, one.query}, 0);
  const std::vector<float> keys = found.of({Stack::encoder, 2, Part::none, one.key}, 0);
  const std::vector<float> map = found.of({Stack::encoder, 2, one.part, Quantity::attention}, 0);
  const auto width = static_cast<std::size_t>(config.d_model);
  const std::size_t tokens = queries.size() / width;
  ASSERT_GE(tokens, 3U);
  std::mt19937 random(7);
  for (std::size_t m = 0; m < tokens; ++m) {
    const std::vector<Vector> as = constituents(row(queries, width, m), 3, random);
    Vector logits(tokens);
    for (std::size_t n = 0; n < tokens; ++n) {
      const Vector r_b = row(keys, width, n);
      const std::vector<Vector> bs = constituents(r_b, 2, random);
      double pairs = 0.0;
      for (const Vector& a_i : as) {
        for (const Vector& b_j : bs) {
          pairs += f(a_i, b_j);
        }
      }
      const Vector r_a = row(queries, width, m);
      EXPECT_NEAR(f(r_a, r_b), pairs, 1e-6 * std::max(1.0, std::abs(pairs)));
      if (m != n) {
        EXPECT_GT(std::abs(f(r_a, r_b) - f(r_b, r_a)), 1e-9) << "not symmetric";
      }
      const Vector query = sum_of({q.times(r_a), bq});
      const Vector key = sum_of({k.times(r_b), bk});
      logits[n] = scale * std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
    }
    // The engine's map is the softmax of exactly these logits (with the biases) …
    const double greatest = *std::max_element(logits.begin(), logits.end());
    double total = 0.0;
    for (const double logit : logits) {
      total += std::exp(logit - greatest);
    }
    for (std::size_t n = 0; n < tokens; ++n) {
      EXPECT_NEAR(static_cast<double>(map[m * tokens + n]), std::exp(logits[n] - greatest) / total, 1e-5);
    }
    // … which does not take sums apart: the weights of a row sum to 1, those of its three constituents to 3.
    double apart = 0.0;
    for (const Vector& a_i : as) {
      double sum = 0.0;
      double first = 0.0;
      for (std::size_t n = 0; n < tokens; ++n) {
        const double weight = std::exp(f(a_i, row(keys, width, n)));
        sum += weight;
        first += n == 0 ? weight : 0.0;
      }
      apart += first / sum;
    }
    EXPECT_GT(std::abs(apart - static_cast<double>(map[m * tokens])), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, AttentionLogits,
    testing::Values(AttentionCase{"transformer_post", Part::full, "encoder.layers.1.self_attn",
                                  Quantity::input, Quantity::input},
                    AttentionCase{"half_weight_gate", Part::high, "encoder.layers.1.high",
                                  Quantity::incremental, Quantity::incremental},
                    AttentionCase{"half_weight_gate", Part::middle1, "encoder.layers.1.middle1",
                                  Quantity::incremental, Quantity::previous},
                    AttentionCase{"half_weight_gate", Part::middle2, "encoder.layers.1.middle2",
                                  Quantity::previous, Quantity::incremental}),
    [](const auto& tested) { return std::string(mog::name(tested.param.part)); });

}  // namespace
}  // namespace mog::test

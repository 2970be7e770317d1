// GRU and LSTM encoders against shared golden/rnn, and what must hold whatever the weights.
#include <gtest/gtest.h>

#include <cmath>

#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/recurrent_case.h"

namespace mog::test {
namespace {

QuantityName encoder(std::int64_t layer, Quantity quantity, Part part = Part::none) {
  return {Stack::encoder, layer, part, quantity};
}

Collector run(const RecurrentCase& one, const model::PackedBatch& batch,
              const std::vector<model::Intervention>& interventions = {}) {
  Collector collector;
  const std::vector<model::Observer*> observers = {&collector};
  one.model->run(batch, interventions, observers);
  return collector;
}

// Three sentences of different lengths, the longest in the middle.
model::PackedBatch several() {
  model::PackedBatch batch;
  batch.append(std::vector<std::int64_t>{9, 4, 6});
  batch.append(std::vector<std::int64_t>{4, 5, 6, 7, 8, 9, 10});
  batch.append(std::vector<std::int64_t>{5, 5, 10, 4, 8});
  return batch;
}

class Recurrent : public testing::TestWithParam<std::string> {};

TEST_P(Recurrent, EveryGateAndStateIsTheReferences) {
  const RecurrentCase one = open_recurrent(GetParam());
  const Collector found = run(one, one.batch());
  const std::map<std::string, Quantity> keys =
      one.cell == "lstm"
          ? std::map<std::string, Quantity>{{"i", Quantity::input_gate}, {"f", Quantity::forget_gate},
                                            {"g", Quantity::candidate},  {"o", Quantity::output_gate},
                                            {"c", Quantity::cell},       {"h", Quantity::output}}
          : std::map<std::string, Quantity>{
                {"r", Quantity::reset}, {"n", Quantity::candidate}, {"h", Quantity::output}};
  for (std::int64_t layer = 1; layer <= 2; ++layer) {
    const std::string prefix = one.cell + ".l" + std::to_string(layer - 1) + ".";
    for (const auto& [key, quantity] : keys) {
      expect_near(found.of(encoder(layer, quantity), 0), one.expected.at(prefix + key).to_floats(), 1e-5,
                  prefix + key);
    }
    if (one.cell == "lstm") {
      continue;
    }
    // The gate is the share of the new value, which LibTorch's z is not.
    std::vector<float> z = found.of(encoder(layer, Quantity::gate), 0);
    for (float& value : z) {
      value = one.cell == "gru" ? 1.0F - value : value;
    }
    expect_near(z, one.expected.at(prefix + "z").to_floats(), 1e-5, prefix + "z");
    expect_near(found.of(encoder(layer, Quantity::carry, Part::recurrent), 0),
                one.expected.at(prefix + "carry").to_floats(), 1e-5, prefix + "carry");
  }
}

// Products W x are of 8 bits, those of the state before, U h, stay float32.
TEST_P(Recurrent, InEightBitsItStaysNearFloat32) {
  if (!model::engine_report().eight_bit_products) {
    GTEST_SKIP() << "this processor has no VNNI";
  }
  const RecurrentCase exact = open_recurrent(GetParam());
  const RecurrentCase rounded =
      open_recurrent(GetParam(), {.device = "cpu", .precision = model::Precision::int8});
  const model::PackedBatch batch = several();
  const Collector expected = run(exact, batch);
  const Collector found = run(rounded, batch);
  bool differs = false;
  for (std::size_t sentence = 0; sentence < 3; ++sentence) {
    model::PackedBatch single;
    single.append(std::vector<std::int64_t>(batch.ids.begin() + batch.offsets[sentence],
                                            batch.ids.begin() + batch.offsets[sentence + 1]));
    const Collector alone = run(rounded, single);
    for (const QuantitySchema& schema : rounded.model->quantities()) {
      const std::vector<float> values = found.of(schema.name, sentence);
      expect_near(values, expected.of(schema.name, sentence), 0.1, schema.name.text());
      // A row is rounded by itself: but for numbers on the edge of two steps.
      expect_near(values, alone.of(schema.name, 0), 0.02, schema.name.text());
      differs = differs || values != expected.of(schema.name, sentence);
    }
  }
  EXPECT_TRUE(differs);
}

TEST_P(Recurrent, ABatchOfSeveralLengthsIsItsSentencesAlone) {
  const RecurrentCase one = open_recurrent(GetParam());
  const model::PackedBatch batch = several();
  const Collector together = run(one, batch);
  for (std::size_t sentence = 0; sentence < 3; ++sentence) {
    model::PackedBatch single;
    single.append(std::vector<std::int64_t>(batch.ids.begin() + batch.offsets[sentence],
                                            batch.ids.begin() + batch.offsets[sentence + 1]));
    const Collector alone = run(one, single);
    for (const QuantitySchema& schema : one.model->quantities()) {
      expect_near(together.of(schema.name, sentence), alone.of(schema.name, 0), 2e-6, schema.name.text());
    }
  }
}

TEST_P(Recurrent, CarryRowsMissOneByTheWeightOfTheStartState) {
  const RecurrentCase one = open_recurrent(GetParam());
  const Collector found = run(one, several());
  constexpr std::size_t kSteps = 7;
  for (std::int64_t layer = 1; layer <= 2; ++layer) {
    std::vector<double> m;
    if (one.cell == "lstm") {
      const auto input = found.of(encoder(layer, Quantity::input_gate).with(Reduction::mean), 1);
      const auto forget = found.of(encoder(layer, Quantity::forget_gate).with(Reduction::mean), 1);
      for (std::size_t step = 0; step < kSteps; ++step) {
        m.push_back(static_cast<double>(input[step] / (input[step] + forget[step])));
      }
    } else {
      for (const float mean : found.of(encoder(layer, Quantity::gate).with(Reduction::mean), 1)) {
        m.push_back(static_cast<double>(mean));
      }
    }
    const std::vector<float> carry = found.of(encoder(layer, Quantity::carry, Part::recurrent), 1);
    double start = 1.0;
    for (std::size_t t = 0; t < kSteps; ++t) {
      start *= 1.0 - m[t];
      double sum = 0.0;
      for (std::size_t s = 0; s < kSteps; ++s) {
        const auto weight = static_cast<double>(carry[t * kSteps + s]);
        double expected = s <= t ? m[s] : 0.0;
        for (std::size_t u = s + 1; u <= t; ++u) {
          expected *= 1.0 - m[u];
        }
        EXPECT_NEAR(weight, expected, 1e-6);
        sum += weight;
      }
      EXPECT_NEAR(sum, 1.0 - start, 1e-6);
    }
  }
}

TEST_P(Recurrent, SharesAreThoseOfWhatEntersTheNewValue) {
  const RecurrentCase one = open_recurrent(GetParam());
  const Collector found = run(one, one.batch());
  const QuantityName below = encoder(2, Quantity::output, Part::below);
  const QuantityName recurrent = encoder(2, Quantity::output, Part::recurrent);
  const auto norm = [&](const QuantityName& name, std::size_t step) {
    const std::vector<float> all = found.of(name, 0);
    double square = 0.0;
    for (std::size_t d = 0; d < 12; ++d) {
      square += std::pow(static_cast<double>(all[step * 12 + d]), 2);
    }
    return std::sqrt(square);
  };
  const std::vector<float> share = found.of(recurrent.with(Reduction::share), 0);
  EXPECT_EQ(share.front(), 0.0F);  // nothing came before
  for (std::size_t step = 0; step < share.size(); ++step) {
    const double u = norm(recurrent, step);
    EXPECT_NEAR(static_cast<double>(share[step]), u / (u + norm(below, step)), 1e-6);
  }
  // W x of the second layer reads the states of the first.
  const Matrix w(one.weights.at("encoder.layers.1.candidate.input.weight"));
  const std::vector<float> states = found.of(encoder(1, Quantity::output), 0);
  const std::vector<double> expected = w.times({states.begin() + 36, states.begin() + 48});
  for (std::size_t d = 0; d < 12; ++d) {
    EXPECT_NEAR(static_cast<double>(found.of(below, 0)[36 + d]), expected[d], 1e-5);
  }
}

TEST_P(Recurrent, Bfloat16FactorsStayClose) {
  const RecurrentCase exact = open_recurrent(GetParam());
  const RecurrentCase narrow = open_recurrent(GetParam(), {.precision = model::Precision::bfloat16});
  const QuantityName output(Stack::encoder, 0, Part::none, Quantity::output);
  const std::vector<float> expected = run(exact, several()).of(output, 1);
  const std::vector<float> found = run(narrow, several()).of(output, 1);
  EXPECT_NE(found, expected);
  expect_near(found, expected, 3e-2, "bfloat16");
}

INSTANTIATE_TEST_SUITE_P(Cells, Recurrent, testing::ValuesIn(recurrent_cells()),
                         [](const auto& tested) { return tested.param; });

TEST(RecurrentInterventions, AGateSetToZeroKeepsTheStateAndToOneTakesTheNewValue) {
  for (const char* const cell : {"gru", "gru_reset", "gru_plain"}) {
    const RecurrentCase one = open_recurrent(cell);
    constexpr std::size_t d = 12;
    const Collector found = run(one, several(), {model::SetGate{2, 1, 3, 0.0}, model::SetGate{2, 1, 5, 1.0}});
    const std::vector<float> h = found.of(encoder(2, Quantity::output), 1);
    const std::vector<float> n = found.of(encoder(2, Quantity::candidate), 1);
    const auto row = [](const std::vector<float>& values, std::size_t step) {
      return std::vector<float>(values.begin() + static_cast<std::ptrdiff_t>(step * d),
                                values.begin() + static_cast<std::ptrdiff_t>((step + 1) * d));
    };
    EXPECT_EQ(row(h, 3), row(h, 2)) << cell;
    expect_near(row(h, 5), row(n, 5), 1e-6, cell);
    // Other sentences are as they were.
    expect_near(found.of(encoder(2, Quantity::output), 0),
                run(one, several()).of(encoder(2, Quantity::output), 0), 1e-7, cell);
  }
}

TEST(RecurrentInterventions, AScaledPartEntersTheNewValueScaled) {
  const RecurrentCase one = open_recurrent("gru_plain");
  const Collector found = run(one, one.batch(), {model::ScalePart{1, Part::recurrent, 0.0}});
  const Matrix w(one.weights.at("encoder.layers.0.candidate.input.weight"));
  const std::vector<float> bias = one.weights.at("encoder.layers.0.candidate.input.bias").to_floats();
  const std::vector<float> x = one.expected.at("in.x").to_floats();
  const std::vector<double> sum = w.times({x.begin() + 40, x.begin() + 50});
  for (std::size_t d = 0; d < 12; ++d) {
    EXPECT_NEAR(static_cast<double>(found.of(encoder(1, Quantity::candidate), 0)[48 + d]),
                std::tanh(sum[d] + static_cast<double>(bias[d])), 1e-6);
  }
  const Collector without = run(one, one.batch(), {model::ScalePart{1, Part::below, 0.0}});
  for (const float value : without.of(encoder(1, Quantity::output, Part::below), 0)) {
    EXPECT_EQ(value, 0.0F);
  }
}

TEST(RecurrentInterventions, WhatHasNoMeaningIsRefusedByName) {
  const auto refused = [](const char* cell, const model::Intervention& intervention, const char* word) {
    const RecurrentCase one = open_recurrent(cell);
    try {
      run(one, one.batch(), {intervention});
      ADD_FAILURE() << word;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused("gru", model::MaskToken{0, 1}, "the encoder is recurrent (kind = gru)");
  refused("lstm", model::ScaleHead{1, Part::full, 1, 0.0}, "attention head");
  refused("gru", model::ScaleLayer{1, 0.0}, "reads vectors of 10 numbers and gives 12");
  refused("gru", model::ScalePart{1, Part::backward, 0.0}, "has below and recurrent");
  refused("gru", model::ScalePart{1, Part::high, 0.0}, "has below and recurrent");
  refused("lstm", model::SetGate{1, {}, {}, 0.5}, "of an LSTM has no single gate");
  refused("gru", model::SetGate{3, {}, {}, 0.5}, "layers 1 to 2");
}

}  // namespace
}  // namespace mog::test

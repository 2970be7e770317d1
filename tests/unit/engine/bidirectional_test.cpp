// Bidirectional GRU and LSTM encoders against torch.nn.GRU and LSTM (tests/data/rnn/make_bidirectional.py),
// and what must hold whatever the weights.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/recurrent_case.h"

namespace mog::test {
namespace {

constexpr std::size_t kHalf = 6;

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

std::vector<float> all_sentences(const Collector& found, const QuantityName& name) {
  std::vector<float> values;
  for (std::size_t sentence = 0; sentence < 3; ++sentence) {
    const std::vector<float> one = found.of(name, sentence);
    values.insert(values.end(), one.begin(), one.end());
  }
  return values;
}

std::map<std::string, Quantity> keys_of(const std::string& cell) {
  if (cell == "lstm") {
    return {{"i", Quantity::input_gate},  {"f", Quantity::forget_gate}, {"g", Quantity::candidate},
            {"o", Quantity::output_gate}, {"c", Quantity::cell},        {"h", Quantity::output}};
  }
  return {{"r", Quantity::reset}, {"n", Quantity::candidate}, {"h", Quantity::output}};
}

class Bidirectional : public testing::TestWithParam<std::string> {};

TEST_P(Bidirectional, EveryGateStateAndCarryWeightIsTorchs) {
  const RecurrentCase one = open_bidirectional(GetParam());
  const Collector found = run(one, bidirectional_batch());
  for (std::int64_t layer = 1; layer <= 2; ++layer) {
    for (const Part direction : {Part::forward, Part::backward}) {
      const std::string prefix =
          one.cell + ".l" + std::to_string(layer - 1) + "." + std::string(name(direction)) + ".";
      for (const auto& [key, quantity] : keys_of(one.cell)) {
        expect_near(all_sentences(found, encoder(layer, quantity, direction)),
                    one.expected.at(prefix + key).to_floats(), 1e-5, prefix + key);
      }
      for (std::size_t sentence = 0; sentence < 3; ++sentence) {
        const std::string key = prefix + "carry." + std::to_string(sentence);
        expect_near(found.of(encoder(layer, Quantity::carry, direction), sentence),
                    one.expected.at(key).to_floats(), 1e-5, key);
      }
      if (one.cell != "lstm") {
        std::vector<float> z = all_sentences(found, encoder(layer, Quantity::gate, direction));
        for (float& value : z) {
          value = one.cell == "gru" ? 1.0F - value : value;
        }
        expect_near(z, one.expected.at(prefix + "z").to_floats(), 1e-5, prefix + "z");
      }
    }
  }
  if (one.expected.contains(one.cell + ".torch")) {
    expect_near(all_sentences(found, {Stack::encoder, 0, Part::none, Quantity::output}),
                one.expected.at(one.cell + ".torch").to_floats(), 1e-5, "output");
  }
}

TEST_P(Bidirectional, CarryMapsAreTriangularOneEachWay) {
  const RecurrentCase one = open_bidirectional(GetParam());
  const Collector found = run(one, bidirectional_batch());
  constexpr std::size_t kSteps = 7;
  for (std::int64_t layer = 1; layer <= 2; ++layer) {
    for (const Part direction : {Part::forward, Part::backward}) {
      const std::vector<float> map = found.of(encoder(layer, Quantity::carry, direction), 1);
      for (std::size_t t = 0; t < kSteps; ++t) {
        double sum = 0;
        for (std::size_t s = 0; s < kSteps; ++s) {
          const float weight = map[t * kSteps + s];
          const bool reached = direction == Part::forward ? s <= t : s >= t;
          EXPECT_EQ(weight > 0.0F, reached) << name(direction) << " " << t << " " << s;
          sum += static_cast<double>(weight);
        }
        EXPECT_LT(sum, 1.0);  // the rest is the start state's
      }
    }
  }
}

// A sentence's last words are read first, whatever stands beside it in the batch.
TEST_P(Bidirectional, ABatchOfSeveralLengthsIsItsSentencesAlone) {
  const RecurrentCase one = open_bidirectional(GetParam());
  const model::PackedBatch batch = bidirectional_batch();
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

TEST_P(Bidirectional, JoinedValuesAreTheHalvesSideBySide) {
  const RecurrentCase one = open_bidirectional(GetParam());
  const Collector found = run(one, bidirectional_batch());
  for (const Quantity quantity : {Quantity::output, Quantity::gate}) {
    const std::vector<float> joined = found.of(encoder(2, quantity), 1);
    const std::vector<float> forward = found.of(encoder(2, quantity, Part::forward), 1);
    const std::vector<float> backward = found.of(encoder(2, quantity, Part::backward), 1);
    ASSERT_EQ(joined.size(), 2 * forward.size());
    for (std::size_t i = 0; i < forward.size(); ++i) {
      const std::size_t at = i / kHalf * 2 * kHalf + i % kHalf;
      EXPECT_EQ(joined[at], forward[i]);
      EXPECT_EQ(joined[at + kHalf], backward[i]);
    }
  }
  // Shares: of each half in the norms of both, and of U h beside W x in each direction.
  const auto share = [&](Part part) {
    return found.of(encoder(2, Quantity::output, part).with(Reduction::share), 1);
  };
  const auto squares = [](const std::vector<float>& values, std::size_t step) {
    return std::sqrt(std::inner_product(values.begin() + static_cast<std::ptrdiff_t>(step * kHalf),
                                        values.begin() + static_cast<std::ptrdiff_t>((step + 1) * kHalf),
                                        values.begin() + static_cast<std::ptrdiff_t>(step * kHalf), 0.0));
  };
  const auto compare = [&](Part left, Part right) {
    const std::vector<float> ours = found.of(encoder(2, Quantity::output, left), 1);
    const std::vector<float> others = found.of(encoder(2, Quantity::output, right), 1);
    for (std::size_t step = 0; step < 7; ++step) {
      const double norm = squares(ours, step);
      EXPECT_NEAR(static_cast<double>(share(left)[step]), norm / (norm + squares(others, step)), 1e-6);
    }
  };
  compare(Part::forward, Part::backward);
  compare(Part::forward_recurrent, Part::forward_below);
  compare(Part::backward_recurrent, Part::backward_below);
  EXPECT_EQ(share(Part::forward_recurrent).front(), 0.0F);  // nothing came before
  EXPECT_EQ(share(Part::backward_recurrent).back(), 0.0F);
  EXPECT_GT(share(Part::backward_recurrent).front(), 0.0F);
}

// Keeps one quantity in float64.
class Exact final : public model::Observer {
 public:
  explicit Exact(QuantityName name) : name_(std::move(name)) {}
  std::optional<DType> wants(const QuantityName& name) const override {
    return name == name_ ? std::optional(DType::float64) : std::nullopt;
  }
  bool observe(const QuantityName&, const model::PackedValues& values) override {
    const std::span<const double> flat = values.values.values<double>();
    values_.assign(flat.begin(), flat.end());
    return true;
  }
  const std::vector<double>& values() const { return values_; }

 private:
  QuantityName name_;
  std::vector<double> values_;
};

TEST_P(Bidirectional, Float64AgreesWithTorchToTwelveDigits) {
  const RecurrentCase one = open_bidirectional(GetParam(), {.precision = model::Precision::float64});
  Exact output({Stack::encoder, 0, Part::none, Quantity::output});
  Exact carry(encoder(2, Quantity::carry, Part::backward));
  const std::vector<model::Observer*> observers = {&output, &carry};
  one.model->run(bidirectional_batch(), {}, observers);
  const std::span<const double> forward = one.expected.at(one.cell + ".l1.forward.h").values<double>();
  const std::span<const double> backward = one.expected.at(one.cell + ".l1.backward.h").values<double>();
  ASSERT_EQ(output.values().size(), forward.size() + backward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    const std::size_t at = i / kHalf * 2 * kHalf + i % kHalf;
    EXPECT_NEAR(output.values()[at], forward[i], 1e-12);
    EXPECT_NEAR(output.values()[at + kHalf], backward[i], 1e-12);
  }
  const std::span<const double> first = one.expected.at(one.cell + ".l1.backward.carry.0").values<double>();
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(carry.values()[i], first[i], 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, Bidirectional, testing::ValuesIn(recurrent_cells()),
                         [](const auto& tested) { return tested.param; });

TEST(BidirectionalInterventions, ACutDirectionLeavesTheOther) {
  const RecurrentCase one = open_bidirectional("gru");
  const Collector whole = run(one, bidirectional_batch());
  const Collector cut = run(one, bidirectional_batch(), {model::ScalePart{2, Part::backward, 0.0}});
  const QuantityName output = encoder(2, Quantity::output);
  const std::vector<float> before = whole.of(output, 1);
  const std::vector<float> after = cut.of(output, 1);
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i], i % (2 * kHalf) < kHalf ? before[i] : 0.0F);
  }
}

TEST(BidirectionalInterventions, AScaledPartIsThatOfItsDirection) {
  const RecurrentCase one = open_bidirectional("lstm");
  const Collector whole = run(one, bidirectional_batch());
  const Collector cut = run(one, bidirectional_batch(), {model::ScalePart{2, Part::backward_recurrent, 0.0}});
  EXPECT_EQ(cut.of(encoder(2, Quantity::output, Part::forward), 1),
            whole.of(encoder(2, Quantity::output, Part::forward), 1));
  EXPECT_NE(cut.of(encoder(2, Quantity::output, Part::backward), 1),
            whole.of(encoder(2, Quantity::output, Part::backward), 1));
  for (const float value : cut.of(encoder(2, Quantity::output, Part::backward_recurrent), 1)) {
    EXPECT_EQ(value, 0.0F);
  }
}

TEST(BidirectionalInterventions, ASetGateHoldsInBothDirections) {
  const RecurrentCase one = open_bidirectional("gru_reset");
  const Collector found = run(one, bidirectional_batch(), {model::SetGate{2, 1, 3, 0.0}});
  const auto row = [&](Part part, std::size_t step) {
    const std::vector<float> h = found.of(encoder(2, Quantity::output, part), 1);
    return std::vector<float>(h.begin() + static_cast<std::ptrdiff_t>(step * kHalf),
                              h.begin() + static_cast<std::ptrdiff_t>((step + 1) * kHalf));
  };
  EXPECT_EQ(row(Part::forward, 3), row(Part::forward, 2));
  EXPECT_EQ(row(Part::backward, 3), row(Part::backward, 4));
}

TEST(BidirectionalInterventions, ACutLayerHandsItsInputOn) {
  const RecurrentCase one = open_bidirectional("gru");
  const Collector cut = run(one, bidirectional_batch(), {model::ScaleLayer{2, 0.0}});
  EXPECT_EQ(cut.of(encoder(2, Quantity::output), 1), cut.of(encoder(1, Quantity::output), 1));
}

TEST(BidirectionalInterventions, WhatHasNoMeaningIsRefusedByName) {
  const RecurrentCase one = open_bidirectional("gru");
  const auto refused = [&](const model::Intervention& intervention, const char* word) {
    try {
      run(one, bidirectional_batch(), {intervention});
      ADD_FAILURE() << word;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused(model::ScalePart{1, Part::below, 0.0}, "has forward and backward");
  refused(model::ScaleLayer{1, 0.0}, "reads vectors of 10 numbers and gives 12");
  refused(model::ScaleFeedForward{1, 0.0}, "has no feed-forward block");
  refused(model::ScalePart{2, Part::backward, 0.0, std::vector<float>(6)}, "scales towards a vector");
  refused(model::MaskToken{0, 1}, "the encoder is recurrent (kind = gru)");
}

}  // namespace
}  // namespace mog::test

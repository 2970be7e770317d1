#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"

namespace mog::test {
namespace {

const std::vector<std::size_t> kOrder = {1, 2, 1};

Collector run_with(const GoldenCase& golden, const std::vector<model::Intervention>& interventions) {
  Collector collector;
  const std::vector<model::Observer*> observers = {&collector};
  golden.model->run(golden.batch(kOrder), interventions, observers);
  return collector;
}

QuantityName encoder(std::int64_t layer, Part part, Quantity quantity) {
  return {Stack::encoder, layer, part, quantity};
}
const QuantityName kLogits(Stack::decoder, 0, Part::none, Quantity::logits);

std::vector<float> weight(const GoldenCase& golden, const std::string& name) {
  const auto weights = io::read_tensors(golden_directory(golden.name) / "model.safetensors");
  return weights.at(name).to_floats();
}

TEST(MaskToken, ItsColumnIsZeroAndRowsStillSumToOne) {
  const GoldenCase golden = open_golden("half_weight_gate");
  constexpr std::size_t kToken = 3;
  const Collector before = run_with(golden, {});
  const Collector after = run_with(golden, {model::MaskToken{1, kToken}});
  for (const QuantitySchema& schema : golden.model->quantities()) {
    if (schema.name.quantity() != Quantity::attention || schema.name.reduction() != Reduction::full ||
        schema.name.part() == Part::self) {
      continue;
    }
    const std::size_t keys = golden.ids(2, "source_ids").size();
    const std::vector<float> map = after.of(schema.name, 1);
    for (std::size_t row = 0; row < map.size() / keys; ++row) {
      EXPECT_EQ(map[row * keys + kToken], 0.0F) << schema.name.text();
      double sum = 0.0;
      for (std::size_t key = 0; key < keys; ++key) {
        sum += static_cast<double>(map[row * keys + key]);
      }
      EXPECT_NEAR(sum, 1.0, 1e-6) << schema.name.text();
    }
    // The same sentence elsewhere in the batch is untouched.
    expect_near(after.of(schema.name, 0), before.of(schema.name, 0), 1e-6, schema.name.text());
  }
}

TEST(ReplaceToken, IsTheRunOfTheOtherSentence) {
  const GoldenCase golden = open_golden("self_gate_d");
  const Collector replaced = run_with(golden, {model::ReplaceToken{0, 2, 21}});
  model::PackedBatch batch = golden.batch(kOrder);
  ASSERT_NE(batch.ids[2], 21);
  batch.ids[2] = 21;
  Collector expected;
  const std::vector<model::Observer*> observers = {&expected};
  golden.model->run(batch, {}, observers);
  EXPECT_EQ(replaced.of(kLogits, 0), expected.of(kLogits, 0));
}

// i_h is linear in its heads: what is left after taking every head's share away is the bias.
TEST(ScaleHead, CutsExactlyOneHeadOfThePart) {
  const GoldenCase golden = open_golden("half_weight_gate");
  const QuantityName output = encoder(2, Part::middle1, Quantity::output);
  const std::vector<float> whole = run_with(golden, {}).of(output, 1);
  std::vector<float> rest = whole;
  for (std::int64_t head = 1; head <= golden.model->config().encoder.heads; ++head) {
    const std::vector<float> cut =
        run_with(golden, {model::ScaleHead{2, Part::middle1, head, 0.0}}).of(output, 1);
    const std::vector<float> twice =
        run_with(golden, {model::ScaleHead{2, Part::middle1, head, 2.0}}).of(output, 1);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rest[i] -= whole[i] - cut[i];
      EXPECT_NEAR(twice[i] - whole[i], whole[i] - cut[i], 1e-5);
    }
  }
  const std::vector<float> bias = weight(golden, "encoder.layers.1.middle1.out_proj.bias");
  for (std::size_t i = 0; i < rest.size(); ++i) {
    EXPECT_NEAR(rest[i], bias[i % bias.size()], 1e-5);
  }
}

// What docs/command-line.md says of the two cuts.
TEST(ScaleHead, AllHeadsLeaveTheBiasOfTheOutputMapAndThePartLeavesNothing) {
  for (const char* const model : {"transformer_pre", "half_weight_gate"}) {
    const GoldenCase golden = open_golden(model);
    const bool plain = !golden.model->config().encoder.graph();
    const Part part = plain ? Part::full : Part::high;
    const QuantityName output = encoder(2, part, Quantity::output);
    std::vector<model::Intervention> heads;
    for (std::int64_t head = 1; head <= golden.model->config().encoder.heads; ++head) {
      heads.push_back(model::ScaleHead{2, part, head, 0.0});
    }
    const std::vector<float> bias =
        weight(golden, std::string("encoder.layers.1.") + (plain ? "self_attn" : "high") + ".out_proj.bias");
    const std::vector<float> left = run_with(golden, heads).of(output, 1);
    for (std::size_t i = 0; i < left.size(); ++i) {
      ASSERT_NEAR(left[i], bias[i % bias.size()], 1e-6) << model;
    }
    for (const float value : run_with(golden, {model::ScalePart{2, part, 0.0}}).of(output, 1)) {
      ASSERT_EQ(value, 0.0F) << model;
    }
  }
}

TEST(ScalePart, MultipliesWhatEntersZ) {
  const GoldenCase golden = open_golden("sum");
  const Collector found =
      run_with(golden, {model::ScalePart{1, Part::low, 0.0}, model::ScalePart{1, Part::high, -2.0}});
  const std::vector<float> plain_high = run_with(golden, {}).of(encoder(1, Part::high, Quantity::output), 0);
  const std::vector<float> high = found.of(encoder(1, Part::high, Quantity::output), 0);
  const std::vector<float> middle1 = found.of(encoder(1, Part::middle1, Quantity::output), 0);
  const std::vector<float> middle2 = found.of(encoder(1, Part::middle2, Quantity::output), 0);
  const std::vector<float> fused = found.of(encoder(1, Part::none, Quantity::fused), 0);
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_NEAR(high[i], -2.0F * plain_high[i], 1e-6);
    EXPECT_EQ(found.of(encoder(1, Part::low, Quantity::output), 0)[i], 0.0F);
    EXPECT_NEAR(fused[i], high[i] + middle1[i] + middle2[i], 1e-5);
  }
}

// With factor 0 every row is the vector, whatever the tokens are; in between it is on the way there.
TEST(Toward, WhatIsScaledGoesToTheVector) {
  for (const char* const model : {"transformer_pre", "half_weight_gate"}) {
    const GoldenCase golden = open_golden(model);
    const model::EncoderConfig& config = golden.model->config().encoder;
    const Part part = config.graph() ? Part::middle1 : Part::full;
    std::vector<float> vector(static_cast<std::size_t>(config.d_model));
    for (std::size_t i = 0; i < vector.size(); ++i) {
      vector[i] = 0.25F * static_cast<float>(i) - 1.0F;
    }
    const std::vector<float> of_head(vector.begin(), vector.begin() + config.head_width());
    struct Place {
      QuantityName name;
      std::function<model::Intervention(double)> scale;
    };
    const Place places[] = {{encoder(2, part, Quantity::output),
                             [&](double factor) {
                               return model::ScalePart{2, part, factor, vector};
                             }},
                            {encoder(2, Part::none, Quantity::fused),
                             [&](double factor) {
                               return model::ScaleLayer{2, factor, vector};
                             }},
                            {encoder(2, Part::none, Quantity::feed_forward),
                             [&](double factor) {
                               return model::ScaleFeedForward{2, factor, vector};
                             }},
                            {encoder(2, part, Quantity::context), [&](double factor) {
                               return model::ScaleHead{2, part, 2, factor, of_head};
                             }}};
    const Collector whole = run_with(golden, {});
    for (const Place& place : places) {
      const bool head = place.name.quantity() == Quantity::context;
      const std::size_t width = static_cast<std::size_t>(head ? config.attention_dim : config.d_model);
      const std::size_t begin = head ? of_head.size() : 0;
      const std::size_t end = head ? 2 * of_head.size() : width;
      const std::vector<float> value = whole.of(place.name, 1);
      const std::vector<float> at_vector = run_with(golden, {place.scale(0.0)}).of(place.name, 1);
      const std::vector<float> between = run_with(golden, {place.scale(0.25)}).of(place.name, 1);
      EXPECT_EQ(run_with(golden, {place.scale(1.0)}).of(place.name, 1), value) << place.name.text();
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::size_t column = i % width;
        const bool scaled = column >= begin && column < end;
        const float goal = scaled ? vector[column - begin] : value[i];
        ASSERT_EQ(at_vector[i], goal) << model << ' ' << place.name.text();
        ASSERT_NEAR(between[i], goal + 0.25F * (value[i] - goal), 1e-5) << model << ' ' << place.name.text();
      }
    }
  }
}

TEST(ScaleLayer, ZeroLeavesLayerNormOfTheInput) {
  const GoldenCase golden = open_golden("transformer_post");
  const Collector found = run_with(golden, {model::ScaleLayer{2, 0.0}});
  const std::vector<float> input = found.of(encoder(2, Part::none, Quantity::input), 0);
  const std::vector<float> attended = found.of(encoder(2, Part::none, Quantity::attended), 0);
  const std::vector<float> scale = weight(golden, "encoder.layers.1.attn_layer_norm.weight");
  const std::vector<float> shift = weight(golden, "encoder.layers.1.attn_layer_norm.bias");
  const std::size_t d = scale.size();
  for (std::size_t token = 0; token < input.size() / d; ++token) {
    double mean = 0.0;
    double square = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
      mean += static_cast<double>(input[token * d + i]) / static_cast<double>(d);
    }
    for (std::size_t i = 0; i < d; ++i) {
      square += std::pow(static_cast<double>(input[token * d + i]) - mean, 2) / static_cast<double>(d);
    }
    for (std::size_t i = 0; i < d; ++i) {
      const double normal = (static_cast<double>(input[token * d + i]) - mean) /
                            std::sqrt(square + golden.model->config().encoder.layer_norm_eps);
      EXPECT_NEAR(static_cast<double>(attended[token * d + i]),
                  normal * static_cast<double>(scale[i]) + static_cast<double>(shift[i]), 1e-5);
    }
  }
}

TEST(SetGate, SetsOneTokenOrAll) {
  const GoldenCase golden = open_golden("weight_gate_linear2");
  const QuantityName gate = encoder(2, Part::none, Quantity::gate);
  const auto d = static_cast<std::size_t>(golden.model->config().encoder.d_model);
  const std::vector<float> before = run_with(golden, {}).of(gate, 1);
  const std::vector<float> one = run_with(golden, {model::SetGate{2, 1, 4, 0.25}}).of(gate, 1);
  const std::vector<float> all = run_with(golden, {model::SetGate{2, {}, {}, 0.25}}).of(gate, 1);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(one[i], i / d == 4 ? 0.25F : before[i], 1e-6);
    EXPECT_EQ(all[i], 0.25F);
  }
  // A closed gate keeps low order alone.
  const Collector closed = run_with(golden, {model::SetGate{2, {}, {}, 0.0}});
  EXPECT_EQ(closed.of(encoder(2, Part::none, Quantity::fused), 1),
            closed.of(encoder(2, Part::low, Quantity::output), 1));
}

TEST(DecoderInterventions, WithoutCrossAttentionTheSourceDoesNotMatter) {
  const GoldenCase golden = open_golden("half_weight_gate");
  std::vector<model::Intervention> cut;
  for (std::int64_t layer = 1; layer <= golden.model->config().decoder->layers; ++layer) {
    cut.emplace_back(model::ScalePart{layer, Part::cross, 0.0});
  }
  std::vector<model::Intervention> cut_and_replaced = cut;
  cut_and_replaced.emplace_back(model::ReplaceToken{0, 1, 20});
  EXPECT_EQ(run_with(golden, cut).of(kLogits, 0), run_with(golden, cut_and_replaced).of(kLogits, 0));
  EXPECT_NE(run_with(golden, {}).of(kLogits, 0),
            run_with(golden, {model::ReplaceToken{0, 1, 20}}).of(kLogits, 0));
}

TEST(Interventions, ThatTheModelCannotDoAreRefused) {
  const GoldenCase graph = open_golden("half_weight_gate");
  const GoldenCase plain = open_golden("transformer_pre");
  const GoldenCase self_gate = open_golden("self_gate_d");
  const GoldenCase plain_first = open_golden("first_layer_plain");
  const GoldenCase tagger = open_golden("tagger_half_weight_gate");
  const std::vector<std::pair<const GoldenCase*, model::Intervention>> refused = {
      {&graph, model::MaskToken{3, 0}},
      {&graph, model::MaskToken{0, 5}},
      {&graph, model::MaskToken{-1, 0}},
      {&graph, model::ReplaceToken{0, 0, 40}},
      {&graph, model::ReplaceToken{0, -1, 4}},
      {&graph, model::ScaleHead{1, Part::low, 1, 0.0}},
      {&graph, model::ScaleHead{1, Part::high, 1, 0.0, {1.0F}}},
      {&graph, model::ScalePart{1, Part::high, 0.0, {1.0F, 2.0F}}},
      {&graph, model::ScaleLayer{1, 0.0, {1.0F}}},
      {&graph, model::ScaleFeedForward{1, 0.0, {1.0F}}},
      {&graph, model::ScaleFeedForward{9, 0.0}},
      {&graph, model::ScaleHead{1, Part::high, 5, 0.0}},
      {&graph, model::ScaleHead{1, Part::high, 0, 0.0}},
      {&graph, model::ScaleHead{4, Part::high, 1, 0.0}},
      {&graph, model::ScaleHead{1, Part::full, 1, 0.0}},
      {&graph, model::ScalePart{1, Part::none, 0.0}},
      {&graph, model::ScalePart{1, Part::high, std::nan("")}},
      {&graph, model::ScaleLayer{0, 0.0}},
      {&graph, model::SetGate{1, {}, {}, 1.5}},
      {&graph, model::SetGate{1, {}, 2, 0.5}},
      {&plain, model::SetGate{1, {}, {}, 0.5}},
      {&plain, model::ScalePart{1, Part::middle1, 0.0}},
      {&self_gate, model::SetGate{1, {}, {}, 0.5}},
      {&plain_first, model::ScalePart{1, Part::low, 0.0}},
      {&plain_first, model::SetGate{1, {}, {}, 0.5}},
      {&tagger, model::ScalePart{1, Part::cross, 0.0}},
  };
  for (std::size_t i = 0; i < refused.size(); ++i) {
    EXPECT_THROW(run_with(*refused[i].first, {refused[i].second}), UsageError) << i;
  }
}

TEST(MaskToken, TheLastTokenOfASentenceIsRefused) {
  const GoldenCase golden = open_golden("sum");
  std::vector<model::Intervention> masks;
  for (std::int64_t token = 0; token < 5; ++token) {
    masks.emplace_back(model::MaskToken{0, token});
  }
  EXPECT_THROW(run_with(golden, masks), UsageError);
  masks.pop_back();
  EXPECT_NO_THROW(run_with(golden, masks));
}

}  // namespace
}  // namespace mog::test

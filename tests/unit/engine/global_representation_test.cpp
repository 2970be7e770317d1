// The global representation of GRET against shared golden/gret, and what must hold whatever the weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/gret_case.h"
#include "tests/unit/engine/test_device.h"

namespace mog::test {
namespace {

QuantityName encoder(std::int64_t layer, Quantity quantity, Reduction reduction = Reduction::full) {
  return {Stack::encoder, layer, Part::none, quantity, reduction};
}
const QuantityName kGate(Stack::decoder, 0, Part::none, Quantity::global_gate);
const QuantityName kOutput(Stack::decoder, 0, Part::none, Quantity::output);
const QuantityName kLogits(Stack::decoder, 0, Part::none, Quantity::logits);

Collector run(const model::Model& model, const model::PackedBatch& batch,
              const std::vector<model::Intervention>& interventions = {}, DType dtype = DType::float32) {
  Collector collector(dtype);
  const std::vector<model::Observer*> observers = {&collector};
  model.run(batch, interventions, observers);
  return collector;
}

class Axes : public testing::TestWithParam<const char*> {};

TEST_P(Axes, EveryValueIsTheReferences) {
  check_gret(GetParam());
}

// The states are the file's up to the float32 weights of the blocks that hand them on.
TEST_P(Axes, InDoublePrecisionTheErrorIsThatOfTheInput) {
  const std::string axis = GetParam();
  const GretCase one = open_gret(axis, {.device = test_device(), .precision = model::Precision::float64});
  const Collector found = run(*one.model, one.batch(), {}, DType::float64);
  expect_near(found.of(kOutput, 0), one.expected.at(axis + ".output").to_floats(), 2e-6, "output");
}

TEST_P(Axes, CapsulesAreShorterThanOneAndRoutesSumToOne) {
  const bool positions = std::string(GetParam()) == "positions";
  model::ModelConfig config = small_translator();
  config.gret->route_axis = positions ? model::RouteAxis::positions : model::RouteAxis::capsules;
  const auto model = open_weights(config, random_weights(config, 4));
  const model::PackedBatch batch = small_batch();
  constexpr std::size_t kMasked = 2;
  for (const bool masks : {false, true}) {
    const Collector found = run(*model, batch,
                                masks ? std::vector<model::Intervention>{model::MaskToken{1, kMasked}}
                                      : std::vector<model::Intervention>{});
    for (std::size_t sentence = 0; sentence < 3; ++sentence) {
      const auto tokens = static_cast<std::size_t>(batch.length(static_cast<std::int64_t>(sentence)));
      for (std::int64_t layer = 1; layer <= 2; ++layer) {
        const std::vector<float> routing = found.of(encoder(layer, Quantity::routing), sentence);
        ASSERT_EQ(routing.size(), 3 * tokens);
        const auto sum = [&](std::size_t first, std::size_t step, std::size_t count) {
          double total = 0.0;
          for (std::size_t i = 0; i < count; ++i) {
            total += static_cast<double>(routing[first + i * step]);
          }
          return total;
        };
        for (std::size_t line = 0; line < (positions ? 3U : tokens); ++line) {
          const bool gone = masks && !positions && sentence == 1 && line == kMasked;
          EXPECT_NEAR(positions ? sum(line * tokens, 1, tokens) : sum(line, tokens, 3), gone ? 0.0 : 1.0,
                      1e-6);
        }
        for (std::size_t capsule = 0; masks && sentence == 1 && capsule < 3; ++capsule) {
          EXPECT_EQ(routing[capsule * tokens + kMasked], 0.0F);
        }
        const std::vector<float> lengths =
            found.of(encoder(layer, Quantity::capsules, Reduction::norm), sentence);
        const std::vector<float> u = found.of(encoder(layer, Quantity::capsules), sentence);
        for (std::size_t capsule = 0; capsule < 3; ++capsule) {
          double square = 0.0;
          for (std::size_t i = 0; i < 12; ++i) {
            square += static_cast<double>(u[capsule * 12 + i]) * static_cast<double>(u[capsule * 12 + i]);
          }
          EXPECT_NEAR(lengths[capsule], std::sqrt(square), 1e-6);
          EXPECT_LT(lengths[capsule], 1.0F);
          EXPECT_GT(lengths[capsule], 0.0F);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(GlobalRepresentation, Axes, testing::Values("positions", "capsules"));

struct Variant {
  const char* name;
  model::EncoderKind kind;
  model::CapsulePooling pooling;
  bool share;  // what is not shared by default, and the reverse
};

class Variants : public testing::TestWithParam<Variant> {
 protected:
  static model::ModelConfig config() {
    model::ModelConfig config = small_translator(GetParam().kind);
    config.gret->pooling = GetParam().pooling;
    if (GetParam().pooling != model::CapsulePooling::attentive) {
      config.gret->ffn_dim = 0;
    }
    config.gret->share_capsules = GetParam().share;
    config.gret->share_pooling = config.gret->share_gru = !GetParam().share;
    return config;
  }
};

TEST_P(Variants, ABatchIsItsSentencesAlone) {
  const auto model = open_weights(config(), random_weights(config(), 8));
  const model::PackedBatch batch = small_batch();
  const Collector together = run(*model, batch);
  for (std::size_t sentence = 0; sentence < 3; ++sentence) {
    const Collector single = run(*model, alone(batch, sentence));
    for (const QuantitySchema& schema : model->quantities()) {
      expect_near(together.of(schema.name, sentence), single.of(schema.name, 0), 5e-6, schema.name.text());
    }
  }
}

// The baseline has the same weights and no gret.
TEST_P(Variants, AGateOfZeroIsTheBaseline) {
  std::map<std::string, HostTensor> weights = random_weights(config(), 8);
  const auto with = open_weights(config(), weights);
  std::erase_if(weights, [](const auto& entry) { return entry.first.starts_with("gret."); });
  model::ModelConfig plain = config();
  plain.gret.reset();
  const auto without = open_weights(plain, weights);
  const Collector expected = run(*without, small_batch());
  const Collector whole = run(*with, small_batch());
  const Collector cut = run(*with, small_batch(), {model::ScaleGlobal{0.0}});
  for (std::size_t sentence = 0; sentence < 3; ++sentence) {
    EXPECT_EQ(cut.of(kLogits, sentence), expected.of(kLogits, sentence));
    EXPECT_NE(whole.of(kLogits, sentence), expected.of(kLogits, sentence));
  }
}

// Step by step and all at once are one decoder: the next token of every beginning of a greedy translation is
// the one with the greatest score under teacher forcing, or within `tolerance` of it.
void expect_greedy_by_teacher_forcing(const model::Model& model, float tolerance) {
  model::PackedBatch source = small_batch();
  source.target_ids.clear();
  source.target_offsets.clear();
  const auto found = model.translate(source, {.beam = 1, .max_tokens = 7});
  model::PackedBatch forced = source;
  forced.target_offsets = {0};
  for (const auto& sentence : found) {
    forced.target_ids.push_back(model.config().bos_id);
    const std::vector<std::int64_t>& ids = sentence.front().ids;
    forced.target_ids.insert(forced.target_ids.end(), ids.begin(), ids.end() - 1);
    forced.target_offsets.push_back(static_cast<std::int64_t>(forced.target_ids.size()));
  }
  const Collector scores = run(model, forced);
  std::size_t compared = 0;
  for (std::size_t sentence = 0; sentence < found.size(); ++sentence) {
    std::vector<float> logits = scores.of(kLogits, sentence);
    const std::vector<std::int64_t>& ids = found[sentence].front().ids;
    for (std::size_t step = 0; step < ids.size(); ++step) {
      const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(step * 15);
      *(begin + model.config().pad_id) = -1e9F;  // is never chosen
      if (step + 1 < 7) {                        // the last can only be </s>
        EXPECT_GE(*(begin + ids[step]), *std::max_element(begin, begin + 15) - tolerance)
            << sentence << ", " << step;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 3U);
}

TEST_P(Variants, GreedySearchFollowsTheScoresOfTeacherForcing) {
  expect_greedy_by_teacher_forcing(*open_weights(config(), random_weights(config(), 8)), 0.0F);
}

// A row is rounded by itself, so a step of the search is the row that teacher forcing has; a number on the
// edge of two steps of rounding may fall to either side.
TEST_P(Variants, InEightBitsTheyStayNearFloat32) {
  if (!model::engine_report().eight_bit_products) {
    GTEST_SKIP() << "this processor has no VNNI";
  }
  const auto exact = open_weights(config(), random_weights(config(), 8));
  const auto rounded = open_weights(config(), random_weights(config(), 8),
                                    {.device = "cpu", .precision = model::Precision::int8});
  const Collector expected = run(*exact, small_batch());
  const Collector found = run(*rounded, small_batch());
  for (const QuantityName& name :
       {encoder(1, Quantity::capsules), encoder(2, Quantity::capsules), kGate, kOutput, kLogits}) {
    for (std::size_t sentence = 0; sentence < 3; ++sentence) {
      const std::vector<float> values = found.of(name, sentence);
      EXPECT_NE(values, expected.of(name, sentence)) << name.text();
      expect_near(values, expected.of(name, sentence), 0.15, name.text());
    }
  }
  const std::vector<float> routing = found.of(encoder(2, Quantity::routing), 0);
  EXPECT_NEAR(std::accumulate(routing.begin(), routing.begin() + 3, 0.0), 1.0,
              1e-5);  // 3 tokens of a capsule
  expect_greedy_by_teacher_forcing(*rounded, 0.05F);
}

INSTANTIATE_TEST_SUITE_P(
    GlobalRepresentation, Variants,
    testing::Values(
        Variant{"graph", model::EncoderKind::graph_transformer, model::CapsulePooling::attentive, false},
        Variant{"shared", model::EncoderKind::transformer, model::CapsulePooling::attentive, true},
        Variant{"mean", model::EncoderKind::transformer, model::CapsulePooling::mean, true},
        Variant{"joined", model::EncoderKind::graph_transformer, model::CapsulePooling::concatenation, true}),
    [](const auto& one) { return one.param.name; });

// A search over several sentences drops those that are done: every one must keep its own global state.
TEST(GlobalRepresentation, ASearchOverABatchIsThatOfItsSentences) {
  const model::ModelConfig config = small_translator();
  const auto model = open_weights(config, random_weights(config, 5));
  model::PackedBatch source = small_batch();
  source.target_ids.clear();
  source.target_offsets.clear();
  const model::BeamOptions options{.beam = 3, .max_tokens = 9};
  const auto together = model->translate(source, options);
  for (std::size_t sentence = 0; sentence < 3; ++sentence) {
    model::PackedBatch single;
    single.append(std::vector<std::int64_t>(source.ids.begin() + source.offsets[sentence],
                                            source.ids.begin() + source.offsets[sentence + 1]));
    const auto by_itself = model->translate(single, options).front();
    ASSERT_EQ(together[sentence].size(), by_itself.size());
    for (std::size_t i = 0; i < by_itself.size(); ++i) {
      EXPECT_EQ(together[sentence][i].ids, by_itself[i].ids);
      EXPECT_NEAR(together[sentence][i].score, by_itself[i].score, 1e-4);
    }
  }
}

// Routing stays float32 where products are bfloat16: rows sum to 1 as they do there.
TEST(GlobalRepresentation, InBfloat16ItIsNear) {
  const model::ModelConfig config = small_translator();
  const auto exact = open_weights(config, random_weights(config, 4));
  const auto narrow = open_weights(config, random_weights(config, 4),
                                   {.device = test_device(), .precision = model::Precision::bfloat16});
  const Collector expected = run(*exact, small_batch());
  const Collector found = run(*narrow, small_batch());
  for (const QuantityName& name : {encoder(2, Quantity::capsules), kGate, kOutput}) {
    expect_near(found.of(name, 1), expected.of(name, 1), 0.1, name.text());
  }
  const std::vector<float> routing = found.of(encoder(2, Quantity::routing), 1);
  for (std::size_t capsule = 0; capsule < 3; ++capsule) {
    double sum = 0.0;
    for (std::size_t token = 0; token < 6; ++token) {
      sum += static_cast<double>(routing[capsule * 6 + token]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(ScaleCapsule, CutsOneCapsuleOfOneLayer) {
  const model::ModelConfig config = small_translator();
  const auto model = open_weights(config, random_weights(config, 4));
  const Collector before = run(*model, small_batch());
  const Collector after = run(*model, small_batch(), {model::ScaleCapsule{2, 3, 0.0}});
  const std::vector<float> was = before.of(encoder(2, Quantity::capsules), 1);
  const std::vector<float> is = after.of(encoder(2, Quantity::capsules), 1);
  for (std::size_t i = 0; i < was.size(); ++i) {
    EXPECT_EQ(is[i], i / 12 == 2 ? 0.0F : was[i]);
  }
  EXPECT_EQ(after.of(encoder(1, Quantity::capsules), 1), before.of(encoder(1, Quantity::capsules), 1));
  EXPECT_EQ(after.of(encoder(2, Quantity::routing), 1), before.of(encoder(2, Quantity::routing), 1));
  EXPECT_NE(after.of(kOutput, 1), before.of(kOutput, 1));
  const Collector same =
      run(*model, small_batch(), {model::ScaleCapsule{2, 3, 1.0}, model::ScaleGlobal{1.0}});
  EXPECT_EQ(same.of(kOutput, 1), before.of(kOutput, 1));
}

TEST(ScaleGlobal, IsRefusedWhereThereIsNone) {
  const auto refused = [](const model::ModelConfig& config, const model::Intervention& intervention,
                          const char* word) {
    const auto model = open_weights(config, random_weights(config, 4));
    try {
      run(*model, small_batch(), {intervention});
      ADD_FAILURE() << word;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  model::ModelConfig config = small_translator();
  refused(config, model::ScaleCapsule{2, 4, 0.0}, "capsule 4, but a layer has capsules 1 to 3");
  refused(config, model::ScaleCapsule{3, 1, 0.0}, "layer 3");
  refused(config, model::ScaleGlobal{std::nan("")}, "finite");
  config.gret.reset();
  refused(config, model::ScaleCapsule{1, 1, 0.0}, "no global representation");
  refused(config, model::ScaleGlobal{0.0}, "no global representation");
}

}  // namespace
}  // namespace mog::test

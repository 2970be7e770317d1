// What must hold between the quantities of one run, whatever the weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "io/checkpoint/safetensors.h"
#include "model/model.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/test_device.h"

namespace mog::test {
namespace {

const std::vector<std::size_t> kOrder = {2, 1, 0};

Collector run_all(const GoldenCase& golden, const std::vector<model::Intervention>& interventions = {}) {
  Collector collector;
  const std::vector<model::Observer*> observers = {&collector};
  golden.model->run(golden.batch(kOrder), interventions, observers);
  return collector;
}

QuantityName encoder(std::int64_t layer, Part part, Quantity quantity) {
  return {Stack::encoder, layer, part, quantity};
}

class Identities : public testing::TestWithParam<std::string> {};

TEST_P(Identities, PreviousAndIncrementalSumToFull) {
  const GoldenCase golden = open_golden(GetParam());
  const model::EncoderConfig& config = golden.model->config().encoder;
  if (!config.graph()) {
    return;
  }
  const Collector found = run_all(golden);
  for (std::int64_t layer = 2; layer <= config.layers; ++layer) {
    const auto previous = found.of(encoder(layer, Part::none, Quantity::previous), 0);
    const auto incremental = found.of(encoder(layer, Part::none, Quantity::incremental), 0);
    std::vector<float> sum(previous.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] = previous[i] + incremental[i];
    }
    expect_near(sum, found.of(encoder(layer - 1, Part::none, Quantity::output), 0), 3e-7, "P' + I'");
    EXPECT_EQ(previous, found.of(encoder(layer - 1, Part::none, Quantity::input), 0));
  }
}

TEST_P(Identities, RowsAreDistributionsAndGatesAreOpen) {
  const GoldenCase golden = open_golden(GetParam());
  const Collector found = run_all(golden);
  for (const QuantitySchema& schema : golden.model->quantities()) {
    const bool rows =
        (schema.name.quantity() == Quantity::attention || schema.name.quantity() == Quantity::self_gate) &&
        schema.name.reduction() == Reduction::full;
    for (std::size_t place = 0; place < kOrder.size(); ++place) {
      const std::vector<float> values = found.of(schema.name, place);
      if (schema.name.quantity() == Quantity::gate) {
        for (const float gate : values) {
          ASSERT_TRUE(gate > 0.0F && gate < 1.0F) << schema.name.text();
        }
      }
      if (!rows) {
        continue;
      }
      const std::size_t targets =
          golden.has_decoder() ? golden.ids(kOrder[place], "decoder_input_ids").size() : 0;
      const auto shape =
          schema.shape(static_cast<std::int64_t>(golden.ids(kOrder[place], "source_ids").size()),
                       static_cast<std::int64_t>(targets));
      const auto keys = static_cast<std::size_t>(shape.back());
      for (std::size_t row = 0; row < values.size() / keys; ++row) {
        double sum = 0.0;
        for (std::size_t key = 0; key < keys; ++key) {
          sum += static_cast<double>(values[row * keys + key]);
          if (schema.name.part() == Part::self && key > row % keys) {
            ASSERT_EQ(values[row * keys + key], 0.0F) << "above the diagonal of " << schema.name.text();
          }
        }
        ASSERT_NEAR(sum, 1.0, 1e-6) << schema.name.text() << " row " << row;
      }
    }
  }
}

// Keys of equal weight may stand in either order: the map says whether they are. keys: [row,
// model::kTopKeys]; map: [row, key].
void expect_same_keys(const std::vector<float>& found, const std::vector<float>& expected,
                      const std::vector<float>& map, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  constexpr auto kTop = static_cast<std::size_t>(model::kTopKeys);
  const std::size_t rows = found.size() / kTop;
  const std::size_t keys = map.size() / rows;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i]) {
      continue;
    }
    const auto weight = [&](float key) {
      EXPECT_TRUE(key >= 0 && key < static_cast<float>(keys)) << what << ": element " << i << " is " << key;
      return map.at(i / kTop * keys + static_cast<std::size_t>(std::max(key, 0.0F)));
    };
    EXPECT_NEAR(weight(found[i]), weight(expected[i]), 1e-5)
        << what << ": element " << i << " is " << found[i] << ", expected " << expected[i];
  }
}

// Without part outputs the three output maps are one product: the result must not depend on who looks.
TEST_P(Identities, ResultsDoNotDependOnWhatIsObserved) {
  const GoldenCase golden = open_golden(GetParam());
  const auto no_parts = [](const QuantityName& name) {
    return name.part() == Part::none || name.quantity() != Quantity::output;
  };
  Collector collector(DType::float32, no_parts);
  const std::vector<model::Observer*> observers = {&collector};
  golden.model->run(golden.batch(kOrder), {}, observers);
  const Collector all = run_all(golden);
  for (const QuantitySchema& schema : golden.model->quantities()) {
    if (schema.name.reduction() == Reduction::top_key) {
      expect_same_keys(collector.of(schema.name, 0), all.of(schema.name, 0),
                       all.of(schema.name.with(Reduction::full), 0), golden.name + " " + schema.name.text());
    } else if (no_parts(schema.name)) {
      expect_near(collector.of(schema.name, 0), all.of(schema.name, 0), 1e-5,
                  golden.name + " " + schema.name.text());
    } else {
      EXPECT_FALSE(collector.has(schema.name));
    }
  }
}

// A head's norm is that of the part's output with the other heads cut, less the output without any head
// (the bias).
TEST_P(Identities, HeadNormsAreThoseOfTheHeadAlone) {
  const GoldenCase golden = open_golden(GetParam());
  const model::EncoderConfig& config = golden.model->config().encoder;
  const Collector found = run_all(golden);
  const auto cut = [&](std::int64_t layer, Part part, std::int64_t kept) {
    std::vector<model::Intervention> interventions;
    for (std::int64_t head = 1; head <= config.heads; ++head) {
      if (head != kept) {
        interventions.emplace_back(model::ScaleHead{layer, part, head, 0.0});
      }
    }
    return run_all(golden, interventions);
  };
  std::size_t compared = 0;
  for (const QuantitySchema& schema : golden.model->quantities()) {
    const QuantityName& name = schema.name;
    if (name.quantity() != Quantity::attention || name.reduction() != Reduction::norm) {
      continue;
    }
    const QuantityName output = encoder(name.layer(), name.part(), Quantity::output);
    const Collector none = cut(name.layer(), name.part(), 0);
    const std::int64_t head = 1 + name.layer() % config.heads;
    const Collector one = cut(name.layer(), name.part(), head);
    for (std::size_t place = 0; place < kOrder.size(); ++place) {
      const std::vector<float> bias = none.of(output, place);
      const std::vector<float> alone = one.of(output, place);
      const std::vector<float> norms = found.of(name, place);
      const std::size_t tokens = norms.size() / static_cast<std::size_t>(config.heads);
      const std::size_t d = alone.size() / tokens;
      for (std::size_t token = 0; token < tokens; ++token) {
        double square = 0;
        for (std::size_t i = 0; i < d; ++i) {
          const double added =
              static_cast<double>(alone[token * d + i]) - static_cast<double>(bias[token * d + i]);
          square += added * added;
        }
        EXPECT_NEAR(norms[static_cast<std::size_t>(head - 1) * tokens + token], std::sqrt(square), 1e-5)
            << golden.name << ' ' << name.text() << " token " << token;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(Cases, Identities, testing::ValuesIn(golden_cases()),
                         [](const auto& instance) { return instance.param; });

// A plain post-norm layer with the weights of `high`.
std::shared_ptr<const model::Model> plain_twin(const GoldenCase& golden) {
  model::ModelDirectory directory;
  directory.config = golden.model->config();
  directory.config.encoder.kind = model::EncoderKind::transformer;
  directory.config.encoder.layers = 1;
  directory.config.decoder.reset();
  const auto weights = io::read_tensors(golden_directory(golden.name) / "model.safetensors");
  for (const auto& [name, tensor] : weights) {
    std::string renamed = name;
    const auto replace = [&](const std::string& from, const std::string& to) {
      if (const std::size_t at = renamed.find(from); at != std::string::npos) {
        renamed.replace(at, from.size(), to);
      }
    };
    replace("layers.0.high.", "layers.0.self_attn.");
    replace("layers.0.out_proj.", "layers.0.self_attn.out_proj.");
    directory.weights[renamed] = tensor;
  }
  return model::load_model(directory, {.device = test_device()});
}

TEST(GraphTransformer, WithoutMiddleAndLowIsAPlainLayer) {
  const GoldenCase golden = open_golden("sum");
  const Collector cut =
      run_all(golden, {model::ScalePart{1, Part::middle1, 0.0}, model::ScalePart{1, Part::middle2, 0.0},
                       model::ScalePart{1, Part::low, 0.0}});
  Collector plain;
  const std::vector<model::Observer*> observers = {&plain};
  model::PackedBatch source = golden.batch(kOrder);
  source.target_ids.clear();
  source.target_offsets.clear();
  plain_twin(golden)->run(source, {}, observers);
  for (std::size_t place = 0; place < kOrder.size(); ++place) {
    const QuantityName output = encoder(1, Part::none, Quantity::output);
    expect_near(cut.of(output, place), plain.of(output, place), 1e-6, "layer 1");
    expect_near(cut.of(encoder(1, Part::high, Quantity::attention), place),
                plain.of(encoder(1, Part::full, Quantity::attention), place), 1e-6, "map of layer 1");
  }
}

TEST(Model, RunsOnSeveralThreadsAtOnce) {
  const GoldenCase golden = open_golden("half_weight_gate");
  const Collector alone = run_all(golden);
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> outputs(4);
  const QuantityName name(Stack::encoder, 0, Part::none, Quantity::output);
  for (std::vector<float>& output : outputs) {
    threads.emplace_back([&golden, &output, &name] {
      for (int round = 0; round < 20; ++round) {
        output = run_all(golden).of(name, 0);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<float>& output : outputs) {
    EXPECT_EQ(output, alone.of(name, 0));
  }
}

TEST(Bfloat16, StaysNearFloat32AndReducesInFloat32) {
  const GoldenCase golden = open_golden("half_weight_gate", {.precision = model::Precision::bfloat16});
  const Collector found = run_all(golden);
  compare_quantities(golden, found, 2, 0, 0.15);
  const QuantityName map = encoder(1, Part::high, Quantity::attention);
  const std::vector<float> values = found.of(map, 0);
  const std::size_t keys = golden.ids(2, "source_ids").size();
  // Rows sum to 1 within float32, which maps that were rounded to bfloat16 would not.
  for (std::size_t row = 0; row < values.size() / keys; ++row) {
    double sum = 0.0;
    for (std::size_t key = 0; key < keys; ++key) {
      sum += static_cast<double>(values[row * keys + key]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

}  // namespace
}  // namespace mog::test

// The exact decompositions against values of an independent program (float64 from the float32 weights), and
// every identity between them, whatever the weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "tests/support/places.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/watcher.h"

namespace mog::test {
namespace {

struct Golden {
  std::map<std::string, HostTensor> expected;
  std::vector<std::vector<std::int64_t>> ids;
};

Golden open_values(const std::filesystem::path& folder) {
  Golden golden;
  golden.expected = io::read_tensors(folder / "expected.safetensors");
  std::ifstream file(folder / "sentences.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  for (const auto& sentence : document.at("sentences")) {
    golden.ids.push_back(sentence["ids"].get<std::vector<std::int64_t>>());
  }
  return golden;
}

struct Key {
  const char* golden;
  Part part;
  Quantity quantity;
  Reduction reduction = Reduction::full;
};
const std::vector<Key> kLayerKeys = {
    {"attention", Part::full, Quantity::attention},
    {"ln_scale", Part::none, Quantity::norm_scale},
    {"split", Part::none, Quantity::split},
    {"norms", Part::none, Quantity::split, Reduction::norm},
    {"cos_carried", Part::none, Quantity::carried, Reduction::cosine},
    {"gain_carried", Part::none, Quantity::carried, Reduction::gain},
    {"terms", Part::full, Quantity::logit_terms},
    {"cov_share", Part::full, Quantity::logit_terms, Reduction::covariance},
    {"cov_pool", Part::full, Quantity::logit_terms, Reduction::covariance_heads},
    {"cov_share9", Part::full, Quantity::separate_terms, Reduction::covariance},
    {"leave_out_kl", Part::full, Quantity::logit_terms, Reduction::leave_out},
    {"as_maps", Part::full, Quantity::aumann_shapley},
    {"as_share", Part::full, Quantity::aumann_shapley, Reduction::share},
    {"as_abs_share", Part::full, Quantity::aumann_shapley, Reduction::absolute_share},
    {"value_norms", Part::full, Quantity::value_parts, Reduction::norm},
    {"gate_projection", Part::none, Quantity::pseudo_gate, Reduction::projection},
    {"gate_proximity", Part::none, Quantity::pseudo_gate, Reduction::proximity},
    {"gate_fine", Part::none, Quantity::pseudo_gate, Reduction::fine},
    {"propagation_norm", Part::none, Quantity::propagation, Reduction::norm},
    {"kobayashi_norm", Part::none, Quantity::kobayashi},
    {"mixing_ratio", Part::none, Quantity::mixing_ratio},
    {"globenc_layer", Part::none, Quantity::globenc},
    {"alti_layer", Part::none, Quantity::alti},
};
const std::vector<Key> kWholeKeys = {
    {"output", Part::none, Quantity::output},
    {"propagation_final_norm", Part::none, Quantity::propagation, Reduction::norm},
    {"propagation_last", Part::none, Quantity::propagation},
    {"propagation_projection", Part::none, Quantity::propagation, Reduction::projection},
};

// Relative to the largest entry of the tensor.
void expect_close(const Values& found, std::span<const double> expected, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    const double error = std::abs(found[i] - expected[i]);
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  EXPECT_LE(worst, tolerance * largest) << what << ", largest entry " << largest;
}

struct Setting {
  const char* folder;
  model::Precision precision;
};

class Decomposition : public testing::TestWithParam<Setting> {};

TEST_P(Decomposition, EqualsTheReferenceAndItsIdentitiesHold) {
  const auto [name, precision] = GetParam();
  MOG_REQUIRE_SHARED(folder, std::string("golden/decomposition/") + name);
  const Golden golden = open_values(folder);
  const auto model = model::load_model(folder, {.precision = precision});
  Watcher watcher(/*keep=*/true, /*check=*/true);
  model::Observer* const observers[] = {&watcher};
  model::PackedBatch batch;
  for (const auto& ids : golden.ids) {
    batch.append(ids);
  }
  model->run(batch, {}, observers);
  const bool exact = precision == model::Precision::float64;
  std::size_t compared = 0;
  for (std::size_t s = 0; s < golden.ids.size(); ++s) {
    const std::string prefix = "s" + std::to_string(s) + ".";
    const auto check = [&](const Key& key, std::int64_t layer, const Values& found) {
      const bool quadrature = std::strncmp(key.golden, "as_", 3) == 0;
      const double tolerance = quadrature ? (exact ? 1e-6 : 1e-5) : (exact ? 1e-10 : 1e-5);
      expect_close(found, golden.expected.at(prefix + key.golden).values<double>(), tolerance,
                   prefix + key.golden + " layer " + std::to_string(layer));
      ++compared;
    };
    for (const Key& key : kLayerKeys) {
      Values all;
      for (std::int64_t layer = 1; layer <= model->config().encoder.layers; ++layer) {
        const Values own = watcher.of({Stack::encoder, layer, key.part, key.quantity, key.reduction}, s);
        all.insert(all.end(), own.begin(), own.end());
      }
      check(key, 0, all);
    }
    for (const Key& key : kWholeKeys) {
      if (golden.expected.contains(prefix + key.golden)) {
        check(key, 0, watcher.of({Stack::encoder, 0, key.part, key.quantity, key.reduction}, s));
      }
    }
  }
  EXPECT_GE(compared, 2 * (kLayerKeys.size() + 3));
  EXPECT_GE(watcher.worst().size(), 18U);
}

INSTANTIATE_TEST_SUITE_P(Golden, Decomposition,
                         testing::Values(Setting{"tiny-post-relu", model::Precision::float64},
                                         Setting{"tiny-post-relu", model::Precision::float32},
                                         Setting{"tiny-pre-relu", model::Precision::float64},
                                         Setting{"tiny-pre-relu", model::Precision::float32}),
                         [](const auto& golden) {
                           std::string text = golden.param.folder;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text +
                                  (golden.param.precision == model::Precision::float64 ? "_64" : "_32");
                         });

// A sentence alone, and among others of other and equal lengths, in any order.
TEST(Decompositions, NeighboursInTheBatchChangeNothing) {
  MOG_REQUIRE_SHARED(folder, "golden/decomposition/tiny-pre-relu");
  const auto model = model::load_model(folder, {.precision = model::Precision::float64});
  const std::vector<std::vector<std::int64_t>> sentences = {{5, 6, 7, 2}, {8, 2}, {9, 10, 11, 2}, {2}};
  model::PackedBatch batch;
  for (const auto& ids : sentences) {
    batch.append(ids);
  }
  Watcher together(true, false);
  model::Observer* const observers[] = {&together};
  model->run(batch, {}, observers);
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    Watcher alone(true, false);
    model::Observer* const single[] = {&alone};
    model::PackedBatch one;
    one.append(sentences[s]);
    model->run(one, {}, single);
    for (const QuantitySchema& schema : model::decomposition_quantities(model->config())) {
      const Values found = together.of(schema.name, s);
      const Values expected = alone.of(schema.name, 0);
      ASSERT_EQ(found.size(),
                static_cast<std::size_t>(schema.elements(static_cast<std::int64_t>(sentences[s].size()))))
          << schema.name.text();
      for (std::size_t i = 0; i < found.size(); ++i) {
        const bool same = std::isnan(expected[i])
                              ? std::isnan(found[i])
                              : std::abs(found[i] - expected[i]) <= 1e-9 * (1 + std::abs(expected[i]));
        ASSERT_TRUE(same) << schema.name.text() << " sentence " << s << ": " << found[i] << " and "
                          << expected[i];
      }
    }
  }
}

TEST(Decompositions, OneTokenHasNoSharesOfVariance) {
  MOG_REQUIRE_SHARED(folder, "golden/decomposition/tiny-post-relu");
  const auto model = model::load_model(folder, {.precision = model::Precision::float64});
  Watcher watcher(true, true);
  model::Observer* const observers[] = {&watcher};
  model::PackedBatch batch;
  batch.append(std::vector<std::int64_t>{2});
  model->run(batch, {}, observers);
  const QuantityName terms(Stack::encoder, 2, Part::full, Quantity::logit_terms);
  for (const double share : watcher.of(terms.with(Reduction::covariance), 0)) {
    EXPECT_TRUE(std::isnan(share));
  }
  EXPECT_EQ(watcher.of({Stack::encoder, 2, Part::none, Quantity::alti}, 0), Values{1.0});
}

// Every golden plain encoder of the engine's own tests: other activations, positions, an embedding norm.
TEST(Decompositions, IdentitiesHoldForEveryPlainEncoder) {
  std::size_t plain = 0;
  for (const std::string& name : golden_cases()) {
    for (const auto precision : {model::Precision::float32, model::Precision::float64}) {
      const GoldenCase golden = open_golden(name, {.precision = precision});
      Watcher watcher(false, true);
      model::Observer* const observers[] = {&watcher};
      if (!model::why_no_decompositions(golden.model->config()).empty()) {
        model::PackedBatch source = golden.batch({0});  // a decoder has decompositions behind any encoder
        source.target_ids.clear();
        source.target_offsets.clear();
        EXPECT_THROW(golden.model->run(source, {}, observers), UsageError) << name;
        continue;
      }
      golden.model->run(golden.batch({2, 1, 0}), {}, observers);
      EXPECT_GE(watcher.worst().size(), 18U) << name;
      ++plain;
    }
  }
  EXPECT_GT(plain, 0U);
}

TEST(Decompositions, AreRefusedTogetherWithInterventionsAndInBfloat16) {
  MOG_REQUIRE_SHARED(folder, "golden/decomposition/tiny-post-relu");
  model::PackedBatch batch;
  batch.append(std::vector<std::int64_t>{5, 2});
  Watcher watcher(true, false);
  model::Observer* const observers[] = {&watcher};
  const std::vector<model::Intervention> cut = {model::ScaleLayer{1, 0.0}};
  EXPECT_THROW(model::load_model(folder)->run(batch, cut, observers), UsageError);
  EXPECT_THROW(
      model::load_model(folder, {.precision = model::Precision::bfloat16})->run(batch, {}, observers),
      UsageError);
}

}  // namespace
}  // namespace mog::test

// Cut logit terms, derivatives by token and leaving keys, against an independent program
// (tests/data/causal/make_causal.py) and finite differences, in float64.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/test_device.h"

namespace mog::test {
namespace {

using Values = std::vector<double>;
const QuantityName kOutput(Stack::encoder, 0, Part::none, Quantity::output);

class OutputObserver final : public model::Observer {
 public:
  std::optional<DType> wants(const QuantityName& name) const override {
    return name == kOutput ? std::optional(DType::float64) : std::nullopt;
  }
  bool observe(const QuantityName& /*name*/, const model::PackedValues& values) override {
    const auto all = values.values.values<double>();
    output.assign(all.begin(), all.end());
    return true;
  }
  Values output;  // [token, d_model] of the batch
};

model::PackedBatch batch_of(const std::vector<std::vector<std::int64_t>>& sentences) {
  model::PackedBatch batch;
  for (const auto& ids : sentences) {
    batch.append(ids);
  }
  return batch;
}

Values output_of(const model::Model& model, const model::PackedBatch& batch,
                 const std::vector<model::Intervention>& interventions = {}) {
  OutputObserver observer;
  const std::vector<model::Observer*> observers = {&observer};
  model.run(batch, interventions, observers);
  return observer.output;
}

// 1 - cosine of the means over `tokens` rows from `first` on.
double effect(const Values& before, const Values& after, std::size_t first, std::size_t tokens,
              std::size_t d) {
  Values x(d, 0.0);
  Values y(d, 0.0);
  for (std::size_t i = first * d; i < (first + tokens) * d; ++i) {
    x[i % d] += before[i];
    y[i % d] += after[i];
  }
  const auto dot = [](const Values& left, const Values& right) {
    return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
  };
  return 1.0 - dot(x, y) / std::sqrt(dot(x, x) * dot(y, y));
}

nlohmann::json reference(const std::string& model) {
  std::ifstream file(golden_directory("").parent_path().parent_path().parent_path() / "causal" /
                     "causal.json");
  return nlohmann::json::parse(file).at(model);
}

GoldenCase open_exact(const std::string& name) {
  return open_golden(name, {.device = test_device(), .precision = model::Precision::float64});
}

model::LogitTerm term_of(const std::string& text) {
  const std::vector<std::string> names = {"pp", "pi", "ip", "ii", "bp", "bi"};
  return static_cast<model::LogitTerm>(std::find(names.begin(), names.end(), text) - names.begin());
}

class PlainEncoder : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Norms, PlainEncoder, testing::Values("transformer_post", "transformer_pre"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(PlainEncoder, WithoutLogitTermsIsTheReferenceWithoutThem) {
  const GoldenCase golden = open_exact(GetParam());
  const auto d = static_cast<std::size_t>(golden.model->config().encoder.d_model);
  const nlohmann::json cases = reference(GetParam());
  // Both sentences in one batch: a cut is of every sentence.
  std::vector<std::vector<std::int64_t>> sentences;
  for (const auto& one : cases) {
    sentences.push_back(one.at("ids").get<std::vector<std::int64_t>>());
  }
  const model::PackedBatch batch = batch_of(sentences);
  const Values before = output_of(*golden.model, batch);
  std::size_t compared = 0;
  for (std::size_t index = 0; index < cases.at(0).at("cut").size(); ++index) {
    const auto& cut = cases.at(0).at("cut").at(index);
    std::vector<model::Intervention> interventions;
    for (std::int64_t layer = cut.at("first"); layer <= cut.at("last").get<std::int64_t>(); ++layer) {
      for (const std::string text : cut.at("terms")) {
        interventions.emplace_back(model::CutLogitTerm{layer, term_of(text)});
      }
    }
    const Values after = output_of(*golden.model, batch, interventions);
    std::size_t first = 0;
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      const double expected = cases.at(s).at("cut").at(index).at("effect");
      EXPECT_NEAR(effect(before, after, first, sentences[s].size(), d), expected,
                  1e-7 * std::max(1e-3, expected))
          << "sentence " << s << ", " << cut.dump();
      first += sentences[s].size();
      ++compared;
    }
  }
  EXPECT_EQ(compared, 54U);
}

TEST_P(PlainEncoder, AttendsUniformlyWithoutAnyLogitTerm) {
  const GoldenCase golden = open_golden(GetParam());
  std::vector<model::Intervention> interventions;
  for (int term = 0; term < 6; ++term) {
    interventions.emplace_back(model::CutLogitTerm{2, static_cast<model::LogitTerm>(term)});
  }
  Collector collector;
  const std::vector<model::Observer*> observers = {&collector};
  golden.model->run(golden.batch({1, 2}), interventions, observers);
  const std::vector<float> map = collector.of({Stack::encoder, 2, Part::full, Quantity::attention}, 1);
  for (const float weight : map) {
    EXPECT_NEAR(weight, 1.0 / 11.0, 1e-6);
  }
}

TEST_P(PlainEncoder, SlopesOfLeavingKeysAreTheReferences) {
  const GoldenCase golden = open_exact(GetParam());
  for (const auto& one : reference(GetParam())) {
    const auto ids = one.at("ids").get<std::vector<std::int64_t>>();
    const auto expected = one.at("leaving").get<Values>();
    // One copy a token, all in one batch.
    const model::PackedBatch batch = batch_of(std::vector(ids.size(), ids));
    Values leaving(ids.size() * ids.size(), 0.0);
    for (std::size_t token = 0; token < ids.size(); ++token) {
      leaving[token * ids.size() + token] = 1.0;
    }
    const model::DirectedSlopes found = golden.model->differentiate_along(batch, leaving, kOutput);
    const Values whole = output_of(*golden.model, batch);
    ASSERT_EQ(found.values.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      ASSERT_NEAR(found.values[i], whole[i], 1e-12) << "the model itself has not changed";
    }
    const std::size_t block = found.slopes.size() / ids.size();
    for (std::size_t token = 0; token < ids.size(); ++token) {
      const auto begin = found.slopes.begin() + static_cast<std::ptrdiff_t>(token * block);
      const double mean = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(block), 0.0) /
                          static_cast<double>(block);
      EXPECT_NEAR(mean, expected[token], 1e-8) << "token " << token;
    }
  }
}

TEST_P(PlainEncoder, ZeroEmbeddingKeepsThePosition) {
  const GoldenCase golden = open_exact(GetParam());
  const auto d = static_cast<std::size_t>(golden.model->config().encoder.d_model);
  for (const auto& one : reference(GetParam())) {
    const auto ids = one.at("ids").get<std::vector<std::int64_t>>();
    const model::PackedBatch batch = batch_of({ids});
    const Values before = output_of(*golden.model, batch);
    for (std::size_t token = 0; token < ids.size(); ++token) {
      const Values after =
          output_of(*golden.model, batch, {model::ZeroEmbedding{0, static_cast<std::int64_t>(token)}});
      EXPECT_NEAR(effect(before, after, 0, ids.size(), d), one.at("zero").at(token).get<double>(), 1e-9);
    }
  }
}

// s = sum over values of weight * value + value² / 2, a different weight for each.
double scalar(std::span<const double> values, std::span<double> cotangent) {
  double s = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = std::sin(static_cast<double>(i));
    s += weight * values[i] + values[i] * values[i] / 2;
    cotangent[i] = weight + values[i];
  }
  return s;
}

struct Differentiated {
  const char* name;
  QuantityName of;
};
class Derivatives : public testing::TestWithParam<Differentiated> {};
INSTANTIATE_TEST_SUITE_P(
    Models, Derivatives,
    testing::Values(Differentiated{"transformer_post", kOutput}, Differentiated{"transformer_pre", kOutput},
                    Differentiated{"half_weight_gate", kOutput}, Differentiated{"self_gate_d", kOutput},
                    Differentiated{"position_learned", kOutput},
                    Differentiated{"tagger_half_weight_gate",
                                   {Stack::heads, 0, Part::none, Quantity::logits, Reduction::full, "pos"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(Derivatives, AreFiniteDifferences) {
  const GoldenCase golden = open_exact(GetParam().name);
  QuantityName of = GetParam().of;
  if (of.stack() == Stack::heads) {
    const std::string task = golden.model->config().tasks.begin()->first;
    of = {Stack::heads, 0, Part::none, Quantity::logits, Reduction::full, task};
  }
  const model::PackedBatch batch = golden.batch({1, 2, 1});
  const auto tokens = static_cast<std::size_t>(batch.tokens());
  // Not at the model itself, and different for each token.
  model::Relaxation at;
  for (std::size_t token = 0; token < tokens; ++token) {
    at.presence.push_back(0.55 + 0.4 * std::sin(static_cast<double>(token)));
    at.scale.push_back(0.8 + 0.3 * std::cos(static_cast<double>(token)));
  }
  const auto value = [&](const model::Relaxation& place) {
    double s = 0;
    static_cast<void>(golden.model->differentiate(
        batch, place, of,
        [&](std::span<const double> values, std::span<double> cotangent) { s = scalar(values, cotangent); }));
    return s;
  };
  const model::TokenGradients found = golden.model->differentiate(
      batch, at, of,
      [](std::span<const double> values, std::span<double> cotangent) { scalar(values, cotangent); });
  ASSERT_EQ(found.presence.size(), tokens);
  constexpr double kStep = 1e-5;
  for (std::size_t token = 0; token < tokens; ++token) {
    const auto difference = [&](Values model::Relaxation::*moved) {
      model::Relaxation more = at;
      model::Relaxation less = at;
      (more.*moved)[token] += kStep;
      (less.*moved)[token] -= kStep;
      return (value(more) - value(less)) / (2 * kStep);
    };
    EXPECT_NEAR(found.presence[token], difference(&model::Relaxation::presence), 1e-6) << "token " << token;
    EXPECT_NEAR(found.scale[token], difference(&model::Relaxation::scale), 1e-6) << "token " << token;
    EXPECT_GT(found.norm[token], 0.0);
  }
}

TEST(Derivatives, OfLeavingTokensAddUp) {
  const GoldenCase golden = open_exact("half_weight_gate");
  const model::PackedBatch batch = golden.batch({2});
  const auto along = [&](const Values& leaving) {
    return golden.model->differentiate_along(batch, leaving, kOutput).slopes;
  };
  Values first(11, 0.0);
  Values second(11, 0.0);
  Values both(11, 0.0);
  first[3] = both[3] = 1.0;
  second[7] = 2.0;
  both[7] = 2.0;
  const Values a = along(first);
  const Values b = along(second);
  const Values sum = along(both);
  double greatest = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(sum[i], a[i] + b[i], 1e-12);
    greatest = std::max(greatest, std::abs(sum[i]));
  }
  EXPECT_GT(greatest, 1e-3);
}

TEST(Derivatives, WithPresenceZeroTheTokenIsMasked) {
  const GoldenCase golden = open_exact("half_weight_gate");
  const model::PackedBatch batch = golden.batch({2});
  model::Relaxation at;
  at.presence.assign(11, 1.0);
  at.presence[4] = 0.0;
  Values seen;
  static_cast<void>(golden.model->differentiate(
      batch, at, kOutput, [&](std::span<const double> values, std::span<double> /*cotangent*/) {
        seen.assign(values.begin(), values.end());
      }));
  const Values masked = output_of(*golden.model, batch, {model::MaskToken{0, 4}});
  ASSERT_EQ(seen.size(), masked.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_NEAR(seen[i], masked[i], 1e-12);
  }
}

TEST(Derivatives, OfWhatIsNotThereAreRefused) {
  const GoldenCase golden = open_golden("transformer_post");
  const model::PackedBatch batch = golden.batch({1});
  const model::Cotangent none = [](std::span<const double>, std::span<double>) {};
  const auto refused = [&](const model::Relaxation& at, const QuantityName& of, const std::string& words) {
    try {
      static_cast<void>(golden.model->differentiate(batch, at, of, none));
      FAIL() << words;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused({}, {Stack::encoder, 1, Part::none, Quantity::output}, "encoder.1.output");
  refused({{1.0, 1.0}, {}}, kOutput, "2 values for 5 tokens");
  refused({{1.0, 1.0, 1.5, 1.0, 1.0}, {}}, kOutput, "[0, 1]");
  refused({{0.0, 0.0, 0.0, 0.0, 0.0}, {}}, kOutput, "nothing is left");
}

TEST(CutLogitTerm, IsRefusedWhereScoresHaveNoSuchTerms) {
  const GoldenCase graph = open_golden("half_weight_gate");
  const GoldenCase plain = open_golden("transformer_post");
  EXPECT_THROW(output_of(*graph.model, graph.batch({1}), {model::CutLogitTerm{1, model::LogitTerm::pp}}),
               UsageError);
  EXPECT_THROW(output_of(*plain.model, plain.batch({1}), {model::CutLogitTerm{4, model::LogitTerm::pp}}),
               UsageError);
}

}  // namespace
}  // namespace mog::test

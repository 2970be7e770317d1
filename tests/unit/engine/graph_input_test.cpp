// Attention that takes a graph as input against the golden values of graph_input/ (independent program,
// float64), and what must hold whatever the graph.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "model/tensor_table.h"
#include "tests/support/places.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/gret_case.h"

namespace mog::test {
namespace {

using Tensors = std::map<std::string, HostTensor>;

constexpr std::int64_t kTokens = 7;
constexpr std::int64_t kWidth = 16;
constexpr std::int64_t kFirstToken = 4;

const QuantityName kMap(Stack::encoder, 1, Part::full, Quantity::attention);
const QuantityName kContext(Stack::encoder, 1, Part::full, Quantity::output);

const Tensors& golden() {
  static const Tensors tensors =
      io::read_tensors(mog::test::data_dir() / "graph_input" / "golden.safetensors");
  return tensors;
}

HostTensor filled(const std::vector<std::int64_t>& shape, float value) {
  HostTensor tensor(DType::float32, shape);
  for (float& entry : tensor.mutable_values<float>()) {
    entry = value;
  }
  return tensor;
}

HostTensor rows(const HostTensor& tensor, std::size_t first) {
  const std::vector<float> all = tensor.to_floats();
  const auto width = static_cast<std::size_t>(tensor.shape().back());
  const std::vector<float> kept(all.begin() + static_cast<std::ptrdiff_t>(first * width), all.end());
  return HostTensor::of<float>(
      {tensor.shape().front() - static_cast<std::int64_t>(first), tensor.shape().back()}, kept);
}

struct Variant {
  std::string name = {};
  model::RelationForm form = model::RelationForm::three_term;
  bool learned = false;
  bool key_norm = false;
  bool value_norm = false;
  bool share = false;
};

// One layer that reads x and shows α and, by an output map of ones on the diagonal, the context.
model::ModelConfig config_of(const Variant& variant) {
  model::ModelConfig config;
  model::EncoderConfig& encoder = config.encoder;
  encoder.kind = model::EncoderKind::transformer;
  encoder.layers = 1;
  encoder.d_model = encoder.attention_dim = kWidth;
  encoder.heads = 2;
  encoder.ffn_dim = kWidth;
  encoder.position = model::Position::none;
  encoder.embed_scale = false;
  model::GraphInputConfig& input = encoder.graph_input.emplace();
  input.relations = 5;
  input.form = variant.form;
  input.none = variant.learned ? model::NoRelation::learned : model::NoRelation::zero;
  input.key_norm = variant.key_norm;
  input.value_norm = variant.value_norm;
  input.share = variant.share;
  config.vocab_size = kFirstToken + kTokens;
  return config;
}

Tensors weights_of(const Variant& variant, const model::ModelConfig& config) {
  const auto input = [](const std::string& name) -> const HostTensor& { return golden().at("in." + name); };
  Tensors weights;
  for (const model::TensorSpec& spec : model::tensor_table(config)) {
    weights[spec.name] = filled(spec.shape, spec.name.ends_with("layer_norm.weight") ? 1.0F : 0.0F);
  }
  std::vector<float> table(static_cast<std::size_t>(kFirstToken * kWidth), 0.0F);
  const std::vector<float> x = input("x").to_floats();
  table.insert(table.end(), x.begin(), x.end());
  weights["encoder.embed_tokens.weight"] = HostTensor::of<float>({kFirstToken + kTokens, kWidth}, table);
  const std::string attention = "encoder.layers.0.self_attn.";
  for (const std::string map : {"q_proj", "k_proj", "v_proj"}) {
    weights[attention + map + ".weight"] = input(map + ".weight").to(DType::float32);
    weights[attention + map + ".bias"] = input(map + ".bias").to(DType::float32);
  }
  auto output = weights.at(attention + "out_proj.weight").mutable_values<float>();
  for (std::size_t i = 0; i < static_cast<std::size_t>(kWidth); ++i) {
    output[i * static_cast<std::size_t>(kWidth) + i] = 1.0F;
  }
  const std::string prefix = variant.share ? std::string("encoder.") : attention;
  for (const std::string part : {"key", "query", "value"}) {
    const std::string name = prefix + "relation_" + part;
    if (!weights.contains(name + ".weight")) {
      continue;
    }
    const HostTensor& all = input("relation_" + part + (variant.learned ? "_row0" : ""));
    weights[name + ".weight"] = rows(all, 1);
    if (variant.learned) {
      const std::vector<float> values = all.to_floats();
      weights[name + ".none"] = HostTensor::of<float>({kWidth / 2}, {values.data(), kWidth / 2});
    }
    for (const std::string side : {"weight", "bias"}) {
      const std::string norm = name + "_layer_norm." + side;
      if (weights.contains(norm)) {
        weights[norm] = input(part + "_norm." + side).to(DType::float32);
      }
    }
  }
  return weights;
}

std::vector<model::GraphArc> golden_arcs() {
  std::vector<model::GraphArc> arcs;
  const auto relations = golden().at("in.relations").values<std::int64_t>();
  for (std::int64_t at = 0; at < kTokens * kTokens; ++at) {
    if (relations[static_cast<std::size_t>(at)] > 0) {
      arcs.push_back({at / kTokens, at % kTokens, relations[static_cast<std::size_t>(at)]});
    }
  }
  return arcs;
}

std::vector<std::int64_t> ids(std::int64_t count) {
  std::vector<std::int64_t> result;
  for (std::int64_t at = 0; at < count; ++at) {
    result.push_back(kFirstToken + at);
  }
  return result;
}

Collector run(const model::Model& model, const model::PackedBatch& batch,
              const std::vector<model::Intervention>& interventions = {}) {
  Collector collector;
  const std::vector<model::Observer*> observers = {&collector};
  model.run(batch, interventions, observers);
  return collector;
}

model::PackedBatch golden_batch(bool with_arcs = true) {
  model::PackedBatch batch;
  batch.append(ids(kTokens), with_arcs ? golden_arcs() : std::vector<model::GraphArc>{});
  return batch;
}

// Mean over queries of KL(softmax(score) ‖ softmax(score − term)), written out.
double divergence(const std::vector<float>& score, const std::vector<float>& term) {
  double mean = 0.0;
  for (std::size_t query = 0; query < kTokens; ++query) {
    double all = 0.0;
    double without = 0.0;
    for (std::size_t key = 0; key < kTokens; ++key) {
      const auto at = query * kTokens + key;
      all += std::exp(static_cast<double>(score[at]));
      without += std::exp(static_cast<double>(score[at] - term[at]));
    }
    for (std::size_t key = 0; key < kTokens; ++key) {
      const auto at = query * kTokens + key;
      const double p = std::exp(static_cast<double>(score[at])) / all;
      mean += p * std::log(p / (std::exp(static_cast<double>(score[at] - term[at])) / without)) / kTokens;
    }
  }
  return mean;
}

class GraphInput : public testing::TestWithParam<Variant> {};

TEST_P(GraphInput, MapAndContextAreTheReferences) {
  const Variant& variant = GetParam();
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  const Collector found = run(*model, golden_batch());
  expect_near(found.of(kMap, 0), golden().at(variant.name + ".attention").to_floats(), 1e-5, "attention");
  expect_near(found.of(kContext, 0), golden().at(variant.name + ".context").to_floats(), 1e-5, "context");
}

// The terms add up to the scores, and their statistics are those of the definition.
TEST_P(GraphInput, TermsAddUpToTheScores) {
  const Variant& variant = GetParam();
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  const Collector found = run(*model, golden_batch());
  const QuantityName name(Stack::encoder, 1, Part::full, Quantity::graph_terms);
  const std::vector<float> terms = found.of(name, 0);
  constexpr std::size_t kArea = kTokens * kTokens;
  const std::size_t count = variant.form == model::RelationForm::three_term ? 3 : 2;
  ASSERT_EQ(terms.size(), 2 * count * kArea);
  const std::vector<float> content_of_plain = golden().at("plain.scores").to_floats();
  std::vector<float> sums(2 * kArea, 0.0F);
  std::vector<float> content;
  for (std::size_t head = 0; head < 2; ++head) {
    for (std::size_t term = 0; term < count; ++term) {
      for (std::size_t at = 0; at < kArea; ++at) {
        const float value = terms[(head * count + term) * kArea + at];
        sums[head * kArea + at] += value;
        if (term == 0) {
          content.push_back(value);
        }
      }
    }
  }
  expect_near(content, content_of_plain, 1e-5, "content");
  expect_near(sums, golden().at(variant.name + ".scores").to_floats(), 1e-5, "scores");
  const std::vector<float> shares = found.of(name.with(Reduction::covariance), 0);
  const std::vector<float> divergences = found.of(name.with(Reduction::leave_out), 0);
  ASSERT_EQ(shares.size(), 2 * count);
  for (std::size_t head = 0; head < 2; ++head) {
    double total = 0.0;
    for (std::size_t term = 0; term < count; ++term) {
      total += static_cast<double>(shares[head * count + term]);
      const std::vector<float> own(
          terms.begin() + static_cast<std::ptrdiff_t>((head * count + term) * kArea),
          terms.begin() + static_cast<std::ptrdiff_t>((head * count + term + 1) * kArea));
      const std::vector<float> score(sums.begin() + static_cast<std::ptrdiff_t>(head * kArea),
                                     sums.begin() + static_cast<std::ptrdiff_t>((head + 1) * kArea));
      EXPECT_NEAR(divergences[head * count + term], divergence(score, own), 1e-5);
    }
    EXPECT_NEAR(total, 1.0, 1e-5);
  }
}

// Where relation 0 has nothing it has nothing under layer norms either, whatever their biases.
TEST(GraphInputBatch, NoRelationIsZeroUnderNorms) {
  const Variant variant{.name = "normed", .key_norm = true, .value_norm = true};
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  const Collector found = run(*model, golden_batch(false));
  expect_near(found.of(kContext, 0), golden().at("plain.context").to_floats(), 1e-5, "context");
}

INSTANTIATE_TEST_SUITE_P(
    Forms, GraphInput,
    testing::Values(Variant{.name = "three_term"}, Variant{.name = "three_term", .share = true},
                    Variant{.name = "two_term", .form = model::RelationForm::two_term},
                    Variant{.name = "unscaled", .form = model::RelationForm::unscaled, .learned = true},
                    Variant{.name = "unscaled_key_norm",
                            .form = model::RelationForm::unscaled,
                            .learned = true,
                            .key_norm = true},
                    Variant{.name = "unscaled_both_norms",
                            .form = model::RelationForm::unscaled,
                            .learned = true,
                            .key_norm = true,
                            .value_norm = true}),
    [](const auto& one) { return one.param.name + (one.param.share ? "_shared" : ""); });

TEST(GraphInputBatch, TheGraphIsShown) {
  const Variant variant;
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  const Collector found = run(*model, golden_batch());
  std::vector<float> expected(kTokens * kTokens, 0.0F);
  for (const model::GraphArc& arc : golden_arcs()) {
    expected[static_cast<std::size_t>(arc.query * kTokens + arc.key)] = static_cast<float>(arc.relation);
  }
  EXPECT_EQ(found.of({Stack::encoder, 0, Part::none, Quantity::graph}, 0), expected);
}

TEST(GraphInputBatch, AnEmptyGraphIsPlainAttention) {
  const Variant variant;
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  const Collector found = run(*model, golden_batch(false));
  expect_near(found.of(kMap, 0), golden().at("three_term_empty.attention").to_floats(), 1e-5, "attention");
  expect_near(found.of(kContext, 0), golden().at("plain.context").to_floats(), 1e-5, "context");
}

TEST(GraphInputBatch, KeysThatAreMaskedAreNotAttendedTo) {
  const Variant variant;
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  std::vector<model::Intervention> masks;
  const auto mask = golden().at("in.mask").values<std::int64_t>();
  for (std::size_t token = 0; token < mask.size(); ++token) {
    if (mask[token] == 0) {
      masks.emplace_back(model::MaskToken{0, static_cast<std::int64_t>(token)});
    }
  }
  ASSERT_FALSE(masks.empty());
  const Collector found = run(*model, golden_batch(), masks);
  expect_near(found.of(kMap, 0), golden().at("three_term_masked.attention").to_floats(), 1e-5, "attention");
  expect_near(found.of(kContext, 0), golden().at("three_term_masked.context").to_floats(), 1e-5, "context");
}

// Sentences of a batch, padded together or not, keep their own graphs.
TEST(GraphInputBatch, SentencesOfABatchDoNotMix) {
  const Variant variant{.name = "unscaled", .form = model::RelationForm::unscaled, .learned = true};
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  struct One {
    std::int64_t tokens;
    std::vector<model::GraphArc> arcs;
  };
  const std::vector<One> sentences = {{7, golden_arcs()},
                                      {7, {}},
                                      {5, {{0, 4, 2}, {2, 2, 1}, {4, 0, 4}}},
                                      {3, {{1, 0, 3}}},
                                      {1, {{0, 0, 1}}}};
  model::PackedBatch batch;
  for (const One& one : sentences) {
    batch.append(ids(one.tokens), one.arcs);
  }
  const Collector together = run(*model, batch);
  for (std::size_t at = 0; at < sentences.size(); ++at) {
    model::PackedBatch alone;
    alone.append(ids(sentences[at].tokens), sentences[at].arcs);
    const Collector found = run(*model, alone);
    expect_near(together.of(kMap, at), found.of(kMap, 0), 1e-6, "attention");
    expect_near(together.of(kContext, at), found.of(kContext, 0), 1e-6, "context");
    // Terms and maps come group by group in turn.
    const QuantityName terms(Stack::encoder, 1, Part::full, Quantity::graph_terms);
    expect_near(together.of(terms, at), found.of(terms, 0), 1e-6, "terms");
    expect_near(together.of(terms.with(Reduction::covariance), at),
                found.of(terms.with(Reduction::covariance), 0), 1e-5, "covariance");
  }
}

TEST(GraphInputBatch, OneTokenHasNoShareOfVariance) {
  const Variant variant{.name = "unscaled", .form = model::RelationForm::unscaled, .learned = true};
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  model::PackedBatch batch;
  batch.append(ids(1), {{{0, 0, 1}}});
  const QuantityName terms(Stack::encoder, 1, Part::full, Quantity::graph_terms);
  EXPECT_EQ(run(*model, batch).of(terms.with(Reduction::covariance), 0), std::vector<float>(4, 0.0F));
}

// Cuts of terms, written out from the terms of the uncut run: softmax of what is left.
TEST_P(GraphInput, CutTermsAreGoneFromTheScores) {
  const Variant& variant = GetParam();
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  const QuantityName name(Stack::encoder, 1, Part::full, Quantity::graph_terms);
  constexpr std::size_t kArea = kTokens * kTokens;
  const std::size_t count = variant.form == model::RelationForm::three_term ? 3 : 2;
  const std::vector<float> terms = run(*model, golden_batch()).of(name, 0);
  for (std::size_t cut = 0; cut < count; ++cut) {
    const auto term = static_cast<model::GraphTerm>(cut);
    for (const std::int64_t head : {0, 2}) {
      model::CutGraphTerm one{.layer = 1, .term = term, .head = {}};
      if (head > 0) {
        one.head = head;
      }
      std::vector<float> expected;
      for (std::size_t h = 0; h < 2; ++h) {
        const bool lost = head == 0 || static_cast<std::int64_t>(h) + 1 == head;
        for (std::size_t row = 0; row < kArea; row += kTokens) {
          double sum = 0.0;
          std::vector<double> weights;
          for (std::size_t at = row; at < row + kTokens; ++at) {
            double score = 0.0;
            for (std::size_t t = 0; t < count; ++t) {
              score += lost && t == cut ? 0.0 : static_cast<double>(terms[(h * count + t) * kArea + at]);
            }
            weights.push_back(std::exp(score));
            sum += weights.back();
          }
          for (const double weight : weights) {
            expected.push_back(static_cast<float>(weight / sum));
          }
        }
      }
      const Collector found = run(*model, golden_batch(), {one});
      expect_near(found.of(kMap, 0), expected, 1e-5, std::string(model::name(term)));
      double left = 0.0;
      const std::vector<float> shown = found.of(name, 0);
      for (std::size_t at = 0; at < kArea; ++at) {
        left += std::abs(static_cast<double>(shown[((head > 0 ? 1 : 0) * count + cut) * kArea + at]));
      }
      EXPECT_EQ(left, 0.0) << "the term is shown as it is in the scores";
    }
  }
}

// Without values of relations the context is the maps' product with the values of plain attention.
TEST_P(GraphInput, CutValuesOfRelationsAreGoneFromTheContext) {
  const Variant& variant = GetParam();
  const model::ModelConfig config = config_of(variant);
  Tensors weights = weights_of(variant, config);
  const auto model = open_weights(config, weights);
  for (auto& [name, tensor] : weights) {
    const bool norm = name.find("_layer_norm") != std::string::npos;
    if (name.find("relation_value") != std::string::npos && !(norm && name.ends_with("weight"))) {
      tensor = filled(tensor.shape(), 0.0F);
    }
  }
  const auto without = open_weights(config, std::move(weights));
  const model::CutGraphTerm all{.layer = 1, .term = model::GraphTerm::relation_value, .head = {}};
  const Collector found = run(*model, golden_batch(), {all});
  const std::vector<float> expected = run(*without, golden_batch()).of(kContext, 0);
  expect_near(found.of(kContext, 0), expected, 1e-5, "context");
  model::CutGraphTerm second = all;
  second.head = 2;
  const std::vector<float> one = run(*model, golden_batch(), {second}).of(kContext, 0);
  const std::vector<float> whole = run(*model, golden_batch()).of(kContext, 0);
  std::vector<float> mixed;
  for (std::size_t at = 0; at < one.size(); ++at) {
    mixed.push_back(at % kWidth < kWidth / 2 ? whole[at] : expected[at]);
  }
  expect_near(one, mixed, 1e-5, "context of head 2");
}

TEST(GraphInputBatch, CutsOfWhatIsNotThereAreRefused) {
  const Variant variant{.form = model::RelationForm::two_term};
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  using Cut = model::CutGraphTerm;
  EXPECT_THROW(run(*model, golden_batch(), {Cut{1, model::GraphTerm::relation_query, {}}}), UsageError);
  EXPECT_THROW(run(*model, golden_batch(), {Cut{2, model::GraphTerm::relation_key, {}}}), UsageError);
  EXPECT_THROW(run(*model, golden_batch(), {Cut{1, model::GraphTerm::relation_key, 3}}), UsageError);
  EXPECT_THROW(run(*open_golden("transformer_post").model, open_golden("transformer_post").batch({0}),
                   {Cut{1, model::GraphTerm::content, {}}}),
               UsageError);
}

TEST(GraphInputBatch, AGraphThatDoesNotFitIsRefused) {
  const Variant variant;
  const model::ModelConfig config = config_of(variant);
  const auto model = open_weights(config, weights_of(variant, config));
  const auto with = [](const model::GraphArc& arc) {
    model::PackedBatch batch;
    batch.append(ids(3), {});
    batch.append(ids(2), {{arc}});
    return batch;
  };
  EXPECT_THROW(run(*model, with({0, 1, 5})), ModelError);
  EXPECT_THROW(run(*model, with({0, 1, 0})), ModelError);
  EXPECT_THROW(run(*model, with({0, 2, 1})), ShapeError);
  EXPECT_THROW(run(*model, with({-1, 0, 1})), ShapeError);
  model::PackedBatch twice;
  twice.append(ids(3), {{{1, 0, 1}, {1, 0, 2}}});
  EXPECT_THROW(run(*model, twice), ShapeError);
  model::ModelConfig plain = config;
  plain.encoder.graph_input.reset();
  Tensors weights = weights_of(variant, config);
  std::erase_if(weights,
                [](const auto& entry) { return entry.first.find("relation_") != std::string::npos; });
  EXPECT_THROW(run(*open_weights(plain, std::move(weights)), golden_batch()), ModelError);
}

}  // namespace
}  // namespace mog::test

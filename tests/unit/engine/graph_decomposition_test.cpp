// The exact decompositions of encoders that read a graph, against a program written out in loops, and their
// identities in every form.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/gret_case.h"
#include "tests/unit/engine/watcher.h"
#include "tests/unit/engine/written_encoder.h"

namespace mog::test {
namespace {

constexpr std::size_t kHeads = 2;

struct Variant {
  std::string name = {};
  model::RelationForm form = model::RelationForm::three_term;
  model::NormPlace norm = model::NormPlace::post;
  model::NoRelation none = model::NoRelation::zero;
  bool share = false;
  bool norms = false;  // over the vectors of keys and values
};

model::ModelConfig config_of(const Variant& variant) {
  model::ModelConfig config;
  model::EncoderConfig& encoder = config.encoder;
  encoder.kind = model::EncoderKind::transformer;
  encoder.layers = 3;
  encoder.d_model = encoder.attention_dim = 8;
  encoder.heads = kHeads;
  encoder.ffn_dim = 12;
  encoder.norm = variant.norm;
  encoder.position = model::Position::none;
  encoder.embed_scale = false;
  model::GraphInputConfig& input = encoder.graph_input.emplace();
  input.relations = 4;
  input.form = variant.form;
  input.none = variant.none;
  input.share = variant.share;
  input.key_norm = input.value_norm = variant.norms;
  config.vocab_size = 20;
  return config;
}

const std::vector<GraphSentence>& sentences() {
  static const std::vector<GraphSentence> all = {
      {{5, 6, 7, 8, 2}, {{0, 1, 1}, {1, 0, 2}, {1, 1, 3}, {2, 4, 1}, {4, 0, 3}, {4, 3, 2}}},
      {{9, 5, 11, 12, 2}, {{0, 4, 3}, {3, 3, 1}}},
      {{13, 4, 2}, {{0, 2, 2}, {2, 0, 1}}},
      {{7, 2}, {}},
      {{2}, {{0, 0, 2}}}};
  return all;
}

model::PackedBatch packed() {
  model::PackedBatch batch;
  for (const GraphSentence& sentence : sentences()) {
    batch.append(sentence.ids, sentence.arcs);
  }
  return batch;
}

void expect_same(const Values& found, const Values& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-9 * (1 + std::abs(expected[i]))) << what << ", entry " << i;
  }
}

// Block `entry` of the axis that has `count` entries inside every of `outer` blocks.
Values entry_of(const Values& values, std::size_t outer, std::size_t count, std::size_t entry) {
  const std::size_t size = values.size() / (outer * count);
  Values result;
  for (std::size_t block = 0; block < outer; ++block) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>((block * count + entry) * size);
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return result;
}

class GraphDecomposition : public testing::TestWithParam<Variant> {};

TEST_P(GraphDecomposition, IsWhatTheWrittenProgramSays) {
  const model::ModelConfig config = config_of(GetParam());
  const std::map<std::string, HostTensor> weights = random_weights(config, 7);
  const auto model = open_weights(config, weights, {.precision = model::Precision::float64});
  Watcher watcher(true, true);
  model::Observer* const observers[] = {&watcher};
  model->run(packed(), {}, observers);
  for (std::size_t s = 0; s < sentences().size(); ++s) {
    const std::vector<WrittenLayer> layers = written_layers(config, weights, sentences()[s]);
    for (std::size_t at = 0; at < layers.size(); ++at) {
      const auto layer = static_cast<std::int64_t>(at) + 1;
      const std::string where = "sentence " + std::to_string(s) + ", layer " + std::to_string(layer) + ": ";
      const WrittenLayer& expected = layers[at];
      Values output;
      Values sources;
      for (std::size_t i = 0; i < expected.output.size(); ++i) {
        output.insert(output.end(), expected.output[i].begin(), expected.output[i].end());
        for (const Values& source : expected.sources[i]) {
          sources.insert(sources.end(), source.begin(), source.end());
        }
      }
      const auto found = [&](Part part, Quantity quantity) {
        return watcher.of({Stack::encoder, layer, part, quantity}, s);
      };
      expect_same(found(Part::none, Quantity::output), output, where + "output");
      expect_same(found(Part::none, Quantity::propagation), sources, where + "propagation");
      expect_same(found(Part::none, Quantity::alti), expected.alti, where + "alti");
      const bool three = GetParam().form == model::RelationForm::three_term;
      const std::vector<std::string_view> names = entry_names(Axis::logit_term, three ? 12 : 9);
      const Values terms = found(Part::full, Quantity::logit_terms);
      for (std::size_t term = 6; term < names.size(); ++term) {
        expect_same(entry_of(terms, kHeads, names.size(), term), expected.terms.at(std::string(names[term])),
                    where + std::string(names[term]));
      }
      const Values values = entry_of(found(Part::full, Quantity::value_parts), 1, names.size() + 1, 0);
      expect_same(entry_of(values, 1, 3, 2), expected.uniform, where + "u.r");
    }
  }
}

TEST_P(GraphDecomposition, IdentitiesHold) {
  const model::ModelConfig config = config_of(GetParam());
  for (const auto precision : {model::Precision::float32, model::Precision::float64}) {
    const auto model = open_weights(config, random_weights(config, 11), {.precision = precision});
    Watcher watcher(true, true);
    model::Observer* const observers[] = {&watcher};
    model->run(packed(), {}, observers);
    EXPECT_GE(watcher.worst().size(), 18U);
    for (const QuantitySchema& schema : model::decomposition_quantities(config)) {
      for (std::size_t s = 0; s < sentences().size(); ++s) {
        const auto tokens = static_cast<std::int64_t>(sentences()[s].ids.size());
        ASSERT_EQ(watcher.of(schema.name, s).size(), static_cast<std::size_t>(schema.elements(tokens)))
            << schema.name.text();
      }
    }
  }
}

// Without an arc, and with nothing at "no relation", all that is the graph's is zero.
TEST(GraphDecompositions, OfAnEmptyGraphHaveNothingOfTheGraph) {
  const model::ModelConfig config = config_of({});
  const auto model =
      open_weights(config, random_weights(config, 3), {.precision = model::Precision::float64});
  Watcher watcher(true, true);
  model::Observer* const observers[] = {&watcher};
  model::PackedBatch batch;
  batch.append(std::vector<std::int64_t>{5, 6, 7, 2});
  model->run(batch, {}, observers);
  const Values shares =
      watcher.of({Stack::encoder, 3, Part::none, Quantity::pseudo_gate, Reduction::projection}, 0);
  constexpr std::size_t kGroups = 7;
  ASSERT_EQ(shares.size(), 4 * kGroups);
  for (std::size_t token = 0; token < 4; ++token) {
    EXPECT_NEAR(shares[token * kGroups + 4], 0.0, 1e-12);
  }
}

// The six terms of content are content, also behind cuts below (causal leave-out with a graph).
TEST_P(GraphDecomposition, WithoutAllLogitTermsIsWithoutContent) {
  const model::ModelConfig config = config_of(GetParam());
  const auto model =
      open_weights(config, random_weights(config, 5), {.precision = model::Precision::float64});
  const auto output = [&](const std::vector<model::Intervention>& cuts) {
    Collector collector(DType::float64);
    model::Observer* const observers[] = {&collector};
    model->run(packed(), cuts, observers);
    Values values;
    for (std::size_t s = 0; s < sentences().size(); ++s) {
      const std::vector<float> own = collector.of({Stack::encoder, 0, Part::none, Quantity::output}, s);
      values.insert(values.end(), own.begin(), own.end());
    }
    return values;
  };
  std::vector<model::Intervention> terms;
  std::vector<model::Intervention> content;
  for (const std::int64_t layer : {2, 3}) {
    content.emplace_back(model::CutGraphTerm{layer, model::GraphTerm::content, {}});
    for (int term = 0; term < 6; ++term) {
      terms.emplace_back(model::CutLogitTerm{layer, static_cast<model::LogitTerm>(term)});
    }
  }
  const Values found = output(terms);
  const Values expected = output(content);
  double moved = 0.0;
  const Values whole = output({});
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-6);
    moved += std::abs(whole[i] - found[i]);
  }
  EXPECT_GT(moved, 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, GraphDecomposition,
    testing::Values(Variant{.name = "three_term"},
                    Variant{.name = "three_term_pre", .norm = model::NormPlace::pre},
                    Variant{.name = "three_term_shared", .none = model::NoRelation::learned, .share = true},
                    Variant{.name = "two_term", .form = model::RelationForm::two_term},
                    Variant{.name = "two_term_learned_pre",
                            .form = model::RelationForm::two_term,
                            .norm = model::NormPlace::pre,
                            .none = model::NoRelation::learned},
                    Variant{.name = "unscaled", .form = model::RelationForm::unscaled},
                    Variant{.name = "unscaled_frozen",
                            .form = model::RelationForm::unscaled,
                            .none = model::NoRelation::frozen},
                    Variant{.name = "unscaled_norms",
                            .form = model::RelationForm::unscaled,
                            .none = model::NoRelation::learned,
                            .norms = true}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace mog::test

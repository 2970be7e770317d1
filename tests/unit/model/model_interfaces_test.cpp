// What a model can be asked for without its engine: names, sites, systems, and the words of one that cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/known_systems.h"
#include "model/logit_attribution.h"
#include "model/model.h"
#include "model/parser_states.h"
#include "model/patching.h"
#include "model/stored_model.h"

namespace mog::model {
namespace {

// Has what it must, and nothing else.
class BareModel final : public Model {
 public:
  explicit BareModel(ModelConfig config) : config_(std::move(config)) { card_.name = "bare"; }
  const ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return model::quantities(config_); }
  void run(const PackedBatch& /*batch*/, std::span<const Intervention> /*interventions*/,
           std::span<Observer* const> /*observers*/) const override {}
  std::vector<std::vector<Hypothesis>> translate(const PackedBatch& /*batch*/, const BeamOptions& /*options*/,
                                                 std::stop_token /*stop*/) const override {
    return {};
  }

 private:
  ModelConfig config_;
  ModelCard card_;
};

ModelConfig transformer(std::int64_t layers, std::int64_t heads) {
  ModelConfig config;
  config.encoder.kind = EncoderKind::transformer;
  config.encoder.layers = layers;
  config.encoder.heads = heads;
  return config;
}

std::string said(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ModelNames, AreReadAsTheyAreWritten) {
  for (const PatchPlace place : patch_places()) {
    EXPECT_EQ(find_patch_place(name(place)), place);
  }
  for (const LogitTerm term :
       {LogitTerm::pp, LogitTerm::pi, LogitTerm::ip, LogitTerm::ii, LogitTerm::bp, LogitTerm::bi}) {
    EXPECT_EQ(find_logit_term(name(term)), term);
  }
  for (const GraphTerm term :
       {GraphTerm::content, GraphTerm::relation_key, GraphTerm::relation_query, GraphTerm::relation_value}) {
    EXPECT_EQ(find_graph_term(name(term)), term);
  }
  EXPECT_FALSE(find_patch_place("layer") || find_logit_term("p") || find_graph_term(""));
  std::vector<std::string_view> parts;
  for (const LogitPart part : {LogitPart::embedding, LogitPart::head, LogitPart::attention_bias,
                               LogitPart::feed_forward, LogitPart::norm_bias, LogitPart::output_bias}) {
    EXPECT_EQ(std::ranges::count(parts, name(part)), 0);
    parts.push_back(name(part));
  }
}

TEST(PatchSites, AreAllThatAPlaceHas) {
  const ModelConfig plain = transformer(2, 3);
  EXPECT_EQ(patch_sites(plain, PatchPlace::residual, 4, false),
            (std::vector<PatchSite>{{.layer = 0}, {.layer = 1}, {.layer = 2}}));
  EXPECT_EQ(patch_sites(plain, PatchPlace::attention, 4, true).size(), 2U * 4U);
  const std::vector<PatchSite> heads = patch_sites(plain, PatchPlace::head, 4, true);
  ASSERT_EQ(heads.size(), 2U * 3U * 4U);
  EXPECT_EQ(heads[5],
            (PatchSite{.place = PatchPlace::head, .layer = 1, .part = Part::full, .head = 2, .token = 1}));

  ModelConfig graph = transformer(2, 3);
  graph.encoder.kind = EncoderKind::graph_transformer;
  graph.encoder.first_layer = FirstLayer::plain;
  const std::vector<PatchSite> parts = patch_sites(graph, PatchPlace::head, 4, false);
  ASSERT_EQ(parts.size(), 3U + 3U * 3U);  // the first layer has one attention
  EXPECT_EQ(parts.front().part, Part::high);
  EXPECT_EQ(parts.back(),
            (PatchSite{.place = PatchPlace::head, .layer = 2, .part = Part::middle2, .head = 3}));

  ModelConfig recurrent = transformer(2, 0);
  recurrent.encoder.kind = EncoderKind::gru;
  EXPECT_TRUE(patch_sites(recurrent, PatchPlace::head, 4, false).empty());
  EXPECT_EQ(patch_sites(recurrent, PatchPlace::residual, 4, true).size(), 3U * 4U);
}

TEST(KnownSystems, EachDescribesItselfAndHasQuantities) {
  const std::vector<ModelConfig> systems = known_systems();
  EXPECT_EQ(systems.size(), 10U);
  for (const ModelConfig& config : systems) {
    const BareModel model(config);
    EXPECT_EQ(model.system(), system_of(config));
    EXPECT_FALSE(model.system().stacks.empty());
    EXPECT_FALSE(model.quantities().empty());
  }
}

TEST(Model, SaysWhatItDoesNotGive) {
  const BareModel model(transformer(1, 1));
  const PackedBatch batch;
  EXPECT_NE(said([&] { model.differentiate(batch, {}, {}, {}); }).find("bare: it gives no gradients"),
            std::string::npos);
  EXPECT_NE(said([&] { model.differentiate_along(batch, {}, {}); }).find("bare: it gives no gradients"),
            std::string::npos);
  EXPECT_NE(said([&] { model.run_states(batch, {}, {}, {}); }).find("it has no heads for them"),
            std::string::npos);
  EXPECT_NE(said([&] { patching_of(model); }).find("its activations cannot be replaced"), std::string::npos);
  EXPECT_NE(said([&] { logit_attribution_of(model); }).find("it gives no parts"), std::string::npos);
}

// Refused before the engine is opened.
TEST(LayersInMemory, AreRefusedWithWhatStandsAgainstThem) {
  set_layers_in_memory(1);
  EXPECT_EQ(layers_in_memory(), 1);
  EXPECT_NE(said([] { require_all_layers("training"); }).find("training needs all layers"),
            std::string::npos);
  const auto refused = [](const ModelConfig& config, Precision precision) {
    StoredModel model;
    model.config = config;
    return said([&] { load_model(model, {.precision = precision}); });
  };
  ModelConfig recurrent = transformer(2, 0);
  recurrent.encoder.kind = EncoderKind::lstm;
  EXPECT_NE(refused(recurrent, Precision::float32).find("this encoder is recurrent"), std::string::npos);
  ModelConfig translator = transformer(2, 2);
  translator.decoder.emplace();
  EXPECT_NE(refused(translator, Precision::float32).find("has a decoder"), std::string::npos);
  EXPECT_NE(refused(transformer(2, 2), Precision::int8).find("8 bits"), std::string::npos);
  set_layers_in_memory(0);
  require_all_layers("training");
}

}  // namespace
}  // namespace mog::model

#include "app/workflow/effects/ablate_job.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/recording/errors.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

// One layer of two dimensions. Words with an even id come out as (3, 4h + l), others as (3, h + l), where h
// and l are the factors on the high part and on low, l only counting beyond 1; </s> as (9, 9). The tag is X
// where the first value is greater, else Y. Gate and share are 0.1 times the number of words.
class HandModel final : public model::Model {
 public:
  explicit HandModel(model::EncoderKind kind = model::EncoderKind::graph_transformer,
                     std::int64_t layers = 1) {
    config_.encoder.kind = kind;
    config_.encoder.layers = layers;
    config_.encoder.d_model = 2;
    config_.encoder.attention_dim = 2;
    config_.encoder.heads = 1;
    config_.vocab_size = 64;
    config_.tasks["upos"] = {"X", "Y"};
    card_.name = "hand";
  }
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return model::quantities(config_); }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch&, const model::BeamOptions&,
                                                        std::stop_token) const override {
    return {};
  }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    double high = 1;
    double low = 1;
    for (const model::Intervention& intervention : interventions) {
      if (const auto* part = std::get_if<model::ScalePart>(&intervention)) {
        high = part->part == Part::high ? part->factor : high;
        low = part->part == Part::low ? part->factor : low;
      } else if (const auto* layer = std::get_if<model::ScaleLayer>(&intervention)) {
        high = layer->factor;
      }
    }
    for (const QuantitySchema& schema : quantities()) {
      for (model::Observer* const observer : observers) {
        if (observer->wants(schema.name)) {
          show(*observer, schema.name, batch, high, low);
        }
      }
    }
  }

 private:
  static void show(model::Observer& observer, const QuantityName& name, const model::PackedBatch& batch,
                   double high, double low) {
    std::vector<float> flat;
    std::vector<std::int64_t> offsets = {0};
    for (std::int64_t s = 0; s < batch.sentences(); ++s) {
      for (std::int64_t t = batch.offsets[static_cast<std::size_t>(s)];
           t < batch.offsets[static_cast<std::size_t>(s) + 1]; ++t) {
        const std::int64_t id = batch.ids[static_cast<std::size_t>(t)];
        const double second = (id % 2 == 0 ? 4 : 1) * high + 0.5 * (low - 1);
        const bool scalar = name.quantity() == Quantity::gate || name.reduction() == Reduction::share;
        if (scalar) {
          flat.push_back(id == 2 ? 50.0F : 0.1F * static_cast<float>(batch.length(s) - 1));
        } else {
          flat.push_back(id == 2 ? 9.0F : 3.0F);
          flat.push_back(id == 2 ? 9.0F * static_cast<float>(high) : static_cast<float>(second));
        }
      }
      offsets.push_back(static_cast<std::int64_t>(flat.size()));
    }
    observer.observe(name, {HostTensor::of<float>({static_cast<std::int64_t>(flat.size())}, flat), offsets});
  }
  model::ModelConfig config_;
  ModelCard card_;
};

// A word whose id is even, and one whose id is odd.
std::pair<std::string, std::string> even_and_odd() {
  const test::FakeTokenizer tokenizer;
  std::pair<std::string, std::string> words;
  for (int i = 0; words.first.empty() || words.second.empty(); ++i) {
    const std::string word = "w" + std::to_string(i);
    (tokenizer.encode(word).tokens[0].id % 2 == 0 ? words.first : words.second) = word;
  }
  return words;
}

LoadedModel hand_loaded(model::EncoderKind kind = model::EncoderKind::graph_transformer,
                        std::int64_t layers = 1) {
  LoadedModel loaded;
  loaded.model = std::make_shared<HandModel>(kind, layers);
  loaded.tokenizer = std::make_shared<test::FakeTokenizer>();
  return loaded;
}

const CutEffect& effect(const AblateResult& result, Cut cut) {
  for (const CutEffect& one : result.effects) {
    if (one.cut == cut) {
      return one;
    }
  }
  throw std::runtime_error("no such cut");
}

TEST(Ablation, HandWorkedEffects) {
  const auto [even, odd] = even_and_odd();
  const test::TemporaryFolder folder;
  AblateOptions options;
  // Sentences of 1, 2 and 3 words; the empty line is left out.
  options.input =
      folder.write("t.txt", even + "\n\n" + even + " " + odd + "\n" + odd + " " + odd + " " + odd + "\n");
  options.bootstrap.resamples = 100;
  const AblateResult result = run_ablation(hand_loaded(), options);
  EXPECT_EQ(result.sentences, 3);
  EXPECT_EQ(result.words, 6);
  ASSERT_EQ(result.effects.size(), 6U);  // high, middle1, middle2, low, new, block
  const CutEffect& high = effect(result, Part::high);
  // (3, 4) becomes (3, 0): 4/5 of its length, cosine 3/5. (3, 1) becomes (3, 0).
  const double of_odd = 1 / std::sqrt(10);
  const double cosine_of_odd = 1 - 3 / std::sqrt(10);
  EXPECT_NEAR(high.change.mean, (0.8 + (0.8 + of_odd) / 2 + of_odd) / 3, 1e-6);
  EXPECT_NEAR(high.cosine.mean, (0.4 + (0.4 + cosine_of_odd) / 2 + cosine_of_odd) / 3, 1e-6);
  EXPECT_NEAR(high.tags_changed.at("upos").mean, (1 + 0.5 + 0) / 3, 1e-12);  // Y becomes X
  EXPECT_NEAR(high.gate, 0.2, 1e-6);
  EXPECT_NEAR(high.share, 0.2, 1e-6);
  EXPECT_DOUBLE_EQ(high.gate_rank.rho, -1);  // longer sentences: more gate, less change
  EXPECT_TRUE(high.scores.empty());
  EXPECT_LE(high.change.interval.low, high.change.mean);
  EXPECT_NEAR(effect(result, Part::middle1).change.mean, 0, 1e-12);
  EXPECT_NEAR(effect(result, Cut::Kind::fresh).change.mean, high.change.mean, 1e-12);
  EXPECT_NEAR(effect(result, Cut::Kind::fresh).share, 0.6, 1e-6);  // of three parts
  EXPECT_NEAR(effect(result, Cut::Kind::block).change.mean, high.change.mean, 1e-12);
  EXPECT_TRUE(std::isnan(effect(result, Cut::Kind::block).share));
  const analysis::Table table = result.table();
  EXPECT_EQ(table.rows.size(), 6U);
  EXPECT_EQ(std::get<std::string>(table.rows[4][table.column("part")]), "new");
  EXPECT_NO_THROW(table.column("upos_changed"));
}

TEST(Ablation, GoldTagsAreScoredBeforeAndAfter) {
  const auto [even, odd] = even_and_odd();
  const test::TemporaryFolder folder;
  const auto row = [](int id, const std::string& form, const std::string& tag) {
    return std::to_string(id) + "\t" + form + "\t_\t" + tag + "\t_\t_\t" + std::to_string(id == 1 ? 0 : 1) +
           "\tdep\t_\t_\n";
  };
  AblateOptions options;
  options.gold.conllu = {
      folder.write("g.conllu", row(1, even, "Y") + row(2, odd, "X") + "\n" + row(1, odd, "Y") + "\n")};
  options.cuts = parse_cuts("high,low");
  options.bootstrap.resamples = 20;
  const AblateResult result = run_ablation(hand_loaded(), options);
  ASSERT_EQ(result.effects.size(), 2U);
  const analysis::Comparison& high = result.effects[0].scores.at("upos");
  EXPECT_NEAR(high.first, 2.0 / 3, 1e-12);   // Y X | X
  EXPECT_NEAR(high.second, 1.0 / 3, 1e-12);  // X X | X
  EXPECT_NEAR(high.difference, -1.0 / 3, 1e-12);
  EXPECT_NEAR(result.effects[1].scores.at("upos").difference, 0, 1e-12);
}

TEST(Ablation, MeanOutputAndTagProbabilities) {
  const auto [even, odd] = even_and_odd();
  const test::TemporaryFolder folder;
  AblateOptions options;
  options.input = folder.write("t.txt", even + " " + odd + "\n");
  options.cuts = {Part::high};
  options.bootstrap.resamples = 10;
  const AblateResult result = run_ablation(hand_loaded(), options);
  ASSERT_EQ(result.effects.size(), 1U);
  // (3, 4), (3, 1) and </s> (9, 9) lose their second value: the mean (5, 14/3) becomes (5, 0).
  const double second = 14.0 / 3;
  EXPECT_NEAR(result.effects[0].pooled.mean, 1 - 5 / std::sqrt(25 + second * second), 1e-6);
  // The scores are the values: of each word from (3, y) to (3, 0).
  const auto divergence = [](double y) {
    const double p = std::exp(3) / (std::exp(3) + std::exp(y));
    const double q = std::exp(3) / (std::exp(3) + 1);
    return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
  };
  EXPECT_NEAR(result.effects[0].tags_divergence.at("upos").mean, (divergence(4) + divergence(1)) / 2, 1e-6);
  EXPECT_NO_THROW(result.table().column("upos_kl_high"));
}

TEST(Ablation, HeadsTermsAndSeveralLayersAtOnce) {
  const test::TemporaryFolder folder;
  AblateOptions options;
  options.input = folder.write("t.txt", "w1 w2\n");
  options.bootstrap.resamples = 10;
  options.heads = true;
  const AblateResult heads = run_ablation(hand_loaded(), options);
  ASSERT_EQ(heads.effects.size(), 3U);  // one of high, middle1 and middle2 each
  EXPECT_EQ(heads.effects[2].head, 1);
  EXPECT_TRUE(std::isnan(heads.effects[2].share));  // of a whole part, not of a head
  options.cuts = {Part::low};
  EXPECT_EQ(run_ablation(hand_loaded(), options).effects.size(), 4U);
  options.heads = false;
  options.cuts.clear();
  options.terms = parse_terms("pp");
  EXPECT_THROW(run_ablation(hand_loaded(), options), UsageError);  // of a Graph-Transformer
  const LoadedModel plain = hand_loaded(model::EncoderKind::transformer, 3);
  options.terms = parse_terms("all,ip+pi,pi+ip");
  ASSERT_EQ(options.terms.size(), 7U);
  EXPECT_EQ(run_ablation(plain, options).effects.size(), 21U);
  options.layers = {{2, 3}};
  options.together = true;
  const analysis::Table table = run_ablation(plain, options).table();
  ASSERT_EQ(table.rows.size(), 7U);
  const auto& last = table.rows.back();
  EXPECT_EQ(std::get<std::string>(last[table.column("part")]), "pi+ip");
  EXPECT_EQ(std::get<std::int64_t>(last[table.column("layer")]), 2);
  EXPECT_EQ(std::get<std::int64_t>(last[table.column("last_layer")]), 3);
  options.factor = 0.5;
  EXPECT_THROW(run_ablation(plain, options), UsageError);
  EXPECT_THROW(parse_terms("pp+"), UsageError);
  EXPECT_THROW(parse_terms("pq"), UsageError);
}

// What the window offers is what --graph-terms graph,all cuts.
TEST(Ablation, TheSetsOfGraphTermsAreThoseOfTheForm) {
  model::ModelConfig config;
  EXPECT_TRUE(graph_term_sets(config).empty());
  EXPECT_NE(why_no_graph_terms(config).find("reads none"), std::string::npos);
  config.encoder.graph_input.emplace().form = model::RelationForm::three_term;
  EXPECT_TRUE(graph_term_sets(config).empty());
  EXPECT_NE(why_no_graph_terms(config).find("without arcs"), std::string::npos);
  config.graph.emplace();
  EXPECT_EQ(why_no_graph_terms(config), "");
  std::vector<GraphTermSet> all;
  for (const GraphTermChoice& choice : parse_graph_terms("graph,all")) {
    all.push_back(choice.terms);
  }
  EXPECT_EQ(graph_term_sets(config), all);
  config.encoder.graph_input->form = model::RelationForm::two_term;
  std::vector<std::string> names;
  for (const GraphTermSet& terms : graph_term_sets(config)) {
    names.push_back(text(terms));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"relation_key+relation_value", "content", "relation_key",
                                             "relation_value"}));
  config.graph->kind = model::GraphKind::state_transitions;
  EXPECT_TRUE(graph_term_sets(config).empty());
}

TEST(Ablation, RequestsThatMeanNothingAreRefused) {
  const test::TemporaryFolder folder;
  AblateOptions options;
  EXPECT_THROW(run_ablation(hand_loaded(), options), UsageError);  // no text
  options.input = folder.write("t.txt", "w1\n");
  options.gold.conllu = {"g.conllu"};
  EXPECT_THROW(run_ablation(hand_loaded(), options), UsageError);  // both
  options.gold.conllu.clear();
  options.layers = {{2, 2}};
  EXPECT_THROW(run_ablation(hand_loaded(), options), UsageError);  // one layer
  options.layers.clear();
  options.cuts = {Part::full};
  EXPECT_THROW(run_ablation(hand_loaded(), options), UsageError);  // of a plain Transformer
  options.cuts.clear();
  options.input = folder.write("empty.txt", "\n\n");
  EXPECT_THROW(run_ablation(hand_loaded(), options), FormatError);
  EXPECT_THROW(parse_cuts("high,wide"), UsageError);
}

}  // namespace
}  // namespace mog::app

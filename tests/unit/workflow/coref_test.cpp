// Chains from scores, windows of a document, and what a model of coreference learns from one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/parsing/coreference_graph.h"
#include "app/workflow/experiment/coref_data.h"
#include "app/workflow/graphs/coref_chains.h"
#include "io/recording/errors.h"
#include "tests/support/fake_model.h"

namespace mog::app {
namespace {

using analysis::Chain;
using analysis::GraphArc;

// One token a word, </s> at the end.
Sentence window_of(std::size_t words) {
  Sentence window;
  for (std::size_t word = 0; word < words; ++word) {
    window.words.push_back({"w", {}});
    window.tokens.push_back({"w", 5, static_cast<std::int64_t>(word), {}});
  }
  window.tokens.push_back({"</s>", 2, -1, {}});
  return window;
}

TEST(DecodeLinks, AreTheBestOfEachWordAboveNone) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(-0.5F, 1.0F);
  for (int draw = 0; draw < 50; ++draw) {
    constexpr std::size_t kWords = 6;
    const Sentence window = window_of(kWords);
    const std::size_t size = window.tokens.size();
    std::vector<float> mentions(size * size);
    std::vector<float> antecedents(size * size);
    for (std::size_t at = 0; at < mentions.size(); ++at) {
      mentions[at] = normal(random);
      antecedents[at] = normal(random);
    }
    std::vector<GraphArc> expected;
    std::map<std::size_t, std::size_t> starts;
    for (std::size_t word = 0; word < kWords; ++word) {
      std::map<float, std::size_t> by_score = {{0.0F, kWords}};
      for (std::size_t key = 0; key <= word; ++key) {
        by_score[mentions[word * size + key]] = key;
      }
      const std::size_t start = by_score.rbegin()->second;
      if (start == kWords) {
        continue;
      }
      std::map<float, std::size_t> links = {{0.0F, kWords}};
      for (const auto& [end, of] : starts) {
        if (end != start) {  // a pair has one relation
          links[antecedents[word * size + end]] = end;
        }
      }
      const auto query = static_cast<std::int32_t>(word);
      expected.push_back({query, static_cast<std::int32_t>(start), analysis::kMentionRelation});
      if (links.rbegin()->second != kWords) {
        expected.push_back(
            {query, static_cast<std::int32_t>(links.rbegin()->second), analysis::kCoreferenceRelation});
      }
      starts[word] = start;
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(decode_links(window, mentions, antecedents), expected);
  }
  EXPECT_THROW(decode_links(window_of(3), std::vector<float>(4), std::vector<float>(4)), ShapeError);
}

// What a mention goes back to in the graph is its most probable candidate, and all with none come to 1.
TEST(MentionLinks, AreTheSoftmaxOfTheScores) {
  const Sentence window = window_of(3);
  const std::size_t size = window.tokens.size();
  std::vector<float> mentions(size * size, -9.0F);
  std::vector<float> antecedents(size * size, -9.0F);
  for (std::size_t word = 0; word < 3; ++word) {
    mentions[word * size + word] = 2.0F;
  }
  antecedents[2 * size + 0] = 1.0F;
  antecedents[2 * size + 1] = 3.0F;
  const std::vector<GraphArc> graph = decode_links(window, mentions, antecedents);
  const std::vector<MentionLinks> links = mention_links(window, graph, mentions, antecedents);
  ASSERT_EQ(links.size(), 3U);
  EXPECT_TRUE(links[0].candidates.empty());
  EXPECT_EQ(links[0].none, 1.0);
  EXPECT_NEAR(links[0].probability, std::exp(2.0) / (1 + std::exp(2.0)), 1e-6);
  const MentionLinks& last = links[2];
  EXPECT_EQ(last.mention, (analysis::Mention{2, 3}));
  ASSERT_EQ(last.candidates.size(), 2U);
  EXPECT_EQ(last.candidates[0].mention, (analysis::Mention{1, 2}));
  const double sum = 1 + std::exp(1.0) + std::exp(3.0);
  EXPECT_NEAR(last.candidates[0].probability, std::exp(3.0) / sum, 1e-6);
  EXPECT_NEAR(last.candidates[1].probability, std::exp(1.0) / sum, 1e-6);
  EXPECT_NEAR(last.none, 1 / sum, 1e-6);
  EXPECT_TRUE(std::find(graph.begin(), graph.end(), GraphArc{2, 1, analysis::kCoreferenceRelation}) !=
              graph.end());
}

CorefText text_of(std::size_t words, std::vector<std::int64_t> sentences, std::vector<Chain> chains) {
  return {"text", std::vector<std::string>(words, "word"), std::move(sentences), std::move(chains)};
}

TEST(CorefExample, HasTheGraphOfTheChains) {
  const Sentence window = window_of(5);
  // [w0 w1] … w3, and w4 alone.
  const std::vector<Chain> chains = {{{0, 2}, {3, 4}}, {{4, 5}}};
  const Example example = coref_example(window, chains);
  constexpr std::int64_t kNone = model::GraphLabels::kNone;
  constexpr std::int64_t kUnlabelled = model::GraphLabels::kUnlabelled;
  EXPECT_EQ(example.keys.at("mentions"), (std::vector<std::int64_t>{kNone, 0, kNone, 3, 4, kUnlabelled}));
  EXPECT_EQ(example.keys.at("antecedents"),
            (std::vector<std::int64_t>{kNone, kNone, kNone, 1, kNone, kUnlabelled}));
  EXPECT_EQ(example.nodes, (std::vector<char>{1, 1, 1, 1, 1, 0}));
}

TEST(CorefWindows, AreSentencesOfTheDocument) {
  const test::FakeTokenizer tokenizer;
  const CorefText text = text_of(12, {0, 4, 8}, {});
  const CorefWindows windows = coref_windows(tokenizer, text, 9, 4);  // </s> is one of the nine
  ASSERT_EQ(windows.places.size(), 2U);
  EXPECT_EQ(windows.places[1], (analysis::TokenWindow{4, 12}));
  EXPECT_EQ(windows.sentences[1].words.size(), 8U);
  EXPECT_EQ(windows.sentences[1].tokens.size(), 9U);
}

// Says the graph of given chains whatever it reads, with a score of 3 for what is there.
class KnowingModel : public model::Model {
 public:
  explicit KnowingModel(std::vector<Chain> chains, bool reads) : chains_(std::move(chains)) {
    config_.encoder.kind = model::EncoderKind::transformer;
    config_.graph.emplace();
    config_.graph->kind = model::GraphKind::coreference;
    config_.graph->refinements = reads ? 2 : 0;
    if (reads) {
      config_.encoder.graph_input.emplace();
    }
  }
  // The chains of the window that batch sentence s is, by its length.
  std::map<std::int64_t, analysis::TokenWindow> places;
  mutable std::int64_t runs = 0;
  mutable std::size_t arcs = 0;

  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return model::quantities(config_); }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention>,
           std::span<model::Observer* const> observers) const override {
    ++runs;
    arcs += batch.arcs.size();
    for (const char* const head : {"mentions", "antecedents"}) {
      const std::int32_t relation =
          head == std::string("mentions") ? analysis::kMentionRelation : analysis::kCoreferenceRelation;
      std::vector<float> values;
      model::PackedValues packed;
      packed.offsets = {0};
      for (std::int64_t s = 0; s < batch.sentences(); ++s) {
        const auto size = static_cast<std::size_t>(batch.length(s));
        std::vector<float> own(size * size, -3.0F);
        const std::vector<Chain> chains =
            chains_.empty() ? chains_ : analysis::chains_inside(chains_, places.at(batch.length(s)));
        for (const GraphArc& arc : analysis::coreference_graph(chains).arcs) {
          if (arc.relation == relation) {
            own[static_cast<std::size_t>(arc.query) * size + static_cast<std::size_t>(arc.key)] = 3.0F;
          }
        }
        values.insert(values.end(), own.begin(), own.end());
        packed.offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
      packed.values = HostTensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
      for (model::Observer* const observer : observers) {
        observer->observe(QuantityName::pair_scores(head), packed);
      }
    }
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch&, const model::BeamOptions&,
                                                        std::stop_token) const override {
    return {};
  }

 protected:
  model::ModelConfig config_;

 private:
  std::vector<Chain> chains_;
  ModelCard card_;
};

// Finds nothing; its windows have so many tokens, and neighbours share so many.
class UnknowingModel final : public KnowingModel {
 public:
  explicit UnknowingModel(std::pair<std::int64_t, std::int64_t> windows) : KnowingModel({}, false) {
    config_.graph->window = windows.first;
    config_.graph->overlap = windows.second;
  }
};

TEST(ResolveText, PutsTheChainsOfWindowsTogether) {
  const std::vector<Chain> chains = {{{0, 2}, {5, 6}, {9, 11}}, {{4, 5}, {7, 8}}};
  const test::FakeTokenizer tokenizer;
  const CorefText text = text_of(12, {0, 4, 7}, chains);
  for (const bool reads : {false, true}) {
    KnowingModel model(chains, reads);
    CorefOptions options;
    options.window = 9;
    options.overlap = 3;
    options.look_at_mentions = true;
    const CorefWindows windows = coref_windows(tokenizer, text, *options.window, *options.overlap);
    ASSERT_GT(windows.places.size(), 1U);
    for (std::size_t at = 0; at < windows.places.size(); ++at) {
      model.places[static_cast<std::int64_t>(windows.sentences[at].tokens.size())] = windows.places[at];
    }
    ASSERT_EQ(model.places.size(), windows.places.size()) << "windows are told apart by their lengths";
    const ResolvedText found = resolve_text(model, tokenizer, text, options);
    EXPECT_EQ(found.chains, chains);
    ASSERT_EQ(found.mentions.size(), 5U);  // of the document, each once
    EXPECT_EQ(found.mentions[4].mention, (analysis::Mention{9, 11}));
    EXPECT_EQ(found.mentions[4].candidates[0].mention, (analysis::Mention{5, 6}));
    EXPECT_EQ(found.rounds, static_cast<std::int64_t>(windows.places.size()) * (reads ? 2 : 1));
    EXPECT_EQ(model.arcs > 0, reads);
  }
  // What the model finds across the borders before words 4 and 7 is no mention.
  std::vector<Chain> crossing = chains;
  crossing[0].push_back({3, 7});
  crossing.push_back({{6, 9}});
  KnowingModel beyond(crossing, false);
  const CorefWindows whole = coref_windows(tokenizer, text, 40, 3);
  beyond.places[static_cast<std::int64_t>(whole.sentences[0].tokens.size())] = whole.places[0];
  const ResolvedText inside =
      resolve_text(beyond, tokenizer, text, {.window = 40, .overlap = 3, .look_at_mentions = true});
  EXPECT_EQ(inside.chains, chains);
  ASSERT_EQ(inside.mentions.size(), 5U);
  for (const MentionLinks& links : inside.mentions) {
    EXPECT_TRUE(std::ranges::none_of(links.candidates, [](const MentionLinks::Candidate& candidate) {
      return candidate.mention.begin == 3 || candidate.mention.begin == 6;
    }));
  }
  // Windows are the model's own, however much they share; of a smaller one neighbours share a third.
  EXPECT_EQ(resolve_text(UnknowingModel({9, 5}), tokenizer, text).windows,
            static_cast<std::int64_t>(coref_windows(tokenizer, text, 9, 5).places.size()));
  EXPECT_EQ(resolve_text(UnknowingModel({40, 20}), tokenizer, text, {.window = 9}).windows,
            static_cast<std::int64_t>(coref_windows(tokenizer, text, 9, 3).places.size()));
  KnowingModel blind(chains, false);
  EXPECT_THROW(resolve_text(blind, tokenizer, text, {.refinements = 1}), UsageError);
  EXPECT_THROW(resolve_text(test::FakeModel(), tokenizer, text), UsageError);
}

}  // namespace
}  // namespace mog::app

#include "analysis/mog/k_best.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;
using test::close;

class GoldenKBest : public testing::TestWithParam<std::string> {
 protected:
  GoldenKBest() : golden(test::read_json(GetParam())), grammar(test::grammar_input(golden.at("input"))) {}
  json golden;
  AttentionGrammar grammar;
};

class LargeKBest : public GoldenKBest {};

void expect_list(KBest& k_best, const Goal& goal, const json& expected, const std::string& what) {
  // The files hold the 20 best, or all there are.
  const KBestList list = k_best.list(goal, 20);
  ASSERT_EQ(list.entries.size(), expected.size()) << what;
  EXPECT_FALSE(list.ended_by_limit) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const KBestEntry& entry = list.entries[i];
    const json& row = expected[i];
    const std::string at = what + " rank " + std::to_string(i + 1);
    EXPECT_EQ(entry.rank, row.at("rank")) << at;
    EXPECT_EQ(k_best.text(entry), row.at("expression")) << at;
    EXPECT_TRUE(close(entry.weight, row.at("weight")))
        << at << ' ' << entry.weight << ' ' << row.at("weight");
    EXPECT_TRUE(close(entry.mass, row.at("mass"))) << at << ' ' << entry.mass << ' ' << row.at("mass");
    EXPECT_EQ(entry.derivations, row.at("derivations").get<double>()) << at;
    EXPECT_EQ(entry.order, row.at("order")) << at;
    EXPECT_EQ(entry.leaves, row.at("leaves")) << at;
    EXPECT_EQ(entry.kind, row.at("kind")) << at;
    EXPECT_EQ(entry.simple, row.at("simple")) << at;
    EXPECT_EQ(entry.tie, row.at("tie")) << at;
    const Derivation derivation = k_best.derivation(entry);
    EXPECT_EQ(derivation.expression.kind(), row.at("kind")) << at;
    EXPECT_EQ(derivation.expression.order(), row.at("order")) << at;
    EXPECT_EQ(derivation.expression.leaves(), row.at("leaves")) << at;
    EXPECT_EQ(derivation.expression.simple(), row.at("simple")) << at;
    EXPECT_EQ(static_cast<std::int64_t>(derivation.nodes.size()), 2 * entry.leaves - 1) << at;
  }
}

TEST_P(GoldenKBest, TopList) {
  KBest k_best(grammar);
  expect_list(k_best, Goal::top(), golden.at("expected").at("kbest_TOP"), "TOP");
}

TEST_P(GoldenKBest, WordLists) {
  KBest k_best(grammar);
  for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
    const std::string key = "kbest_R" + std::to_string(word + 1);
    if (golden.at("expected").contains(key)) {
      expect_list(k_best, Goal::of_word(grammar.layers(), word), golden.at("expected").at(key), key);
    }
  }
}

TEST_P(LargeKBest, BestOfEveryWord) {
  KBest k_best(grammar);
  for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
    const json& row = golden.at("expected").at("best_R").at(static_cast<std::size_t>(word));
    const KBestList list = k_best.list(Goal::of_word(grammar.layers(), word), 1);
    ASSERT_EQ(list.entries.size(), 1U);
    EXPECT_TRUE(close(list.entries[0].weight, row.at("weight")));
    EXPECT_EQ(k_best.text(list.entries[0]), row.at("expression"));
  }
}

TEST_P(GoldenKBest, DerivationsThatAreNotMerged) {
  const auto expected = golden.at("expected").at("kbest_derivation_weights_TOP").get<std::vector<double>>();
  KBest k_best(grammar, {.merge = false});
  const KBestList list = k_best.list(Goal::top(), 50);
  ASSERT_EQ(list.entries.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(close(list.entries[i].weight, expected[i]))
        << i << ' ' << list.entries[i].weight << ' ' << expected[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenKBest, testing::ValuesIn(test::grammar_cases()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           return tested.param.substr(0, tested.param.size() - 5);
                         });

INSTANTIATE_TEST_SUITE_P(Cases, LargeKBest, testing::ValuesIn(test::grammar_cases("_large.json")),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           return tested.param.substr(0, tested.param.size() - 5);
                         });

TEST(WorkedExample, DerivationsWithTheirAnnotations) {
  const json golden = test::read_json("worked_example.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  KBest k_best(grammar, {.merge = false});
  const KBestList list = k_best.list(Goal::of_word(2, 0), 20);
  const json& expected = golden.at("expected").at("derivations");
  ASSERT_EQ(list.entries.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Derivation derivation = k_best.derivation(list.entries[i]);
    EXPECT_TRUE(close(derivation.entry.weight, expected[i].at("weight"))) << i;
    EXPECT_EQ(derivation.annotated, expected[i].at("annotated")) << i;
    EXPECT_EQ(derivation.text, expected[i].at("expression")) << i;
    EXPECT_EQ(derivation.entry.kind, expected[i].at("kind")) << i;
    EXPECT_EQ(derivation.entry.tie, expected[i].at("tie")) << i;
  }
}

// Weights of the worked example's page, the two atoms merged.
TEST(WorkedExample, MergedTree) {
  const json golden = test::read_json("worked_example.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  KBest k_best(grammar);
  const KBestList list = k_best.list(Goal::of_word(2, 0), 3);
  const Derivation derivation = k_best.derivation(list.entries.at(2));
  EXPECT_EQ(derivation.annotated, "((a)->a U[l=1;part=h] (b)->b)->a U[l=2;part=m1] (c)->c");
  ASSERT_EQ(derivation.nodes.size(), 5U);
  EXPECT_EQ(derivation.root().layer, 2);
  EXPECT_EQ(derivation.root().part, Part::middle1);
  EXPECT_EQ(derivation.root().word, 0);
  EXPECT_EQ(derivation.root().target, 2);
  EXPECT_DOUBLE_EQ(derivation.root().weight, .6 / 3);
  EXPECT_TRUE(derivation.nodes.at(0).is_leaf());
  EXPECT_EQ(derivation.nodes.at(static_cast<std::size_t>(derivation.root().left)).weight, .6);
}

TEST(KBest, SaysWhenTheLimitEndedTheSearch) {
  const json golden = test::read_json("grammar_graph_transformer_T3_L2_uniform.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  KBest k_best(grammar, {.limit = 6});
  const KBestList list = k_best.list(Goal::top(), 5);
  EXPECT_TRUE(list.ended_by_limit);
  EXPECT_EQ(list.entries.size(), 5U);
}

TEST(KBest, ListsEverythingThereIs) {
  const json golden = test::read_json("worked_example.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  KBest k_best(grammar);
  const KBestList list = k_best.list(Goal::top(), 1000);
  EXPECT_TRUE(list.exhausted);
  double mass = 0;
  double derivations = 0;
  for (const KBestEntry& entry : list.entries) {
    mass += entry.mass;
    derivations += entry.derivations;
  }
  EXPECT_NEAR(mass, 1, 1e-12);
  EXPECT_EQ(derivations, golden.at("expected").at("derivation_count").at("TOP").get<double>());
}

// A gate of 1 without self entries leaves only trees of 2^L leaves, whose weights no double holds.
TEST(KBest, WeightsBelowTheRangeOfDoubles) {
  constexpr std::size_t kWords = 40;
  constexpr std::int64_t kLayers = 10;
  GrammarInput input;
  input.layers = kLayers;
  for (std::size_t i = 0; i < kWords; ++i) {
    input.words.push_back("w" + std::to_string(i));
  }
  std::vector<double> map(kWords * kWords, 1.0 / (kWords - 1));
  for (std::size_t i = 0; i < kWords; ++i) {
    map[i * kWords + i] = 0;
  }
  std::vector<double> pi;
  for (std::size_t i = 0; i < kWords; ++i) {
    pi.insert(pi.end(), {1, 0, 0});
  }
  input.attention.assign(kLayers, {map, map, map});
  input.gate.assign(kLayers, std::vector<double>(kWords, 1));
  input.pi.assign(kLayers, pi);
  const AttentionGrammar grammar(std::move(input));
  KBest k_best(grammar, {.limit = 50});
  const KBestList list = k_best.list(Goal::of_word(kLayers, 3), 2);
  ASSERT_EQ(list.entries.size(), 2U);
  EXPECT_EQ(list.entries[0].leaves, 1024);
  EXPECT_NEAR(list.entries[0].log_weight, -1023 * std::log(39.0), 1e-6);
  EXPECT_NEAR(list.entries[0].log_mass, list.entries[0].log_weight, 1e-6);
  EXPECT_EQ(list.entries[0].derivations, 1);
  EXPECT_TRUE(list.ended_by_limit);
}

TEST(KBest, RefusesGoalsThatDoNotExist) {
  const json golden = test::read_json("worked_example.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  KBest k_best(grammar);
  EXPECT_THROW(k_best.list(Goal::of_word(3, 0), 1), UsageError);
  EXPECT_THROW(k_best.list(Goal::of_word(2, 3), 1), UsageError);
  EXPECT_THROW(k_best.list(Goal::top(), 0), UsageError);
}

}  // namespace
}  // namespace mog::analysis

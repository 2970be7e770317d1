#include "analysis/mog/search/k_best.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

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

// A second way to the same lists: every symbol keeps its K best expressions, made from all pairs of its
// tails' expressions.
class Exhaustive {
 public:
  Exhaustive(const AttentionGrammar& grammar, std::size_t k) : grammar_(grammar), k_(k) {
    for (std::int32_t symbol = 0; symbol < grammar.top_symbol(); ++symbol) {
      lists_.push_back(best_of(symbol));
    }
  }
  using Row = std::pair<double, std::string>;
  const std::vector<Row>& list(std::int32_t symbol) const { return lists_[static_cast<std::size_t>(symbol)]; }

 private:
  std::vector<Row> best_of(std::int32_t symbol) const {
    if (grammar_.is_word(symbol)) {
      return {{1.0, grammar_.names()[static_cast<std::size_t>(symbol)]}};
    }
    std::map<std::string, double> best;
    const auto add = [&](double weight, std::string text) {
      double& most = best[std::move(text)];
      most = std::max(most, weight);
    };
    for (const RuleProduct& product : grammar_.products(symbol)) {
      for (const RuleBand& band : grammar_.bands(product)) {
        for (const auto& [left_weight, left] : list(product.left)) {
          add(band.epsilon * left_weight, left);
          for (std::int32_t n = 0; n < band.count; ++n) {
            for (const auto& [right_weight, right] : list(band.tail_first + n)) {
              const std::string& target = grammar_.names()[static_cast<std::size_t>(n)];
              const std::string& source =
                  grammar_.names()[static_cast<std::size_t>(grammar_.word_of(symbol))];
              add(band.weight(n) * left_weight * right_weight,
                  "(" + left + ")->" + source + " U (" + right + ")->" + target);
            }
          }
        }
      }
    }
    std::vector<Row> rows;
    for (const auto& [text, weight] : best) {
      if (weight > 0) {
        rows.emplace_back(weight, text);
      }
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.first > b.first; });
    rows.resize(std::min(rows.size(), k_));
    return rows;
  }
  const AttentionGrammar& grammar_;
  std::size_t k_;
  std::vector<std::vector<Row>> lists_;
};

GrammarInput random_input(std::size_t words, std::int64_t layers, double spread, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, spread);
  std::uniform_real_distribution<double> uniform(0, 1);
  GrammarInput input;
  input.layers = layers;
  for (std::size_t word = 0; word < words; ++word) {
    input.words.push_back("w" + std::to_string(word));
  }
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    auto& maps = input.attention.emplace_back();
    for (int part = 0; part < 3; ++part) {
      auto& map = maps.emplace_back(words * words);
      for (std::size_t row = 0; row < words; ++row) {
        double sum = 0;
        for (std::size_t i = row * words; i < (row + 1) * words; ++i) {
          sum += map[i] = std::exp(normal(random));
        }
        for (std::size_t i = row * words; i < (row + 1) * words; ++i) {
          map[i] /= sum;
        }
      }
    }
    auto& gates = input.gate.emplace_back(words);
    std::generate(gates.begin(), gates.end(), [&] { return uniform(random); });
  }
  return input;
}

struct RandomCase {
  std::size_t words;
  std::int64_t layers;
  double spread;
  std::size_t k;
};

// Also wide rows, of which only the best columns enter at first.
TEST(KBest, EqualsAnExhaustiveSearch) {
  std::uint64_t seed = 0;
  for (const RandomCase& tested : {RandomCase{3, 5, 1, 60}, RandomCase{6, 4, 3, 25}, RandomCase{70, 2, 1, 6},
                                   RandomCase{25, 3, .01, 8}, RandomCase{40, 3, 8, 5}}) {
    const AttentionGrammar grammar(random_input(tested.words, tested.layers, tested.spread, ++seed));
    const Exhaustive exhaustive(grammar, tested.k);
    KBest k_best(grammar);
    for (std::int32_t word = 0; word < grammar.word_count(); word += 7) {
      const auto& expected = exhaustive.list(grammar.r_symbol(grammar.layers(), word));
      const KBestList found =
          k_best.list(Goal::of_word(grammar.layers(), word), static_cast<std::int64_t>(tested.k));
      ASSERT_EQ(found.entries.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(found.entries[i].weight, expected[i].first, 1e-12 * expected[i].first)
            << seed << ' ' << i;
        const bool alone = (i == 0 || expected[i - 1].first > expected[i].first * (1 + 1e-9)) &&
                           i + 1 < expected.size() && expected[i + 1].first < expected[i].first * (1 - 1e-9);
        if (alone) {
          EXPECT_EQ(k_best.text(found.entries[i]), expected[i].second) << seed << ' ' << i;
        }
      }
    }
  }
}

// A recurrent layer whose gate is closed only passes states on: the ways through 60 steps and 8 layers are
// not counted one by one.
TEST(KBest, ManyWaysThroughStatesAreOne) {
  constexpr std::size_t kWords = 60;
  constexpr std::size_t kLayers = 8;
  for (const GrammarKind kind : {GrammarKind::recurrence, GrammarKind::two_directions}) {
    const std::size_t words = kind == GrammarKind::recurrence ? kWords : 14;
    GrammarInput input{.kind = kind, .layers = kLayers};
    for (std::size_t word = 0; word < words; ++word) {
      input.words.push_back("w" + std::to_string(word));
    }
    const std::vector<std::vector<double>> half(kLayers, std::vector<double>(words, 0.5));
    const std::vector<std::vector<double>> none(kLayers, std::vector<double>(words, 0.0));
    input.z = half;
    input.sigma_h = none;
    if (kind == GrammarKind::two_directions) {
      input.z_backward = half;
      input.sigma_backward = none;
    }
    const AttentionGrammar grammar(std::move(input));
    KBest k_best(grammar);
    const KBestList list = k_best.list(Goal::top(), 10);
    ASSERT_EQ(list.entries.size(), 10U);
    double mass = 0;
    for (const KBestEntry& entry : list.entries) {
      EXPECT_EQ(entry.order, 1);  // nothing is joined
      mass += entry.mass;
    }
    EXPECT_LE(mass, 1.0 + 1e-9);
  }
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

// Orders by part, expected joins, joins at least once, sampled orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/mog/orders/order_bands.h"
#include "analysis/mog/orders/part_leaves.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/orders/sampled_orders.h"
#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;
using test::close;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

class GoldenOrders : public testing::TestWithParam<std::string> {
 protected:
  GoldenOrders()
      : golden(test::read_json(GetParam())),
        expected(golden.at("expected")),
        grammar(test::grammar_input(golden.at("input"))) {}
  json golden;
  json expected;
  AttentionGrammar grammar;
};

// The joins that each word expects, weighted by TOP, are the edge posteriors; over all parts they are the
// expected order less one.
TEST_P(GoldenOrders, ExpectedJoinsAreTheEdgePosteriors) {
  const std::vector<double> joins = expected_joins(grammar);
  const std::size_t parts = grammar.parts().size();
  const std::size_t width = at(grammar.layers()) * parts;
  const EdgePosteriors posteriors = edge_posteriors(grammar);
  for (std::size_t layer = 0; layer < at(grammar.layers()); ++layer) {
    for (std::size_t part = 0; part < parts; ++part) {
      double found = 0;
      for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
        found += grammar.top()[at(word)] *
                 joins[at(grammar.r_symbol(grammar.layers(), word)) * width + layer * parts + part];
      }
      const auto& map = posteriors[layer][part];
      EXPECT_TRUE(close(found, std::accumulate(map.begin(), map.end(), 0.0))) << layer << ' ' << part;
      if (expected.contains("edge_posteriors_layer_part")) {
        EXPECT_TRUE(close(found, expected.at("edge_posteriors_layer_part")[layer][part]));
      }
    }
  }
  const std::vector<double> leaves = expected_leaves(grammar);
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const std::size_t symbol = at(grammar.r_symbol(layer, word));
      const auto begin = joins.begin() + static_cast<std::ptrdiff_t>(symbol * width);
      const double sum = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(width), 1.0);
      EXPECT_TRUE(close(sum, leaves[symbol])) << sum << ' ' << leaves[symbol];
    }
  }
}

TEST_P(GoldenOrders, EdgePresencesOfAllPairsAtOnce) {
  const std::vector<double> found = edge_presences(grammar);
  ASSERT_EQ(found.size(), at(grammar.word_count()) * at(grammar.word_count()));
  if (!expected.contains("edge_presence")) {
    EXPECT_TRUE(close(found[1], edge_presence(grammar, 0, 1)));
    return;
  }
  for (std::size_t source = 0; source < at(grammar.word_count()); ++source) {
    for (std::size_t target = 0; target < at(grammar.word_count()); ++target) {
      EXPECT_TRUE(close(found[source * at(grammar.word_count()) + target],
                        expected.at("edge_presence")[source][target]));
    }
  }
}

TEST_P(GoldenOrders, SampledOrdersAgreeWithTheExactOnes) {
  if (grammar.word_count() > kMostCountedWords) {
    // Nothing exact to compare with: the same seed gives the same draws.
    const auto once = sampled_orders(grammar, 20, 3);
    const auto again = sampled_orders(grammar, 20, 3);
    EXPECT_EQ(once.back().back().probability, again.back().back().probability);
    EXPECT_THROW(distinct_orders_by_layer(grammar), UsageError);
    return;
  }
  constexpr std::int64_t kSamples = 2000;
  const auto sampled = sampled_orders(grammar, kSamples, 3);
  const auto exact = distinct_orders_by_layer(grammar);
  for (std::size_t layer = 0; layer < exact.size(); ++layer) {
    for (std::size_t word = 0; word < exact[layer].words.size(); ++word) {
      const SampledOrder& found = sampled[layer][word];
      const auto near = [&](double value, double wanted, const std::string& what) {
        // Five standard errors; the draws are the same in every run.
        const double error = std::sqrt(std::max(wanted * (1 - wanted), 0.0) / kSamples) + 1e-12;
        EXPECT_NEAR(value, wanted, 5 * error) << what << ' ' << layer + 1 << ' ' << word + 1;
      };
      near(found.simple, exact[layer].simple_mass[word], "simple");
      double mean = 0;
      for (std::size_t k = 0; k < found.probability.size(); ++k) {
        near(found.probability[k], exact[layer].words[word][k], "order");
        mean += static_cast<double>(k + 1) * exact[layer].words[word][k];
      }
      EXPECT_NEAR(found.mean, mean, 5 * std::sqrt(found.variance / kSamples) + 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenOrders, testing::ValuesIn(test::grammar_cases()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           return tested.param.substr(0, tested.param.size() - 5);
                         });

// Every derivation of a small grammar, spelled out.
struct Spelled {
  double weight;
  std::int64_t leaves;
  Part part;  // of the last rule
};
std::vector<Spelled> spell(const AttentionGrammar& grammar, std::int32_t symbol) {
  if (grammar.is_word(symbol)) {
    return {{1, 1, Part::none}};
  }
  std::vector<Spelled> all;
  for (const RuleProduct& product : grammar.products(symbol)) {
    for (const Spelled& left : spell(grammar, product.left)) {
      for (const RuleBand& band : grammar.bands(product)) {
        if (band.epsilon > 0) {
          all.push_back({band.epsilon * left.weight, left.leaves, band.part});
        }
        for (std::int32_t n = 0; n < band.count; ++n) {
          for (const Spelled& right : spell(grammar, band.tail_first + n)) {
            if (const double weight = band.weight(n); weight > 0) {
              all.push_back({weight * left.weight * right.weight, left.leaves + right.leaves, band.part});
            }
          }
        }
      }
    }
  }
  return all;
}

TEST(AllPartLeaves, AreThoseOfAllDerivationsSpelledOut) {
  const AttentionGrammar grammar(
      test::grammar_input(test::read_json("grammar_graph_transformer_T3_L3.json").at("input")));
  const AllPartLeaves found = part_leaves(grammar);
  const std::array parts = {Part::high, Part::middle1, Part::middle2};
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const std::vector<Spelled> all = spell(grammar, grammar.n_symbol(layer, word));
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const PartLeaves& order = found[at(layer - 1)][p][at(word)];
        double total = 0;
        double mean = 0;
        std::array<double, 2> in = {0, 0};
        for (const Spelled& one : all) {
          if (one.part != parts[p]) {
            continue;
          }
          total += one.weight;
          mean += one.weight * static_cast<double>(one.leaves);
          for (const BandKind kind : {BandKind::exact, BandKind::nominal}) {
            const auto band = order_band(layer, parts[p], kind);
            in[static_cast<std::size_t>(kind)] += band && band->holds(one.leaves) ? one.weight : 0;
          }
        }
        if (total == 0) {
          EXPECT_TRUE(std::isnan(order.mean));
          continue;
        }
        EXPECT_TRUE(close(order.mean, mean / total)) << layer << ' ' << word << ' ' << p;
        EXPECT_TRUE(close(order.in_exact, in[0] / total)) << layer << ' ' << word << ' ' << p;
        EXPECT_TRUE(close(order.in_nominal, in[1] / total)) << layer << ' ' << word << ' ' << p;
      }
    }
  }
}

// The bands are of joins without self entries: then all lies inside.
TEST(AllPartLeaves, WithoutSelfEntriesEverythingLiesInTheExactBand) {
  GrammarInput input;
  input.words = {"a", "b", "c", "d"};
  input.layers = 5;
  for (int layer = 0; layer < 5; ++layer) {
    std::vector<double> map(16, 1.0 / 3);
    for (std::size_t word = 0; word < 4; ++word) {
      map[word * 5] = 0;
    }
    input.attention.push_back({map, map, map});
    input.gate.push_back({0.3, 0.5, 0.7, 0.9});
  }
  const AttentionGrammar grammar(std::move(input));
  const AllPartLeaves found = part_leaves(grammar);
  bool outside_nominal = false;
  for (std::size_t layer = 0; layer < 5; ++layer) {
    for (std::size_t part = 0; part < (layer == 0 ? 1U : 4U); ++part) {
      for (const PartLeaves& order : found[layer][part]) {
        EXPECT_NEAR(order.in_exact, 1, 1e-12) << layer << ' ' << part;
        outside_nominal = outside_nominal || order.in_nominal < 0.99;
      }
    }
  }
  EXPECT_TRUE(outside_nominal);
  EXPECT_TRUE(std::isnan(found[0][1][0].in_exact));
}

TEST(SampledOrders, RefuseTooFewSamples) {
  const AttentionGrammar grammar(
      test::grammar_input(test::read_json("grammar_transformer_T3_L1.json").at("input")));
  EXPECT_THROW(sampled_orders(grammar, 1, 1), UsageError);
}

}  // namespace
}  // namespace mog::analysis

#include "analysis/mog/orders/posteriors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;
using test::close;

class GoldenPosteriors : public testing::TestWithParam<std::string> {
 protected:
  GoldenPosteriors()
      : golden(test::read_json(GetParam())),
        expected(golden.at("expected")),
        grammar(test::grammar_input(golden.at("input"))) {}
  void expect_close(const std::vector<double>& found, const json& values, const std::string& what) const {
    ASSERT_EQ(found.size(), values.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(close(found[i], values[i])) << what << " [" << i << "] " << found[i] << ' ' << values[i];
    }
  }
  json golden;
  json expected;
  AttentionGrammar grammar;
};

TEST_P(GoldenPosteriors, LeavesDistributions) {
  const LeavesDistributions found = leaves_distributions(grammar, expected.value("order_cap", 4096));
  expect_close(found.top.probability, expected.at("order_distribution_TOP"), "TOP");
  EXPECT_TRUE(close(found.top.tail, expected.value("order_tail_TOP", 0.0))) << found.top.tail;
  const bool large = expected.contains("order_distribution_last_layer");
  for (std::size_t layer = large ? found.words.size() - 1 : 0; layer < found.words.size(); ++layer) {
    const json& rows =
        large ? expected.at("order_distribution_last_layer") : expected.at("order_distribution").at(layer);
    for (std::size_t word = 0; word < rows.size(); ++word) {
      expect_close(found.words[layer][word].probability, rows[word], "R" + std::to_string(word + 1));
    }
  }
}

// The recursion of the definitions, product by product.
std::vector<std::vector<double>> plain_distributions(const AttentionGrammar& grammar, std::size_t cap) {
  std::vector<std::vector<double>> values(static_cast<std::size_t>(grammar.symbol_count()),
                                          std::vector<double>(cap + 1, 0.0));  // [symbol][leaves]
  for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
    auto& out = values[static_cast<std::size_t>(symbol)];
    out[1] = grammar.is_word(symbol) ? 1 : 0;
    for (const RuleProduct& product : grammar.products(symbol)) {
      std::vector<double> right(cap + 1, 0.0);
      for (const RuleBand& band : grammar.bands(product)) {
        right[0] += band.epsilon;
        for (std::int32_t n = 0; n < band.count; ++n) {
          for (std::size_t k = 1; k <= cap; ++k) {
            right[k] += band.weight(n) * values[static_cast<std::size_t>(band.tail_first + n)][k];
          }
        }
      }
      for (std::size_t i = 0; i <= cap; ++i) {
        const double left = product.left == AttentionGrammar::kUnit
                                ? (i == 0 ? 1 : 0)
                                : values[static_cast<std::size_t>(product.left)][i];
        for (std::size_t j = 0; left > 0 && i + j <= cap; ++j) {
          out[i + j] += left * right[j];
        }
      }
    }
  }
  return values;
}

AttentionGrammar random_grammar(GrammarKind kind, std::int64_t layers, std::size_t words) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(0.05, 1);
  GrammarInput input;
  input.kind = kind;
  input.layers = layers;
  for (std::size_t word = 0; word < words; ++word) {
    input.words.push_back("w" + std::to_string(word));
  }
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    auto& maps = input.attention.emplace_back();
    for (int part = 0; part < (kind == GrammarKind::attention ? 1 : 3); ++part) {
      auto& map = maps.emplace_back(words * words);
      for (std::size_t row = 0; row < words; ++row) {
        double sum = 0;
        for (std::size_t n = 0; n < words; ++n) {
          sum += map[row * words + n] = std::pow(number(random), 4);
        }
        for (std::size_t n = 0; n < words; ++n) {
          map[row * words + n] /= sum;
        }
      }
    }
    auto& numbers = (kind == GrammarKind::attention ? input.rho : input.gate).emplace_back(words);
    std::generate(numbers.begin(), numbers.end(), [&] { return number(random); });
  }
  return AttentionGrammar(std::move(input));
}

TEST(LeavesDistributions, EqualTheDirectProductsForAllOrdersOfTwelveLayers) {
  for (const GrammarKind kind : {GrammarKind::order_groups, GrammarKind::attention}) {
    const AttentionGrammar grammar = random_grammar(kind, 12, 3);
    for (const std::size_t cap : {std::size_t{4096}, std::size_t{700}}) {
      const auto plain = plain_distributions(grammar, cap);
      const LeavesDistributions found = leaves_distributions(grammar, static_cast<std::int64_t>(cap));
      for (std::int64_t layer = 1; layer <= 12; ++layer) {
        for (std::int32_t word = 0; word < 3; ++word) {
          const auto& of_word =
              found.words[static_cast<std::size_t>(layer - 1)][static_cast<std::size_t>(word)];
          const auto& expected = plain[static_cast<std::size_t>(grammar.r_symbol(layer, word))];
          double sum = of_word.tail;
          for (std::size_t k = 1; k <= cap; ++k) {
            const double value = k <= of_word.probability.size() ? of_word.probability[k - 1] : 0;
            sum += value;
            ASSERT_GE(value, 0);
            ASSERT_NEAR(value, expected[k], 1e-15) << layer << ' ' << k;
            if (k <= 64) {  // these have relative precision too
              ASSERT_NEAR(value, expected[k], 1e-12 * expected[k]) << layer << ' ' << k;
            }
          }
          EXPECT_NEAR(sum, 1, 1e-12);
        }
      }
    }
  }
}

TEST(LeavesDistributions, MeansAreTheExpectedLeaves) {
  const AttentionGrammar grammar = random_grammar(GrammarKind::order_groups, 11, 9);
  const LeavesDistributions found = leaves_distributions(grammar, 2048);
  double mean = 0;
  for (std::size_t k = 0; k < found.top.probability.size(); ++k) {
    mean += static_cast<double>(k + 1) * found.top.probability[k];
  }
  EXPECT_EQ(found.top.tail, 0);
  EXPECT_NEAR(mean, expected_leaves(grammar).back(), 1e-10 * mean);
}

// One layer above another, to the last bit, also where the cap cuts.
TEST(LeavesDistributions, LayersGoOnFromThoseBelow) {
  for (const std::int64_t cap : {4, 64, 300}) {
    const AttentionGrammar whole = random_grammar(GrammarKind::attention, 9, 7);
    const std::vector<double> all = expected_leaves(whole);
    const LeavesDistributions distributions = leaves_distributions(whole, cap);
    std::vector<double> mean;
    std::vector<LeavesDistribution> masses;
    for (std::int64_t layer = 1; layer <= whole.layers(); ++layer) {
      const auto l = static_cast<std::size_t>(layer - 1);
      GrammarInput input{.kind = GrammarKind::attention, .words = whole.words(), .layers = 1};
      input.attention = {whole.input().attention[l]};
      input.rho = {whole.input().rho[l]};
      const AttentionGrammar one(std::move(input));
      const std::vector<double> leaves = expected_leaves(one, mean);
      masses = leaves_distributions(one, cap, {}, masses).words.front();
      mean.assign(leaves.begin() + one.r_symbol(1, 0), leaves.begin() + one.top_symbol());
      for (std::int32_t word = 0; word < whole.word_count(); ++word) {
        const auto w = static_cast<std::size_t>(word);
        EXPECT_EQ(mean[w], all[static_cast<std::size_t>(whole.r_symbol(layer, word))]);
        EXPECT_EQ(masses[w].probability, distributions.words[l][w].probability) << cap << ' ' << layer;
        EXPECT_EQ(masses[w].tail, distributions.words[l][w].tail);
      }
    }
  }
}

TEST(LeavesDistributions, OnlyOneLayerGoesOnFromThoseBelow) {
  const AttentionGrammar one = random_grammar(GrammarKind::attention, 1, 3);
  EXPECT_THROW(expected_leaves(one, std::vector<double>(2, 1.0)), ShapeError);
  EXPECT_THROW(leaves_distributions(one, 8, {}, std::vector<LeavesDistribution>(4)), ShapeError);
  const AttentionGrammar two = random_grammar(GrammarKind::attention, 2, 3);
  EXPECT_THROW(expected_leaves(two, std::vector<double>(3, 1.0)), ShapeError);
  const AttentionGrammar groups = random_grammar(GrammarKind::order_groups, 1, 3);
  EXPECT_THROW(expected_leaves(groups, std::vector<double>(3, 1.0)), ShapeError);
}

TEST_P(GoldenPosteriors, ExpectedOrders) {
  const std::vector<double> found = expected_leaves(grammar);
  EXPECT_TRUE(close(found.back(), expected.at("expected_order_TOP")));
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      EXPECT_TRUE(close(found[static_cast<std::size_t>(grammar.r_symbol(layer, word))],
                        expected.at("expected_order")
                            .at(static_cast<std::size_t>(layer - 1))
                            .at(static_cast<std::size_t>(word))));
    }
  }
}

TEST_P(GoldenPosteriors, DistinctOrdersAndSimpleMass) {
  if (grammar.word_count() > 12) {
    EXPECT_THROW(distinct_orders_by_layer(grammar), UsageError);
    return;
  }
  const DistinctOrders found = distinct_orders_by_layer(grammar).back();
  // The files cut trailing zeros.
  const auto padded = [&](json values) {
    while (static_cast<std::int32_t>(values.size()) < grammar.word_count()) {
      values.push_back(0.0);
    }
    return values;
  };
  expect_close(found.top, padded(expected.at("distinct_order_distribution_TOP")), "TOP");
  expect_close(found.simple_mass, expected.at("simple_mass"), "simple");
  EXPECT_TRUE(close(found.simple_mass_top, expected.at("simple_mass_TOP")));
  for (std::size_t word = 0; word < found.words.size(); ++word) {
    expect_close(found.words[word], padded(expected.at("distinct_order_distribution").at(word)), "R");
  }
}

TEST_P(GoldenPosteriors, Outside) {
  const std::vector<double> found = outside(grammar);
  const auto at = [&](std::int32_t symbol) { return found[static_cast<std::size_t>(symbol)]; };
  for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
    const auto w = static_cast<std::size_t>(word);
    EXPECT_TRUE(close(at(word), expected.at("outside_word").at(w))) << word;
    for (std::int64_t layer = 1; layer <= grammar.layers() && expected.contains("outside_R"); ++layer) {
      const auto l = static_cast<std::size_t>(layer - 1);
      EXPECT_TRUE(close(at(grammar.r_symbol(layer, word)), expected.at("outside_R").at(l).at(w)))
          << layer << ' ' << word;
      if (expected.contains("outside_N")) {
        EXPECT_TRUE(close(at(grammar.n_symbol(layer, word)), expected.at("outside_N").at(l).at(w)))
            << layer << ' ' << word;
      }
    }
  }
}

TEST_P(GoldenPosteriors, Edges) {
  const EdgePosteriors found = edge_posteriors(grammar);
  if (expected.contains("edge_posteriors")) {
    for (std::size_t l = 0; l < found.size(); ++l) {
      for (std::size_t p = 0; p < found[l].size(); ++p) {
        expect_close(found[l][p], json(test::flat(expected.at("edge_posteriors").at(l).at(p))), "edges");
      }
    }
  } else {
    expect_close(summed(found), json(test::flat(expected.at("edge_posteriors_summed"))), "summed");
    for (std::size_t l = 0; l < found.size(); ++l) {
      for (std::size_t p = 0; p < found[l].size(); ++p) {
        EXPECT_TRUE(close(std::accumulate(found[l][p].begin(), found[l][p].end(), 0.0),
                          expected.at("edge_posteriors_layer_part").at(l).at(p)));
      }
    }
  }
  const std::vector<double> sum = summed(found);
  EXPECT_NEAR(1 + std::accumulate(sum.begin(), sum.end(), 0.0), expected_leaves(grammar).back(),
              1e-9 * expected_leaves(grammar).back());
}

TEST_P(GoldenPosteriors, EdgePresence) {
  if (!expected.contains("edge_presence")) {
    EXPECT_GE(edge_presence(grammar, 0, 1), 0);
    return;
  }
  for (std::int32_t m = 0; m < grammar.word_count(); ++m) {
    for (std::int32_t n = 0; n < grammar.word_count(); ++n) {
      EXPECT_TRUE(
          close(edge_presence(grammar, m, n),
                expected.at("edge_presence").at(static_cast<std::size_t>(m)).at(static_cast<std::size_t>(n))))
          << m << ' ' << n << ' ' << edge_presence(grammar, m, n);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenPosteriors, testing::ValuesIn(test::grammar_cases()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           return tested.param.substr(0, tested.param.size() - 5);
                         });

}  // namespace
}  // namespace mog::analysis

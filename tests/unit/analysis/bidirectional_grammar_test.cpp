// The attention grammar of encoders that read in two directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/search/best_by_leaves.h"
#include "analysis/mog/search/k_best.h"
#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

std::vector<std::string> words_of(std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t word = 0; word < count; ++word) {
    words.push_back("w" + std::to_string(word + 1));
  }
  return words;
}

GrammarInput random_input(std::size_t words, std::int64_t layers, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return (static_cast<double>(random() % 65536U) + 0.5) / 65536; };
  GrammarInput input{.kind = GrammarKind::two_directions, .words = words_of(words), .layers = layers};
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (auto* const values :
         {&input.z, &input.sigma_h, &input.z_backward, &input.sigma_backward, &input.forward_share}) {
      values->emplace_back(words);
      std::generate(values->back().begin(), values->back().end(), uniform);
    }
  }
  return input;
}

GrammarInput one_direction(const GrammarInput& input, bool forward) {
  GrammarInput result = input;
  for (auto& shares : result.forward_share) {
    std::fill(shares.begin(), shares.end(), forward ? 1.0 : 0.0);
  }
  result.top_forward = forward ? 1 : 0;
  return result;
}

// A unidirectional encoder that reads the sentence from its last word to its first.
GrammarInput turned(const GrammarInput& input) {
  GrammarInput result{.kind = GrammarKind::recurrence, .words = input.words, .layers = input.layers};
  std::reverse(result.words.begin(), result.words.end());
  result.z = input.z_backward;
  result.sigma_h = input.sigma_backward;
  for (auto* const rows : {&result.z, &result.sigma_h}) {
    for (auto& row : *rows) {
      std::reverse(row.begin(), row.end());
    }
  }
  return result;
}

GrammarInput forward_alone(const GrammarInput& input) {
  GrammarInput result{.kind = GrammarKind::recurrence, .words = input.words, .layers = input.layers};
  result.z = input.z;
  result.sigma_h = input.sigma_h;
  return result;
}

// Every expression of a goal with its mass; two grammars agree when these do.
std::map<std::string, double> masses(const AttentionGrammar& grammar, const Goal& goal) {
  KBest best(grammar, {.limit = 1'000'000});
  const KBestList list = best.list(goal, 1'000'000);
  EXPECT_TRUE(list.exhausted);
  std::map<std::string, double> result;
  for (const KBestEntry& entry : list.entries) {
    result[best.text(entry)] = entry.mass;
  }
  return result;
}

void expect_same(const std::map<std::string, double>& found, const std::map<std::string, double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [text, mass] : expected) {
    ASSERT_TRUE(found.contains(text)) << text;
    EXPECT_NEAR(found.at(text), mass, 1e-12) << text;
  }
}

TEST(BidirectionalGrammar, RulesOfTwoWordsByHand) {
  GrammarInput input{.kind = GrammarKind::two_directions, .words = {"a", "b"}, .layers = 1};
  input.z = {{0.9, 0.5}};
  input.sigma_h = {{0.7, 0.25}};  // of the first step nothing is looked at
  input.z_backward = {{0.8, 0.9}};
  input.sigma_backward = {{0.5, 0.7}};  // here of the last
  input.forward_share = {{0.75, 0.5}};
  input.top_forward = 0.25;
  EXPECT_EQ(AttentionGrammar(input).dump(),
            "F[1,1] -> word 1  1\n"
            "F[1,2] -> F[1,1]  0.5\n"
            "F[1,2] -> word 2  0.375  fw\n"
            "F[1,2] -> word 2 F[1,1]  0.125  fw\n"
            "B[1,2] -> word 2  1\n"
            "B[1,1] -> B[1,2]  0.19999999999999996\n"
            "B[1,1] -> word 1  0.4  bw\n"
            "B[1,1] -> word 1 B[1,2]  0.4  bw\n"
            "R[1,1] -> F[1,1]  0.75\n"
            "R[1,1] -> B[1,1]  0.25\n"
            "R[1,2] -> F[1,2]  0.5\n"
            "R[1,2] -> B[1,2]  0.5\n"
            "TOP -> F[1,2]  0.25\n"
            "TOP -> B[1,1]  0.75\n");
}

TEST(BidirectionalGrammar, EverySymbolDerivesSomethingWithMassOne) {
  for (const std::size_t words : {1U, 2U, 5U, 9U}) {
    const AttentionGrammar grammar(random_input(words, 3, 7));
    const std::vector<double> inside = grammar.inside();
    EXPECT_EQ(static_cast<std::int32_t>(inside.size()), grammar.symbol_count());
    for (const double mass : inside) {
      EXPECT_NEAR(mass, 1.0, 1e-12);
    }
    for (std::int32_t symbol = 0; symbol < grammar.top_symbol(); ++symbol) {
      const std::string text = grammar.symbol_text(symbol);
      const std::string end =
          std::to_string(grammar.word_of(symbol) + 1) + (symbol < grammar.word_count() ? "" : "]");
      EXPECT_TRUE(text.ends_with(end)) << text;
    }
    EXPECT_EQ(grammar.layer_of(grammar.top_symbol()), 4);
  }
}

TEST(BidirectionalGrammar, ADirectionAloneIsAUnidirectionalEncoder) {
  const GrammarInput input = random_input(4, 2, 3);
  const AttentionGrammar forward(one_direction(input, true));
  const AttentionGrammar plain(forward_alone(input));
  const AttentionGrammar backward(one_direction(input, false));
  const AttentionGrammar mirrored(turned(input));
  expect_same(masses(forward, Goal::top()), masses(plain, Goal::top()));
  expect_same(masses(backward, Goal::top()), masses(mirrored, Goal::top()));
  for (std::int32_t word = 0; word < 4; ++word) {
    expect_same(masses(forward, Goal::of_word(2, word)), masses(plain, Goal::of_word(2, word)));
    expect_same(masses(backward, Goal::of_word(2, word)), masses(mirrored, Goal::of_word(2, 3 - word)));
  }
}

TEST(BidirectionalGrammar, AJoinedStateIsTheMixtureOfItsHalves) {
  const GrammarInput input = random_input(4, 1, 5);
  const AttentionGrammar both(input);
  const AttentionGrammar forward(one_direction(input, true));
  const AttentionGrammar backward(one_direction(input, false));
  for (std::int32_t word = 0; word < 4; ++word) {
    const double share = input.forward_share[0][static_cast<std::size_t>(word)];
    std::map<std::string, double> expected;
    for (const auto& [text, mass] : masses(forward, Goal::of_word(1, word))) {
      expected[text] += share * mass;
    }
    for (const auto& [text, mass] : masses(backward, Goal::of_word(1, word))) {
      expected[text] += (1 - share) * mass;
    }
    expect_same(masses(both, Goal::of_word(1, word)), expected);
  }
}

// What layer 2 reads holds words of both sides: no single direction makes this.
TEST(BidirectionalGrammar, UpperLayersReachBothSides) {
  const AttentionGrammar grammar(random_input(3, 2, 11));
  BestByLeaves best(grammar, 3);
  const std::vector<double> leaves = expected_leaves(grammar);
  bool both = false;
  for (const auto& [text, mass] : masses(grammar, Goal::of_word(2, 1))) {
    both = both || (mass > 0 && text.find("w1") != std::string::npos && text.find("w3") != std::string::npos);
  }
  EXPECT_TRUE(both);
  EXPECT_TRUE(best.best(Goal::of_word(2, 1), 3).has_value());
  EXPECT_GT(leaves[static_cast<std::size_t>(grammar.r_symbol(2, 1))], 1.0);
}

TEST(BidirectionalGrammar, PosteriorsAddUpToTheLeavesByDirection) {
  const AttentionGrammar grammar(random_input(5, 2, 13));
  const std::vector<double> leaves = expected_leaves(grammar);
  const EdgePosteriors edges = edge_posteriors(grammar);
  ASSERT_EQ(edges.front().size(), 2U);  // forward and backward
  double sum = 0;
  for (const double edge : summed(edges)) {
    sum += edge;
  }
  EXPECT_NEAR(leaves[static_cast<std::size_t>(grammar.top_symbol())], 1 + sum, 1e-12);
  // In layer 1 a forward join is made by a later word, a backward one by an earlier word.
  for (std::size_t source = 0; source < 5; ++source) {
    for (std::size_t target = 0; target < 5; ++target) {
      if (source <= target) {
        EXPECT_EQ(edges[0][0][source * 5 + target], 0) << source << target;
      }
      if (source >= target) {
        EXPECT_EQ(edges[0][1][source * 5 + target], 0) << source << target;
      }
    }
  }
  const std::vector<double> joins = expected_joins(grammar);
  double of_top = 0;
  for (std::size_t column = 0; column < 4; ++column) {
    of_top += joins[static_cast<std::size_t>(grammar.top_symbol()) * 4 + column];
  }
  EXPECT_NEAR(of_top, sum, 1e-12);
  for (const double presence : edge_presences(grammar)) {
    EXPECT_GE(presence, 0.0);
    EXPECT_LE(presence, 1.0);
  }
}

TEST(BidirectionalGrammar, WhatIsMissingIsNamed) {
  const auto refused = [](auto&& change, const char* word) {
    GrammarInput input = random_input(3, 2, 1);
    change(input);
    try {
      const AttentionGrammar grammar(std::move(input));
      ADD_FAILURE() << word;
    } catch (const GrammarError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused([](GrammarInput& input) { input.z_backward.pop_back(); }, "z_backward");
  refused([](GrammarInput& input) { input.sigma_backward[1][0] = 1.5; }, "sigma_backward layer 2 word 1");
  refused([](GrammarInput& input) { input.forward_share[0][2] = -0.1; }, "forward_share layer 1 word 3");
  refused([](GrammarInput& input) { input.top_forward = 2; }, "top_forward");
}

}  // namespace
}  // namespace mog::analysis

#include "analysis/mog/grammar/attention_grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;
using test::close;

class GoldenGrammar : public testing::TestWithParam<std::string> {
 protected:
  GoldenGrammar() : golden(test::read_json(GetParam())), grammar(test::grammar_input(golden.at("input"))) {}
  json golden;
  AttentionGrammar grammar;
};

TEST_P(GoldenGrammar, InsideMassOfEverySymbolIsOne) {
  const std::vector<double> inside = grammar.inside();
  ASSERT_EQ(static_cast<std::int32_t>(inside.size()), grammar.symbol_count());
  for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
    EXPECT_NEAR(inside[static_cast<std::size_t>(symbol)],
                golden.at("expected").at("inside_total").get<double>(), 1e-9)
        << grammar.symbol_text(symbol);
  }
}

// Derivations of positive weight, [symbol], as natural logarithms (they exceed doubles early).
std::vector<double> log_derivation_counts(const AttentionGrammar& grammar) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const auto log_add = [](double a, double b) {
    const double high = std::max(a, b);
    return high == none ? none : high + std::log1p(std::exp(std::min(a, b) - high));
  };
  std::vector<double> count(static_cast<std::size_t>(grammar.symbol_count()), none);
  for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
    double total = grammar.is_word(symbol) ? 0 : none;
    for (const RuleProduct& product : grammar.products(symbol)) {
      double right = none;
      for (const RuleBand& band : grammar.bands(product)) {
        if (band.epsilon > 0) {
          right = log_add(right, 0);
        }
        for (std::int32_t n = 0; n < band.count; ++n) {
          if (band.weight(n) > 0) {
            right = log_add(right, count[static_cast<std::size_t>(band.tail_first + n)]);
          }
        }
      }
      const double left =
          product.left == AttentionGrammar::kUnit ? 0 : count[static_cast<std::size_t>(product.left)];
      total = log_add(total, left + right);
    }
    count[static_cast<std::size_t>(symbol)] = total;
  }
  return count;
}

// Rules of positive weight, TOP's included.
std::int64_t rule_count(const AttentionGrammar& grammar) {
  const std::string rules = grammar.dump();
  return std::count(rules.begin(), rules.end(), '\n');
}

TEST_P(GoldenGrammar, DerivationCounts) {
  const std::vector<double> logs = log_derivation_counts(grammar);
  const json& expected = golden.at("expected");
  if (expected.contains("derivation_count_log10_TOP")) {
    EXPECT_TRUE(close(logs.back() / std::log(10.0), expected.at("derivation_count_log10_TOP")));
    return;
  }
  const auto number = [](const json& value) {
    return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
  };
  const json& counts = expected.at("derivation_count");
  EXPECT_NEAR(logs.back(), std::log(number(counts.at("TOP"))), 1e-9);
  for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
    const std::int32_t symbol = grammar.r_symbol(grammar.layers(), word);
    EXPECT_NEAR(logs[static_cast<std::size_t>(symbol)],
                std::log(number(counts.at("R").at(static_cast<std::size_t>(word)))), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenGrammar, testing::ValuesIn(test::grammar_cases()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           return tested.param.substr(0, tested.param.size() - 5);
                         });

TEST(AttentionGrammar, RefusesInvalidInputsNamingThePlace) {
  const json golden = test::read_json("invalid_inputs.json");
  for (const json& tested : golden.at("cases")) {
    const std::string place = tested.at("place");
    try {
      const AttentionGrammar grammar(test::grammar_input(tested.at("input")));
      ADD_FAILURE() << "accepted: " << place;
    } catch (const GrammarError& error) {
      EXPECT_EQ(name(error.reason()), tested.at("class")) << error.what();
      EXPECT_EQ(error.place(), place);
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  }
}

TEST(AttentionGrammar, RefusesWhatIsNotANumber) {
  GrammarInput input{.kind = GrammarKind::attention, .words = {"a", "b"}, .layers = 1};
  input.attention = {{{.5, .5, std::nan(""), .5}}};
  try {
    const AttentionGrammar grammar(std::move(input));
    ADD_FAILURE();
  } catch (const GrammarError& error) {
    EXPECT_EQ(error.reason(), GrammarError::Reason::not_finite);
    EXPECT_EQ(error.place(), "attention layer 1 part f row 2 column 1");
  }
}

TEST(AttentionGrammar, RenormalisesSmallMisses) {
  GrammarInput input{.kind = GrammarKind::attention, .words = {"a", "b"}, .layers = 1};
  input.attention = {{{.5, .5005, .3, .7}}};
  input.top = {.5, .4995};
  const AttentionGrammar grammar(std::move(input));
  EXPECT_DOUBLE_EQ(grammar.input().attention[0][0][1], .5005 / 1.0005);
  EXPECT_NEAR(grammar.inside().back(), 1, 1e-15);
}

TEST(AttentionGrammar, RulesAsText) {
  GrammarInput input{.kind = GrammarKind::order_groups, .words = {"a", "b"}, .layers = 1};
  input.attention = {{{.25, .75, 0, 1}, {}, {}}};
  input.gate = {{.5, 1}};
  const AttentionGrammar grammar(std::move(input));
  EXPECT_EQ(grammar.dump(),
            "N[1,1] -> word 1  0.25  h\n"
            "N[1,1] -> word 1 word 2  0.75  h\n"
            "N[1,2] -> word 2  1  h\n"
            "R[1,1] -> word 1  0.5\n"
            "R[1,1] -> N[1,1]  0.5\n"
            "R[1,2] -> N[1,2]  1\n"
            "TOP -> R[1,1]  0.5\n"
            "TOP -> R[1,2]  0.5\n");
  EXPECT_EQ(rule_count(grammar), 8);
}

// counts.json: rules (all positive, TOP included) and derivations of R[L,T].
TEST(AttentionGrammar, RuleAndDerivationCountsOfFullGrammars) {
  const json counts = test::read_json("counts.json").at("grammar_derivations");
  int tested = 0;
  for (const json& row : counts) {
    GrammarInput input;
    input.kind = parse_grammar_kind(row.at("kind").get<std::string>());
    input.layers = row.at("layers");
    const auto layers = static_cast<std::size_t>(input.layers);
    const auto words = row.at("words").get<std::size_t>();
    input.words.assign(words, "w");
    const std::vector<double> map(words * words, 1.0 / static_cast<double>(words));
    const std::vector<double> half(words, 0.5);
    if (input.kind == GrammarKind::order_groups) {
      input.attention.assign(layers, {map, map, map});
      input.gate.assign(layers, half);
    } else if (input.kind == GrammarKind::attention) {
      input.attention.assign(layers, {map});
    } else {
      input.z.assign(layers, half);
      input.sigma_h.assign(layers, half);
      input.top.assign(words, 1.0 / static_cast<double>(words));
    }
    const AttentionGrammar grammar(std::move(input));
    EXPECT_EQ(rule_count(grammar), row.at("rules").get<std::int64_t>()) << row;
    const double count = log_derivation_counts(
        grammar)[static_cast<std::size_t>(grammar.r_symbol(grammar.layers(), grammar.word_count() - 1))];
    const std::string text = row.at("derivations_of_last_word");
    const double expected =
        std::log(std::stod("0." + text)) + static_cast<double>(text.size()) * std::log(10.0);
    EXPECT_NEAR(count, expected, 1e-9 * std::max(1.0, expected)) << row;
    ++tested;
  }
  EXPECT_GT(tested, 0);
}

}  // namespace
}  // namespace mog::analysis

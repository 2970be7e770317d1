#include "analysis/mog/search/best_by_leaves.h"

#include <gtest/gtest.h>

#include "analysis/mog/graph_files/export.h"
#include "analysis/mog/search/best_projective.h"
#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

class GoldenByLeaves : public testing::TestWithParam<std::string> {};

void expect_best(BestByLeaves& best, const Goal& goal, const json& expected, const std::string& what) {
  for (std::size_t k = 1; k <= expected.size(); ++k) {
    const std::optional<Derivation> found = best.best(goal, static_cast<std::int64_t>(k));
    const json& row = expected[k - 1];
    ASSERT_EQ(found.has_value(), !row.is_null()) << what << ' ' << k;
    if (found) {
      EXPECT_TRUE(test::close(found->entry.weight, row.at("weight")))
          << what << ' ' << k << ' ' << found->entry.weight;
      EXPECT_EQ(found->text, row.at("expression")) << what << ' ' << k;
      EXPECT_EQ(found->entry.leaves, static_cast<std::int64_t>(k));
      EXPECT_EQ(found->nodes.size(), 2 * k - 1);
    }
  }
}

TEST_P(GoldenByLeaves, Lists) {
  const json golden = test::read_json(GetParam());
  const json& expected = golden.at("expected");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  BestByLeaves best(grammar, static_cast<std::int64_t>(expected.at("best_by_order_TOP").size()));
  expect_best(best, Goal::top(), expected.at("best_by_order_TOP"), "TOP");
  if (expected.contains("best_by_order_R")) {
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      expect_best(best, Goal::of_word(grammar.layers(), word),
                  expected.at("best_by_order_R").at(static_cast<std::size_t>(word)),
                  "R" + std::to_string(word + 1));
    }
  }
}

TEST_P(GoldenByLeaves, ProjectiveTreesOfTheWholeSentence) {
  const json golden = test::read_json(GetParam());
  const json& expected = golden.at("expected");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  BestProjective best(grammar);
  const auto expect = [&](const Goal& goal, const json& row) {
    const std::optional<Derivation> found = best.best(goal);
    ASSERT_EQ(found.has_value(), !row.is_null());
    if (found) {
      EXPECT_TRUE(test::close(found->entry.weight, row.at("weight"))) << found->entry.weight << ' ' << row;
      EXPECT_EQ(found->text, row.at("expression"));
      EXPECT_TRUE(found->entry.simple);
      EXPECT_EQ(found->entry.order, grammar.word_count());
    }
  };
  if (!expected.contains("best_projective_full_TOP")) {  // the large cases
    const std::optional<Derivation> found = best.best(Goal::top());
    EXPECT_TRUE(!found || found->entry.leaves == grammar.word_count());
    return;
  }
  expect(Goal::top(), expected.at("best_projective_full_TOP"));
  for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
    expect(Goal::of_word(grammar.layers(), word),
           expected.at("best_projective_full").at(static_cast<std::size_t>(word)));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenByLeaves, testing::ValuesIn(test::grammar_cases()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           return tested.param.substr(0, tested.param.size() - 5);
                         });

TEST(BestProjective, SpansAndLimits) {
  const json golden = test::read_json("worked_example.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  BestProjective best(grammar);
  const std::optional<Derivation> pair = best.best(Goal::of_word(2, 0), 0, 1);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->text, "(a)->a U (b)->b");
  EXPECT_TRUE(test::close(pair->entry.weight, .09));
  EXPECT_FALSE(best.best(Goal::of_word(2, 0), 1, 2));  // what a owns holds a
  EXPECT_THROW(best.best(Goal::top(), 0, 3), UsageError);
}

TEST(BestByLeaves, LimitsAndForest) {
  const json golden = test::read_json("worked_example.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  EXPECT_THROW(BestByLeaves(grammar, 0), UsageError);
  BestByLeaves best(grammar, 9);
  EXPECT_FALSE(best.best(Goal::top(), 10));
  EXPECT_FALSE(best.best(Goal::top(), 5));  // two layers make at most 4 leaves
  const std::vector<std::optional<Derivation>> all = best.all(Goal::of_word(2, 0));
  ASSERT_EQ(all.size(), 9U);
  std::vector<Derivation> found;
  for (const auto& derivation : all) {
    if (derivation) {
      found.push_back(*derivation);
    }
  }
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[2].annotated, "((a)->a U[l=1;part=h] (b)->b)->a U[l=2;part=m1] (c)->c");
  const Forest forest = make_forest(grammar, goal_text(Goal::of_word(2, 0)), found);
  EXPECT_EQ(boost::num_vertices(forest), 1U + 3U + 5U + 7U);
  EXPECT_EQ(export_forest(forest, GraphFormat::text).substr(0, 7), "R[2,1]:");
}

}  // namespace
}  // namespace mog::analysis

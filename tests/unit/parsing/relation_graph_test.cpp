#include "analysis/parsing/relation_graph.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/parsing/transition_system.h"
#include "io/recording/errors.h"
#include "tests/unit/parsing/forests.h"

namespace mog::analysis {
namespace {

using Arcs = std::vector<GraphArc>;

TEST(RelationGraph, NumbersBothDirections) {
  // Of five labels; the third word has no head yet.
  const PartialTree tree{{2, 0, kNoHead}, {4, 1, kNoLabel}};
  EXPECT_EQ(relation_graph(tree, {5}), (Arcs{{0, 2, 7}, {1, 2, 5}, {2, 0, 2}, {2, 1, 10}}));
  EXPECT_EQ(relation_graph({{2, 0, kNoHead}, {}}, {}), (Arcs{{0, 2, 2}, {1, 2, 1}, {2, 0, 1}, {2, 1, 2}}));
  EXPECT_EQ(RelationNumbers{5}.relations(), 11);
  EXPECT_EQ(RelationNumbers{}.relations(), 3);
}

TEST(RelationGraph, ComesBackFromEveryForest) {
  for (std::int32_t words = 0; words <= 5; ++words) {
    test::for_each_forest(words, [&](const std::vector<std::int32_t>& heads) {
      PartialTree tree{heads, {}};
      ASSERT_EQ(tree_of_graph(relation_graph(tree, {}), words, {}), tree);
      for (std::int32_t word = 0; word < words; ++word) {
        tree.labels.push_back((3 * word + heads[static_cast<std::size_t>(word)]) % 4);
      }
      if (words > 0) {
        tree.heads.back() = kNoHead;
        tree.labels.back() = kNoLabel;
      }
      ASSERT_EQ(tree_of_graph(relation_graph(tree, {4}), words, {4}), tree);
    });
  }
}

TEST(RelationGraph, DropsWordsThatAreEachOthersHeads) {
  PartialTree tree{{2, 1, 1, 3}, {0, 1, 2, 3}};
  EXPECT_THROW(relation_graph(tree, {4}), FormatError);
  EXPECT_EQ(drop_two_cycles(tree), 1);
  EXPECT_EQ(tree, (PartialTree{{kNoHead, kNoHead, 1, 3}, {kNoLabel, kNoLabel, 2, 3}}));
  EXPECT_EQ(relation_graph(tree, {4}).size(), 4U);
  PartialTree round{{2, 3, 1}, {}};  // a longer cycle says nothing twice
  EXPECT_EQ(drop_two_cycles(round), 0);
  EXPECT_EQ(relation_graph(round, {}).size(), 6U);
}

TEST(RelationGraph, RefusesTreesThatAreNone) {
  EXPECT_THROW(relation_graph({{3, 0}, {}}, {}), FormatError);
  EXPECT_THROW(relation_graph({{1}, {}}, {}), FormatError);
  EXPECT_THROW(relation_graph({{-2}, {}}, {}), FormatError);
  EXPECT_THROW(relation_graph({{0}, {5}}, {5}), FormatError);
  EXPECT_THROW(relation_graph({{0}, {}}, {5}), FormatError);
  EXPECT_THROW(relation_graph({{0}, {1}}, {}), FormatError);
}

std::string refusal(const Arcs& arcs) {
  try {
    tree_of_graph(arcs, 3, {2});
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(RelationGraph, RefusesContradictions) {
  EXPECT_EQ(refusal({{1, 2, 1}, {2, 1, 3}}), "");
  EXPECT_NE(refusal({{1, 4, 1}}).find("vertices from 0 to 3"), std::string::npos);
  EXPECT_NE(refusal({{1, 1, 1}}).find("two different vertices"), std::string::npos);
  EXPECT_NE(refusal({{1, 2, 5}}).find("a relation from 1 to 4"), std::string::npos);
  EXPECT_NE(refusal({{1, 2, 0}}).find("a relation from 1 to 4"), std::string::npos);
  EXPECT_NE(refusal({{1, 2, 1}, {1, 2, 2}}).find("a relation already"), std::string::npos);
  EXPECT_NE(refusal({{1, 2, 1}}).find("has relation 0, expected 3"), std::string::npos);
  EXPECT_NE(refusal({{1, 2, 1}, {2, 1, 4}}).find("has relation 4, expected 3"), std::string::npos);
  EXPECT_NE(refusal({{1, 2, 1}, {2, 1, 3}, {1, 3, 2}, {3, 1, 4}}).find("word 1 has the head 2 already"),
            std::string::npos);
  EXPECT_NE(refusal({{0, 2, 1}, {2, 0, 3}}).find("the root has a head"), std::string::npos);
}

}  // namespace
}  // namespace mog::analysis

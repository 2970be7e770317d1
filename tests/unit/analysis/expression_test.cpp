#include "analysis/mog/expressions/expression.h"

#include <gtest/gtest.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

Expression pair(std::int32_t source, std::int32_t target) {
  return Expression::join(Expression::atom(source), source, Expression::atom(target), target);
}

// MoG paper, Figure 1(a) "Do do Romans the as": edges of order 2, 3, 2, 5.
Expression figure_1a() {
  const Expression left = Expression::join(pair(0, 1), 1, pair(2, 3), 2);
  return Expression::join(left, 1, Expression::atom(4), 4);
}

TEST(Expression, EdgesAreTuplesInPostOrder) {
  // ((a->b)->a ∪ ((b->c))->c): the word b stands in both operands.
  const Expression e = Expression::join(pair(0, 1), 0, pair(1, 2), 2);
  const std::vector<MogEdge> edges = e.edges();
  ASSERT_EQ(edges.size(), 3U);
  EXPECT_EQ(edges[0], (MogEdge{1, 0, 1, 0, 1, 2, 2, 1}));
  EXPECT_EQ(edges[1], (MogEdge{2, 1, 2, 1, 3, 4, 2, 1}));
  EXPECT_EQ(edges[2], (MogEdge{3, 0, 2, 2, 4, 5, 3, 2}));
  EXPECT_EQ(e.order(), 3);
  EXPECT_EQ(e.leaves(), 4);
  EXPECT_EQ(e.depth(), 2);
  EXPECT_EQ(e.kind(), 2);
  EXPECT_FALSE(e.simple());
  EXPECT_FALSE(e.owner_anchored());  // the right operand is owned by b
  EXPECT_EQ(e.owner(), 0);
}

TEST(Expression, FigureOne) {
  const Expression e = figure_1a();
  std::vector<std::int32_t> orders;
  for (const MogEdge& edge : e.edges()) {
    orders.push_back(edge.order);
  }
  EXPECT_EQ(orders, (std::vector<std::int32_t>{2, 2, 4, 5}));
  EXPECT_EQ(e.words(), (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(e.simple());
  EXPECT_FALSE(e.owner_anchored());
}

TEST(Expression, RepeatedSubgraphIsOneEdge) {
  const Expression e = Expression::join(pair(0, 1), 0, pair(0, 1), 1);
  EXPECT_EQ(e.edges().size(), 2U);
  EXPECT_EQ(e.leaves(), 4);
  EXPECT_EQ(e.order(), 2);
  EXPECT_EQ(e.kind(), 2);
}

TEST(Expression, Kinds) {
  EXPECT_EQ(Expression::atom(3).kind(), 0);
  EXPECT_EQ(pair(0, 1).kind(), 1);
  EXPECT_EQ(pair(0, 0).kind(), 3);  // a self-loop
  const Expression loop = Expression::join(pair(0, 1), 1, Expression::atom(0), 0);
  EXPECT_EQ(loop.kind(), 3);
  EXPECT_EQ(Expression::join(loop, 0, Expression::atom(2), 2).kind(), 4);
  EXPECT_EQ(Expression::join(pair(0, 1), 0, Expression::atom(1), 1).kind(), 2);
}

TEST(Expression, IdentityIsStructural) {
  EXPECT_EQ(pair(0, 1), pair(0, 1));
  EXPECT_NE(pair(0, 1), pair(1, 0));
  const Expression whole = Expression::join(pair(0, 1), 0, pair(2, 1), 2);
  EXPECT_EQ(whole.subexpression(whole.root().right), pair(2, 1));
  EXPECT_EQ(Expression::from_subgraphs(whole.subgraphs()), whole);
  std::vector<Subgraph> disordered = whole.subgraphs();
  std::swap(disordered[0], disordered[1]);
  EXPECT_THROW(Expression::from_subgraphs(disordered), UsageError);
  EXPECT_THROW(Expression::join(pair(0, 1), 2, pair(2, 3), 2), UsageError);
}

TEST(Expression, OrderOfTies) {
  EXPECT_TRUE(tie_order(Expression::atom(5), pair(0, 1)) < 0);  // fewer joins
  EXPECT_TRUE(tie_order(pair(0, 2), pair(1, 0)) < 0);           // smaller owner
  EXPECT_TRUE(tie_order(pair(0, 1), pair(0, 2)) < 0);
  const Expression right_heavy = Expression::join(Expression::atom(0), 0, pair(1, 2), 1);
  const Expression left_heavy = Expression::join(pair(0, 2), 0, Expression::atom(1), 1);
  // Both begin with (0, 1); then the atom (0, 0) stands before the join (0, 2).
  EXPECT_TRUE(tie_order(right_heavy, left_heavy) < 0);
  EXPECT_TRUE(tie_order(left_heavy, left_heavy) == 0);
}

TEST(Expression, NamesOfWords) {
  const std::vector<std::string> words = {"the",        "dog", "U",    "a->b", "sub_x", "v_y",
                                          "say \"hi\\", "the", "d'un", "→",    "日本",  "e-mail",
                                          "a\u00A0b",   "(",   "x@1",  "Us",   "U"};
  const std::vector<std::string> expected = {
      "the@1",   "dog",  "\"U\"@3", "\"a->b\"", "\"sub_x\"", "\"v_y\"",      "\"say \\\"hi\\\\\"",
      "the@8",   "d'un", "\"→\"",   "日本",     "e-mail",    "\"a\u00A0b\"", "\"(\"",
      "\"x@1\"", "Us",   "\"U\"@17"};
  EXPECT_EQ(node_names(words), expected);
}

TEST(Expression, CanonicalText) {
  const std::vector<std::string> names =
      node_names(std::vector<std::string>{"Do", "do", "Romans", "the", "as"});
  EXPECT_EQ(canonical_text(figure_1a(), names),
            "(((Do)->Do U (do)->do)->do U ((Romans)->Romans U (the)->the)->Romans)->do U (as)->as");
  EXPECT_EQ(canonical_text(Expression::atom(2), names), "Romans");
}

TEST(Expression, ThousandsOfLevels) {
  Expression e = Expression::atom(0);
  std::vector<Subgraph> subgraphs = {Subgraph{-1, -1, 0, 0}, Subgraph{-1, -1, 1, 1}};
  constexpr std::int32_t kLevels = 20'000;
  for (std::int32_t i = 0; i < kLevels; ++i) {
    subgraphs.push_back({i == 0 ? 0 : i + 1, 1, 0, 1});
  }
  e = Expression::from_subgraphs(subgraphs);
  EXPECT_EQ(e.depth(), kLevels);
  EXPECT_EQ(e.leaves(), kLevels + 1);
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(canonical_text(e, names).size(), static_cast<std::size_t>(kLevels) * 14 + 1);
  EXPECT_TRUE(tie_order(e, e) == 0);
}

}  // namespace
}  // namespace mog::analysis

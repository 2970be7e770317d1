#include "analysis/mog/dependencies/dependency_trees.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

DependencyTree tree_of(const json& tested) {
  return {tested.at("heads").get<std::vector<std::int32_t>>(),
          tested.at("deprels").get<std::vector<std::string>>()};
}

TEST(DependencyTrees, GoldenSentencesBecomeExpressionsAndComeBack) {
  const json golden = test::read_json("conllu.json");
  ASSERT_EQ(golden.at("to_mog").size(), 15U);
  for (const json& tested : golden.at("to_mog")) {
    const DependencyTree tree = tree_of(tested);
    const auto words = tested.at("words").get<std::vector<std::string>>();
    EXPECT_EQ(json(roots(tree)), tested.at("roots"));
    EXPECT_EQ(json(layers_owner_head(tree)), tested.at("layers_owner_head"));
    json free = json::array();
    for (const auto& layers : layers_free(tree)) {
      free.push_back(layers ? json(*layers) : json(nullptr));
    }
    EXPECT_EQ(free, tested.at("layers_free")) << tested.at("sent_id");
    for (const auto& [order, key] : {std::pair(DependentOrder::nearest_first, "nearest_first"),
                                     std::pair(DependentOrder::left_to_right, "left_to_right"),
                                     std::pair(DependentOrder::balanced, "balanced")}) {
      const std::vector<ParsedExpression> expressions = expressions_of(tree, words, order);
      json texts = json::array();
      json orders = json::array();
      json depths = json::array();
      for (const ParsedExpression& parsed : expressions) {
        texts.push_back(parsed.text());
        depths.push_back(parsed.expression.depth());
        json& of_edges = orders.emplace_back(json::array());
        for (const MogEdge& edge : parsed.expression.edges()) {
          of_edges.push_back(edge.order);
        }
        EXPECT_TRUE(parsed.expression.simple());
        EXPECT_TRUE(parsed.expression.owner_anchored());
      }
      EXPECT_EQ(texts, tested.at(key));
      EXPECT_EQ(orders, tested.at(std::string(key) + "_orders"));
      EXPECT_EQ(depths, tested.at(std::string(key) + "_depth"));
      EXPECT_EQ(dependency_tree(expressions, words.size()), tree);
      // Through text too.
      std::vector<ParsedExpression> read;
      for (const ParsedExpression& parsed : expressions) {
        read.push_back(parse_expression(parsed.text(), words));
      }
      EXPECT_EQ(dependency_tree(read, words.size()), tree);
    }
  }
}

TEST(DependencyTrees, GoldenExpressionsBecomeTreesOrAreRefused) {
  const json golden = test::read_json("conllu.json");
  for (const json& tested : golden.at("from_mog")) {
    const auto words = tested.at("words").get<std::vector<std::string>>();
    std::vector<ParsedExpression> expressions;
    for (const json& text : tested.at("expressions")) {
      expressions.push_back(parse_expression(text.get<std::string>(), words));
    }
    if (tested.contains("heads")) {
      EXPECT_EQ(dependency_tree(expressions, words.size()), tree_of(tested));
      continue;
    }
    try {
      dependency_tree(expressions, words.size());
      ADD_FAILURE() << "accepted: " << tested;
    } catch (const DependencyError& error) {
      EXPECT_EQ(name(error.reason()), tested.at("error"));
      EXPECT_EQ(json(error.positions()), tested.at("positions"));
      EXPECT_EQ(error.exit_code(), ExitCode::format);
    }
  }
}

TEST(DependencyTrees, AnyRandomTreeComesBack) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto words = static_cast<std::int32_t>(1 + random() % 40);
    DependencyTree tree;
    // A random order of the words; each hangs on an earlier one, or is a root.
    std::vector<std::int32_t> order(static_cast<std::size_t>(words));
    std::vector<std::string> forms;
    for (std::int32_t i = 0; i < words; ++i) {
      order[static_cast<std::size_t>(i)] = i + 1;
      forms.push_back("w" + std::to_string(random() % 9));
    }
    std::shuffle(order.begin(), order.end(), random);
    tree.heads.assign(order.size(), 0);
    tree.relations.assign(order.size(), "root");
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (random() % 12 != 0) {
        tree.heads[static_cast<std::size_t>(order[i] - 1)] = order[random() % i];
        tree.relations[static_cast<std::size_t>(order[i] - 1)] = "r" + std::to_string(random() % 3);
      }
    }
    for (const auto dependents :
         {DependentOrder::nearest_first, DependentOrder::left_to_right, DependentOrder::balanced}) {
      std::vector<ParsedExpression> read;
      for (const ParsedExpression& parsed : expressions_of(tree, forms, dependents)) {
        read.push_back(parse_expression(parsed.text(), forms));
      }
      EXPECT_EQ(dependency_tree(read, forms.size()), tree);
    }
    // The balanced expression is as deep as the layers needed; free anchors never need more.
    const auto balanced = expressions_of(tree, forms, DependentOrder::balanced);
    const auto layers = layers_owner_head(tree);
    const auto free = layers_free(tree);
    for (std::size_t i = 0; i < balanced.size(); ++i) {
      EXPECT_EQ(balanced[i].expression.depth(), layers[i]);
      if (free[i]) {
        EXPECT_LE(*free[i], layers[i]);
      }
    }
  }
}

TEST(DependencyTrees, LayersOfChainsAndStars) {
  DependencyTree chain{{0, 1, 2, 3, 4, 5, 6, 7}, std::vector<std::string>(8, "r")};
  EXPECT_EQ(layers_owner_head(chain).at(0), 7);  // a chain is joined from its end
  EXPECT_EQ(layers_free(chain).at(0), 3);        // halves: 8 words in 3 layers
  DependencyTree star{{0, 1, 1, 1, 1}, std::vector<std::string>(5, "r")};
  EXPECT_EQ(layers_owner_head(star).at(0), 4);
  EXPECT_EQ(layers_free(star).at(0), 4);
  DependencyTree wide{std::vector<std::int32_t>(31, 1), std::vector<std::string>(31, "r")};
  wide.heads[0] = 0;
  EXPECT_FALSE(layers_free(wide).at(0).has_value());
}

TEST(DependencyTrees, RelationsThatEndValuesAreEscaped) {
  const std::vector<std::string> words = {"a", "b"};
  const DependencyTree tree{{0, 1}, {"root", "a;b[c] \x1b\\u{1b}"}};
  const std::vector<ParsedExpression> expressions = expressions_of(tree, words);
  EXPECT_EQ(expressions.at(0).text(), R"((a)->a U[rel=a\u{3b}b\u{5b}c\u{5d}\u{20}\u{1b}\u{5c}u{1b}] (b)->b)");
  EXPECT_EQ(dependency_tree(std::vector{parse_expression(expressions[0].text(), words)}, 2), tree);
}

TEST(DependencyTrees, WhatCannotBeWrittenIsRefused) {
  const std::vector<std::string> words = {"a", "b"};
  EXPECT_THROW(expressions_of({{0, 1}, {"root", ""}}, words), FormatError);
  EXPECT_THROW(expressions_of({{2, 1}, {"x", "y"}}, words), FormatError);
  EXPECT_THROW(expressions_of({{0, 3}, {"x", "y"}}, words), FormatError);
  EXPECT_THROW(parse_dependent_order("best"), UsageError);
}

}  // namespace
}  // namespace mog::analysis

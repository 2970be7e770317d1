// From expressions of a pool to trees that can be printed. The best derivation of an expression is followed
// down the best step of each symbol; rules without a join are passed over in a loop, so that recursion is as
// deep as the joins are.
//
// The annotated text is put together from the leaves up and a child's text is freed when its parent has it:
// memory of one text, time of the texts of all levels, O(depth · length).
//
// Trap: a subgraph is found by its two operands alone. That is right because grammars join owners: operands
// decide both ends. Expressions of texts may join other words and must not come here.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analysis/mog/search/derivations.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Finds the subgraph of every node and prints the tree with its annotations.
void place_and_print(Derivation& derivation, const std::vector<std::string>& names) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> made;  // operands -> subgraph
  std::map<std::int32_t, std::int32_t> atoms;
  const auto& subgraphs = derivation.expression.subgraphs();
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    if (subgraphs[i].is_atom()) {
      atoms.emplace(subgraphs[i].source, index);
    } else {
      made.emplace(std::pair(subgraphs[i].left, subgraphs[i].right), index);
    }
  }
  std::vector<std::string> texts;
  for (DerivationNode& node : derivation.nodes) {
    if (node.is_leaf()) {
      node.subgraph = atoms.at(node.word);
      texts.push_back(names[at(node.word)]);
      continue;
    }
    node.subgraph =
        made.at({derivation.nodes[at(node.left)].subgraph, derivation.nodes[at(node.right)].subgraph});
    texts.push_back(fmt::format("({})->{} U[l={};part={}] ({})->{}", texts[at(node.left)],
                                names[at(node.word)], node.layer, node.part.short_name(),
                                texts[at(node.right)], names[at(node.target)]));
    texts[at(node.left)].clear();
    texts[at(node.right)].clear();
  }
  derivation.annotated = std::move(texts.back());
}

}  // namespace

KBestEntry describe_expression(const ExpressionPool& pool, const ExpressionMasses& masses,
                               std::int32_t symbol, std::int32_t expression) {
  const ExpressionMasses::Value value = masses.value(symbol, expression);
  const int exponent = static_cast<int>(std::clamp<std::int64_t>(value.exponent, -100'000, 100'000));
  const double shift = static_cast<double>(value.exponent) * std::log(2.0);
  const ExpressionPool::Node& node = pool[expression];
  const ExpressionMasses::Facts& facts = masses.facts(expression);
  KBestEntry entry;
  entry.weight = std::ldexp(value.cell.best, exponent);
  entry.log_weight = std::log(value.cell.best) + shift;
  entry.mass = std::ldexp(value.cell.mass, exponent);
  entry.log_mass = std::log(value.cell.mass) + shift;
  entry.derivations = value.cell.count;
  entry.order = facts.order;
  entry.leaves = node.leaves;
  entry.depth = node.depth;
  entry.kind = facts.kind;
  entry.simple = facts.simple;
  entry.owner = node.owner;
  return entry;
}

std::int32_t append_leaf(std::int32_t word, std::vector<DerivationNode>& nodes) {
  nodes.push_back(DerivationNode{.word = word, .target = word});
  return static_cast<std::int32_t>(nodes.size()) - 1;
}

std::int32_t append_best_tree(const AttentionGrammar& grammar, const ExpressionPool& pool,
                              const ExpressionMasses& masses, std::int32_t symbol, std::int32_t expression,
                              std::vector<DerivationNode>& nodes) {
  while (!grammar.is_word(symbol)) {
    const ExpressionMasses::Step step = masses.best_step(symbol, expression);
    if (step.left == AttentionGrammar::kUnit) {
      symbol = step.tail;
    } else if (step.tail < 0) {
      symbol = step.left;
    } else {
      const ExpressionPool::Node& node = pool[expression];
      const std::int32_t left = append_best_tree(grammar, pool, masses, step.left, node.left, nodes);
      const std::int32_t right = append_best_tree(grammar, pool, masses, step.tail, node.right, nodes);
      nodes.push_back({.word = node.owner,
                       .target = pool[node.right].owner,
                       .left = left,
                       .right = right,
                       .layer = grammar.layer_of(symbol),
                       .part = step.part,
                       .weight = step.weight});
      return static_cast<std::int32_t>(nodes.size()) - 1;
    }
  }
  return append_leaf(symbol, nodes);
}

void finish_derivation(const AttentionGrammar& grammar, const ExpressionPool& pool, std::int32_t expression,
                       Derivation& derivation) {
  derivation.expression = to_expression(pool, expression);
  derivation.text = canonical_text(pool, expression, grammar.names());
  place_and_print(derivation, grammar.names());
}

Derivation best_derivation(const AttentionGrammar& grammar, const ExpressionPool& pool,
                           ExpressionMasses& masses, std::int32_t symbol, std::int32_t expression,
                           std::int32_t number) {
  masses.require({&expression, 1});
  Derivation derivation{.entry = describe_expression(pool, masses, symbol, expression),
                        .expression = {},
                        .text = {},
                        .annotated = {},
                        .nodes = {}};
  derivation.entry.rank = number;
  derivation.entry.tie = number;
  derivation.entry.handle = -1;
  append_best_tree(grammar, pool, masses, symbol, expression, derivation.nodes);
  finish_derivation(grammar, pool, expression, derivation);
  return derivation;
}

std::int32_t symbol_of(const AttentionGrammar& grammar, const Goal& goal) {
  return goal.is_top() ? grammar.top_symbol() : grammar.r_symbol(goal.layer, goal.word);
}

}  // namespace mog::analysis

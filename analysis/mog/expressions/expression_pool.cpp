#include <unordered_map>

#include "analysis/mog/expressions/expression_pool.h"

namespace mog::analysis {

Expression to_expression(const ExpressionPool& pool, std::int32_t id) {
  std::vector<Subgraph> subgraphs;
  std::unordered_map<std::int32_t, std::int32_t> placed;
  std::vector<std::int32_t> stack{id};
  while (!stack.empty()) {
    const std::int32_t at = stack.back();
    if (placed.contains(at)) {
      stack.pop_back();
      continue;
    }
    const ExpressionPool::Node& node = pool[at];
    Subgraph subgraph{-1, -1, node.owner, node.owner};
    if (!node.is_atom()) {
      const auto left = placed.find(node.left);
      if (left == placed.end()) {
        stack.push_back(node.left);
        continue;
      }
      const auto right = placed.find(node.right);
      if (right == placed.end()) {
        stack.push_back(node.right);
        continue;
      }
      subgraph = {left->second, right->second, node.owner, pool[node.right].owner};
    }
    stack.pop_back();
    placed.emplace(at, static_cast<std::int32_t>(subgraphs.size()));
    subgraphs.push_back(subgraph);
  }
  return Expression::from_subgraphs(std::move(subgraphs));
}

std::string canonical_text(const ExpressionPool& pool, std::int32_t id, std::span<const std::string> names) {
  const auto name = [&](std::int32_t word) -> const std::string& {
    return names[static_cast<std::size_t>(word)];
  };
  std::string text;
  // Depth is at most the number of layers (times steps): recursion is safe here.
  const auto print = [&](const auto& self, std::int32_t at) -> void {
    const ExpressionPool::Node& node = pool[at];
    if (node.is_atom()) {
      text += name(node.owner);
      return;
    }
    text += '(';
    self(self, node.left);
    text += ")->";
    text += name(node.owner);
    text += " U (";
    self(self, node.right);
    text += ")->";
    text += name(pool[node.right].owner);
  };
  print(print, id);
  return text;
}

std::strong_ordering tie_order(const ExpressionPool& pool, std::int32_t a, std::int32_t b) {
  if (const auto order = pool[a].leaves <=> pool[b].leaves; order != 0) {
    return order;
  }
  if (const auto order = pool[a].owner <=> pool[b].owner; order != 0) {
    return order;
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> stack{{a, b}};
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    if (i == j) {
      continue;
    }
    const ExpressionPool::Node& s = pool[i];
    const ExpressionPool::Node& t = pool[j];
    if (const auto order = s.owner <=> t.owner; order != 0) {
      return order;
    }
    if (s.is_atom() || t.is_atom()) {
      return s.is_atom() ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    if (const auto order = pool[s.right].owner <=> pool[t.right].owner; order != 0) {
      return order;
    }
    stack.emplace_back(s.right, t.right);
    stack.emplace_back(s.left, t.left);
  }
  return std::strong_ordering::equal;
}

}  // namespace mog::analysis

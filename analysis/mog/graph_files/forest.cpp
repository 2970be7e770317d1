// Exports read Boost graphs that hold everything as they print it, so that every format says the same. A
// derivation's tree has one vertex a use; the multi-order graph has one edge for each distinct subgraph,
// with the rule of its first use.
//
// Cost: each edge carries the texts of its operands and of what it makes. For a chain of n joins these are n
// texts of growing length, O(n²) characters; that is the format, and the graph of one expression stays small
// beside its search.
#include "analysis/mog/graph_files/forest.h"

#include <algorithm>

#include <fmt/format.h>

namespace mog::analysis {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

void describe(TreeInfo& info, const Expression& expression) {
  info.order = expression.order();
  info.leaves = expression.leaves();
  info.depth = expression.depth();
  info.kind = expression.kind();
  info.simple = expression.simple();
  info.owner = expression.owner() + 1;
}

TreeInfo info_of(const Derivation& derivation) {
  TreeInfo info;
  describe(info, derivation.expression);
  const KBestEntry& entry = derivation.entry;
  info.rank = entry.rank;
  info.tie = entry.tie;
  info.weight = entry.weight;
  info.log_weight = entry.log_weight;
  info.log_mass = entry.log_mass;
  info.mass = entry.mass;
  info.derivations = entry.derivations;
  info.text = derivation.text;
  info.annotated = derivation.annotated;
  return info;
}

// Adds the tree's nodes to the forest; returns its root.
std::size_t add_tree(Forest& forest, const Derivation& derivation, std::int32_t tree) {
  const std::vector<MogEdge> edges = derivation.expression.edges();
  std::vector<std::size_t> edge_of(derivation.expression.subgraphs().size(), edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edge_of[at(edges[i].made)] = i;
  }
  std::vector<std::size_t> vertex_of;
  for (const DerivationNode& node : derivation.nodes) {
    TreeVertex vertex{.tree = tree, .leaf = node.is_leaf(), .position = node.word + 1};
    if (!node.is_leaf()) {
      const MogEdge& edge = edges[edge_of[at(node.subgraph)]];
      vertex.target = node.target + 1;
      vertex.layer = node.layer;
      vertex.part = node.part;
      vertex.weight = node.weight;
      vertex.edge = edge.id;
      vertex.order = edge.order;
      vertex.kind = edge.kind;
    }
    const std::size_t added = boost::add_vertex(forest);
    forest[added] = vertex;
    if (!node.is_leaf()) {
      boost::add_edge(added, vertex_of[at(node.left)], OperandEdge{false}, forest);
      boost::add_edge(added, vertex_of[at(node.right)], OperandEdge{true}, forest);
    }
    vertex_of.push_back(added);
  }
  return vertex_of.back();
}

}  // namespace

namespace {

MultiOrderGraph named_graph(const Expression& expression, std::span<const std::string> words,
                            std::span<const std::string> names) {
  MultiOrderGraph graph;
  TreeInfo& info = graph[boost::graph_bundle];
  describe(info, expression);
  info.text = canonical_text(expression, names);
  for (std::size_t i = 0; i < words.size(); ++i) {
    graph[boost::add_vertex(graph)] = WordVertex{static_cast<std::int32_t>(i) + 1, words[i], names[i]};
  }
  const auto text = [&](std::int32_t index) {
    return canonical_text(expression.subexpression(index), names);
  };
  for (const MogEdge& edge : expression.edges()) {
    const JoinEdge join{.id = edge.id,
                        .left = text(edge.left),
                        .right = text(edge.right),
                        .made = text(edge.made),
                        .order = edge.order,
                        .kind = edge.kind};
    boost::add_edge(at(edge.source), at(edge.target), join, graph);
  }
  return graph;
}

}  // namespace

MultiOrderGraph make_multi_order_graph(const Expression& expression, std::span<const std::string> words) {
  return named_graph(expression, words, node_names(words));
}

MultiOrderGraph make_multi_order_graph(const ParsedExpression& parsed, bool of_sentence) {
  std::vector<std::string> words;
  for (const ExpressionWord& word : parsed.words) {
    words.push_back(word.form);
  }
  MultiOrderGraph graph = named_graph(parsed.expression, words, parsed.names);
  TreeInfo& info = graph[boost::graph_bundle];
  info.of_sentence = of_sentence;
  std::vector<const JoinAnnotation*> of_edge{nullptr};  // by id
  bool any = false;
  for (const MogEdge& edge : parsed.expression.edges()) {
    of_edge.push_back(&parsed.annotations.at(at(edge.made)));
    any = any || !of_edge.back()->empty();
  }
  if (any) {
    info.annotated = parsed.text();
  }
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph))) {
    graph[edge].annotation = *of_edge[at(graph[edge].id)];
  }
  return graph;
}

MultiOrderGraph make_multi_order_graph(const Derivation& derivation, std::span<const std::string> words) {
  MultiOrderGraph graph = make_multi_order_graph(derivation.expression, words);
  graph[boost::graph_bundle] = info_of(derivation);
  // The first occurrence of a subgraph says how it was made.
  std::vector<const DerivationNode*> first(derivation.expression.subgraphs().size(), nullptr);
  for (const DerivationNode& node : derivation.nodes) {
    const DerivationNode*& maker = first[at(node.subgraph)];
    maker = maker == nullptr ? &node : maker;
  }
  std::vector<const DerivationNode*> maker_of_edge{nullptr};  // by id
  for (const MogEdge& edge : derivation.expression.edges()) {
    maker_of_edge.push_back(first[at(edge.made)]);
  }
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph))) {
    JoinEdge& join = graph[edge];
    const DerivationNode& node = *maker_of_edge[at(join.id)];
    join.layer = node.layer;
    join.part = node.part;
    join.weight = node.weight;
  }
  return graph;
}

std::string goal_text(const Goal& goal) {
  return goal.is_top() ? "TOP" : fmt::format("R[{},{}]", goal.layer, goal.word + 1);
}

std::string goal_in_words(const Goal& goal, std::span<const std::string> names) {
  return goal.is_top() ? fmt::format("the whole sentence ({})", goal_text(goal))
                       : fmt::format("{} after layer {} ({})", names[static_cast<std::size_t>(goal.word)],
                                     goal.layer, goal_text(goal));
}

Forest make_forest(const AttentionGrammar& grammar, std::string title,
                   std::span<const Derivation> derivations) {
  Forest forest;
  ForestInfo info;
  info.title = std::move(title);
  info.words = grammar.words();
  info.names = grammar.names();
  for (const Derivation& derivation : derivations) {
    info.trees.push_back(info_of(derivation));
    info.graphs.push_back(make_multi_order_graph(derivation, grammar.words()));
    info.roots.push_back(add_tree(forest, derivation, static_cast<std::int32_t>(info.trees.size()) - 1));
  }
  forest[boost::graph_bundle] = std::move(info);
  return forest;
}

Forest make_forest(const AttentionGrammar& grammar, const KBest& k_best, const KBestList& list) {
  Forest forest = make_forest(grammar, goal_text(list.goal), k_best.derivations(list));
  forest[boost::graph_bundle].ended_by_limit = list.ended_by_limit;
  return forest;
}

}  // namespace mog::analysis

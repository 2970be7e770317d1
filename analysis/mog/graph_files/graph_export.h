// Pieces of the exporters.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/mog/expressions/escape.h"
#include "analysis/mog/graph_files/forest.h"

namespace mog::analysis {

inline std::vector<MultiOrderGraph::edge_descriptor> edges_by_id(const MultiOrderGraph& graph) {
  const auto [first, last] = boost::edges(graph);
  std::vector<MultiOrderGraph::edge_descriptor> edges(first, last);
  std::sort(edges.begin(), edges.end(),
            [&](const auto& a, const auto& b) { return graph[a].id < graph[b].id; });
  return edges;
}

// The operands of a join of the forest, left first; both the vertex itself for a leaf.
inline std::pair<std::size_t, std::size_t> operands(const Forest& forest, std::size_t vertex) {
  std::pair<std::size_t, std::size_t> result{vertex, vertex};
  const auto [first, last] = boost::out_edges(vertex, forest);
  for (auto edge = first; edge != last; ++edge) {
    (forest[*edge].right ? result.second : result.first) = boost::target(*edge, forest);
  }
  return result;
}

// "the dog saw", names quoted where they need it: read back by words_of.
inline std::string names_in_a_row(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + quoted_name(word);
  }
  return text;
}

std::string graph_as_text(const MultiOrderGraph& graph);
std::string forest_as_text(const Forest& forest);
std::string graph_as_json(const MultiOrderGraph& graph);
std::string forest_as_json(const Forest& forest);
std::string graph_as_dot(const MultiOrderGraph& graph);
std::string forest_as_dot(const Forest& forest);
std::string graph_as_graphml(const MultiOrderGraph& graph);
std::string graphs_as_graphml(std::span<const MultiOrderGraph> graphs);
std::string forest_as_graphml(const Forest& forest);

}  // namespace mog::analysis

#include <fmt/format.h>

#include "analysis/mog/graph_files/graph_export.h"

namespace mog::analysis {
namespace {

std::string info_fields(const TreeInfo& info) {
  std::string text;
  if (info.rank > 0) {
    text += fmt::format(R"("rank":{},"tie":{},"weight":{},"log_weight":{},"mass":{},"derivations":{},)",
                        info.rank, info.tie, json_number(info.weight), json_number(info.log_weight),
                        json_number(info.mass), json_number(info.derivations));
  }
  text += fmt::format(R"("order":{},"leaves":{},"depth":{},"kind":{},"simple":{},"owner":{},"expression":{})",
                      info.order, info.leaves, info.depth, info.kind, info.simple, info.owner,
                      json_string(info.text));
  if (!info.annotated.empty()) {
    text += R"(,"annotated":)" + json_string(info.annotated);
  }
  return text;
}

std::string edge_array(const MultiOrderGraph& graph) {
  std::string text = "[";
  for (const auto& edge : edges_by_id(graph)) {
    const JoinEdge& join = graph[edge];
    text += text.size() > 1 ? "," : "";
    text += fmt::format(
        R"({{"id":{},"source":{},"target":{},"left":{},"right":{},"sub":{},"order":{},"kind":{})", join.id,
        graph[boost::source(edge, graph)].position, graph[boost::target(edge, graph)].position,
        json_string(join.left), json_string(join.right), json_string(join.made), join.order, join.kind);
    if (join.layer > 0) {
      text += fmt::format(R"(,"layer":{},"part":"{}","weight":{})", join.layer, join.part.short_name(),
                          json_number(join.weight));
    }
    if (!join.annotation.empty()) {
      std::string pairs;
      for (const auto& [key, value] : join.annotation) {
        pairs += (pairs.empty() ? "" : ",") + json_string(key) + ':' + json_string(value);
      }
      text += R"(,"annotation":{)" + pairs + '}';
    }
    text += '}';
  }
  return text + ']';
}

std::string node_object(const Forest& forest, std::size_t vertex, std::size_t first) {
  const TreeVertex& node = forest[vertex];
  if (node.leaf) {
    return fmt::format(R"({{"word":{}}})", node.position);
  }
  const auto [left, right] = operands(forest, vertex);
  return fmt::format(
      R"({{"source":{},"target":{},"left":{},"right":{},"layer":{},"part":"{}","weight":{},"edge":{},"order":{},"kind":{}}})",
      node.position, node.target, left - first, right - first, node.layer, node.part.short_name(),
      json_number(node.weight), node.edge, node.order, node.kind);
}

}  // namespace

std::string graph_as_json(const MultiOrderGraph& graph) {
  std::string words;
  for (const auto& vertex : boost::make_iterator_range(boost::vertices(graph))) {
    words += words.empty() ? "" : ",";
    words += json_string(graph[vertex].form);
  }
  const TreeInfo& info = graph[boost::graph_bundle];
  std::string about;
  for (const auto& [name, value] : info.facts) {
    about += (about.empty() ? "" : ",") + json_string(name) + ':' + json_string(value);
  }
  return fmt::format(R"({{"format":"mog-graph","version":1,"words":[{}],{}{}{},"edges":{}}})", words,
                     info.of_sentence ? "" : R"("sentence":false,)",
                     about.empty() ? "" : R"("about":{)" + about + "},", info_fields(info),
                     edge_array(graph));
}

// Words, sources, targets count from 1; left and right are indices from 0 into "nodes", the root last.
std::string forest_as_json(const Forest& forest) {
  const ForestInfo& info = forest[boost::graph_bundle];
  std::string words;
  for (const std::string& word : info.words) {
    words += words.empty() ? "" : ",";
    words += json_string(word);
  }
  std::string trees;
  std::size_t first = 0;
  for (std::size_t tree = 0; tree < info.trees.size(); ++tree) {
    std::string nodes;
    for (std::size_t vertex = first; vertex <= info.roots[tree]; ++vertex) {
      nodes += nodes.empty() ? "" : ",";
      nodes += node_object(forest, vertex, first);
    }
    first = info.roots[tree] + 1;
    trees += trees.empty() ? "" : ",";
    trees += fmt::format(R"({{{},"edges":{},"nodes":[{}]}})", info_fields(info.trees[tree]),
                         edge_array(info.graphs[tree]), nodes);
  }
  return fmt::format(
      R"({{"format":"mog-forest","version":1,"goal":{},"words":[{}],"ended_by_limit":{},"trees":[{}]}})",
      json_string(info.title), words, info.ended_by_limit, trees);
}

}  // namespace mog::analysis

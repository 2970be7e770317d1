#include <fmt/format.h>

#include <span>

#include "analysis/mog/graph_files/graph_export.h"

namespace mog::analysis {
namespace {

struct Key {
  std::string_view id;
  std::string_view owner;  // "node", "edge" or "graph"
  std::string_view type;   // "int", "double", "string", "boolean", "long"
};

std::string declare(std::span<const Key> keys) {
  std::string text;
  for (const Key& key : keys) {
    // A name may serve nodes and edges: its id says which.
    text += fmt::format("  <key id=\"{0}_{1}\" for=\"{0}\" attr.name=\"{1}\" attr.type=\"{2}\"/>\n",
                        key.owner, key.id, key.type);
  }
  return text;
}

constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";

template <class Value>
std::string data(std::string_view owner, std::string_view id, const Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    return fmt::format("      <data key=\"{}_{}\">{}</data>\n", owner, id, value);
  } else {
    return fmt::format("      <data key=\"{}_{}\">{}</data>\n", owner, id,
                       xml_text(fmt::format("{}", value)));
  }
}

std::string facts_data(const TreeInfo& info) {
  std::string text;
  for (const auto& [name, value] : info.facts) {
    text += data("graph", name, value);
  }
  return text;
}

std::string graph_data(const TreeInfo& info) {
  std::string text;
  if (info.rank > 0) {
    text += data("graph", "rank", info.rank) + data("graph", "weight", info.weight) +
            data("graph", "mass", info.mass) + data("graph", "derivations", info.derivations);
  }
  return text + data("graph", "order", info.order) + data("graph", "leaves", info.leaves) +
         data("graph", "kind", info.kind) + data("graph", "expression", info.text) +
         (!info.annotated.empty() ? data("graph", "annotated", info.annotated) : "") +
         (info.of_sentence ? "" : data("graph", "sentence", std::string_view("no"))) + facts_data(info);
}

// Keys of the facts that some graph has.
template <class Infos>
std::string declare_facts(const Infos& infos) {
  std::string text;
  for (const std::string_view name : kGraphFacts) {
    const bool there = std::any_of(infos.begin(), infos.end(), [&](const TreeInfo* info) {
      return std::any_of(info->facts.begin(), info->facts.end(),
                         [&](const auto& fact) { return fact.first == name; });
    });
    if (there) {
      const Key key[] = {{name, "graph", "string"}};
      text += declare(key);
    }
  }
  return text;
}

constexpr Key kGraphKeys[] = {
    {"rank", "graph", "int"},           {"weight", "graph", "double"},     {"mass", "graph", "double"},
    {"derivations", "graph", "double"}, {"order", "graph", "int"},         {"leaves", "graph", "long"},
    {"kind", "graph", "int"},           {"expression", "graph", "string"}, {"annotated", "graph", "string"},
    {"sentence", "graph", "string"},    {"words", "graph", "string"},
};

std::string one_graph(const MultiOrderGraph& graph, std::string_view id) {
  std::string text = fmt::format("  <graph id=\"{}\" edgedefault=\"directed\">\n", id) +
                     graph_data(graph[boost::graph_bundle]);
  for (const auto& vertex : boost::make_iterator_range(boost::vertices(graph))) {
    const WordVertex& word = graph[vertex];
    // What XML cannot write stands in the name alone, escaped.
    text += fmt::format("    <node id=\"w{}\">\n", word.position) + data("node", "position", word.position) +
            (fits_xml(word.form) ? data("node", "form", word.form) : "") + data("node", "name", word.name) +
            "    </node>\n";
  }
  for (const auto& edge : edges_by_id(graph)) {
    const JoinEdge& join = graph[edge];
    text +=
        fmt::format("    <edge id=\"e{}\" source=\"w{}\" target=\"w{}\">\n", join.id,
                    graph[boost::source(edge, graph)].position, graph[boost::target(edge, graph)].position);
    text += data("edge", "id", join.id) + data("edge", "left", join.left) +
            data("edge", "right", join.right) + data("edge", "sub", join.made) +
            data("edge", "order", join.order) + data("edge", "kind", join.kind);
    if (join.layer > 0) {
      text += data("edge", "layer", join.layer) + data("edge", "part", join.part.short_name()) +
              data("edge", "weight", join.weight);
    }
    if (!join.annotation.empty()) {
      text += data("edge", "annotation", annotation_text(join.annotation));
    }
    text += "    </edge>\n";
  }
  return text + "  </graph>\n";
}

}  // namespace

std::string graphs_as_graphml(std::span<const MultiOrderGraph> graphs) {
  static constexpr Key keys[] = {
      {"position", "node", "int"},      {"form", "node", "string"},
      {"name", "node", "string"},       {"id", "edge", "int"},
      {"left", "edge", "string"},       {"right", "edge", "string"},
      {"sub", "edge", "string"},        {"order", "edge", "int"},
      {"kind", "edge", "int"},          {"layer", "edge", "int"},
      {"part", "edge", "string"},       {"weight", "edge", "double"},
      {"annotation", "edge", "string"},
  };
  std::vector<const TreeInfo*> infos;
  for (const MultiOrderGraph& graph : graphs) {
    infos.push_back(&graph[boost::graph_bundle]);
  }
  std::string text = std::string(kHead) + declare(kGraphKeys) + declare_facts(infos) + declare(keys);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    text += one_graph(graphs[i], i == 0 ? "mog" : fmt::format("mog{}", i + 1));
  }
  return text + "</graphml>\n";
}

std::string graph_as_graphml(const MultiOrderGraph& graph) {
  return graphs_as_graphml({&graph, 1});
}

std::string forest_as_graphml(const Forest& forest) {
  static constexpr Key keys[] = {
      {"tree", "node", "int"},    {"leaf", "node", "boolean"},  {"position", "node", "int"},
      {"word", "node", "string"}, {"target", "node", "int"},    {"layer", "node", "int"},
      {"part", "node", "string"}, {"weight", "node", "double"}, {"edge", "node", "int"},
      {"order", "node", "int"},   {"kind", "node", "int"},      {"operand", "edge", "string"},
  };
  const ForestInfo& info = forest[boost::graph_bundle];
  std::vector<const TreeInfo*> infos;
  for (const TreeInfo& tree : info.trees) {
    infos.push_back(&tree);
  }
  std::string text = std::string(kHead) + declare(kGraphKeys) + declare_facts(infos) + declare(keys);
  std::size_t first = 0;
  for (std::size_t tree = 0; tree < info.trees.size(); ++tree) {
    text += fmt::format("  <graph id=\"tree{}\" edgedefault=\"directed\">\n", tree + 1) +
            graph_data(info.trees[tree]) + data("graph", "words", names_in_a_row(info.words));
    std::string edges;
    for (std::size_t vertex = first; vertex <= info.roots[tree]; ++vertex) {
      const TreeVertex& node = forest[vertex];
      const std::string& word = info.words[static_cast<std::size_t>(node.position - 1)];
      text += fmt::format("    <node id=\"n{}\">\n", vertex) + data("node", "tree", node.tree + 1) +
              data("node", "leaf", node.leaf) + data("node", "position", node.position) +
              (fits_xml(word) ? data("node", "word", word) : "");
      if (!node.leaf) {
        text += data("node", "target", node.target) + data("node", "layer", node.layer) +
                data("node", "part", node.part.short_name()) + data("node", "weight", node.weight) +
                data("node", "edge", node.edge) + data("node", "order", node.order) +
                data("node", "kind", node.kind);
        const auto [left, right] = operands(forest, vertex);
        for (const auto& [operand, side] : {std::pair(left, "left"), std::pair(right, "right")}) {
          edges += fmt::format("    <edge source=\"n{}\" target=\"n{}\">\n{}    </edge>\n", vertex, operand,
                               data("edge", "operand", std::string_view(side)));
        }
      }
      text += "    </node>\n";
    }
    text += edges + "  </graph>\n";
    first = info.roots[tree] + 1;
  }
  return text + "</graphml>\n";
}

}  // namespace mog::analysis

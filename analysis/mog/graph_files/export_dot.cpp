// DOT: the multi-order graph keeps its parallel edges; a forest is one cluster a tree.
#include <fmt/format.h>

#include "analysis/mog/graph_files/graph_export.h"

namespace mog::analysis {
namespace {

// Okabe and Ito's colours, which also colour-blind readers tell apart, as in figures; the blues of the middle
// parts differ in their line, too.
std::string colour(Part part) {
  const char* code = "#444444";
  switch (part.description().colour) {
    case PartColour::vermillion:
      code = "#D55E00";
      break;
    case PartColour::blue:
      code = "#0072B2";
      break;
    case PartColour::sky:
      code = "#56B4E9";
      break;
    case PartColour::green:
      code = "#009E73";
      break;
    case PartColour::purple:
      code = "#CC79A7";
      break;
    case PartColour::orange:
      code = "#E69F00";
      break;
    case PartColour::ink:
    case PartColour::soft:
      break;
  }
  return fmt::format("color=\"{}\"{}", code, part.description().dashed ? ", style=dashed" : "");
}

std::string facts_text(const GraphFacts& facts, std::string_view indent) {
  std::string text;
  for (const auto& [name, value] : facts) {
    text += fmt::format("{}mog_{}={};\n", indent, name, dot_value(value));
  }
  return text;
}

std::string made_in(std::int32_t layer, Part part) {
  return layer > 0 ? fmt::format(" l={} {}", layer, part.short_name()) : "";
}

GraphFacts common_facts(const std::vector<TreeInfo>& trees) {
  GraphFacts common = trees.empty() ? GraphFacts() : trees.front().facts;
  std::erase_if(common, [&](const auto& fact) {
    return std::any_of(trees.begin(), trees.end(), [&](const TreeInfo& tree) {
      return std::find(tree.facts.begin(), tree.facts.end(), fact) == tree.facts.end();
    });
  });
  return common;
}

}  // namespace

std::string graph_as_dot(const MultiOrderGraph& graph) {
  const TreeInfo& info = graph[boost::graph_bundle];
  std::string text =
      fmt::format("digraph mog {{\n  rankdir=LR;\n  label={};\n  node [shape=box, fontname=\"sans\"];\n",
                  dot_string(info.text));
  // Read back by read_dot; other programs leave attributes alone that they do not know.
  text +=
      fmt::format("  mog_expression={};\n", dot_value(info.annotated.empty() ? info.text : info.annotated));
  if (!info.of_sentence) {
    text += "  mog_sentence=\"no\";\n";
  }
  text += facts_text(info.facts, "  ");
  for (const auto& vertex : boost::make_iterator_range(boost::vertices(graph))) {
    const WordVertex& word = graph[vertex];
    text += fmt::format("  w{} [label={}, mog_position=\"{}\", mog_form={}];\n", word.position,
                        dot_string(word.name), word.position, dot_value(word.form));
  }
  for (const auto& edge : edges_by_id(graph)) {
    const JoinEdge& join = graph[edge];
    text +=
        fmt::format("  w{} -> w{} [label={}, tooltip={}, {}];\n", graph[boost::source(edge, graph)].position,
                    graph[boost::target(edge, graph)].position,
                    dot_string(fmt::format("{} o={}{}", join.id, join.order, made_in(join.layer, join.part))),
                    dot_string(fmt::format("left {}\nright {}\nmakes {}\norder {} kind {}", join.left,
                                           join.right, join.made, join.order, join.kind)),
                    colour(join.part));
  }
  return text + "}\n";
}

std::string forest_as_dot(const Forest& forest) {
  const ForestInfo& info = forest[boost::graph_bundle];
  std::string text =
      fmt::format("digraph forest {{\n  label={};\n  mog_words={};\n  node [fontname=\"sans\"];\n",
                  dot_string(info.title), dot_value(names_in_a_row(info.words)));
  // What all trees have in common stands before them, the rest in their clusters.
  const GraphFacts common = common_facts(info.trees);
  text += facts_text(common, "  ");
  std::size_t first = 0;
  for (std::size_t tree = 0; tree < info.trees.size(); ++tree) {
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", tree + 1,
                        dot_string(fmt::format("{}: {:.4g}  {}", info.trees[tree].rank,
                                               info.trees[tree].weight, info.trees[tree].text)));
    for (std::size_t vertex = first; vertex <= info.roots[tree]; ++vertex) {
      const TreeVertex& node = forest[vertex];
      const std::string& name = info.names[static_cast<std::size_t>(node.position - 1)];
      std::string read_back = fmt::format(", mog_position=\"{}\"", node.position);
      if (node.leaf) {
        read_back += ", mog_leaf=\"true\"";
      } else {
        read_back += fmt::format(", mog_target=\"{}\", mog_layer=\"{}\", mog_part=\"{}\", mog_weight=\"{}\"",
                                 node.target, node.layer, node.part.short_name(), node.weight);
      }
      if (vertex == info.roots[tree]) {
        read_back += ", mog_expression=" + dot_value(info.trees[tree].annotated);
        for (const auto& fact : info.trees[tree].facts) {
          if (std::find(common.begin(), common.end(), fact) == common.end()) {
            read_back += fmt::format(", mog_{}={}", fact.first, dot_value(fact.second));
          }
        }
      }
      if (node.leaf) {
        text += fmt::format("    n{} [shape=box, label={}{}];\n", vertex, dot_string(name), read_back);
      } else {
        text += fmt::format("    n{} [shape=ellipse, {}, label={}{}];\n", vertex, colour(node.part),
                            dot_string(fmt::format("{} -> {}\n{}{} {:.3g}", name,
                                                   info.names[static_cast<std::size_t>(node.target - 1)],
                                                   node.order, made_in(node.layer, node.part), node.weight)),
                            read_back);
      }
    }
    text += "  }\n";
    for (std::size_t vertex = first; vertex <= info.roots[tree]; ++vertex) {
      if (!forest[vertex].leaf) {
        const auto [left, right] = operands(forest, vertex);
        text += fmt::format("  n{0} -> n{1} [label=\"left\"];\n  n{0} -> n{2} [label=\"right\"];\n", vertex,
                            left, right);
      }
    }
    first = info.roots[tree] + 1;
  }
  return text + "}\n";
}

}  // namespace mog::analysis

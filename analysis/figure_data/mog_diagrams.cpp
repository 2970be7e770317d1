// Diagrams as the paper draws them, from any expression. Nodes stand on a circle in an order in which both
// operands of the last join are contiguous (only left, both, only right), so that an outline can go around
// each; edges are those of all subgraphs, in post-order, which is the order of their numbers.
//
// One step of an encoder (layer_step_diagram) lays several expressions over each other. What is the same
// subgraph is told by its canonical text: words by form and position, edges by the text of what they make.
// The layer of a join is what was annotated, else one above its operands. Texts grow with the square of an
// expression; diagrams take few words (kMostDiagramNodes), and nothing here is meant for more.
//
// Trap: cosines are rounded to six digits, so that files are the same bytes on every platform.
#include "analysis/figure_data/mog_diagrams.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "analysis/figure_data/expression_figures.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Nodes = std::vector<std::int32_t>;

void check(std::span<const ParsedExpression> expressions) {
  if (expressions.empty()) {
    throw UsageError("drawing: no expression was given");
  }
  if (expressions.size() > kMostDiagrams) {
    throw UsageError(fmt::format("drawing: {} expressions, one figure takes at most {}", expressions.size(),
                                 kMostDiagrams));
  }
}

void check_nodes(std::size_t nodes) {
  if (nodes > kMostDiagramNodes) {
    throw UsageError(fmt::format("drawing a graph: {} words, a diagram takes at most {}; draw a tree instead",
                                 nodes, kMostDiagramNodes));
  }
}

const char* kind_title(std::int32_t kind) {
  switch (kind) {
    case 1:
      return "neither overlap nor loop (kind 1)";
    case 2:
      return "overlap (kind 2)";
    case 3:
      return "overlap and loop (kind 3)";
    case 4:
      return "loop inherited (kind 4)";
    default:
      return "one word (kind 0)";
  }
}

std::string tuple_text(const Expression& expression, const MogEdge& edge,
                       std::span<const std::string> names) {
  const auto text = [&](std::int32_t subgraph) {
    return canonical_text(expression.subexpression(subgraph), names);
  };
  return fmt::format("({}, {}, {}, {}, {}, {})", names[static_cast<std::size_t>(edge.source)],
                     names[static_cast<std::size_t>(edge.target)], text(edge.left), text(edge.right),
                     text(edge.made), edge.order);
}

// Places on the unit circle, clockwise from the upper left.
void place_in_circle(std::vector<GraphNode>& nodes) {
  const auto count = static_cast<double>(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.size() == 1) {
      break;
    }
    // An odd number has its first node on top; an even one two, so that the figure stands on a flat base. Two
    // stand side by side.
    const double first = nodes.size() == 2 ? 1.0 : nodes.size() % 2 == 1 ? 0.5 : 0.5 + 1 / count;
    const double angle = std::numbers::pi * (first - 2 * static_cast<double>(i) / count);
    // Rounded, so that the last bit of a platform's cosine never shows.
    nodes[i].x = std::round(std::cos(angle) * 1e6) / 1e6;
    nodes[i].y = std::round(std::sin(angle) * 1e6) / 1e6;
  }
}

// The words around the circle so that both operands are contiguous: only left, both, only right.
Nodes circle_order(const Expression& expression) {
  Nodes all = expression.words();
  if (expression.is_atom()) {
    return all;
  }
  const Nodes left = expression.subexpression(expression.root().left).words();
  const Nodes right = expression.subexpression(expression.root().right).words();
  Nodes order;
  for (const bool in_left : {true, false}) {
    for (const bool in_right : {false, true}) {
      for (const std::int32_t word : all) {
        const bool l = std::binary_search(left.begin(), left.end(), word);
        const bool r = std::binary_search(right.begin(), right.end(), word);
        if (l == in_left && r == in_right) {
          order.push_back(word);
        }
      }
    }
  }
  return order;
}

FigureData kind_panel(const ParsedExpression& parsed) {
  const Expression& expression = parsed.expression;
  const Nodes order = circle_order(expression);
  check_nodes(order.size());
  GraphFigure graph;
  std::map<std::int32_t, std::int64_t> place;
  for (const std::int32_t word : order) {
    place[word] = static_cast<std::int64_t>(graph.nodes.size());
    graph.nodes.push_back({parsed.words[static_cast<std::size_t>(word)].form, 0, 0});
  }
  place_in_circle(graph.nodes);
  const std::vector<MogEdge> edges = expression.edges();
  for (const MogEdge& edge : edges) {
    graph.edges.push_back({place[edge.source], place[edge.target], std::to_string(edge.id), false, Part::none,
                           edge.order, tuple_text(expression, edge, parsed.names)});
  }
  if (!edges.empty()) {
    graph.edges.back().strong = true;  // post-order: the last is the whole's
    const auto outline = [&](const char* name, std::int32_t operand, Dash dash) {
      GraphOutline result{name, {}, dash};
      for (const std::int32_t word : expression.subexpression(operand).words()) {
        result.nodes.push_back(place[word]);
      }
      return result;
    };
    graph.outlines = {outline("left operand", expression.root().left, Dash::dashed),
                      outline("right operand", expression.root().right, Dash::dotted)};
  }
  FigureData panel;
  panel.title = fmt::format("{}, order {}", kind_title(expression.kind()), expression.order());
  panel.body = std::move(graph);
  return panel;
}

// With the letters of the panels where each expression has one.
std::string texts_of(std::span<const ParsedExpression> expressions, bool letters) {
  std::string all;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string text = expressions[i].text(false);
    constexpr std::size_t kLongest = 240;
    if (text.size() > kLongest) {
      return {};  // the table of the figure has them
    }
    all += letters && expressions.size() > 1 && i < 26
               ? fmt::format(" ({}) {}.", static_cast<char>('a' + i), text)
               : fmt::format(" {}.", text);
  }
  return all;
}

FigureData grid(std::vector<FigureData> panels, std::int64_t columns, std::string title,
                std::string caption) {
  FigureData figure;
  figure.title = std::move(title);
  figure.caption = std::move(caption);
  PanelFigure body;
  body.columns = columns;
  body.label_panels = panels.size() > 1;
  body.panels = std::move(panels);
  figure.body = std::move(body);
  return figure;
}

// Every join has an atom among its operands and at least one join an operand that is none.
bool word_by_word(const Expression& expression) {
  const auto& subgraphs = expression.subgraphs();
  const auto atom = [&](std::int32_t index) { return subgraphs[static_cast<std::size_t>(index)].is_atom(); };
  bool deep = false;
  for (const Subgraph& s : subgraphs) {
    if (!s.is_atom()) {
      if (!atom(s.left) && !atom(s.right)) {
        return false;
      }
      deep = deep || !atom(s.left) || !atom(s.right);
    }
  }
  return deep;
}

bool written(const ParsedExpression& parsed, std::string_view key) {
  return std::any_of(parsed.annotations.begin(), parsed.annotations.end(), [&](const JoinAnnotation& all) {
    return std::any_of(all.begin(), all.end(), [&](const auto& entry) { return entry.first == key; });
  });
}

FigureData arcs_panel(const ParsedExpression& parsed) {
  FigureData panel = expression_arcs_figure(parsed);
  auto& figure = std::get<ArcFigure>(panel.body);
  if (!written(parsed, "w")) {
    figure.weight_of_full_width = 2;  // all alike, and not thick
  }
  return panel;
}

}  // namespace

FigureData kinds_diagram(std::span<const ParsedExpression> expressions) {
  check(expressions);
  std::vector<FigureData> panels;
  for (const ParsedExpression& parsed : expressions) {
    panels.push_back(kind_panel(parsed));
  }
  return grid(
      std::move(panels), expressions.size() > 1 ? 2 : 1, "How subgraphs are generated",
      "Numbers: order of generation; thick: the edge of the last join, from a word of its left operand to "
      "a word of its right operand." +
          texts_of(expressions, true));
}

FigureData iterations_diagram(std::span<const ParsedExpression> expressions) {
  check(expressions);
  std::vector<FigureData> panels;
  for (const ParsedExpression& parsed : expressions) {
    FigureData panel = expression_tree_figure(parsed);
    auto& tree = std::get<TreeFigure>(panel.body);
    const std::int32_t order = parsed.expression.order();
    if (word_by_word(parsed.expression)) {
      tree.row = "step";
      panel.title = fmt::format("word by word: order {} after {} steps of one layer", order, tree.layers);
    } else {
      tree.row = "layer";  // an annotated one, or the first that can make it
      panel.title = fmt::format("layer by layer: order {} after {}", order, counted(tree.layers, "layer"));
    }
    panels.push_back(std::move(panel));
  }
  return grid(
      std::move(panels), expressions.size() > 1 ? 2 : 1, "Layer-level and sentence-level iteration",
      "A dot is a join; the line with an arrowhead goes to the operand that holds the edge's target." +
          texts_of(expressions, true));
}

namespace {

// The layer that makes each subgraph (0: an atom): as recorded (`l`), else the one after its operands'.
std::vector<std::int64_t> layers_of(const ParsedExpression& parsed) {
  const std::vector<Subgraph>& subgraphs = parsed.expression.subgraphs();
  std::vector<std::int64_t> layers(subgraphs.size(), 0);
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const Subgraph& made = subgraphs[i];
    if (made.is_atom()) {
      continue;
    }
    layers[i] = 1 + std::max(layers[static_cast<std::size_t>(made.left)],
                             layers[static_cast<std::size_t>(made.right)]);
    for (const auto& [key, value] : parsed.annotations[i]) {
      std::int64_t recorded = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), recorded);
      if (key == "l" && error == std::errc() && end == value.data() + value.size()) {
        layers[i] = recorded;
      }
    }
  }
  return layers;
}

}  // namespace

FigureData layer_step_diagram(std::span<const ParsedExpression> expressions, std::int64_t layer) {
  check(expressions);
  struct Made {
    GraphEdge edge;
    std::int64_t layer = 0;
  };
  std::vector<GraphNode> nodes;
  std::map<std::pair<std::int32_t, std::string>, std::int64_t> place;  // (position, form)
  std::map<std::string, Made> edges;                                   // by the text of what they make
  std::vector<std::string> in_order;
  std::int64_t deepest = 0;
  bool recorded = false;
  for (const ParsedExpression& parsed : expressions) {
    std::vector<std::int64_t> node_of(parsed.words.size(), -1);
    for (const std::int32_t word : parsed.expression.words()) {
      const ExpressionWord& found = parsed.words[static_cast<std::size_t>(word)];
      const auto [entry, fresh] =
          place.try_emplace({found.position, found.form}, static_cast<std::int64_t>(nodes.size()));
      if (fresh) {
        nodes.push_back({found.form, 0, 0});
      }
      node_of[static_cast<std::size_t>(word)] = entry->second;
    }
    check_nodes(nodes.size());
    const std::vector<std::int64_t> layers = layers_of(parsed);
    recorded = recorded || written(parsed, "l");
    for (const MogEdge& edge : parsed.expression.edges()) {
      const Expression made = parsed.expression.subexpression(edge.made);
      const std::string text = canonical_text(made, parsed.names);
      const auto [entry, fresh] = edges.try_emplace(text);
      if (fresh) {
        in_order.push_back(text);
        entry->second = {{node_of[static_cast<std::size_t>(edge.source)],
                          node_of[static_cast<std::size_t>(edge.target)], std::to_string(edge.order), false,
                          Part::none, edge.order, tuple_text(parsed.expression, edge, parsed.names)},
                         layers[static_cast<std::size_t>(edge.made)]};
        deepest = std::max(deepest, entry->second.layer);
      }
    }
  }
  const std::int64_t step = layer > 0 ? layer : deepest;
  GraphFigure before;
  before.nodes = nodes;
  place_in_circle(before.nodes);
  GraphFigure after = before;
  std::size_t added = 0;
  for (const std::string& text : in_order) {
    Made made = edges.at(text);
    if (made.layer < step) {
      before.edges.push_back(made.edge);
      after.edges.push_back(made.edge);
    } else if (made.layer == step) {
      made.edge.strong = true;
      after.edges.push_back(made.edge);
      ++added;
    }
  }
  if (added == 0) {
    throw UsageError(
        fmt::format("figure layer-step: layer {} makes no edge of these expressions, they have {}", step,
                    counted(deepest, "layer")));
  }
  const std::size_t kept = before.edges.size();
  std::vector<FigureData> panels(2);
  panels[0].title = fmt::format("before layer {}: {} subgraphs", step, nodes.size() + kept);
  panels[0].body = std::move(before);
  panels[1].title = fmt::format("layer {} makes {} more from pairs of them", step, added);
  panels[1].body = std::move(after);
  return grid(
      std::move(panels), 2, fmt::format("One step: what layer {} adds", step),
      "Each edge is one subgraph, each word another; numbers: order of the subgraph that the edge makes; "
      "thick: made by this layer; " +
          std::string(recorded ? "layers as recorded (l), where there is none the one after the operands'."
                               : "an edge is made in the layer that is the depth of its subgraph.") +
          texts_of(expressions, false));
}

FigureData sentence_diagram(std::span<const ParsedExpression> expressions) {
  check(expressions);
  std::vector<FigureData> panels;
  for (const ParsedExpression& parsed : expressions) {
    FigureData arcs = arcs_panel(parsed);
    FigureData tree = expression_tree_figure(parsed);
    const auto& joins = std::get<TreeFigure>(tree.body);
    if (joins.layers > 0) {
      std::get<ArcFigure>(arcs.body).margin = fmt::format("{} {}", joins.row, joins.layers);
    }
    arcs.title =
        fmt::format("edges: {}, order {}", counted(static_cast<std::int64_t>(parsed.words.size()), "word"),
                    parsed.expression.order());
    tree.title =
        fmt::format("how they are made: {} enough",
                    parsed.expression.depth() == 1 ? "1 layer is"
                                                   : fmt::format("{} layers are", parsed.expression.depth()));
    panels.push_back(std::move(arcs));
    panels.push_back(std::move(tree));
  }
  return grid(
      std::move(panels), 1, "A sentence as a multi-order graph",
      "Arcs: from the source of each edge to its target, numbered in the order of generation or named by "
      "their relation." +
          texts_of(expressions, false));
}

}  // namespace mog::analysis

#include "analysis/figure_data/mog_diagrams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/figure_data/expression_figures.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::vector<ParsedExpression> parsed(const std::vector<std::string>& texts,
                                     const std::vector<std::string>& sentence) {
  std::vector<ParsedExpression> result;
  for (const std::string& text : texts) {
    result.push_back(parse_expression(text, std::span<const std::string>(sentence)));
  }
  return result;
}

const std::vector<std::string> kAbcd = {"a", "b", "c", "d"};

const FigureData& panel(const FigureData& figure, std::size_t index) {
  return std::get<PanelFigure>(figure.body).panels.at(index);
}

// "a>b 2*" for an edge of order 2 that is strong.
std::vector<std::string> edges(const FigureData& figure) {
  const auto& graph = std::get<GraphFigure>(figure.body);
  std::vector<std::string> result;
  for (const GraphEdge& edge : graph.edges) {
    result.push_back(graph.nodes.at(static_cast<std::size_t>(edge.source)).text + ">" +
                     graph.nodes.at(static_cast<std::size_t>(edge.target)).text + " " + edge.label +
                     (edge.strong ? "*" : ""));
  }
  std::sort(result.begin(), result.end());
  return result;
}

using Lines = std::vector<std::string>;

TEST(ExpressionFigures, DrawOnlyWhatTheTextGives) {
  const ParsedExpression bare = parse_expression("((a)->a U (b)->b)->a U (c)->c");
  const auto tree = std::get<TreeFigure>(expression_tree_figure(bare).body);
  for (const TreeNode& node : tree.nodes) {
    EXPECT_TRUE(std::isnan(node.weight));
    EXPECT_EQ(node.part, Part::none);
  }
  EXPECT_EQ(tree.row, "depth");
  const auto arcs = std::get<ArcFigure>(expression_arcs_figure(bare).body);
  EXPECT_TRUE(arcs.weight.quantity.empty());
  EXPECT_EQ(arcs.arcs.front().part, Part::none);
  // One join says more than the other.
  const ParsedExpression annotated =
      parse_expression("((a)->a U[l=1;part=m1;w=0.25] (b)->b)->a U[l=3] (c)->c");
  const auto told = std::get<TreeFigure>(expression_tree_figure(annotated).body);
  EXPECT_EQ(told.row, "layer");
  EXPECT_EQ(told.layers, 3);
  EXPECT_EQ(told.nodes[2].weight, 0.25);
  EXPECT_EQ(told.nodes[2].part, Part::middle1);
  EXPECT_TRUE(std::isnan(told.nodes[4].weight));
  EXPECT_EQ(told.nodes[4].part, Part::none);
}

TEST(KindsDiagram, ShowsTheJoinThatDecidesTheKind) {
  const auto expressions =
      parsed({"((a)->a U (b)->b)->a U (c)->c", "((a)->a U (b)->b)->a U ((b)->b U (c)->c)->c",
              "(((a)->a U (b)->b)->b U (c)->c)->c U (a)->a",
              "((((a)->a U (b)->b)->b U (c)->c)->c U (a)->a)->c U (d)->d"},
             kAbcd);
  const FigureData figure = kinds_diagram(expressions);
  EXPECT_EQ(panel(figure, 0).title, "neither overlap nor loop (kind 1), order 3");
  EXPECT_EQ(panel(figure, 1).title, "overlap (kind 2), order 3");
  EXPECT_EQ(panel(figure, 2).title, "overlap and loop (kind 3), order 3");
  EXPECT_EQ(panel(figure, 3).title, "loop inherited (kind 4), order 4");
  EXPECT_EQ(edges(panel(figure, 1)), (Lines{"a>b 1", "a>c 3*", "b>c 2"}));
  EXPECT_EQ(edges(panel(figure, 2)), (Lines{"a>b 1", "b>c 2", "c>a 3*"}));
  // Both operands are outlined; the word of both lies between them on the circle.
  const auto& graph = std::get<GraphFigure>(panel(figure, 1).body);
  ASSERT_EQ(graph.outlines.size(), 2U);
  EXPECT_EQ(graph.nodes.at(1).text, "b");
  EXPECT_EQ(graph.outlines[0].nodes, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(graph.outlines[1].nodes, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(graph.edges.at(0).tuple, "(a, b, a, b, (a)->a U (b)->b, 2)");
}

TEST(KindsDiagram, ParallelEdgesAndLoopsStayEdges) {
  const auto expressions = parsed({"((a)->a U (b)->b)->a U (b)->b", "(a)->a U (a)->a", "d"}, kAbcd);
  const FigureData figure = kinds_diagram(expressions);
  EXPECT_EQ(edges(panel(figure, 0)), (Lines{"a>b 1", "a>b 2*"}));
  EXPECT_EQ(edges(panel(figure, 1)), (Lines{"a>a 1*"}));
  EXPECT_EQ(edges(panel(figure, 2)), Lines{});
}

TEST(IterationsDiagram, TellsLayersFromSteps) {
  const auto expressions = parsed(
      {"((a)->a U (b)->b)->a U ((c)->c U (d)->d)->c", "(d)->d U ((c)->c U ((b)->b U (a)->a)->b)->c"}, kAbcd);
  const FigureData figure = iterations_diagram(expressions);
  const auto& layers = std::get<TreeFigure>(panel(figure, 0).body);
  const auto& steps = std::get<TreeFigure>(panel(figure, 1).body);
  EXPECT_EQ(layers.row, "layer");
  EXPECT_EQ(layers.layers, 2);
  EXPECT_EQ(steps.row, "step");
  EXPECT_EQ(steps.layers, 3);
  EXPECT_EQ(panel(figure, 1).title, "word by word: order 4 after 3 steps of one layer");
  EXPECT_TRUE(std::isnan(layers.nodes.back().weight));  // none was written
}

TEST(LayerStepDiagram, OneLayerAddsWhatItsDepthSays) {
  const auto expressions =
      parsed({"((a)->a U (b)->b)->a U ((c)->c U (d)->d)->c", "((a)->a U (b)->b)->a U ((b)->b U (c)->c)->b",
              "(d)->d U ((b)->b U (c)->c)->b"},
             kAbcd);
  const FigureData last = layer_step_diagram(expressions);
  EXPECT_EQ(panel(last, 0).title, "before layer 2: 7 subgraphs");
  EXPECT_EQ(edges(panel(last, 0)), (Lines{"a>b 2", "b>c 2", "c>d 2"}));
  EXPECT_EQ(edges(panel(last, 1)), (Lines{"a>b 2", "a>b 3*", "a>c 4*", "b>c 2", "c>d 2", "d>b 3*"}));
  const FigureData first = layer_step_diagram(expressions, 1);
  EXPECT_EQ(edges(panel(first, 0)), Lines{});
  EXPECT_EQ(edges(panel(first, 1)), (Lines{"a>b 2*", "b>c 2*", "c>d 2*"}));
  EXPECT_THROW(layer_step_diagram(expressions, 3), UsageError);
}

TEST(SentenceDiagram, ArcsAndTreeShareTheWords) {
  const std::vector<std::string> words = {"Do", "as", "the", "Romans", "do"};
  const auto expressions =
      parsed({"(((Do)->Do U (do)->do)->do U ((Romans)->Romans U (the)->the)->Romans)->do U (as)->as"}, words);
  const FigureData figure = sentence_diagram(expressions);
  const auto& arcs = std::get<ArcFigure>(panel(figure, 0).body);
  const auto& tree = std::get<TreeFigure>(panel(figure, 1).body);
  EXPECT_EQ(arcs.words, tree.words);
  EXPECT_EQ(arcs.words.at(3).text, "Romans");
  ASSERT_EQ(arcs.arcs.size(), 4U);
  EXPECT_EQ(arcs.arcs.back().source, 4);
  EXPECT_EQ(arcs.arcs.back().target, 1);
  EXPECT_EQ(tree.nodes.back().order, 5);
  EXPECT_EQ(panel(figure, 1).title, "how they are made: 3 layers are enough");
}

TEST(Diagrams, RefuseWhatIsTooMuch) {
  EXPECT_THROW(kinds_diagram({}), UsageError);
  const auto one = parsed({"a"}, kAbcd);
  const std::vector<ParsedExpression> many(kMostDiagrams + 1, one.front());
  EXPECT_THROW(kinds_diagram(many), UsageError);
  std::string text = "w0";
  std::vector<std::string> words = {"w0"};
  for (std::size_t i = 1; i <= kMostDiagramNodes; ++i) {
    words.push_back("w" + std::to_string(i));
    text = "(" + text + ")->w0 U (" + words.back() + ")->" + words.back();
  }
  EXPECT_THROW(kinds_diagram(parsed({text}, words)), UsageError);
}

}  // namespace
}  // namespace mog::analysis

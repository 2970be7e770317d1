#include "analysis/mog/graph_files/export.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

// Names that every format must escape, in a grammar with parallel edges.
AttentionGrammar hostile_grammar() {
  GrammarInput input;
  input.words = {"say \"<&>\" \\", "日本\x01", "tab\t'"};
  input.layers = 2;
  const std::vector<double> map = {.1, .6, .3, .5, .2, .3, .2, .7, .1};
  input.attention = {{map, {}, {}}, {map, map, map}};
  input.gate = {{.5, .5, .5}, {.7, .5, .5}};
  return AttentionGrammar(std::move(input));
}

struct Made {
  explicit Made(std::int64_t k = 12)
      : grammar(hostile_grammar()),
        k_best(grammar),
        list(k_best.list(Goal::of_word(2, 0), k)),
        forest(make_forest(grammar, k_best, list)) {}
  AttentionGrammar grammar;
  KBest k_best;
  KBestList list;
  Forest forest;
};

TEST(Forest, HoldsTheTrees) {
  const Made made;
  const ForestInfo& info = made.forest[boost::graph_bundle];
  EXPECT_EQ(info.title, "R[2,1]");
  ASSERT_EQ(info.trees.size(), 12U);
  std::size_t vertices = 0;
  for (std::size_t i = 0; i < info.trees.size(); ++i) {
    EXPECT_EQ(info.trees[i].text, made.k_best.text(made.list.entries[i]));
    vertices += static_cast<std::size_t>(2 * info.trees[i].leaves - 1);
    EXPECT_EQ(boost::in_degree(info.roots[i], made.forest), 0U);
    EXPECT_EQ(boost::num_edges(info.graphs[i]), made.k_best.expression(made.list.entries[i]).edges().size());
  }
  EXPECT_EQ(boost::num_vertices(made.forest), vertices);
  EXPECT_EQ(boost::num_edges(made.forest), vertices - info.trees.size());
}

TEST(MultiOrderGraph, KeepsParallelEdges) {
  const Expression pair = Expression::join(Expression::atom(0), 0, Expression::atom(1), 1);
  const Expression twice =
      Expression::join(pair, 0, Expression::join(Expression::atom(1), 1, Expression::atom(2), 2), 1);
  const std::vector<std::string> words = {"a", "b", "c"};
  const MultiOrderGraph graph = make_multi_order_graph(twice, words);
  EXPECT_EQ(boost::num_vertices(graph), 3U);
  ASSERT_EQ(boost::num_edges(graph), 3U);
  EXPECT_EQ(boost::out_degree(0, graph), 2U);
  const json document = json::parse(export_graph(graph, GraphFormat::json));
  const json& edge = document.at("edges").at(2);
  EXPECT_EQ(edge, json({{"id", 3},
                        {"source", 1},
                        {"target", 2},
                        {"left", "(a)->a U (b)->b"},
                        {"right", "(b)->b U (c)->c"},
                        {"sub", "((a)->a U (b)->b)->a U ((b)->b U (c)->c)->b"},
                        {"order", 3},
                        {"kind", 2}}));
  const std::string dot = export_graph(graph, GraphFormat::dot);
  EXPECT_NE(dot.find("w1 -> w2 [label=\"1 o=2\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("w1 -> w2 [label=\"3 o=3\""), std::string::npos) << dot;
}

TEST(Export, JsonReadsBack) {
  const Made made;
  const json document = json::parse(export_forest(made.forest, GraphFormat::json));
  EXPECT_EQ(document.at("words"), json(made.grammar.words()));
  EXPECT_EQ(document.at("goal"), "R[2,1]");
  for (std::size_t i = 0; i < made.list.entries.size(); ++i) {
    const KBestEntry& entry = made.list.entries[i];
    const json& tree = document.at("trees").at(i);
    EXPECT_EQ(tree.at("weight").get<double>(), entry.weight);
    EXPECT_EQ(tree.at("mass").get<double>(), entry.mass);
    EXPECT_EQ(tree.at("expression").get<std::string>(), made.k_best.text(entry));
    EXPECT_EQ(tree.at("kind"), entry.kind);
    const Derivation derivation = made.k_best.derivation(entry);
    ASSERT_EQ(tree.at("nodes").size(), derivation.nodes.size());
    const json& root = tree.at("nodes").back();
    if (derivation.root().is_leaf()) {
      EXPECT_EQ(root.at("word"), derivation.root().word + 1);
    } else {
      EXPECT_EQ(root.at("left"), derivation.root().left);
      EXPECT_EQ(root.at("right"), derivation.root().right);
      EXPECT_EQ(root.at("layer"), derivation.root().layer);
      EXPECT_EQ(root.at("edge"), tree.at("edges").size());
    }
  }
}

TEST(Export, TextOfTheWorkedExample) {
  const json golden = test::read_json("worked_example.json");
  const AttentionGrammar grammar(test::grammar_input(golden.at("input")));
  KBest k_best(grammar);
  const Forest forest = make_forest(grammar, k_best, k_best.list(Goal::of_word(2, 0), 3));
  EXPECT_EQ(export_forest(forest, GraphFormat::text),
            "R[2,1]: 3 best of \"a b c\"\n"
            "rank  weight      mass        derivations  order  leaves  kind  expression\n"
            "   1  0.15        0.2443                5      1       1     0  a\n"
            "   2  0.09        0.1754                6      2       2     1  (a)->a U[l=1;part=h] (b)->b\n"
            "   3  0.084       0.091                 2      3       3     1  "
            "((a)->a U[l=1;part=h] (b)->b)->a U[l=2;part=m1] (c)->c\n");
}

TEST(Export, EqualForestsGiveEqualBytes) {
  const Made first;
  const Made second;
  for (const GraphFormat format :
       {GraphFormat::text, GraphFormat::json, GraphFormat::dot, GraphFormat::graphml}) {
    EXPECT_EQ(export_forest(first.forest, format), export_forest(second.forest, format));
  }
}

// Whether a tool of the system reads `text`; skipped where the tool is absent.
int run_tool(const std::string& command, const std::string& text) {
  const std::string path = testing::TempDir() + "mog_export_test";
  std::ofstream(path) << text;
  return std::system((command + " " + path + " > /dev/null 2>&1").c_str());
}

TEST(Export, GraphmlIsWellFormed) {
  const Made made;
  const std::string parse =
      "python3 -c \"import sys, xml.etree.ElementTree as t; r = t.parse(sys.argv[1]).getroot(); "
      "sys.exit(not r.tag.endswith('graphml'))\"";
  EXPECT_EQ(run_tool(parse, export_forest(made.forest, GraphFormat::graphml)), 0);
  for (const MultiOrderGraph& graph : made.forest[boost::graph_bundle].graphs) {
    EXPECT_EQ(run_tool(parse, export_graph(graph, GraphFormat::graphml)), 0);
  }
  EXPECT_NE(run_tool(parse, "<graphml>&</graphml>"), 0);
}

TEST(Export, DotEscapesNames) {
  const Made made;
  const std::string dot = export_forest(made.forest, GraphFormat::dot);
  // A canonical name is quoted and escaped once, DOT escapes it again.
  EXPECT_NE(dot.find(R"(label="\"say \\\"<&>\\\" \\\\\"")"), std::string::npos) << dot;
  if (std::system("command -v dot > /dev/null 2>&1") == 0) {
    EXPECT_EQ(run_tool("dot -Tsvg", dot), 0);
    EXPECT_EQ(
        run_tool("dot -Tsvg", export_graph(made.forest[boost::graph_bundle].graphs.at(3), GraphFormat::dot)),
        0);
  }
}

}  // namespace
}  // namespace mog::analysis

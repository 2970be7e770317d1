#include "analysis/mog/graph_files/import_graph.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/mog/graph_files/export.h"
#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

// Through GraphML and DOT and back.
void expect_round_trip(const ParsedExpression& parsed, bool of_sentence) {
  const MultiOrderGraph graph = make_multi_order_graph(parsed, of_sentence);
  for (const GraphFormat format : {GraphFormat::graphml, GraphFormat::dot}) {
    const std::string text = export_graph(graph, format);
    const std::vector<GraphClaim> claims =
        format == GraphFormat::graphml ? read_graphml(text, "test") : read_dot(text, "test");
    ASSERT_EQ(claims.size(), 1U) << text;
    EXPECT_EQ(claims[0].edges.size(), parsed.expression.edges().size()) << text;
    const ParsedExpression read = checked_expression(claims[0], "test");
    EXPECT_EQ(read.text(), parsed.text()) << text;
    EXPECT_EQ(read.expression, parsed.expression) << text;
    EXPECT_EQ(read.words, parsed.words) << text;
    EXPECT_EQ(read.annotations, parsed.annotations) << text;
  }
}

TEST(ImportGraph, GoldenExpressionsComeBack) {
  const json golden = test::read_json("expressions.json");
  ASSERT_FALSE(golden.at("valid").empty());
  for (const json& tested : golden.at("valid")) {
    const std::string text = tested.at("text");
    if (tested.at("words").is_null()) {
      expect_round_trip(parse_expression(text), false);
    } else {
      const auto words = tested.at("words").get<std::vector<std::string>>();
      expect_round_trip(parse_expression(text, words), true);
    }
  }
}

// A random expression over some words, written with random white space and annotations.
std::string random_text(std::mt19937& random, const std::vector<std::string>& names, int joins,
                        std::vector<std::size_t>& held) {
  if (joins == 0) {
    const std::size_t word = random() % names.size();
    held = {word};
    return names[word];
  }
  const int left_joins = static_cast<int>(random() % static_cast<unsigned>(joins));
  std::vector<std::size_t> right_held;
  const std::string left = random_text(random, names, left_joins, held);
  const std::string right = random_text(random, names, joins - 1 - left_joins, right_held);
  const std::string& source = names[held[random() % held.size()]];
  const std::string& target = names[right_held[random() % right_held.size()]];
  held.insert(held.end(), right_held.begin(), right_held.end());
  const std::string blank(random() % 3, ' ');
  const std::string annotation = random() % 3 == 0   ? "[w=0.5;rel=x:y;l=2]"
                                 : random() % 3 == 0 ? "[zz=1]"
                                 : random() % 3 == 0 ? R"([rel=a\u{3b}\u{1b}b\u{5c}u{9}])"
                                                     : "";
  return "(" + blank + left + ")" + blank + "->" + source + blank + " U" + annotation + blank + "(" + right +
         blank + ")" + "->" + blank + target;
}

TEST(ImportGraph, RandomExpressionsComeBackThroughEveryFormat) {
  const std::vector<std::string> words = {"the",
                                          "dog",
                                          "U",
                                          "a->b",
                                          "say \"hi\\",
                                          "the",
                                          "日本",
                                          "<&>",
                                          "d'un",
                                          "x  y",
                                          "sub_x",
                                          "\\\\\"",
                                          "a\nb\r\x1b[31m\x7f\u009b",
                                          "tab\there",
                                          " ",
                                          "\\u{1b}",
                                          "\\n",
                                          "🙂",
                                          "e\u0301"};
  const std::vector<std::string> names = node_names(words);
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::size_t> held;
    const std::string text = random_text(random, names, static_cast<int>(random() % 9), held);
    const ParsedExpression parsed = parse_expression(text, words);
    // The printer is a fixed point of the parser.
    EXPECT_EQ(parse_expression(parsed.text(), words).text(), parsed.text()) << text;
    EXPECT_EQ(parse_expression(parsed.text(), words).expression, parsed.expression) << text;
    expect_round_trip(parsed, true);
    expect_round_trip(parse_expression(text), false);
  }
}

TEST(ImportGraph, SeveralGraphsOfOneFile) {
  const std::vector<std::string> words = {"a", "b", "c"};
  const std::vector<MultiOrderGraph> graphs = {
      make_multi_order_graph(parse_expression("(a)->a U (b)->b", words), true),
      make_multi_order_graph(parse_expression("c", words), true)};
  for (const GraphFormat format : {GraphFormat::graphml, GraphFormat::dot}) {
    const std::string text = export_graphs(graphs, format);
    const auto claims = format == GraphFormat::graphml ? read_graphml(text, "t") : read_dot(text, "t");
    ASSERT_EQ(claims.size(), 2U) << text;
    EXPECT_EQ(checked_expression(claims[0], "t").text(), "(a)->a U (b)->b");
    EXPECT_EQ(checked_expression(claims[1], "t").text(), "c");
    EXPECT_EQ(claims[1].words, words);
  }
}

TEST(ImportGraph, OtherProgramsMayRenameAndRetype) {
  // As NetworkX writes it: keys d0 …, integers as long, nodes by other names, edges in another order.
  const std::string text = R"(<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d4" for="edge" attr.name="order" attr.type="long"/>
<key id="d3" for="edge" attr.name="id" attr.type="long"/>
<key id="d2" for="node" attr.name="form" attr.type="string"/>
<key id="d1" for="node" attr.name="position" attr.type="long"/>
<key id="d0" for="graph" attr.name="expression" attr.type="string"/>
<graph edgedefault="directed"><data key="d0">((a)-&gt;a U (b)-&gt;b)-&gt;a U (c)-&gt;c</data>
<node id="x"><data key="d1">3</data><data key="d2">c</data></node>
<node id="y"><data key="d1">1</data><data key="d2">a</data></node>
<node id="z"><data key="d1">2</data><data key="d2">b</data></node>
<edge source="y" target="x"><data key="d3">2</data><data key="d4">3</data></edge>
<edge source="y" target="z"><data key="d3">e1</data><data key="d4">2.0</data></edge>
</graph></graphml>)";
  const auto claims = read_graphml(text, "t");
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].words, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(checked_expression(claims[0], "t").text(), "((a)->a U (b)->b)->a U (c)->c");
}

std::string refusal(const GraphClaim& claim) {
  try {
    checked_expression(claim, "t");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ImportGraph, WhatContradictsTheExpressionIsNamed) {
  GraphClaim claim{.expression = "(a)->a U (b)->b", .of_sentence = true, .words = {"a", "b"}, .edges = {{}}};
  EXPECT_EQ(refusal(claim), "accepted");
  claim.edges = {{.id = 1, .source = 2}};
  EXPECT_NE(refusal(claim).find("edge 1: \"source\" is 2, but the expression gives 1"), std::string::npos);
  claim.edges = {{.order = 3}};
  EXPECT_NE(refusal(claim).find("\"order\" is 3"), std::string::npos);
  claim.edges = {{.left = "b"}};
  EXPECT_NE(refusal(claim).find("\"left\" is b, but the expression gives a"), std::string::npos);
  claim.edges = {{}, {}};
  EXPECT_NE(refusal(claim).find("2 edges are listed, the expression makes 1"), std::string::npos);
  claim.edges = {};
  claim.words = {"a", "c"};
  EXPECT_NE(refusal(claim).find("column 11: unknown_word"), std::string::npos) << refusal(claim);
  claim.of_sentence = false;
  EXPECT_NE(refusal(claim).find("word 2 is \"c\""), std::string::npos);
  EXPECT_NE(refusal({.expression = "", .of_sentence = false, .words = {}, .edges = {}}).find("found neither"),
            std::string::npos);
  // Edges alone say it too.
  EXPECT_EQ(refusal({.expression = "",
                     .of_sentence = true,
                     .words = {"a", "b"},
                     .edges = {{.made = "(a)->a U (b)->b"}}}),
            "accepted");
}

std::string claims_text(const std::string& text) {
  std::string result;
  try {
    for (const GraphClaim& claim : text.starts_with("<") ? read_graphml(text, "t") : read_dot(text, "t")) {
      result += (result.empty() ? "" : " | ") + checked_expression(claim, "t").text();
    }
  } catch (const FormatError& error) {
    return error.what();
  }
  return result;
}

TEST(ImportGraph, WordsAndEdgesAloneTellWhereOneOrderCanBeMeant) {
  EXPECT_EQ(claims_text("digraph { b -> a }"), "(b)->b U (a)->a");
  EXPECT_EQ(claims_text("digraph { a -> b [order=3] b -> c [order=2] }"), "(a)->a U ((b)->b U (c)->c)->b");
  EXPECT_EQ(claims_text("digraph { a -> {b; c} [id=1] }").substr(0, 2), "t:");
  EXPECT_NE(claims_text("digraph {\n a -> b\n a -> c }").find("line 1, column 1: 2 edges"),
            std::string::npos);
  EXPECT_NE(
      claims_text("digraph {\n a -> b [id=1]\n b -> a [id=2]}").find("line 3, column 2: the edge 2 -> 1"),
      std::string::npos);
}

TEST(ImportGraph, PlacesAreLinesAndColumnsInCharacters) {
  EXPECT_NE(claims_text("digraph {\n  \"日本\" -> b -- c }").find("line 2, column 13: "), std::string::npos);
  EXPECT_NE(
      claims_text("<graphml>\n<graph><node id=\"日\"/><node/></graph></graphml>").find("line 2, column 22: "),
      std::string::npos);
  EXPECT_NE(claims_text("<graphml>\n <graph></grap></graphml>").find("line 2, column 11: no sound XML"),
            std::string::npos)
      << claims_text("<graphml>\n <graph></grap></graphml>");
}

TEST(ImportGraph, DerivationTreesSpellTheirExpressions) {
  const std::string tree =
      "digraph { n0 [label=saw] n1 [label=dog] n2 [label=\"saw -> dog\\n2 h 1\"] "
      "n2 -> n0 [label=left] n2 -> n1 [label=right] }";
  EXPECT_EQ(claims_text(tree), "(saw)->saw U (dog)->dog");
  EXPECT_NE(claims_text("digraph { a -> b [label=left] }").find("one operand"), std::string::npos);
  EXPECT_NE(claims_text("digraph { a -> a [label=left] a -> b [label=right] }").find("cycle"),
            std::string::npos);
  EXPECT_NE(claims_text("digraph { a -> b [label=left] a -> c [label=right] d -> b [label=left] d -> e "
                        "[label=right] }")
                .find("operand of two joins"),
            std::string::npos);
}

TEST(ImportGraph, HostileFilesAreRefused) {
  const auto deep = [](const std::string& open, const std::string& close, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) {
      text += open;
    }
    for (int i = 0; i < times; ++i) {
      text += close;
    }
    return text;
  };
  for (const std::string& text :
       {std::string(), std::string("<graphml>"), std::string("<graphml></graphml>"),
        std::string("</graphml>"), std::string("<graphml><graph"),
        std::string("<!DOCTYPE a [<!ENTITY b \"c\">]><graphml><graph/></graphml>"),
        std::string("<graphml><graph><node/></graph></graphml>"),
        std::string("<graphml><graph><edge source=\"a\" target=\"b\"/></graph></graphml>"),
        "<graphml><graph>" + deep("<x>", "</x>", 100'000) + "</graph></graphml>"}) {
    EXPECT_THROW(
        {
          for (const GraphClaim& claim : read_graphml(text, "t")) {
            checked_expression(claim, "t");
          }
        },
        FormatError)
        << text.substr(0, 80);
  }
  for (const std::string& text :
       {std::string(), std::string("digraph"), std::string("digraph {"), std::string("digraph { a -> }"),
        std::string("}"), std::string("digraph { \"a }"), std::string("graph { a -- b }"),
        std::string("digraph { a -> b -> c }"), "digraph " + deep("{", "}", 100'000)}) {
    EXPECT_THROW(
        {
          for (const GraphClaim& claim : read_dot(text, "t")) {
            checked_expression(claim, "t");
          }
        },
        FormatError)
        << text.substr(0, 80);
  }
}

}  // namespace
}  // namespace mog::analysis

// Graphs as other programs may write them, in DOT and GraphML: what is understood, and by what words the rest
// is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/mog/graph_files/import_graph.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// The expressions of a file, or why there are none.
std::string read(const std::string& text) {
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

struct Case {
  std::string text;
  std::string found;  // in the answer
};

void expect_each(const std::vector<Case>& cases) {
  for (const Case& tested : cases) {
    EXPECT_NE(read(tested.text).find(tested.found), std::string::npos) << tested.text << "\n"
                                                                       << read(tested.text);
  }
}

// A document of GraphML with every key that there is.
std::string graphml(const std::string& graph) {
  std::string keys;
  for (const char* const name :
       {"expression", "annotated", "words", "sentence", "position", "form", "name", "label", "leaf", "side",
        "left", "right", "sub", "id", "order", "kind", "word", "target"}) {
    keys += "<key id=\"" + std::string(name) + "\" attr.name=\"" + name + "\"/>";
  }
  return "<graphml>" + keys + graph + "</graphml>";
}

TEST(DotForms, AreThoseOfTheLanguage) {
  expect_each({
      {"\xEF\xBB\xBF// first\n# a line of a preprocessor\n/* and\nmore */ strict digraph g { a -> b; }",
       "(a)->a U (b)->b"},
      {"digraph { \"a\" + \"b\" -> c }", "(ab)->ab U (c)->c"},
      {"digraph { \"a\\\nb\" -> c:n:w }", "(ab)->ab U (c)->c"},
      {"digraph { a [label=<<b>x</b>>, form=x] -> b }", "expected"},
      {"digraph { a [form=<x>] b a -> b }", "(x)->x U (b)->b"},
      {"digraph { node [form=w] a }", "w"},
      {"digraph { subgraph cluster { a } -> { b } }", "(a)->a U (b)->b"},
      {"digraph { { a; } { b; a } a -> b }", "(a)->a U (b)->b"},
      {"digraph { edge [order=3] { edge [order=2] b -> c } a -> b }", "(a)->a U ((b)->b U (c)->c)->b"},
      {"digraph { graph [expression=\"(a)->a U (b)->b\"] a -> b }", "(a)->a U (b)->b"},
      {"digraph { expression=\"(a)->a U (b)->b\"; unknown=3; a -> b [color=red, style; penwidth=2] }",
       "(a)->a U (b)->b"},
      {"digraph { .5 -> -1 }", ""},
      {"digraph { a } digraph { b }", "a | b"},
  });
}

TEST(DotForms, AreRefusedAtTheirPlace) {
  expect_each({
      {"graph { a -- b }", "line 1, column 1: a graph whose edges have no direction"},
      {"tree { }", "expected digraph NAME { … }, found \"tree\""},
      {"-> {", "found ->"},
      {"-- {", "found --"},
      {"digraph g h {", "expected \"{\", found \"h\""},
      {"digraph {\n /* a", "line 2, column 2: a comment begins here"},
      {"digraph { \"a", "a string begins here that has no end"},
      {"digraph { <a<b>", "an HTML string begins here that has no end"},
      {"digraph { ( }", "a character that can begin nothing"},
      {"digraph { node }", "expected \"[\" and attributes"},
      {"digraph { a -- b }", "an edge without direction"},
      {"digraph { a -> ; }", "expected the node that the edge goes to, found \";\""},
      {"digraph { a -> b [=3] }", "expected an attribute"},
      {"digraph { a -> b [order=] }", "expected a value"},
      {"digraph { a = ; }", "expected a value"},
      {"digraph { a:; }", "expected a port"},
      {"digraph { \"a\" + b }", "expected a string after \"+\""},
      {"digraph { \"a\" + }", "expected a string after \"+\", found \"}\""},
      {"digraph { a", "the end of the file"},
      {"digraph { [ }", "expected a node, found \"[\""},
  });
  // Two thousand nodes by two thousand, twelve bytes of attributes each.
  std::string all = "{";
  for (int i = 0; i < 2000; ++i) {
    all += " n" + std::to_string(i);
  }
  expect_each({{"digraph { " + all + " } -> " + all + " } [order=3] }", "more than 64 MiB"}});
}

TEST(GraphmlForms, AreThoseOfTheFormat) {
  const std::string edge = "<edge source=\"a\" target=\"b\"/>";
  const std::string nodes =
      "<node id=\"a\"><data key=\"form\">x</data></node><node id=\"b\"><data key=\"form\">y</data></node>";
  expect_each({
      {graphml("<graph>" + edge + nodes + "</graph>"), "(x)->x U (y)->y"},  // edges may come first
      {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + graphml("<graph>" + nodes + edge + "</graph>"),
       "(x)->x U (y)->y"},
      {"<g:graphml xmlns:g=\"x\"><g:key id=\"k\" for=\"node\" "
       "attr.name=\"form\"><g:default>w</g:default></g:key>"
       "<g:graph><g:node id=\"a\"/></g:graph></g:graphml>",
       "w"},
      {"<graphml><key id=\"k\" attr.name=\"form\"><default>w</default></key><key id=\"o\" for=\"edge\" "
       "attr.name=\"order\"><default>2</default></key><key id=\"e\" for=\"graph\" "
       "attr.name=\"expression\"><default>"
       "w</default></key><graph><node id=\"a\"/></graph></graphml>",
       "w"},
      {graphml("<graph><data key=\"expression\">(x)-&gt;x U (y)-&gt;z</data>" + nodes + edge + "</graph>"),
       "column"},
      {graphml(
           "<graph><data key=\"expression\">(x)-&gt;x U (y)-&gt;y</data><data key=\"annotated\">(y)-&gt;y U "
           "(x)-&gt;x</data>" +
           nodes + edge + "</graph>"),
       "\"expression\" is"},
      {graphml("<graph><data key=\"unknown\">3</data>" + nodes + edge + "<port/></graph>"),
       "(x)->x U (y)->y"},
  });
  for (const auto& [written, kind] : {std::pair{"true", ""},
                                      {" 1 ", ""},
                                      {"True", ""},
                                      {"False", ""},
                                      {"0", ""},
                                      {"maybe", "expected true, false, 1 or 0, found \"maybe\""}}) {
    expect_each(
        {{"<graphml><key id=\"s\" attr.name=\"sentence\" attr.type=\"boolean\"/><key id=\"form\" "
          "attr.name=\"form\"/><graph><data key=\"s\">" +
              std::string(written) + "</data>" + nodes + edge + "</graph></graphml>",
          kind}});
  }
}

TEST(GraphmlForms, AreRefusedAtTheirPlace) {
  const std::string node = "<node id=\"a\"/>";
  expect_each({
      {"<gexf/>", "expected <graphml>, found <gexf>"},
      {"<graphml/>", "expected GraphML with a <graph>, found none"},
      {"<!DOCTYPE graphml><graphml/>", "a document type declaration"},
      {"<graphml><graph edgedefault=\"undirected\"/></graphml>", "whose edges have no direction"},
      {"<graphml><graph>" + node + "<edge directed=\"false\" source=\"a\" target=\"a\"/></graph></graphml>",
       "an edge without direction"},
      {"<graphml><graph><node/></graph></graphml>", "a <node> without an \"id\""},
      {"<graphml><graph>" + node + node + "</graph></graphml>", "a second node with the id \"a\""},
      {"<graphml><graph>" + node + "<edge source=\"a\" target=\"z\"/></graph></graphml>",
       "there is no node \"z\""},
      {"<graphml><graph>" + node + "<edge source=\"z\" target=\"a\"/></graph></graphml>",
       "there is no node \"z\""},
      {graphml("<graph><node id=\"a\"><data key=\"form\">x</data><data key=\"form\">y</data></node></graph>"),
       "a second value of \"form\""},
      {graphml("<graph>" + node + "</graph>"), "names no word"},
      {"<graphml><graph>" + node + "<x", "no sound XML"},
  });
}

// Words and their places.
TEST(ImportedWords, HaveFormsAndPositionsOnce) {
  expect_each({
      {"digraph { a [position=1] b [position=1] a -> b }", "are both at position 1"},
      {"digraph { a [position=0] b a -> b }", "has the position 0"},
      {"digraph { a [position=1.5] b a -> b }", "expected a whole number, found \"1.5\""},
      {"digraph { a [position=\" 2.0 \"] b [position=1] b -> a }", "(b)->b U (a)->a"},
      {"digraph { a [position=3] b [position=1] b -> a }", "expected a node at position 2, found one at 3"},
      {"digraph { sentence=no; a [position=3, form=x] b [position=1, form=y] b -> a }", "(y)->y U (x)->x"},
      {"digraph { a [name=\"x\"] b [label=\"y\"] a -> b }", "(x)->x U (y)->y"},
      {"digraph { a [name=\"(\"] b a -> b }", "U (b)->b"},
      {"digraph { sentence=no; expression=\"(x)->x U (y)->y\"; a [form=x] a }",
       "1 words are named, the expression has 2"},
      {"digraph { sentence=no; expression=\"x\"; a [form=z] }",
       "word 1 is \"z\", but the expression's is \"x\""},
  });
}

// Without a text: what edges say of themselves, or the one order in which they can be meant.
TEST(ImportedEdges, TellAnExpressionOrAreRefused) {
  const std::string two = "digraph { a -> b [id=1, order=2] a -> c [id=2, order=3";
  expect_each({
      {two + "] }", "((a)->a U (b)->b)->a U (c)->c"},
      {two + ", kind=2] }", "says order 3, kind 2"},
      {two + ", left=x] }", "\"left\" is x"},
      {two + ", right=x] }", "\"right\" is x"},
      {two + ", sub=\"((a)->a U (b)->b)->a U (c)->c\"] }", "((a)->a U (b)->b)->a U (c)->c"},
      {"digraph { a -> b [id=1, order=3] }", "makes a subgraph of 2 words"},
      {"digraph { a -> b [id=e1] a -> c [id=e2] }", "((a)->a U (b)->b)->a U (c)->c"},
      {"digraph { a -> b [id=ex] }", "\"id\": expected a whole number"},
      {"digraph { a b }", "2 words and no edge"},
      {"digraph { a -> b [id=1] c -> d [id=2] }", "the edges make several subgraphs"},
      {"digraph { expression=\"(a)->a U (b)->b\"; a -> b [id=3] }", "expected each number from 1 to 1 once"},
      {"digraph { a -> b [label=\"1 o=2\"] a -> c [label=\"2 o=3\"] }", "((a)->a U (b)->b)->a U (c)->c"},
      {"digraph { a -> b [label=\"1 o=2\", tooltip=\"left a\nright b\nmakes (a)->a U (b)->b\nl=2\"] }",
       "(a)->a U (b)->b"},
      {"digraph { a -> b [tooltip=\"left b\"] }", "\"left\" is b"},
  });
}

// Trees of joins, whose leaves are words.
TEST(ImportedTrees, AreRefusedAtTheJoinThatIsNone) {
  const std::string leaves =
      "digraph { l [mog_position=1, mog_form=a] r [mog_position=2, mog_form=b] j [mog_position=1, "
      "mog_target=2, mog_layer=2, mog_part=h] j -> l [label=left] ";
  expect_each({
      {leaves + "j -> r [label=right] }", "(a@1)->a@1 U[l=2;part=h] (b@2)->b@2"},
      {leaves + "j -> r }", "leads to no left or right operand"},
      {leaves + "j -> r [label=left] }", "a second left operand"},
      {leaves + "}", "it has one operand"},
      {"digraph { mog_words=\"a b\"; l [mog_position=1] r [mog_position=2] j [mog_position=1, mog_target=2] "
       "j -> l "
       "[label=left] j -> r [label=right] }",
       "(a)->a U (b)->b"},
      {"digraph { mog_words=\"a \\\"(\"; l [mog_leaf=true, mog_position=1] }",
       "is no name as expressions write it"},
      {"digraph { mog_words=\"\\\"a b\\\" c\"; l [mog_leaf=true, mog_position=2] }", "c"},
      {"digraph { mog_words=\"a c\"; l [mog_leaf=true, mog_position=2, mog_form=b] }",
       "the word at position 2 is"},
      {"digraph { l [mog_leaf=true, mog_position=2] }", "no node names the word at position 2"},
      {graphml("<graph><node id=\"l\"><data key=\"leaf\">true</data></node></graph>"), "it names no word"},
      {"digraph { l [label=a] r [label=b] j [label=c] j -> l [label=left] j -> r [label=right] }",
       "it names no words"},
      {"digraph { l [mog_leaf=true, label=a] m [mog_leaf=true, label=b] }", "a | b"},
      {"digraph { expression=\"(b)->b U (a)->a\"; l [label=a] r [label=b] j [label=\"a -> b\"] j -> l "
       "[label=left] j -> r "
       "[label=right] }",
       "its nodes and edges make"},
  });
}

}  // namespace
}  // namespace mog::analysis

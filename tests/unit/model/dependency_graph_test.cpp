// The graph that a model reads: arcs of a tree between the tokens of its words, and what its relations are
// called.
#include "model/dependency_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/packed_batch.h"

namespace mog::model {
namespace {

// "[CLS] rain ##ing cats", of three words the second without a token.
Sentence sentence() {
  Sentence result;
  result.number = 7;
  result.words.resize(3);
  for (const std::int64_t word : {-1, 0, 0, 2}) {
    result.tokens.push_back({"t", 5, word, {}});
  }
  return result;
}

GraphConfig trees(bool link_pieces) {
  GraphConfig graph;
  graph.kind = GraphKind::dependencies;
  graph.labels = {"nsubj", "root"};
  graph.link_pieces = link_pieces;
  return graph;
}

std::string drawn(const std::vector<GraphArc>& arcs) {
  std::string text;
  for (const GraphArc& arc : arcs) {
    text += (text.empty() ? "" : " ") + std::to_string(arc.query) + ">" + std::to_string(arc.key) + ":" +
            std::to_string(arc.relation);
  }
  return text;
}

TEST(DependencyGraph, VerticesAreFirstTokens) {
  EXPECT_EQ(vertex_tokens(sentence()), (std::vector<std::int64_t>{0, 1, -1, 3}));
  Sentence rootless = sentence();
  rootless.tokens.erase(rootless.tokens.begin());
  try {
    vertex_tokens(rootless);
    ADD_FAILURE();
  } catch (const ModelError& error) {
    EXPECT_NE(
        std::string(error.what()).find("sentence 7: its root is the first token that belongs to no word"),
        std::string::npos)
        << error.what();
  }
}

TEST(DependencyGraph, EveryPairIsTwoArcs) {
  const GraphConfig graph = trees(false);
  ASSERT_EQ(graph.relations(), 5);
  // Word 1 hangs on word 3 as nsubj, word 3 on the root.
  EXPECT_EQ(drawn(dependency_arcs(graph, sentence(), {{3, 3, 0}, {0, 0, 1}})), "0>3:4 1>3:1 3>0:2 3>1:3");
  // Words without a token, a head or a label have none; nor what hangs on a word without a token.
  EXPECT_EQ(drawn(dependency_arcs(graph, sentence(), {{2, 3, -1}, {0, 0, 1}})), "");
  EXPECT_EQ(drawn(dependency_arcs(graph, sentence(), {{-1, -1, 0}, {0, 0, -1}})), "");
}

TEST(DependencyGraph, OfACycleTheFirstArcStays) {
  EXPECT_EQ(drawn(dependency_arcs(trees(false), sentence(), {{3, -1, 1}, {0, -1, 1}})), "1>3:1 3>1:3");
}

TEST(DependencyGraph, PiecesOfAWordHangOnItsFirst) {
  const GraphConfig graph = trees(true);
  ASSERT_EQ(graph.relations(), 7);
  EXPECT_EQ(drawn(dependency_arcs(graph, sentence(), {})), "1>2:6 2>1:3");
}

TEST(DependencyGraph, OnlyPlainEncodersReadOne) {
  EncoderConfig encoder;
  encoder.kind = EncoderKind::transformer;
  EXPECT_TRUE(can_read_graph(encoder));
  encoder.kind = EncoderKind::graph_transformer;
  EXPECT_FALSE(can_read_graph(encoder));
}

TEST(DependencyGraph, RelationsHaveNamesAndDirections) {
  const auto names = [](const GraphInputConfig& input, const GraphConfig* graph) {
    std::string text;
    for (const Relation& relation : relations_of(input, graph)) {
      text += (text.empty() ? "" : ", ") + relation.name + (relation.direction.empty() ? "" : " ") +
              relation.direction;
    }
    return text;
  };
  GraphInputConfig input;
  input.relations = 3;
  EXPECT_EQ(names(input, nullptr), "none, 1, 2");
  const GraphConfig linked = trees(true);
  EXPECT_EQ(
      names(input, &linked),
      "none, nsubj to the head, root to the head, piece of a word to the head, nsubj to the dependent, root "
      "to the dependent, piece of a word to the dependent");
  const GraphConfig plain = trees(false);
  EXPECT_EQ(names(input, &plain),
            "none, nsubj to the head, root to the head, nsubj to the dependent, root to the dependent");
  GraphConfig chains;
  chains.kind = GraphKind::coreference;
  EXPECT_EQ(names(input, &chains), "none, mention to its start, antecedent to the antecedent");
}

TEST(PackedBatch, ArcsMoveWithTheirSentence) {
  const std::vector<std::int64_t> ids = {5, 6};
  const std::vector<GraphArc> arcs = {{0, 1, 2}};
  PackedBatch batch;
  batch.append(ids, arcs);
  batch.append(ids, arcs);
  EXPECT_EQ(drawn(batch.arcs), "0>1:2 2>3:2");
  EXPECT_EQ(batch.tokens(), 4);
}

}  // namespace
}  // namespace mog::model

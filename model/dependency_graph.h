// Dependency trees as the graphs that a model reads and predicts (docs/model-directory.md, Graphs).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/recording/sentence.h"
#include "model/config/config.h"
#include "model/packed_batch.h"

namespace mog::model {

// Whether an encoder of this kind can have graph_input.
bool can_read_graph(const EncoderConfig& encoder) noexcept;

// Of one sentence, [word]. heads: words count from 1, 0 is the root, -1 none yet. labels: rows of
// GraphConfig::labels, -1 none.
struct DependencyTree {
  std::vector<std::int32_t> heads;
  std::vector<std::int32_t> labels;
  friend bool operator==(const DependencyTree&, const DependencyTree&) = default;
};

// The token of each vertex: of the root the first token that belongs to no word, of word w (vertex w from 1)
// its first one; -1 for a word without a token. Throws ModelError where all tokens belong to words.
std::vector<std::int64_t> vertex_tokens(const Sentence& sentence);

// The two arcs of a dependent and its head, tokens both: from the dependent in relation label + 1, from the
// head in the same after all labels.
std::array<GraphArc, 2> arcs_of_pair(const GraphConfig& graph, std::int64_t dependent, std::int64_t head,
                                     std::int64_t label);

// The arcs of a tree, or of a part of one, between the tokens of its vertices, and with link_pieces those of
// the words' further tokens; in the order of their queries. The link of pieces stands behind the labels.
// Where two arcs meet in the same pair (a cycle of two words) the first one stays. An empty tree: the links
// alone.
std::vector<GraphArc> dependency_arcs(const GraphConfig& graph, const Sentence& sentence,
                                      const DependencyTree& tree);

// What a relation of the graph that a model reads says: the label, or what it links, and which way it goes
// from query to key.
struct Relation {
  std::string name;
  std::string direction;
};
// [relation] of such a graph, 0 "none"; by number where nothing is known of it (graph = nullptr).
std::vector<Relation> relations_of(const GraphInputConfig& input, const GraphConfig* graph);

}  // namespace mog::model

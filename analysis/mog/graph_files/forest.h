// What k-best finds, as graphs of the Boost Graph Library: the multi-order graph of one expression
// (parallel edges) and the forest of derivation trees. Every export reads these graphs.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/mog/expressions/expression.h"
#include "analysis/mog/expressions/expression_parser.h"
#include "analysis/mog/expressions/graph_facts.h"
#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/k_best.h"

namespace mog::analysis {

// A word of a multi-order graph.
struct WordVertex {
  std::int32_t position = 0;  // from 1
  std::string form;
  std::string name;  // as in canonical text
};

// The 6-tuple (source and target are the edge's ends), with what is known of the join that made it.
struct JoinEdge {
  std::int32_t id = 0;  // from 1, post-order
  std::string left;     // canonical text of the operands and of the subgraph it makes
  std::string right;
  std::string made;
  std::int32_t order = 0;  // distinct words of the subgraph it makes
  std::int32_t kind = 0;   // 1..4
  std::int32_t layer = 0;  // 0: not known
  Part part = Part::none;
  double weight = 0;               // of the join's rule; 0: not known
  JoinAnnotation annotation = {};  // as written in an expression's text
};

// About one expression.
struct TreeInfo {
  bool of_sentence = true;  // false: the words are those of the expression, as they appear in its text
  std::int32_t rank = 0;
  std::int32_t tie = 0;
  double weight = 0;
  double log_weight = 0;
  double log_mass = 0;
  double mass = 0;
  double derivations = 0;
  std::int32_t order = 0;
  std::int64_t leaves = 0;
  std::int32_t depth = 0;
  std::int32_t kind = 0;
  bool simple = false;
  std::int32_t owner = 0;  // position from 1
  std::string text;
  std::string annotated;
  GraphFacts facts = {};
};

// Vertices are all words of the sentence, in order; parallel edges stay apart.
using MultiOrderGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, WordVertex, JoinEdge, TreeInfo>;

MultiOrderGraph make_multi_order_graph(const Expression& expression, std::span<const std::string> words);
MultiOrderGraph make_multi_order_graph(const Derivation& derivation, std::span<const std::string> words);
// With the annotations of its text. `of_sentence`: its words are a whole sentence, in order; else a vertex's
// position is the place of the word among those that appear, and its name says what the text said.
MultiOrderGraph make_multi_order_graph(const ParsedExpression& parsed, bool of_sentence);

// A node of a derivation tree.
struct TreeVertex {
  std::int32_t tree = 0;  // index into ForestInfo::trees
  bool leaf = true;
  std::int32_t position = 0;  // a leaf's word, a join's source; from 1
  std::int32_t target = 0;    // a join's target; from 1; 0 for leaves
  std::int32_t layer = 0;
  Part part = Part::none;
  double weight = 1;
  std::int32_t edge = 0;  // id of the edge the join makes; 0 for leaves
  std::int32_t order = 1;
  std::int32_t kind = 0;
};
struct OperandEdge {
  bool right = false;  // the left or the right operand of the join
};
struct ForestInfo {
  std::string title;  // e.g. "R[6,2]" or "TOP"
  std::vector<std::string> words;
  std::vector<std::string> names;  // of the words, in canonical text
  std::vector<TreeInfo> trees;
  std::vector<std::size_t> roots;       // vertex of each tree
  std::vector<MultiOrderGraph> graphs;  // of each tree
  bool ended_by_limit = false;
};
using Forest = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, TreeVertex, OperandEdge,
                                     ForestInfo>;

Forest make_forest(const AttentionGrammar& grammar, const KBest& k_best, const KBestList& list);
// Of any derivations, e.g. of BestByLeaves; `title` says of what, as the goal's text.
Forest make_forest(const AttentionGrammar& grammar, std::string title,
                   std::span<const Derivation> derivations);
std::string goal_text(const Goal& goal);  // "TOP" or "R[6,2]"
// "the whole sentence (TOP)", "dog after layer 6 (R[6,2])"; `names` are the grammar's.
std::string goal_in_words(const Goal& goal, std::span<const std::string> names);

}  // namespace mog::analysis

// Dependency trees as the graph that attention takes as input: a relation for every pair of words
// (Graph-to-Graph Transformer, Mohammadshahi and Henderson 2020).
//
// Vertices: 0 the root, 1 … n the words. Relations of a pair [query, key]: 0 none; the key is the query's
// head: label
// + 1; the query is the key's head: label + 1 + L, of L labels. Without labels 1 and 2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mog::analysis {

struct GraphArc {
  std::int32_t query = 0;
  std::int32_t key = 0;
  std::int32_t relation = 0;  // never 0: pairs without a relation have no arc
  friend auto operator<=>(const GraphArc&, const GraphArc&) = default;
};

// How relations are numbered.
struct RelationNumbers {
  std::int32_t labels = 0;  // L; 0: arcs without labels

  std::int32_t relations() const noexcept { return 2 * kinds() + 1; }  // with "none"
  std::int32_t kinds() const noexcept { return labels == 0 ? 1 : labels; }
};

// Heads and labels [word - 1]; kNoHead (transition_system.h) where a word has none. Labels are empty without
// them.
struct PartialTree {
  std::vector<std::int32_t> heads;
  std::vector<std::int32_t> labels;
  friend bool operator==(const PartialTree&, const PartialTree&) = default;
};

// Two arcs for every head that is known, by query and key; O(n log n). Cycles are allowed, since the output
// of a parser before it is made a tree may have them, but for those of two words, which would give their pair
// two relations. Throws FormatError for them, for heads out of range and for labels out of range or in the
// wrong number.
std::vector<GraphArc> relation_graph(const PartialTree& tree, RelationNumbers numbers);

// Takes the heads of two words that are each other's away; how many pairs. O(n).
std::int32_t drop_two_cycles(PartialTree& tree);

// The tree of so many words that a graph says. Throws FormatError naming the pair for vertices or relations
// out of range, a pair with two relations, an arc without its opposite or with another label, a word with two
// heads, and a head of the root.
PartialTree tree_of_graph(std::span<const GraphArc> arcs, std::int32_t words, RelationNumbers numbers);

}  // namespace mog::analysis

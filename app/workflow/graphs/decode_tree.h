// A dependency tree from the scores of a graph parser.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/workflow/graphs/tree_constraints.h"
#include "io/recording/sentence.h"
#include "model/dependency_graph.h"

namespace mog::app {

struct DecodedTree {
  model::DependencyTree tree;
  // [word]: probability of the head among all vertices, and of the label at that head.
  std::vector<double> head_probabilities;
  std::vector<double> label_probabilities;
};

struct DecodeOptions {
  bool projective = false;
  const TreeConstraints* constraints = nullptr;  // arcs that every tree has, or has not; nullptr: none
};

// arcs: [query, key], labels: [label, query, key] over the tokens of the sentence. The tree with the greatest
// sum of log probabilities that hangs exactly one word on the root (Chu-Liu and Edmonds, or Eisner); then the
// best label of each arc, "root" for the arc of the root and for no other where the labels have it. A word
// without a token hangs on the word before it (leading ones on the root's word), with the label "dep" (else
// the first one) and probability 0. No words: an empty tree.
// Probabilities are those of the scores, of forced arcs too. Throws ShapeError where the scores are not as
// many, ConstraintError as check_constraints() and where no tree obeys them.
DecodedTree decode_tree(const model::GraphConfig& graph, const Sentence& sentence,
                        std::span<const float> arcs, std::span<const float> labels,
                        const DecodeOptions& options = {});

// What the scores say of every pair, [head, dependent] over the root (0) and the words, row-major,
// (words + 1) x (words + 1). Where there can be no arc (of a word to itself, to the root, of a word without a
// token): probability NaN, label -1.
struct ArcTable {
  std::int32_t words = 0;
  std::vector<double> probabilities;  // of the head; over the heads of a dependent the sum is 1
  std::vector<std::int32_t> labels;   // the best one at that head
  std::vector<double> label_probabilities;
  std::size_t at(std::int32_t head, std::int32_t dependent) const {
    return static_cast<std::size_t>(head) * (static_cast<std::size_t>(words) + 1) +
           static_cast<std::size_t>(dependent);
  }
};

// Throws ShapeError as decode_tree().
ArcTable arc_table(const model::GraphConfig& graph, const Sentence& sentence, std::span<const float> arcs,
                   std::span<const float> labels);

}  // namespace mog::app

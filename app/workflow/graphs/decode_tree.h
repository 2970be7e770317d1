// A dependency tree from the scores of a graph parser.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
};

// arcs: [query, key], labels: [label, query, key] over the tokens of the sentence. The tree with the greatest
// sum of log probabilities that hangs exactly one word on the root (Chu-Liu and Edmonds, or Eisner); then the
// best label of each arc, "root" for the arc of the root and for no other where the labels have it. A word
// without a token hangs on the word before it (leading ones on the root's word), with the label "dep" (else
// the first one) and probability 0. No words: an empty tree.
// Throws ShapeError where the scores are not as many.
DecodedTree decode_tree(const model::GraphConfig& graph, const Sentence& sentence,
                        std::span<const float> arcs, std::span<const float> labels,
                        const DecodeOptions& options = {});

}  // namespace mog::app

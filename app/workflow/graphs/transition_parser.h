// Dependency trees of sentences by a transition parser, action by action.
#pragma once

#include <span>
#include <vector>

#include "app/workflow/graphs/parse_sentences.h"

namespace mog::app {

// One parse a sentence. In each state the best of the allowed actions is taken: those of the transition
// system, but an arc from the root only as the last one, so that one word hangs on it, and without SWAP where
// trees are to be projective. Labels as decode_tree(): "root" for the arc of the root and no other.
//
// An encoder that reads a graph reads that of the state: it runs again after every arc, and not after a SHIFT
// or SWAP, which leave the graph as it is. One that reads states runs after every action, and before them
// once for tags. Another one runs once. `parse_sentences` has checked model and options.
std::vector<Parse> parse_by_transitions(const model::Model& model, std::span<const Sentence> sentences,
                                        const ParseOptions& options);

}  // namespace mog::app

// The graph of the next round from the scores of one.
#pragma once

#include <vector>

#include "io/recording/sentence.h"
#include "model/dependency_graph.h"
#include "model/trainer.h"

namespace mog::app {

// Of a packed batch of these sentences: the arcs of their best trees, tokens of the batch.
std::vector<model::GraphArc> predicted_arcs(const model::GraphConfig& graph,
                                            const std::vector<const Sentence*>& sentences,
                                            const model::PairScores& scores);

}  // namespace mog::app

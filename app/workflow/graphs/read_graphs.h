// The graphs that a model reads beside sentences when it is run to be looked at.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "io/recording/sentence.h"
#include "model/model.h"

namespace mog::app {

// [sentence] the arcs, tokens of the sentence: what the last of its own rounds reads (of a transition parser
// the arcs before its last one), so that a run with them is that round; a run that is changed by
// interventions reads the graph of the unchanged model. None for a model that reads no graph or predicts
// none, and for a parser that reads states, which are other sentences. Throws as parse_sentences().
std::vector<std::vector<model::GraphArc>> read_graphs(const model::Model& model,
                                                      std::span<const Sentence> sentences,
                                                      std::stop_token stop = {});

// The sentences as a batch, with those graphs and with their target_tokens.
model::PackedBatch packed_with_graphs(const model::Model& model, std::span<const Sentence> sentences,
                                      std::stop_token stop = {});

}  // namespace mog::app

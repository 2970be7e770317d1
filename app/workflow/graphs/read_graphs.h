// The graphs that a model reads beside sentences when it is run to be looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "io/recording/sentence.h"
#include "model/model.h"

namespace mog::app {

// [sentence] the arcs, tokens of the sentence: what the last of its own rounds reads (of a transition parser
// the arcs before its last one), so that a run with them is that round; a run that is changed by
// interventions reads the graph of the unchanged model. None for a model that reads no graph or predicts
// none, and for a parser that reads states, which are other sentences. round: what that round reads instead,
// 0 the first, which reads no graph; one that has settled before goes on with its last. A transition parser
// has no rounds. Throws as parse_sentences().
std::vector<std::vector<model::GraphArc>> read_graphs(const model::Model& model,
                                                      std::span<const Sentence> sentences,
                                                      std::stop_token stop = {},
                                                      std::optional<std::int64_t> round = {});

// The sentences as a batch, with those graphs and with their target_tokens.
model::PackedBatch packed_with_graphs(const model::Model& model, std::span<const Sentence> sentences,
                                      std::stop_token stop = {}, std::optional<std::int64_t> round = {});

}  // namespace mog::app

// The states of a transition parser as token sequences, for models that read them (graph.parser =
// state_transitions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/parsing/transition_system.h"
#include "io/recording/sentence.h"
#include "model/config/config.h"
#include "model/packed_batch.h"

namespace mog::app {

// Tokens of the longest text that is a state of a sentence: its words, the root and two separators.
constexpr std::int64_t longest_state(std::int64_t words) noexcept {
  return words + 3;
}

// A sentence, and how a model reads its states.
struct StateSource {
  std::vector<std::int64_t> ids;  // [vertex], of the nodes of the root and the words
  std::int64_t separator = 0;
  bool reads_graph = false;
  std::int64_t labels = 0;
  model::StateClassifier classifier = model::StateClassifier::pooled;
  model::Composition composition = model::Composition::none;
  bool history = false;
};
// Throws ModelError where all tokens belong to words.
StateSource state_source(const model::ModelConfig& config, const Sentence& sentence);

// Appends the states after `first` to `last` transitions of a derivation, each as a sentence of its own: the
// stack with the root below, a separator, the buffer, a separator, and of a model that reads a graph the
// words that have left the stack, in the order in which they did, with all arcs so far. A word is one token,
// its first, unk_id where it has none. What the heads read of each, tokens of the batch: the words at
// hand, or with classifier = cls the first token alone.
std::vector<model::StateTokens> append_states(const StateSource& source, const analysis::ParserTrace& trace,
                                              std::size_t first, std::size_t last, model::PackedBatch& batch);

// Appends the sentence itself, all of it as words of the buffer, for heads that score tokens.
void append_sentence(const StateSource& source, std::span<const std::int64_t> ids, model::PackedBatch& batch);

}  // namespace mog::app

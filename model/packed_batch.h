// Sentences as one block of token ids without padding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/recording/sentence.h"
#include "model/parser_states.h"

namespace mog::model {

// `query` stands to `key` in a relation, from 1; both are tokens of one sentence.
struct GraphArc {
  std::int64_t query = 0;
  std::int64_t key = 0;
  std::int64_t relation = 1;
  friend bool operator==(const GraphArc&, const GraphArc&) = default;
};

// ids: [token] of all sentences, one after another; offsets: [sentence + 1], offsets[0] = 0. Attention runs
// once per run of neighbours of equal length, so sorting by length makes it fast; any order is right.
// target_ids, target_offsets: the decoder's inputs (bos_id first), both empty without a decoder.
struct PackedBatch {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> target_ids;
  std::vector<std::int64_t> target_offsets;
  // The graph that the encoder reads, for models with graph_input: tokens of the whole batch, sentence by
  // sentence, at most one arc for a query and a key.
  std::vector<GraphArc> arcs = {};
  std::optional<StateInput> states = {};  // where the sentences are states of a parser

  std::int64_t sentences() const noexcept { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t tokens() const noexcept { return offsets.back(); }
  std::int64_t length(std::int64_t sentence) const {
    const auto at = static_cast<std::size_t>(sentence);
    return offsets.at(at + 1) - offsets.at(at);
  }
  void append(std::span<const std::int64_t> sentence_ids);
  // Tokens of the arcs count from 0 in the sentence.
  void append(std::span<const std::int64_t> sentence_ids, std::span<const GraphArc> sentence_arcs);
  void append(const Sentence& sentence);  // with target_tokens when there are any
};

// Batches of at most `max_tokens` tokens (a longer sentence gets one of its own) made of sentences of
// similar length: indices into `lengths`, each batch sorted by length, longest batch first.
std::vector<std::vector<std::int64_t>> pack_by_length(std::span<const std::int64_t> lengths,
                                                      std::int64_t max_tokens);

}  // namespace mog::model

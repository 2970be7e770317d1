// The k best multi-order graphs of one recorded sentence: the work behind `mog trees`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/attention_grammar.h"
#include "analysis/mog/export.h"
#include "analysis/mog/k_best.h"
#include "analysis/mog/posteriors.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

enum class TreesMode : std::uint8_t {
  free,        // the k best of all expressions; products favour small ones
  by_order,    // the best derivation for each number of leaves (order with repeats), from 1
  projective,  // the best over the whole sentence in which every step joins neighbours; `top` is not read
};
std::string_view name(TreesMode mode) noexcept;
// "free", "by-order", "projective"; throws UsageError.
TreesMode parse_trees_mode(std::string_view text);

struct TreesOptions {
  TreesMode mode = TreesMode::free;
  std::int64_t top = 5;       // distinct expressions, or the greatest number of leaves; at least 1
  std::int64_t layer = 0;     // of the owner's symbol R[layer, word]; 0: the last
  std::string owner = {};     // "WORD", "WORD@POS", "@POS"; empty: the whole sentence (TOP)
  bool keep_pieces = false;   // pieces of words are the nodes
  bool distributions = true;  // order distribution and edge posteriors too
};

// Everything that is said about one sentence. Movable.
struct SentenceTrees {
  std::int64_t number = 0;  // of the sentence in its corpus
  std::string text;
  std::string model;
  std::string goal;  // "TOP" or "R[6,2]"
  std::unique_ptr<analysis::AttentionGrammar> grammar;
  TreesMode mode = TreesMode::free;
  bool ended_by_limit = false;                    // the last group of ties may be incomplete
  std::vector<analysis::Derivation> derivations;  // best first; by_order: ascending leaves
  double expected_order = 0;                      // leaves
  analysis::OrderDistribution orders;             // of the goal
  analysis::EdgePosteriors posteriors;            // of the goal
  std::vector<std::string> notes;

  // Notes and distributions surround the trees in text and JSON; DOT and GraphML hold the trees alone.
  std::string print(analysis::GraphFormat format) const;
};

// Index of sentence `number` (its place in the corpus). Throws UsageError naming what the recording has.
std::int64_t sentence_index(const RecordingSource& source, std::int64_t number);

// `index` from 0. Throws UsageError (owner, layer, missing quantity), FormatError (values that are no
// probabilities).
SentenceTrees find_trees(const RecordingSource& source, std::int64_t index, const TreesOptions& options = {});

// Leaves of the derivation that a figure of one tree shows when nothing else is asked for: as many as there
// are words, at most 6.
std::int64_t leaves_to_show(std::size_t words);

// The word (from 0) that "WORD", "WORD@POS" or "@POS" means. Throws UsageError.
std::int32_t parse_owner(std::string_view text, std::span<const std::string> words);

}  // namespace mog::app

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

struct TreesOptions {
  std::int64_t top = 5;       // distinct expressions, at least 1
  std::int64_t layer = 0;     // of the owner's symbol R[layer, word]; 0: the last
  std::string owner = {};     // "WORD", "WORD@POS", "@POS"; empty: the whole sentence (TOP)
  bool keep_pieces = false;   // pieces of words are the nodes
  bool distributions = true;  // order distribution and edge posteriors too
};

// Everything that is said about one sentence. Movable; the derivations' grammar lives inside.
struct SentenceTrees {
  std::int64_t number = 0;  // of the sentence in its corpus
  std::string text;
  std::string model;
  std::string goal;  // "TOP" or "R[6,2]"
  std::unique_ptr<analysis::AttentionGrammar> grammar;
  std::unique_ptr<analysis::KBest> search;
  analysis::KBestList list;
  std::vector<analysis::Derivation> derivations;  // as in `list`
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

// The word (from 0) that "WORD", "WORD@POS" or "@POS" means. Throws UsageError.
std::int32_t parse_owner(std::string_view text, std::span<const std::string> words);

}  // namespace mog::app

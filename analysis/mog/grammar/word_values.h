// What build_word_grammar reads beside the maps: weights of heads, gates, shares of parts, targets. Words as
// in `word_of_piece` (from 1; 0 drops the piece).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/grammar/recorded_values.h"

namespace mog::analysis {

// The pieces of a sentence as the words of a grammar.
struct PieceWords {
  std::vector<std::int64_t> word_of_piece;  // [piece]
  std::int64_t words = 0;
};

// alpha [head] of one map with `heads` heads. Throws UsageError.
std::vector<double> head_weights(const RecordedValues& values, const PieceWords& words,
                                 const QuantityName& map, std::int64_t heads,
                                 const WordGrammarOptions& options);

// g [word] and pi [word, 3] of one layer of a Graph-Transformer.
struct GateValues {
  std::vector<double> gate;
  std::vector<double> pi;
};
GateValues gate_values(const RecordedValues& values, const PieceWords& words, std::int64_t layer,
                       const WordGrammarOptions& options);
// What gate_values read, for people: choices and notes of all layers.
void describe_gate(const RecordedValues& values, const WordGrammarOptions& options, WordGrammar& result);

// top [word]: the mean cross-attention mass on each word; fills dropped_top, choices and notes.
std::vector<double> cross_attention_target(const RecordedValues& values, const PieceWords& words,
                                           WordGrammar& result);

}  // namespace mog::analysis

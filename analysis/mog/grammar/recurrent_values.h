// What build_word_grammar reads of a GRU or LSTM.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/mog/grammar/word_values.h"

namespace mog::analysis {

// Of one direction of one layer, [word]: means over the pieces of a word.
struct RecurrentValues {
  // The share of the new value: the mean of `encoder.{l}.gate` (GRU), i / (i + f) of the means of
  // `encoder.{l}.input_gate` and `forget_gate` (LSTM); of two directions `encoder.{l}.forward.gate`, …
  std::vector<double> z;
  // ‖U h‖ / (‖U h‖ + ‖W x‖): `encoder.{l}.recurrent.output.share`,
  // `encoder.{l}.forward_recurrent.output.share`
  std::vector<double> sigma_h;
};
// A summary recording holds all of it. Throws UsageError naming the missing quantity and what to record,
// FormatError for values outside [0, 1], ShapeError for a misshapen one.
RecurrentValues recurrent_values(const RecordedValues& values, const PieceWords& words, std::int64_t layer,
                                 const DirectionParts& direction);
// [word]: the share of the states of a direction in the norms of both, `encoder.{l}.forward.output.share`.
std::vector<double> direction_shares_of(const RecordedValues& values, const PieceWords& words,
                                        std::int64_t layer, Part direction);
// What recurrent_values read, for people: choices and notes of all layers.
void describe_recurrent(const RecordedValues& values, WordGrammar& result);

}  // namespace mog::analysis

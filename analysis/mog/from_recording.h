// From the pieces of a recording to the words of an attention grammar.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/mog/attention_grammar.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

struct WordGrammarOptions {
  bool keep_pieces = false;            // pieces (without the special tokens) are the words
  double rho = 0.5;                    // residual share of a plain Transformer
  double residual_share = 0;           // turns g into (1 - r) * g
  std::vector<double> head_weights{};  // sum 1; empty: uniform
};

// Values of pieces, before they become words. T' pieces, H heads.
struct PieceMaps {
  // [layer][part] -> [head, query, key] row-major.
  std::vector<std::vector<std::vector<double>>> attention;
  std::vector<std::vector<double>> per_piece;  // [layer] -> [piece]: g, rho …
  std::int64_t heads = 1;
};

struct WordMaps {
  std::vector<std::vector<std::vector<double>>> attention;  // [layer][part] -> [query word, key word]
  std::vector<std::vector<std::vector<double>>> dropped;    // [layer][part] -> [word]: mass on special tokens
  std::vector<std::vector<double>> per_word;                // [layer] -> [word]
};

// Reduces heads, sums key columns and averages query rows over the pieces of a word, drops pieces of word 0
// and renormalises; a row left with at most 1e-9 becomes a self entry of 1. `word_of_piece` counts from 1,
// 0 drops the piece. Throws ShapeError.
WordMaps merge_pieces(const PieceMaps& maps, std::span<const std::int64_t> word_of_piece,
                      std::span<const double> head_weights);

// One map [head, query, key] -> [query word, key word]; fills `dropped` [word]. `words` as counted by
// count_words.
std::vector<double> merge_map(std::span<const double> map, std::int64_t heads,
                              std::span<const std::int64_t> word_of_piece, std::int64_t words,
                              std::span<const double> head_weights, std::vector<double>& dropped);
// Means over the pieces of a word: [piece, width] -> [word, width].
std::vector<double> merge_values(std::span<const double> values, std::int64_t width,
                                 std::span<const std::int64_t> word_of_piece, std::int64_t words);
// The greatest number in `word_of_piece`; throws ShapeError when a word has no piece.
std::int64_t count_words(std::span<const std::int64_t> word_of_piece);

struct WordGrammar {
  GrammarInput input;                                     // for AttentionGrammar
  std::vector<std::vector<std::vector<double>>> dropped;  // [layer][part][word]; empty where no map counts
  std::vector<std::string> notes;  // what a reader must know, e.g. that g means high + middle
};

// Reads `encoder.{l}.{high,middle1,middle2}.attention` (or `encoder.{l}.full.attention`, or their mean_heads)
// and the gate of sentence `index` (from 0). Throws UsageError naming the missing quantity and what to
// record, FormatError for values that are no probabilities.
WordGrammar build_word_grammar(const RecordingSource& source, std::int64_t index,
                               const WordGrammarOptions& options = {});

}  // namespace mog::analysis

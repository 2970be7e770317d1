// From the pieces of a recording to the words of an attention grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

// How the maps of the heads become one (A = sum of alpha_a A_a).
enum class HeadReduction : std::uint8_t {
  uniform,       // 1/H each
  contribution,  // by the norms of what the heads add, per layer and part, mean over the words' pieces
};
// What stands for the gate g of a Graph-Transformer.
enum class GateSource : std::uint8_t {
  recorded,  // the model's gate; 3/4 where it has none
  share,     // norm share of high + middle1 + middle2 beside low, per word
  constant,  // WordGrammarOptions::gate_constant
};
// What stands for pi, the shares of high, middle1 and middle2 in what is new.
enum class PartShares : std::uint8_t {
  recorded,  // those of a self gate; 1/3 each for other models
  uniform,   // 1/3 each
  share,     // norm shares per word
};
// What is derived from the whole sentence: top[m], the weight of R[L,m] in TOP.
enum class TargetWeights : std::uint8_t {
  uniform,  // 1/T each (recurrent encoders: the last step, of both directions equally)
  cross,    // the translation's mean cross-attention mass on the word
};

// Of a bidirectional encoder: which direction's states make up the joined state.
enum class DirectionChoice : std::uint8_t {
  both,     // each by its recorded share of the norms
  forward,  // the forward direction alone, in all layers
  backward,
};

struct WordGrammarOptions {
  bool keep_pieces = false;            // pieces (without the special tokens) are the words
  std::optional<double> rho{};         // residual share of a plain Transformer; 1/2
  double residual_share = 0;           // turns g into (1 - r) * g
  std::vector<double> head_weights{};  // alpha for all layers and parts, sum 1; empty: as `heads` says
  std::vector<std::int64_t> heads{};   // these heads alone, from 1, equally; empty: all
  HeadReduction head_reduction = HeadReduction::uniform;
  GateSource gate = GateSource::recorded;
  double gate_constant = 0.5;
  PartShares pi = PartShares::recorded;
  TargetWeights target = TargetWeights::uniform;
  DirectionChoice direction = DirectionChoice::both;
  bool drop_sink = false;  // what other words give to the first token is taken out
  friend bool operator==(const WordGrammarOptions&, const WordGrammarOptions&) = default;
};
// The names of the command line: "uniform", "contribution"; "recorded", "share", "constant"; …
std::string_view name(HeadReduction reduction) noexcept;
std::string_view name(GateSource source) noexcept;
std::string_view name(PartShares shares) noexcept;
std::string_view name(TargetWeights weights) noexcept;
std::string_view name(DirectionChoice direction) noexcept;

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

// One map that comes some rows at a time, as merge_map(). `words` as counted by count_words. Keeps a
// reference to `word_of_piece`.
class MapMerger {
 public:
  // drop_sink: as the function below. Throws ShapeError for other weights than one a head.
  MapMerger(std::int64_t heads, std::span<const std::int64_t> word_of_piece, std::int64_t words,
            std::span<const double> head_weights, bool drop_sink = false);
  // [head, query, key] of the next queries, whole rows. Throws ShapeError.
  void add(std::span<const double> rows);
  // What the first token takes of the attention of other words, dropped or not: of the pieces of all words
  // but its own the mean of what they give it, heads weighed. Nothing where there is no other word.
  std::optional<double> sink() const;
  // [query word, key word]; fills `dropped` [word]. Once, after the last row.
  std::vector<double> finish(std::vector<double>& dropped);

 private:
  std::span<const std::int64_t> word_of_piece_;
  std::int64_t words_;
  std::vector<double> alpha_;  // [head]
  bool drop_sink_;
  std::size_t next_ = 0;  // query
  std::vector<double> merged_;
  std::vector<double> rows_;  // of a word so far
  std::vector<double> dropped_;
  double sink_ = 0;
  std::int64_t sink_rows_ = 0;
};

// One map [head, query, key] -> [query word, key word]; fills `dropped` [word]. `words` as counted by
// count_words.
std::vector<double> merge_map(std::span<const double> map, std::int64_t heads,
                              std::span<const std::int64_t> word_of_piece, std::int64_t words,
                              std::span<const double> head_weights, std::vector<double>& dropped);
// Takes away from the rows what the first token of a sentence takes of the attention of other words (an
// attention sink, docs/glossary.md): merge_map() then divides them by what is left.
void drop_sink(std::span<double> map, std::int64_t heads, std::span<const std::int64_t> word_of_piece);
// Means over the pieces of a word: [piece, width] -> [word, width].
std::vector<double> merge_values(std::span<const double> values, std::int64_t width,
                                 std::span<const std::int64_t> word_of_piece, std::int64_t words);
// The greatest number in `word_of_piece`; throws ShapeError when a word has no piece.
std::int64_t count_words(std::span<const std::int64_t> word_of_piece);

// What a picture of the grammar depends on, for people and programs: ("gate", "recorded"), …
using GrammarChoices = std::vector<std::pair<std::string, std::string>>;

// Word of the grammar (from 0) of every token; -1: a special token. Words are numbered as they get their
// first token; one without a token is no word of the grammar, so numbers of sentence and grammar differ
// behind it. With `keep_pieces` every token of a word is one. Throws FormatError for a word that the sentence
// does not have.
std::vector<std::int64_t> grammar_words(const Sentence& sentence, bool keep_pieces = false);

struct WordGrammar {
  GrammarInput input;                                     // for AttentionGrammar
  std::vector<std::int64_t> word_of_token;                // grammar_words() of its sentence
  std::vector<std::vector<std::vector<double>>> dropped;  // [layer][part][word]; empty where no map counts
  // [layer]: what the first token takes in its maps (MapMerger::sink), the mean over parts, dropped or not;
  // empty where no map counts or no word is besides the first token's.
  std::vector<double> sink;
  // The mean over layers, where it is of a word that was kept and tokens see only what stands before them.
  std::optional<double> kept_sink;
  std::optional<double> dropped_top;  // cross-attention mass on special tokens of the source
  // alpha as used, [layer][part][head]; empty where the recording holds the mean over heads only.
  std::vector<std::vector<std::vector<double>>> head_weights;
  GrammarChoices choices;
  std::vector<std::string> notes;  // what a reader must know, e.g. that g means high + middle
};

// Reads `encoder.{l}.{high,middle1,middle2}.attention` (or `encoder.{l}.full.attention`, or their mean_heads)
// and what the options ask for of sentence `index` (from 0): the gate, `output.share` of the parts,
// `attention.norm` of the heads, `decoder.{l}.cross.attention`; of a GRU or LSTM the gates and
// `encoder.{l}.recurrent.output.share` (of two directions these of each, and
// `encoder.{l}.forward.output.share`). Throws UsageError for options that the model or its recording has no
// place for, naming the missing quantity and what to record; FormatError for values that are no
// probabilities.
WordGrammar build_word_grammar(const RecordingSource& source, std::int64_t index,
                               const WordGrammarOptions& options = {});

}  // namespace mog::analysis

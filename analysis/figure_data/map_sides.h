// The sides of a map of tokens on tokens as they are shown: with or without special tokens, pieces or words,
// one text of a pair or all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "io/recording/seen_keys.h"

namespace mog::analysis {

// A token to be read: the text that it stands for (shown_bytes), without the mark that says that its word
// goes on ("over@@") or that it begins one; "##" stays. Line ends between words, too, which belong to none.
std::string shown_text(const Token& token, Pieces pieces);

// [word of the translation]: as its pieces spell it.
std::vector<std::string> target_texts(const Sentence& sentence, Pieces pieces);

struct MapSide {
  std::vector<WordLabel> labels;
  std::vector<std::vector<std::int64_t>> tokens;  // of each label, at least one
};

// [token] → number of its text, from 1; special tokens belong to the text before them, leading ones to the
// first.
std::vector<std::int64_t> text_numbers(std::span<const Token> tokens);

struct TokenRange {
  std::int64_t first = 0;  // from 0
  std::int64_t count = 0;
};
// Throws UsageError, with `what` they are (queries, keys), for tokens that are not there.
TokenRange token_range(const Stretch& stretch, std::int64_t tokens, std::string_view what);

// A stretch with all pieces of the words at its ends.
Stretch whole_words(const Stretch& stretch, std::span<const Token> tokens);

// One side of a map: by word, the words of its stretch are whole. `words` may be empty: then a merged word is
// spelt by its `pieces`. keys: the side of the keys, else of the queries. Throws UsageError for a text or
// tokens that are not there.
MapSide map_side(std::span<const Token> tokens, Pieces pieces, std::span<const Word> words,
                 const TokenOptions& options, bool keys);
// All texts and tokens.
MapSide map_side(std::span<const Token> tokens, Pieces pieces, std::span<const Word> words,
                 TokenOptions options);

// The tokens that the decoder's steps predict: those that follow, and behind the last the end. The sentence
// has a translation.
std::vector<Token> predicted_tokens(const Sentence& sentence);

// No cell of the map where no token of the row sees one of the column (kUnseen).
void leave_out_unseen(HeatMap& map, const SeenKeys& seen, std::span<const std::vector<std::int64_t>> rows,
                      std::span<const std::vector<std::int64_t>> columns);

// [row, column]: mean over the tokens of a row of the sum over the tokens of a column.
std::vector<double> map_values(const AttentionMap& map, const MapSide& rows, const MapSide& columns);

}  // namespace mog::analysis

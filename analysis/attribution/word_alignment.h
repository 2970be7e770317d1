// From maps of a decoder's steps on source tokens to words of the translation on words of the source.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/recording/axes.h"
#include "io/recording/sentence.h"

namespace mog::analysis {

// A decoder reads token t − 1 and predicts token t in one step, so a map has two rows that may be called the
// target token's: that of the step which predicts it, and that of the next, which reads it. Lower
// layers are of the word that was read (Chen et al. 2020, Accurate Word Alignment
// Induction from Neural Machine Translation, Shift-Att; docs/findings/translation.md).
enum class AlignmentStep : std::uint8_t { predicted, read };
// What says which source token a step takes from.
enum class AlignmentMap : std::uint8_t {
  cross_attention,
  contribution,  // what source tokens add to the logit of the token that is predicted
  alti,          // ALTI+ rolled out through both stacks
};
// Which of these quantities is the map, of ALTI+ up to this layer (0: the last): of source tokens, else,
// behind encoders without exact decompositions, of positions of the encoder's output. nullptr: none, as of
// cross-attention, which has one a layer and head.
const QuantitySchema* decomposed_map(std::span<const QuantitySchema> schemas, AlignmentMap map,
                                     std::int64_t layer = 0) noexcept;

std::string_view name(AlignmentStep step) noexcept;
// "predicted", "read"; throws UsageError.
AlignmentStep parse_alignment_step(std::string_view text);

// Words on words, [target word, source word]: sums over the source pieces of a word, means over the target
// pieces. NaN where a word has no token (of a sentence that was cut).
struct WordMap {
  std::int64_t targets = 0;
  std::int64_t sources = 0;
  std::vector<double> values;
  double value(std::int64_t target, std::int64_t source) const {
    return values[static_cast<std::size_t>(target * sources + source)];
  }
};

// Words of the translation that a sentence's target_tokens are: the greatest `word` and one.
std::int64_t target_words(const Sentence& sentence);

// map: [target token, columns], row t is of the step that reads sentence.target_tokens[t]; the first columns
// are the source's tokens, further ones are left out. Special tokens of either side are left out; target
// words are those of target_tokens, `targets` of them. Throws ShapeError for a map of another size.
WordMap word_map(std::span<const double> map, std::int64_t columns, const Sentence& sentence,
                 std::int64_t targets, AlignmentStep step);

// [target word]: the source word with the greatest value, of equal ones the first; −1 where there is none.
std::vector<std::int64_t> best_sources(const WordMap& map);

}  // namespace mog::analysis

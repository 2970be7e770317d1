// What of a sentence is erased together, and has one value of an attribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::analysis {

// A word's value is the sum over its tokens.
enum class ErasedUnit : std::uint8_t { token, word };
// Whether [CLS], </s> and their like stay in every erasure and have no place in agreements, or count as
// others.
enum class SpecialTokens : std::uint8_t { keep, erase };

// [unit] -> tokens that are erased together, ascending, from 0.
using Units = std::vector<std::vector<std::int64_t>>;
// Tokens of the sentence that are erased, [token].
using ErasedTokens = std::vector<bool>;

// In the order of the sentence. The tokens of `target_word` (an index from 0 into the words; -1: none) are in
// no unit.
Units erased_units(const Sentence& sentence, std::int64_t target_word, ErasedUnit unit,
                   SpecialTokens special);

// The tokens of the chosen units; `chosen`: [unit]. Throws ShapeError for another number of units or a unit
// beyond `tokens`.
ErasedTokens erased_tokens(const Units& units, const std::vector<bool>& chosen, std::size_t tokens);
// Of one unit, and of all of them: the tokens that can be erased at all.
ErasedTokens erased_tokens(std::span<const std::int64_t> unit, std::size_t tokens);
ErasedTokens erasable_tokens(const Units& units, std::size_t tokens);

// values: [token]; [unit]: their sums. Throws ShapeError for a unit beyond them.
std::vector<double> sums_by_unit(std::span<const double> values, const Units& units);

}  // namespace mog::analysis

#include "analysis/effects/units.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::size_t place_of(std::int64_t token, std::size_t tokens) {
  if (token < 0 || static_cast<std::size_t>(token) >= tokens) {
    throw ShapeError(
        fmt::format("a unit has token {}, the sentence has {} tokens, counted from 0", token, tokens));
  }
  return static_cast<std::size_t>(token);
}

}  // namespace

Units erased_units(const Sentence& sentence, std::int64_t target_word, ErasedUnit unit,
                   SpecialTokens special) {
  Units units;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    const std::int64_t word = sentence.tokens[token].word;
    if (word < 0 ? special == SpecialTokens::keep : word == target_word) {
      continue;
    }
    const bool joined = unit == ErasedUnit::word && word >= 0 && token > 0 &&
                        sentence.tokens[token - 1].word == word && !units.empty();
    if (joined) {
      units.back().push_back(static_cast<std::int64_t>(token));
    } else {
      units.push_back({static_cast<std::int64_t>(token)});
    }
  }
  return units;
}

ErasedTokens erased_tokens(const Units& units, const std::vector<bool>& chosen, std::size_t tokens) {
  if (chosen.size() != units.size()) {
    throw ShapeError(fmt::format("a choice among {} units of {}", chosen.size(), units.size()));
  }
  ErasedTokens erased(tokens, false);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    for (const std::int64_t token : units[unit]) {
      const std::size_t place = place_of(token, tokens);
      erased[place] = erased[place] || chosen[unit];
    }
  }
  return erased;
}

ErasedTokens erased_tokens(std::span<const std::int64_t> unit, std::size_t tokens) {
  ErasedTokens erased(tokens, false);
  for (const std::int64_t token : unit) {
    erased[place_of(token, tokens)] = true;
  }
  return erased;
}

ErasedTokens erasable_tokens(const Units& units, std::size_t tokens) {
  return erased_tokens(units, std::vector<bool>(units.size(), true), tokens);
}

std::vector<double> sums_by_unit(std::span<const double> values, const Units& units) {
  std::vector<double> result;
  for (const std::vector<std::int64_t>& unit : units) {
    double sum = 0;
    for (const std::int64_t token : unit) {
      sum += values[place_of(token, values.size())];
    }
    result.push_back(sum);
  }
  return result;
}

}  // namespace mog::analysis

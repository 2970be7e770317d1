#include "analysis/attribution/word_units.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::vector<double> tokens_a_unit(const WordUnits& units) {
  std::vector<double> result(units.first.size(), 0.0);
  for (const std::int64_t unit : units.of_token) {
    result[static_cast<std::size_t>(unit)] += 1;
  }
  return result;
}

}  // namespace

WordUnits word_units(const Sentence& sentence) {
  WordUnits units;
  std::int64_t last = -1;  // word of the token before
  for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
    const std::int64_t word = sentence.tokens[i].word;
    if (word < 0 || word != last) {
      units.first.push_back(static_cast<std::int64_t>(i));
    }
    units.of_token.push_back(units.count() - 1);
    last = word;
  }
  return units;
}

std::vector<double> average_pieces(std::span<const double> values, std::int64_t width,
                                   const WordUnits& units) {
  if (values.size() != units.of_token.size() * static_cast<std::size_t>(width)) {
    throw ShapeError(fmt::format("averaging the pieces of words: {} values for {} tokens of width {}",
                                 values.size(), units.of_token.size(), width));
  }
  const std::vector<double> tokens = tokens_a_unit(units);
  const auto columns = static_cast<std::size_t>(width);
  std::vector<double> result(units.first.size() * columns, 0.0);
  for (std::size_t token = 0; token < units.of_token.size(); ++token) {
    const auto unit = static_cast<std::size_t>(units.of_token[token]);
    for (std::size_t column = 0; column < columns; ++column) {
      result[unit * columns + column] += values[token * columns + column] / tokens[unit];
    }
  }
  return result;
}

std::vector<double> merge_pieces(std::span<const double> map, std::int64_t columns, const WordUnits& units) {
  const auto tokens = static_cast<std::int64_t>(units.of_token.size());
  if (columns < tokens) {
    throw ShapeError(
        fmt::format("merging pieces to words: a map of {} columns for {} tokens", columns, tokens));
  }
  const std::vector<double> rows = average_pieces(map, columns, units);
  const std::int64_t merged = units.count() + columns - tokens;
  std::vector<double> result(static_cast<std::size_t>(units.count() * merged), 0.0);
  for (std::int64_t unit = 0; unit < units.count(); ++unit) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t to = column < tokens ? units.of_token[static_cast<std::size_t>(column)]
                                              : units.count() + column - tokens;
      result[static_cast<std::size_t>(unit * merged + to)] +=
          rows[static_cast<std::size_t>(unit * columns + column)];
    }
  }
  return result;
}

}  // namespace mog::analysis

// Values of a map at places that have no cell, beside kUnseen.
#pragma once

#include <limits>

#include "analysis/figure_data/figure_data.h"

namespace mog::analysis {

// Nothing that could have a value: a place beyond the end of a sentence, a word of which nothing is said.
// Drawn as kUnseen is, with no cell; an empty field in files.
inline constexpr double kNoCell = std::numeric_limits<double>::infinity();

constexpr bool has_cell(double value) noexcept {
  return value != kUnseen && value != kNoCell;
}
constexpr double value_in_files(double value) noexcept {
  return value == kNoCell ? kAbsent : number_of_value(value);
}

}  // namespace mog::analysis

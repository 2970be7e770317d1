// "did you mean record?"
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/errors.h"

namespace mog {

// The names that `text` was probably meant to be, the nearest first, at most three: by the least number of
// letters put in, left out, changed or swapped with their neighbour (Damerau 1964, each pair of letters
// once), at most a third of the text and at least one; or names that begin with the text. O(letters² ·
// names).
std::vector<std::string> nearest_names(std::string_view text, std::span<const std::string> names);

// "; did you mean tree or trees?", empty where nothing is near.
std::string did_you_mean(std::string_view text, std::span<const std::string> names);
std::string did_you_mean(std::string_view text, std::initializer_list<std::string_view> names);

// The refusal of a word that an option does not take, with those that it takes:
// "--theme drak: allowed are light and dark; did you mean dark?"
UsageError unknown_choice(std::string_view option, std::string_view text, std::span<const std::string> names);
UsageError unknown_choice(std::string_view option, std::string_view text,
                          std::initializer_list<std::string_view> names);

}  // namespace mog

// "did you mean record?"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::app {

// The names that `text` was probably meant to be, the nearest first, at most three: by the least number of
// letters put in, left out, changed or swapped with their neighbour (Damerau 1964, each pair of letters
// once), at most a third of the text and at least one; or names that begin with the text. O(letters² ·
// names).
std::vector<std::string> nearest_names(std::string_view text, std::span<const std::string> names);

// "; did you mean tree or trees?", empty where nothing is near.
std::string did_you_mean(std::string_view text, std::span<const std::string> names);

}  // namespace mog::app

// What a command line that failed probably meant, and what to type instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mog::cli {

// A line for the end of an error message; empty: nothing is known. `words` is the command line, the program
// first. Only words that `message` is about are looked at: what they are (a text, a sentence, a recording, a
// bundled model), and where such a thing belongs. Reads at most the first bytes of a file; throws nothing.
std::string hint(const std::vector<std::string>& words, std::string_view message);

}  // namespace mog::cli

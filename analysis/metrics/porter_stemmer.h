// Stems of English words: "connection", "connected" and "connecting" are all "connect".
#pragma once

#include <string>
#include <string_view>

namespace mog::analysis {

// Porter's algorithm (1980, "An algorithm for suffix stripping", Program 14) with what NLTK's PorterStemmer
// adds to it by default (NLTK_EXTENSIONS): irregular words, -ies and -ied of four letters, another rule for
// -y, -fulli and -logi. `word` is of lower-case letters a to z and digits; at most two characters stay as
// they are. O(length of the word).
std::string porter_stem(std::string_view word);

}  // namespace mog::analysis

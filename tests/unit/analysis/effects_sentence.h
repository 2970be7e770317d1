// A sentence with the words that its tokens have, for tests of effects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::analysis {

// words: [token], from 0; -1: a special token.
inline Sentence sentence_of(const std::vector<std::int64_t>& words) {
  Sentence sentence;
  sentence.number = 1;
  std::int64_t count = 0;
  for (const std::int64_t word : words) {
    sentence.tokens.push_back({.text = "t", .id = 3, .word = word, .bytes = {}});
    count = std::max(count, word + 1);
  }
  sentence.words.resize(static_cast<std::size_t>(count));
  return sentence;
}

}  // namespace mog::analysis

// Every forest over a few words, by trying all heads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace mog::test {

// Whether the heads of all words lead to the root (0).
inline bool is_forest(const std::vector<std::int32_t>& heads) {
  for (std::size_t word = 1; word <= heads.size(); ++word) {
    std::size_t at = word;
    for (std::size_t steps = 0; at != 0; ++steps) {
      if (steps > heads.size()) {
        return false;
      }
      at = static_cast<std::size_t>(heads[at - 1]);
    }
  }
  return true;
}

// Calls `see` with the heads of each forest of `words` words: (words + 1)^(words - 1) of them, trees and
// forests of several roots.
inline void for_each_forest(std::int32_t words,
                            const std::function<void(const std::vector<std::int32_t>&)>& see) {
  std::vector<std::int32_t> heads(static_cast<std::size_t>(words), 0);
  while (true) {
    if (is_forest(heads)) {
      see(heads);
    }
    std::size_t at = 0;
    while (at < heads.size() && heads[at] == words) {
      heads[at++] = 0;
    }
    if (at == heads.size()) {
      return;
    }
    ++heads[at];
  }
}

}  // namespace mog::test

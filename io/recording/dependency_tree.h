// Heads and relations of one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mog {

// Words count from 1; head 0 is the root. Both lists have one entry a word.
struct DependencyTree {
  std::vector<std::int32_t> heads;
  std::vector<std::string> relations;
  friend bool operator==(const DependencyTree&, const DependencyTree&) = default;
};

}  // namespace mog

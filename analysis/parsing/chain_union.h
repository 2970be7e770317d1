// Mentions that are put together one pair at a time, as chains: disjoint sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/metrics/coreference.h"

namespace mog::analysis {

// O(log n) a call.
class ChainUnion {
 public:
  // A mention of a chain of its own, unless it is known.
  std::size_t add(const Mention& mention);
  // Of numbers that add() gave.
  void join(std::size_t a, std::size_t b);
  // By their first mentions, the mentions by begin and end.
  std::vector<Chain> chains();

 private:
  std::size_t root(std::size_t at);
  std::map<Mention, std::size_t> number_;
  std::vector<std::size_t> parent_;
};

}  // namespace mog::analysis

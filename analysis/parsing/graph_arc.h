// An arc of a graph that attention takes as input, between vertices of its own: words of a window.
#pragma once

#include <compare>
#include <cstdint>

namespace mog::analysis {

struct GraphArc {
  std::int32_t query = 0;
  std::int32_t key = 0;
  std::int32_t relation = 0;  // never 0: pairs without a relation have no arc
  friend auto operator<=>(const GraphArc&, const GraphArc&) = default;
};

}  // namespace mog::analysis

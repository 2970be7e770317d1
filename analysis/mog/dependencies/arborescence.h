// The best dependency tree over weighted edges: any tree (Edmonds, Tarjan) or a projective one (Eisner).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mog::analysis {

// Edge weights [head, dependent], row-major, (words + 1) x (words + 1), row 0 the root's. Column 0 and the
// diagonal are not read; -infinity is no edge. Heads count as vertices do.
struct EdgeWeights {
  std::int32_t words = 0;
  std::vector<double> values;
  double at(std::int32_t head, std::int32_t dependent) const {
    return values[static_cast<std::size_t>(head) * (static_cast<std::size_t>(words) + 1) +
                  static_cast<std::size_t>(dependent)];
  }
};

struct TreeOptions {
  bool projective = false;
  bool one_root = true;  // exactly one word hangs on the root
};

// Heads [word - 1] of the tree with the greatest sum of weights; of equal sums the choice is the same on
// every machine. Any tree: O(words^2); projective: O(words^3). Throws UsageError for a wrong number of
// weights, NaN, +infinity, or where there is no tree.
std::vector<std::int32_t> best_heads(const EdgeWeights& weights, const TreeOptions& options = {});

// Log weights from a map [query, key] of words, in which a join's query is its head; `key_is_head` reads it
// the other way round. Weights below 1e-12 count as 1e-12. Every word may be the root, for nothing.
EdgeWeights attachment_weights(std::span<const double> map, std::int32_t words, bool key_is_head = false);

}  // namespace mog::analysis

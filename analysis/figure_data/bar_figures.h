// What one token consists of, or attends by: stacked bars of signed parts.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/figure_data/builders.h"

namespace mog::analysis {

struct TokenBarOptions {
  std::int64_t token = 0;  // from 1, special tokens too; with by_word a word or special token
  std::int64_t key = 0;    // maps: this key alone, a bar a term; 0: a bar a key
  std::int64_t head = 0;   // from 1; 0: the mean over heads
  bool by_word = false;    // pieces of a word together
};

// One token of one sentence. names: one recorded quantity, or one of several layers.
// - [query, key], [token, source] and these by head: a bar a key or source (one name);
// - [head, term, query, key]: a bar a key, its terms stacked; by_word is refused for scores, which do not add
// up
//   over the pieces of a key (one name);
// - [token, entry]: a bar a layer, entries stacked;
// - [entry, token, d_model], parts of a vector: the same with their projection shares ⟨part, sum⟩ / |sum|².
// Throws UsageError for a name that is not recorded or of another shape, and for a token, key or head that is
// not there.
FigureData token_bars(const RecordingSource& source, std::int64_t index, std::span<const QuantityName> names,
                      const TokenBarOptions& options);

}  // namespace mog::analysis

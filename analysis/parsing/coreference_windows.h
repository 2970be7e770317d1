// Documents longer than the positions of a model, in windows that overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/metrics/coreference.h"

namespace mog::analysis {

// Tokens [begin, end) of a document, from 0.
struct TokenWindow {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const TokenWindow&, const TokenWindow&) = default;
};

// The windows of a document, in order, every token in one or more. `positions`: [token] how many of the
// model's it takes (its pieces); `sentences`: first token of each, ascending from 0. A window takes at most
// `most` positions; it ends where a sentence does, unless the next sentence does not fit, and shares at least
// `overlap` positions with the one before, unless the sentence that follows would not fit then: its links are
// found in one window rather than cut. O(windows · tokens). Throws UsageError for a token that takes none or
// more than `most` positions, and unless 0 ≤ overlap < most.
std::vector<TokenWindow> coreference_windows(std::span<const std::int64_t> positions,
                                             std::span<const std::int64_t> sentences, std::int64_t most,
                                             std::int64_t overlap);

// The mentions that lie in the window, counted from its begin. Chains without any are left out.
std::vector<Chain> chains_inside(std::span<const Chain> chains, TokenWindow window);

// The chains of all windows as chains of the document: those that share a mention are one. [window]; as many
// as windows. By their first mentions, the mentions by begin and end. Throws UsageError when the numbers
// differ.
std::vector<Chain> merged_chains(std::span<const TokenWindow> windows,
                                 std::span<const std::vector<Chain>> chains);

}  // namespace mog::analysis

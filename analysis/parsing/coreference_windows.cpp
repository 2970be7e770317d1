// A window is as long as the positions allow, less the sentence that does not fit whole. The next one begins
// as late as the overlap allows, so that windows are few, at a sentence's first token where a whole sentence
// follows. It always reaches beyond the end of the one before, so the loop ends.
#include "analysis/parsing/coreference_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/parsing/chain_union.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

class Cutter {
 public:
  Cutter(std::span<const std::int64_t> positions, std::span<const std::int64_t> sentences, std::int64_t most,
         std::int64_t overlap)
      : sentences_(sentences), most_(most), overlap_(overlap), before_(positions.size() + 1, 0) {
    std::partial_sum(positions.begin(), positions.end(), before_.begin() + 1);
  }
  std::int64_t tokens() const { return std::ssize(before_) - 1; }
  // Of a window that begins there and reaches beyond `after`.
  std::int64_t end(std::int64_t begin, std::int64_t after) const;
  std::int64_t next_begin(const TokenWindow& window) const;

 private:
  std::int64_t taken(std::int64_t begin, std::int64_t end) const {
    return before_[static_cast<std::size_t>(end)] - before_[static_cast<std::size_t>(begin)];
  }
  // The first of the tokens `from`, from + 1 … from which a window reaches `end`.
  std::int64_t earliest(std::int64_t from, std::int64_t end) const {
    while (taken(from, end) > most_) {
      ++from;
    }
    return from;
  }
  // The greatest sentence begin in [low, high]; -1: none.
  std::int64_t sentence_in(std::int64_t low, std::int64_t high) const {
    const auto above = std::upper_bound(sentences_.begin(), sentences_.end(), high);
    return above != sentences_.begin() && above[-1] >= low ? above[-1] : -1;
  }

  std::span<const std::int64_t> sentences_;
  std::int64_t most_;
  std::int64_t overlap_;
  std::vector<std::int64_t> before_;  // [token] positions of all before it
};

std::int64_t Cutter::end(std::int64_t begin, std::int64_t after) const {
  const auto above =
      std::upper_bound(before_.begin(), before_.end(), before_[static_cast<std::size_t>(begin)] + most_);
  const std::int64_t reach = (above - before_.begin()) - 1;
  const std::int64_t sentence = reach == tokens() ? -1 : sentence_in(after + 1, reach);
  return sentence < 0 ? reach : sentence;
}

std::int64_t Cutter::next_begin(const TokenWindow& window) const {
  const auto following = std::upper_bound(sentences_.begin(), sentences_.end(), window.end);
  const std::int64_t sentence_end = following == sentences_.end() ? tokens() : *following;
  // Whether a sentence follows that fits whole.
  const bool whole = sentence_in(window.end, window.end) >= 0 && taken(window.end, sentence_end) <= most_;
  const std::int64_t low = earliest(window.begin + 1, whole ? sentence_end : window.end + 1);
  std::int64_t high = window.end;
  while (high > low && taken(high, window.end) < overlap_) {
    --high;
  }
  const std::int64_t sentence = whole ? sentence_in(low, high) : -1;
  return sentence < 0 ? high : sentence;
}

}  // namespace

std::vector<TokenWindow> coreference_windows(std::span<const std::int64_t> positions,
                                             std::span<const std::int64_t> sentences, std::int64_t most,
                                             std::int64_t overlap) {
  if (overlap < 0 || overlap >= most) {
    throw UsageError(
        fmt::format("windows of {} positions that share {}; expected fewer, from 0", most, overlap));
  }
  for (std::size_t token = 0; token < positions.size(); ++token) {
    if (positions[token] < 1 || positions[token] > most) {
      throw UsageError(
          fmt::format("token {} takes {} positions, of windows of {}", token + 1, positions[token], most));
    }
  }
  const Cutter cutter(positions, sentences, most, overlap);
  std::vector<TokenWindow> windows;
  TokenWindow window;
  while (window.end < cutter.tokens()) {
    window.begin = windows.empty() ? 0 : cutter.next_begin(window);
    window.end = cutter.end(window.begin, window.end);
    windows.push_back(window);
  }
  return windows;
}

std::vector<Chain> chains_inside(std::span<const Chain> chains, TokenWindow window) {
  std::vector<Chain> result;
  for (const Chain& chain : chains) {
    Chain inside;
    for (const Mention& mention : chain) {
      if (mention.begin >= window.begin && mention.end <= window.end) {
        inside.push_back({mention.begin - window.begin, mention.end - window.begin});
      }
    }
    if (!inside.empty()) {
      result.push_back(std::move(inside));
    }
  }
  return result;
}

std::vector<Chain> merged_chains(std::span<const TokenWindow> windows,
                                 std::span<const std::vector<Chain>> chains) {
  if (windows.size() != chains.size()) {
    throw UsageError(fmt::format("merging chains: {} windows, chains of {}", windows.size(), chains.size()));
  }
  ChainUnion joined;
  for (std::size_t at = 0; at < windows.size(); ++at) {
    const std::int64_t begin = windows[at].begin;
    for (const Chain& chain : chains[at]) {
      for (const Mention& mention : chain) {
        joined.join(joined.add({mention.begin + begin, mention.end + begin}),
                    joined.add({chain.front().begin + begin, chain.front().end + begin}));
      }
    }
  }
  return joined.chains();
}

}  // namespace mog::analysis

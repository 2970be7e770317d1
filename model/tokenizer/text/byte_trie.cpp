#include "model/tokenizer/text/byte_trie.h"

#include <algorithm>

namespace mog::model {

ByteTrie::ByteTrie(std::vector<std::pair<std::string, std::int32_t>> entries) {
  std::sort(entries.begin(), entries.end());
  // Breadth first: a node is a range of entries that share their first `depth` bytes.
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t depth;
  };
  std::vector<Range> ranges = {{0, entries.size(), 0}};
  labels_.push_back(0);
  values_.push_back(-1);
  for (std::size_t node = 0; node < ranges.size(); ++node) {
    first_.push_back(static_cast<std::uint32_t>(ranges.size()));
    const Range range = ranges[node];
    std::size_t at = range.begin;
    while (at < range.end && entries[at].first.size() == range.depth) {
      ++at;
    }
    while (at < range.end) {
      const char byte = entries[at].first[range.depth];
      const std::size_t begin = at;
      while (at < range.end && entries[at].first[range.depth] == byte) {
        ++at;
      }
      if (node == 0) {
        roots_[static_cast<unsigned char>(byte)] = static_cast<std::uint32_t>(ranges.size());
      }
      labels_.push_back(static_cast<unsigned char>(byte));
      values_.push_back(entries[begin].first.size() == range.depth + 1 ? entries[begin].second : -1);
      ranges.push_back({begin, at, range.depth + 1});
    }
  }
  first_.push_back(static_cast<std::uint32_t>(ranges.size()));
}

}  // namespace mog::model

// A set of byte strings with numbers, for "which of them begin here".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog::model {

// Immutable after construction. Memory: about 13 bytes a node.
class ByteTrie {
 public:
  ByteTrie() = default;
  // Entries are not empty and not repeated; values from 0.
  explicit ByteTrie(std::vector<std::pair<std::string, std::int32_t>> entries);

  // Calls found(length, value) for every entry that begins `text`, the shortest first.
  template <class Found>
  void prefixes(std::string_view text, Found&& found) const {
    std::uint32_t node = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      node = child(node, static_cast<unsigned char>(text[at]));
      if (node == 0) {
        return;
      }
      if (values_[node] >= 0) {
        found(at + 1, values_[node]);
      }
    }
  }
  bool empty() const noexcept { return values_.size() <= 1; }
  bool begins_with(unsigned char byte) const noexcept { return roots_[byte] != 0; }

 private:
  std::uint32_t child(std::uint32_t node, unsigned char byte) const {
    if (node == 0) {
      return roots_[byte];
    }
    const std::uint32_t begin = first_[node];
    const std::uint32_t end = first_[node + 1];
    for (std::uint32_t at = begin; at < end; ++at) {
      if (labels_[at] == byte) {
        return at;
      }
      if (labels_[at] > byte) {
        break;
      }
    }
    return 0;
  }

  // Node 0 is the root. The children of node n are the nodes first_[n] … first_[n + 1] - 1, by label.
  std::array<std::uint32_t, 256> roots_ = {};
  std::vector<std::uint32_t> first_;
  std::vector<unsigned char> labels_;
  std::vector<std::int32_t> values_;
};

}  // namespace mog::model

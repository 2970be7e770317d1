// Lower-casing that remembers where every byte came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mog::model {

// Full Unicode lower-casing without a language (ICU; "İ" becomes two characters, a final sigma "ς").
struct LoweredText {
  std::string text;
  // Bytes [begin[i], end[i]) of the original became byte i of `text`; both empty when all bytes kept their
  // place (as in ASCII).
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> end;

  // Bytes of the original behind [first, last) of `text`, whole characters; first < last.
  std::int64_t original_begin(std::size_t first) const {
    return begin.empty() ? static_cast<std::int64_t>(first) : begin[first];
  }
  std::int64_t original_end(std::size_t last) const {
    return end.empty() ? static_cast<std::int64_t>(last) : end[last - 1];
  }
};

// `text` is sound UTF-8 below 2 GiB.
LoweredText lower_case(std::string_view text);

}  // namespace mog::model

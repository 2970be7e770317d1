// The last column of CoNLL-2012: mentions that open and close at a token.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "io/text/conll2012.h"

namespace mog::io {

enum class MarkKind : std::uint8_t { closes, opens, alone };
struct Mark {
  MarkKind kind = MarkKind::alone;
  std::int64_t chain = 0;
  friend auto operator<=>(const Mark&, const Mark&) = default;
};

// Digits only.
std::optional<std::int64_t> whole_number(std::string_view text);
// "-", "_" or nothing.
bool says_nothing(std::string_view cell);
// What stands between the bars; none of a cell that says nothing.
std::vector<std::string_view> pieces_of(std::string_view cell);
// "(5", "5)", "(5)".
std::optional<Mark> mark_of(std::string_view piece);

// The order of a document's mentions.
bool longest_first(const CorefMention& a, const CorefMention& b);

}  // namespace mog::io

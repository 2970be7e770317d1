#include "io/text/conll2012_cell.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace mog::io {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  return digits && error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                            : std::nullopt;
}

bool says_nothing(std::string_view cell) {
  return cell.empty() || cell == "-" || cell == "_";
}

std::optional<Mark> mark_of(std::string_view piece) {
  const bool opens = piece.starts_with('(');
  const bool closes = piece.ends_with(')');
  const std::string_view digits =
      piece.substr(opens ? 1 : 0, piece.size() - (opens ? 1 : 0) - (closes && piece.size() > 1 ? 1 : 0));
  const auto chain = whole_number(digits);
  if (!chain || !(opens || closes)) {
    return std::nullopt;
  }
  return Mark{opens && closes ? MarkKind::alone : opens ? MarkKind::opens : MarkKind::closes, *chain};
}

std::vector<std::string_view> pieces_of(std::string_view cell) {
  std::vector<std::string_view> pieces;
  if (says_nothing(cell)) {
    return pieces;
  }
  while (true) {
    const std::size_t bar = cell.find('|');
    pieces.push_back(cell.substr(0, bar));
    if (bar == std::string_view::npos) {
      return pieces;
    }
    cell.remove_prefix(bar + 1);
  }
}

bool longest_first(const CorefMention& a, const CorefMention& b) {
  return std::tuple(a.begin, -a.end, a.chain) < std::tuple(b.begin, -b.end, b.chain);
}

}  // namespace mog::io

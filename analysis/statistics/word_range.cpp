#include "analysis/statistics/word_range.h"

#include <fmt/format.h>

#include <charconv>

#include "io/recording/errors.h"

namespace mog::analysis {

std::string WordRange::label() const {
  if (all()) {
    return "";
  }
  return last == 0 ? fmt::format("{}–", first) : fmt::format("{}–{}", first, last);
}

WordRange WordRange::parse(std::string_view text) {
  const auto number = [&](std::string_view piece) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
    if (error != std::errc() || end != piece.data() + piece.size() || value < 1) {
      throw UsageError(
          fmt::format("words \"{}\": expected places counted from 1, for example 1-8, 8 (the first 8) or 3- "
                      "(from the third)",
                      text));
    }
    return value;
  };
  const auto dash = text.find('-');
  WordRange range;
  if (dash == std::string_view::npos) {
    range.last = number(text);
    return range;
  }
  range.first = number(text.substr(0, dash));
  if (dash + 1 < text.size()) {
    range.last = number(text.substr(dash + 1));
    if (range.last < range.first) {
      throw UsageError(fmt::format("words \"{}\": the range ends before it begins", text));
    }
  }
  return range;
}

}  // namespace mog::analysis

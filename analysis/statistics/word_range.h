// Which words of a sentence a statistic counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mog::analysis {

// Words of each sentence that count, by their place from 1; last 0: to the end.
struct WordRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
  bool all() const noexcept { return first <= 1 && last == 0; }
  bool holds(std::int64_t place) const noexcept { return place >= first && (last == 0 || place <= last); }
  std::string label() const;  // "1–8", "3–", "" for all
  // "1-8", "8", "3-". Throws UsageError naming the text.
  static WordRange parse(std::string_view text);
  friend bool operator==(const WordRange&, const WordRange&) = default;
};

}  // namespace mog::analysis

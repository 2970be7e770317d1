// Bins of sentence length, in words before any splitting into pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

// Bin b holds lengths edges[b] <= length < edges[b + 1]; the last bin is open. The MoG paper prints
// 0-10, 10-20, … without saying where 10 belongs; here a bin includes its lower edge (the difference is
// taken against [0, 10)) and is called by the lengths in it.
class LengthBins {
 public:
  LengthBins();  // 0-10, 10-20, … 50-60, 60+
  // Ascending lower edges, the first >= 0. Throws UsageError.
  explicit LengthBins(std::vector<std::int64_t> edges);
  // Bins of `width` words; the last begins at the greatest multiple of `width` not above `last`.
  static LengthBins of_width(std::int64_t width, std::int64_t last = 60);
  // "10": a width; "0,10,20,40": lower edges. Throws UsageError naming the text.
  static LengthBins parse(std::string_view text);

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(edges_.size()); }
  // -1 for a length below the first edge.
  std::int64_t bin(std::int64_t length) const noexcept;
  std::int64_t low(std::int64_t bin) const { return edges_.at(static_cast<std::size_t>(bin)); }
  // First length beyond the bin; -1 for the last, open one.
  std::int64_t high(std::int64_t bin) const;
  // By the lengths in it, in figures, tables and words alike: "1–9", "10–19", "60+"; no sentence has 0 words.
  std::string label(std::int64_t bin) const { return label(low(bin), high(bin)); }
  // `high` is the first length beyond it, -1 without an end.
  static std::string label(std::int64_t low, std::int64_t high);
  friend bool operator==(const LengthBins&, const LengthBins&) = default;

 private:
  std::vector<std::int64_t> edges_;
};

}  // namespace mog::analysis

#include "analysis/statistics/length_bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {

LengthBins::LengthBins() : LengthBins(of_width(10)) {}

LengthBins::LengthBins(std::vector<std::int64_t> edges) : edges_(std::move(edges)) {
  if (edges_.empty() || edges_.front() < 0) {
    throw UsageError("length bins need at least one lower edge, and none below 0");
  }
  for (std::size_t i = 1; i < edges_.size(); ++i) {
    if (edges_[i] <= edges_[i - 1]) {
      throw UsageError(
          fmt::format("the lower edges of length bins must ascend, but {} follows {}; try 0,10,20", edges_[i],
                      edges_[i - 1]));
    }
  }
}

LengthBins LengthBins::of_width(std::int64_t width, std::int64_t last) {
  constexpr std::int64_t kMostBins = 10'000;
  if (width < 1 || last < 0 || last / width >= kMostBins) {
    throw UsageError(
        fmt::format("length bins of {} words up to {}: the width must be at least 1 and there may be "
                    "at most {} bins; try --bins 10",
                    width, last, kMostBins));
  }
  std::vector<std::int64_t> edges;
  for (std::int64_t edge = 0; edge <= last; edge += width) {
    edges.push_back(edge);
  }
  return LengthBins(std::move(edges));
}

LengthBins LengthBins::parse(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0 || (next != end && *next != ',')) {
      throw UsageError(fmt::format(
          "\"{}\" does not describe length bins: expected a width (10) or ascending lower edges (0,10,20,40)",
          text));
    }
    numbers.push_back(number);
    if (next == end) {
      break;
    }
    at = next + 1;
  }
  return numbers.size() == 1 ? of_width(numbers[0]) : LengthBins(std::move(numbers));
}

std::int64_t LengthBins::bin(std::int64_t length) const noexcept {
  return std::upper_bound(edges_.begin(), edges_.end(), length) - edges_.begin() - 1;
}

std::int64_t LengthBins::high(std::int64_t bin) const {
  return bin + 1 < size() ? low(bin + 1) : -1;
}

std::string LengthBins::label(std::int64_t low, std::int64_t high) {
  const std::int64_t first = std::max<std::int64_t>(low, high == 1 ? 0 : 1);
  return high < 0            ? fmt::format("{}+", first)
         : first >= high - 1 ? fmt::format("{}", first)
                             : fmt::format("{}–{}", first, high - 1);
}

}  // namespace mog::analysis

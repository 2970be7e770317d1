#include "io/statistics/number_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

// The first range that ends at `number` or behind it.
auto ending_from(auto& ranges, std::int64_t number) {
  return std::lower_bound(ranges.begin(), ranges.end(), number,
                          [](const NumberRange& range, std::int64_t wanted) { return range.last < wanted; });
}

}  // namespace

NumberRanges::NumberRanges(std::vector<NumberRange> ranges) : ranges_(std::move(ranges)) {
  std::int64_t before = -1;
  for (const NumberRange& range : ranges_) {
    const bool behind = range.first > 0 && (before < 0 || range.first > before + 1);
    if (!behind || range.last < range.first || range.last == std::numeric_limits<std::int64_t>::max()) {
      throw FormatError(fmt::format("{} to {} is no range of sentence numbers behind {}", range.first,
                                    range.last, std::max<std::int64_t>(before, 0)));
    }
    size_ += range.last - range.first + 1;
    before = range.last;
  }
}

void NumberRanges::add(std::int64_t number) {
  auto at = ending_from(ranges_, number);
  if (at != ranges_.end() && at->first <= number) {
    return;
  }
  ++size_;
  const bool before = at != ranges_.begin() && std::prev(at)->last == number - 1;
  const bool behind = at != ranges_.end() && at->first == number + 1;
  if (before && behind) {
    std::prev(at)->last = at->last;
    ranges_.erase(at);
  } else if (before) {
    std::prev(at)->last = number;
  } else if (behind) {
    at->first = number;
  } else {
    ranges_.insert(at, {number, number});
  }
}

void NumberRanges::join(const NumberRanges& other) {
  std::vector<NumberRange> all;
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(),
             std::back_inserter(all),
             [](const NumberRange& a, const NumberRange& b) { return a.first < b.first; });
  std::vector<NumberRange> joined;
  for (const NumberRange& range : all) {
    if (joined.empty() || range.first > joined.back().last + 1) {
      joined.push_back(range);
    } else if (range.first <= joined.back().last) {
      throw UsageError(fmt::format("sentence {} is in both", range.first));
    } else {
      joined.back().last = range.last;
    }
  }
  ranges_ = std::move(joined);
  size_ += other.size_;
}

bool NumberRanges::contains(std::int64_t number) const {
  const auto at = ending_from(ranges_, number);
  return at != ranges_.end() && at->first <= number;
}

std::string NumberRanges::text(std::size_t most) const {
  std::string result;
  for (std::size_t i = 0; i < std::min(most, ranges_.size()); ++i) {
    const auto& [first, last] = ranges_[i];
    result +=
        (i > 0 ? ", " : "") + (first == last ? std::to_string(first) : fmt::format("{}–{}", first, last));
  }
  return ranges_.size() > most ? result + ", …" : result;
}

NumberRanges NumberRanges::missing(std::int64_t last) const {
  std::vector<NumberRange> gaps;
  std::int64_t next = 1;
  for (const NumberRange& range : ranges_) {
    if (range.first > last) {
      break;
    }
    if (range.first > next) {
      gaps.push_back({next, range.first - 1});
    }
    next = range.last + 1;
  }
  if (next <= last) {
    gaps.push_back({next, last});
  }
  return NumberRanges(std::move(gaps));
}

}  // namespace mog::io

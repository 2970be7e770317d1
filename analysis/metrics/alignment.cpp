#include "analysis/metrics/alignment.h"

#include <map>
#include <set>

namespace mog::analysis {
namespace {

double ratio(std::int64_t part, std::int64_t whole) noexcept {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Interval interval_of(std::span<const AlignmentCounts> counts,
                     double (AlignmentCounts::*score)() const noexcept, const BootstrapOptions& options) {
  return bootstrap_interval(
      static_cast<std::int64_t>(counts.size()),
      [&](std::span<const std::int64_t> indices) {
        AlignmentCounts sum;
        for (const std::int64_t index : indices) {
          sum += counts[static_cast<std::size_t>(index)];
        }
        return (sum.*score)();
      },
      options);
}

}  // namespace

double AlignmentCounts::precision() const noexcept {
  return ratio(found_possible, found);
}
double AlignmentCounts::recall() const noexcept {
  return ratio(found_sure, sure);
}
double AlignmentCounts::f1() const noexcept {
  const double sum = precision() + recall();
  return sum == 0 ? 0.0 : 2 * precision() * recall() / sum;
}
double AlignmentCounts::error_rate() const noexcept {
  return found + sure == 0 ? 0.0 : 1.0 - ratio(found_sure + found_possible, found + sure);
}
AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) noexcept {
  found += other.found;
  sure += other.sure;
  possible += other.possible;
  found_sure += other.found_sure;
  found_possible += other.found_possible;
  return *this;
}

AlignmentCounts count_links(std::span<const GoldLink> gold, std::span<const WordLink> found) {
  std::map<WordLink, bool> sure;  // of every gold link
  for (const GoldLink& one : gold) {
    sure[one.link] = sure[one.link] || !one.possible;
  }
  AlignmentCounts counts;
  counts.possible = static_cast<std::int64_t>(sure.size());
  for (const auto& [link, is_sure] : sure) {
    counts.sure += is_sure ? 1 : 0;
  }
  const std::set<WordLink> once(found.begin(), found.end());
  counts.found = static_cast<std::int64_t>(once.size());
  for (const WordLink& link : once) {
    const auto there = sure.find(link);
    counts.found_possible += there != sure.end() ? 1 : 0;
    counts.found_sure += there != sure.end() && there->second ? 1 : 0;
  }
  return counts;
}

AlignmentScore alignment_score(std::span<const AlignmentCounts> counts, const BootstrapOptions& options) {
  AlignmentScore score;
  for (const AlignmentCounts& one : counts) {
    score.counts += one;
  }
  score.pairs = static_cast<std::int64_t>(counts.size());
  score.error_rate = interval_of(counts, &AlignmentCounts::error_rate, options);
  score.precision = interval_of(counts, &AlignmentCounts::precision, options);
  score.recall = interval_of(counts, &AlignmentCounts::recall, options);
  score.f1 = interval_of(counts, &AlignmentCounts::f1, options);
  return score;
}

}  // namespace mog::analysis

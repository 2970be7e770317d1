#include <algorithm>
#include <compare>
#include <functional>
#include <numeric>

#include "analysis/mog/internal_beam_sets.h"

namespace mog::analysis {

const SetList OrderLists::kEmpty = {};

void SetList::insert(double score, const SetWord* added, std::size_t stride) {
  const auto place = std::upper_bound(scores.begin(), scores.end(), score, std::greater<>()) - scores.begin();
  scores.insert(scores.begin() + place, score);
  sets.insert(sets.begin() + place * static_cast<std::ptrdiff_t>(stride), added, added + stride);
}

void BestSets::close() {
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  const auto compare = [&](std::int64_t i, std::int64_t j) {
    const SetWord* const a = list_.set(i, stride_);
    const SetWord* const b = list_.set(j, stride_);
    return std::lexicographical_compare_three_way(a, a + stride_, b, b + stride_);
  };
  std::vector<std::int64_t> order(list_.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    const auto sets = compare(i, j);
    return sets != 0 ? sets < 0 : list_.scores[at(i)] > list_.scores[at(j)];
  });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](std::int64_t i, std::int64_t j) { return compare(i, j) == 0; }),
              order.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return list_.scores[at(i)] > list_.scores[at(j)]; });
  if (static_cast<std::int64_t>(order.size()) >= most_) {
    order.resize(at(most_));
    bar_ = list_.scores[at(order.back())];
  }
  SetList kept;
  kept.scores.reserve(order.size());
  kept.sets.reserve(order.size() * stride_);
  for (const std::int64_t i : order) {
    kept.scores.push_back(list_.scores[at(i)]);
    kept.sets.insert(kept.sets.end(), list_.set(i, stride_), list_.set(i, stride_) + stride_);
  }
  list_ = std::move(kept);
}

}  // namespace mog::analysis

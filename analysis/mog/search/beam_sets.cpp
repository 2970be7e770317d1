// What a beam keeps of one symbol and number of words: the best `beam` different sets, each a row of bits,
// with scores.
//
// Unions come faster than they can be compared. So up to half a beam more is gathered, then sorted once and
// freed of equal sets (by a table of hashes, few by comparing), and the worst score left is a bar below which
// nothing is added: amortised O(log beam) comparisons a set, memory for 1.5 beams.
//
// BestColumns finds the right operands that are worth trying: columns in strips, each with the greatest bound
// inside, so that a search that wants ten of 600 columns looks at strips alone.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "analysis/mog/search/beam_sets.h"
#include "analysis/mog/search/cell_chart.h"

namespace mog::analysis {

const SetList OrderLists::kEmpty = {};

void SetList::insert(double score, const SetWord* added, std::size_t stride) {
  const auto place = std::upper_bound(scores.begin(), scores.end(), score, std::greater<>()) - scores.begin();
  scores.insert(scores.begin() + place, score);
  sets.insert(sets.begin() + place * static_cast<std::ptrdiff_t>(stride), added, added + stride);
}

// The best `most_` different ones, in order.
void BestSets::sort_and_merge() {
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) {
      return a.score > b.score;
    }
    return std::lexicographical_compare(sets_.data() + a.place, sets_.data() + a.place + stride_,
                                        sets_.data() + b.place, sets_.data() + b.place + stride_);
  });
  // The first of equal sets has the best score. Few are compared with each other, many by a table.
  constexpr std::size_t kFew = 32;
  const bool few = candidates_.size() <= kFew;
  const std::size_t mask = few ? 0 : std::bit_ceil(2 * candidates_.size()) - 1;
  table_.assign(few ? 0 : mask + 1, 0);
  const auto same = [&](const Candidate& a, const Candidate& b) {
    return a.hash == b.hash &&
           std::memcmp(sets_.data() + a.place, sets_.data() + b.place, stride_ * sizeof(SetWord)) == 0;
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates_.size() && kept < most_; ++i) {
    bool known = false;
    if (few) {
      for (std::size_t j = 0; j < kept && !known; ++j) {
        known = same(candidates_[j], candidates_[i]);
      }
    } else {
      std::size_t at = candidates_[i].hash & mask;
      while (table_[at] != 0 && !known) {
        known = same(candidates_[table_[at] - 1], candidates_[i]);
        at = (at + 1) & mask;
      }
      if (!known) {
        table_[at] = static_cast<std::uint32_t>(kept) + 1;
      }
    }
    if (!known) {
      candidates_[kept++] = candidates_[i];
    }
  }
  candidates_.resize(kept);
}

void BestSets::close() {
  sort_and_merge();
  kept_.clear();
  for (Candidate& candidate : candidates_) {
    const SetWord* const set = sets_.data() + candidate.place;
    candidate.place = kept_.size();
    kept_.insert(kept_.end(), set, set + stride_);
  }
  std::swap(kept_, sets_);
  if (candidates_.size() == most_) {
    bar_ = candidates_.back().score;
  }
  room_ = candidates_.size() + std::max<std::size_t>(8, most_ / 2);
}

SetList BestSets::take() {
  sort_and_merge();
  SetList list;
  list.scores.reserve(candidates_.size());
  list.sets.reserve(candidates_.size() * stride_);
  for (const Candidate& candidate : candidates_) {
    const SetWord* const set = sets_.data() + candidate.place;
    list.scores.push_back(candidate.score);
    list.sets.insert(list.sets.end(), set, set + stride_);
  }
  return list;
}

// Columns by what they promise at most. Of 600 columns a beam of 8 looks into some ten: these are found by
// the greatest bounds of strips of columns, without a heap of all. What is left out so is entered when it
// turns out that it may be needed.
void BestColumns::start(const double* weights, const double* heads, std::size_t count, double bar,
                        std::size_t wanted) {
  const std::size_t strips = (count + kStrip - 1) / kStrip;
  bounds_.resize(strips * kStrip);
  greatest_.resize(strips);
  for (std::size_t strip = 0; strip < strips; ++strip) {
    double* const bounds = bounds_.data() + strip * kStrip;
    const std::size_t first = strip * kStrip;
    const std::size_t here = std::min(kStrip, count - first);
    double most = kNoScore;
    for (std::size_t i = 0; i < here; ++i) {
      bounds[i] = weights[first + i] + heads[first + i];
      most = bounds[i] > most ? bounds[i] : most;
    }
    std::fill(bounds + here, bounds + kStrip, kNoScore);
    greatest_[strip] = most;
  }
  threshold_ = bar;
  if (wanted < strips) {
    order_.assign(greatest_.begin(), greatest_.end());
    const auto nth = order_.begin() + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(order_.begin(), nth, order_.end(), std::greater<>());
    threshold_ = std::max(bar, *nth);
  }
  heap_.clear();
  enter(std::numeric_limits<double>::infinity(), bar);
}

void BestColumns::enter(double below, double bar) {
  for (std::size_t strip = 0; strip < greatest_.size(); ++strip) {
    if (!(greatest_[strip] > bar) || greatest_[strip] < threshold_) {
      continue;
    }
    for (std::size_t i = strip * kStrip; i < (strip + 1) * kStrip; ++i) {
      const double bound = bounds_[i];
      if (bound > bar && bound >= threshold_ && bound < below) {
        heap_.emplace_back(bound, -static_cast<std::int32_t>(i));  // of equal ones the first column first
      }
    }
  }
  std::make_heap(heap_.begin(), heap_.end());
}

std::int32_t BestColumns::next(double bar) {
  if (heap_.empty() && threshold_ > bar) {
    const double below = std::exchange(threshold_, bar);
    enter(below, bar);
  }
  if (heap_.empty() || !(heap_.front().first > bar)) {
    return -1;
  }
  const std::int32_t column = -heap_.front().second;
  std::pop_heap(heap_.begin(), heap_.end());
  heap_.pop_back();
  return column;
}

BeamCost beam_cost(const GrammarSize& size, std::int64_t beam, std::int32_t most_order) {
  const double words = size.words;
  const bool gru = is_recurrent(size.kind);
  const auto kinds = static_cast<double>(size.blocks());
  const double width = static_cast<double>(beam);
  BeamCost cost;
  for (std::int64_t layer = 1; layer <= size.layers; ++layer) {
    const double orders = std::min<double>(
        most_order, !gru && layer < 20 ? static_cast<double>(std::int64_t{1} << layer) : words);
    // A list with its place and the best of its scores, and its sets of words.
    cost.bytes += kinds * words * orders * (136 + width * (8 + 8 * (std::floor(words / 64) + 1)));
    // Columns looked at; pairs of lists, and of sets in those that are not left at once.
    cost.steps += kinds * words * orders * (1.5 * (gru ? 1 : words) + orders / 2 * (2 + width) + 20 * width);
  }
  return cost;
}

}  // namespace mog::analysis

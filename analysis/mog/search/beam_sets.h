// Lists of sets of words with scores: what a beam keeps.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "analysis/mog/search/best_cells.h"

namespace mog::analysis {

using SetWord = std::uint64_t;

// Sets with scores, best first once they are closed.
struct SetList {
  std::vector<double> scores;
  std::vector<SetWord> sets;  // [set, stride]
  std::int64_t first = -1;    // number of the first cell
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(scores.size()); }
  const SetWord* set(std::int64_t i, std::size_t stride) const noexcept {
    return sets.data() + static_cast<std::size_t>(i) * stride;
  }
  // The place of exactly this set; -1: not kept.
  std::int64_t index(const SetWord* wanted, std::size_t stride) const noexcept {
    for (std::int64_t i = 0; i < size(); ++i) {
      if (std::memcmp(set(i, stride), wanted, stride * sizeof(SetWord)) == 0) {
        return i;
      }
    }
    return -1;
  }
  std::int64_t cell(const SetWord* wanted, std::size_t stride) const noexcept {
    const std::int64_t place = index(wanted, stride);
    return place < 0 ? -1 : first + place;
  }
  double score_of(const SetWord* wanted, std::size_t stride) const noexcept {
    const std::int64_t place = index(wanted, stride);
    return place < 0 ? double{kNoScore} : scores[static_cast<std::size_t>(place)];
  }
  // After those that are no worse.
  void insert(double score, const SetWord* added, std::size_t stride);
};

// The lists of one symbol, or of the right side of one product, by number of words: every number up to
// `most`, and of the greater ones those that a seed has.
class OrderLists {
 public:
  explicit OrderLists(std::int32_t most = 0) : dense_(static_cast<std::size_t>(most) + 1) {}
  std::int32_t most() const noexcept { return static_cast<std::int32_t>(dense_.size()) - 1; }
  const SetList& operator[](std::int32_t order) const noexcept {
    if (order <= most()) {
      return dense_[static_cast<std::size_t>(order)];
    }
    const auto found = sparse_.find(order);
    return found == sparse_.end() ? kEmpty : found->second;
  }
  SetList& make(std::int32_t order) {
    return order <= most() ? dense_[static_cast<std::size_t>(order)] : sparse_[order];
  }
  // Calls visit(order, list) for what is not empty, ascending, below `end`.
  template <class Visit>
  void each(std::int32_t end, const Visit& visit) const {
    for (std::int32_t order = 1; order <= most() && order < end; ++order) {
      if ((*this)[order].size() > 0) {
        visit(order, (*this)[order]);
      }
    }
    for (auto entry = sparse_.begin(); entry != sparse_.end() && entry->first < end; ++entry) {
      visit(entry->first, entry->second);
    }
  }

 private:
  static const SetList kEmpty;
  std::vector<SetList> dense_;
  std::map<std::int32_t, SetList> sparse_;
};

// Keeps the best different sets that it is given: a few more are gathered before the worst are left out. Made
// once and used for many lists.
class BestSets {
 public:
  BestSets(std::int64_t most, std::size_t stride) : most_(static_cast<std::size_t>(most)), stride_(stride) {}

  void clear() {
    candidates_.clear();
    sets_.clear();
    bar_ = kNoScore;
    room_ = most_;
  }
  // What is not above it need not be added.
  double bar() const noexcept { return bar_; }
  void add(double score, const SetWord* a, const SetWord* b) {
    if (!(score > bar_)) {
      return;
    }
    const std::size_t place = sets_.size();
    sets_.resize(place + stride_);
    SetWord* const made = sets_.data() + place;
    SetWord hash = 0;
    for (std::size_t w = 0; w < stride_; ++w) {
      made[w] = b == nullptr ? a[w] : a[w] | b[w];
      hash = (hash ^ made[w]) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29U;
    }
    candidates_.push_back({score, hash, place});
    if (candidates_.size() >= room_) {
      close();
    }
  }
  // Best first; of equal scores by their words.
  SetList take();

 private:
  struct Candidate {
    double score;
    SetWord hash;
    std::size_t place;  // in sets_
  };
  void close();
  void sort_and_merge();

  std::size_t most_;
  std::size_t stride_;
  std::size_t room_ = most_;  // candidates that are gathered
  double bar_ = kNoScore;
  std::vector<Candidate> candidates_;
  std::vector<SetWord> sets_;
  std::vector<SetWord> kept_;
  std::vector<std::uint32_t> table_;  // of hashes, open addressing; 0: free, else a candidate's index + 1
};

// The columns of a band in the order of what they can give at most.
class BestColumns {
 public:
  // Bounds are weights + heads. Columns not above `bar` are never given; `wanted`: so many are expected.
  void start(const double* weights, const double* heads, std::size_t count, double bar, std::size_t wanted);
  // The next one above `bar`, which may only rise; -1: none.
  std::int32_t next(double bar);

 private:
  static constexpr std::size_t kStrip = 8;
  void enter(double below, double bar);

  std::vector<double> bounds_;
  std::vector<double> greatest_;  // of each strip
  std::vector<double> order_;
  double threshold_ = kNoScore;  // columns from here up are in the heap
  std::vector<std::pair<double, std::int32_t>> heap_;
};

}  // namespace mog::analysis

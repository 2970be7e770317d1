#include "analysis/neighbours/nearest.h"

#include <algorithm>
#include <cmath>

namespace mog::analysis {

bool nearer(const NearWord& left, const NearWord& right) noexcept {
  return left.similarity != right.similarity ? left.similarity > right.similarity : left.place < right.place;
}

bool Nearest::takes(const NearWord& word) const noexcept {
  if (std::isnan(word.similarity)) {
    return false;
  }
  return static_cast<std::int64_t>(heap_.size()) < k_ || (k_ > 0 && nearer(word, heap_.front()));
}

void Nearest::add(const NearWord& word) {
  if (!takes(word)) {
    return;
  }
  if (static_cast<std::int64_t>(heap_.size()) == k_) {
    std::pop_heap(heap_.begin(), heap_.end(), nearer);
    heap_.pop_back();
  }
  heap_.push_back(word);
  std::push_heap(heap_.begin(), heap_.end(), nearer);
}

void Nearest::merge(const Nearest& other) {
  for (const NearWord& word : other.heap_) {
    add(word);
  }
}

std::vector<NearWord> Nearest::sorted() const {
  std::vector<NearWord> result = heap_;
  std::sort(result.begin(), result.end(), nearer);
  return result;
}

}  // namespace mog::analysis

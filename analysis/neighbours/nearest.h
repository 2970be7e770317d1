// The k greatest of many similarities, and which word of which sentence each is of.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace mog::analysis {

// A word of a corpus: sentence number from 1, word from 0.
struct WordPlace {
  std::int64_t sentence = 0;
  std::int64_t word = 0;
  friend auto operator<=>(const WordPlace&, const WordPlace&) = default;
};

struct NearWord {
  double similarity = 0;
  WordPlace place;
  friend bool operator==(const NearWord&, const NearWord&) = default;
};
// The more similar first, equal ones in the order of sentence and word.
bool nearer(const NearWord& left, const NearWord& right) noexcept;

// A heap of the k nearest so far, the last of them on top: O(log k) for one that enters, one comparison for
// one that does not. Which they are does not depend on the order in which words come, nor on how they are
// shared out among heaps that are merged.
class Nearest {
 public:
  explicit Nearest(std::int64_t k) : k_(k) {}
  // Whether it would enter: asked before anything costly. Never for NaN.
  bool takes(const NearWord& word) const noexcept;
  void add(const NearWord& word);
  void merge(const Nearest& other);
  std::vector<NearWord> sorted() const;

 private:
  std::int64_t k_;
  std::vector<NearWord> heap_;
};

}  // namespace mog::analysis

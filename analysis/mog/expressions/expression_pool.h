// Expressions of one search, each kept once (hash-consing): equal structure is equal number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/mog/expressions/expression.h"

namespace mog::analysis {

// Owner-anchored expressions only: a join is known by its operands. Numbers 0..words-1 are the atoms;
// operands have smaller numbers than what they make.
class ExpressionPool {
 public:
  struct Node {
    std::int32_t left = -1;
    std::int32_t right = -1;
    std::int32_t owner = 0;
    std::int32_t depth = 0;
    std::int64_t leaves = 1;
    bool is_atom() const noexcept { return left < 0; }
  };

  explicit ExpressionPool(std::int32_t words) : nodes_(static_cast<std::size_t>(words)) {
    for (std::int32_t word = 0; word < words; ++word) {
      nodes_[static_cast<std::size_t>(word)].owner = word;
    }
    slots_.assign(1U << 12U, Slot{});
  }

  std::int32_t size() const noexcept { return static_cast<std::int32_t>(nodes_.size()); }
  const Node& operator[](std::int32_t id) const noexcept { return nodes_[static_cast<std::size_t>(id)]; }

  std::int32_t join(std::int32_t left, std::int32_t right) {
    const std::uint64_t key = static_cast<std::uint64_t>(left) << 32U | static_cast<std::uint32_t>(right);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20U) & mask;
    while (slots_[at].id >= 0) {
      if (slots_[at].key == key) {
        return slots_[at].id;
      }
      at = (at + 1) & mask;
    }
    const std::int32_t id = size();
    slots_[at] = {key, id};
    const Node& l = (*this)[left];
    const Node& r = (*this)[right];
    nodes_.push_back({left, right, l.owner, 1 + std::max(l.depth, r.depth), l.leaves + r.leaves});
    if (++joins_ * 2 > slots_.size()) {
      grow();
    }
    return id;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::int32_t id = -1;
  };
  void grow() {
    std::vector<Slot> old(slots_.size() * 4);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id >= 0) {
        std::size_t at = static_cast<std::size_t>((slot.key * 0x9E3779B97F4A7C15U) >> 20U) & mask;
        while (slots_[at].id >= 0) {
          at = (at + 1) & mask;
        }
        slots_[at] = slot;
      }
    }
  }
  std::vector<Node> nodes_;
  std::vector<Slot> slots_;
  std::size_t joins_ = 0;
};

// As a value of its own.
Expression to_expression(const ExpressionPool& pool, std::int32_t id);
// canonical_text of the value.
std::string canonical_text(const ExpressionPool& pool, std::int32_t id, std::span<const std::string> names);
// The same order as tie_order of the values.
std::strong_ordering tie_order(const ExpressionPool& pool, std::int32_t a, std::int32_t b);

}  // namespace mog::analysis

// Multi-order-graph expressions: structure, identity, canonical text.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

// A subgraph of an expression. An atom has no operands and source == target == its word; a join has the
// indices of its operands, and the edge source -> target that it makes. Words are positions from 0.
struct Subgraph {
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::int32_t source = 0;
  std::int32_t target = 0;
  bool is_atom() const noexcept { return left < 0; }
  friend bool operator==(const Subgraph&, const Subgraph&) = default;
};

// An edge of a multi-order graph: the 6-tuple (source, target, left, right, the subgraph it makes, order).
struct MogEdge {
  std::int32_t id = 0;  // from 1, post-order (left operand, right operand, own edge), first occurrence
  std::int32_t source = 0;
  std::int32_t target = 0;
  std::int32_t left = 0;   // index into Expression::subgraphs()
  std::int32_t right = 0;  // index into Expression::subgraphs()
  std::int32_t made = 0;   // index into Expression::subgraphs()
  std::int32_t order = 0;  // distinct words of the subgraph it makes
  std::int32_t kind = 0;   // 1 plain, 2 overlap, 3 overlap and loop, 4 inherited loop
  friend bool operator==(const MogEdge&, const MogEdge&) = default;
};

// One expression. Identity is structural: the distinct subgraphs stand in post-order of their first
// occurrence, the whole expression last, so that equal expressions have equal lists. A value; cheap to
// move. Operations walk the list and never recurse, so that depth is limited by memory only.
class Expression {
 public:
  // The atom of word 0; use the factories.
  Expression() : subgraphs_{Subgraph{}} {}
  static Expression atom(std::int32_t word);
  // (left)->source U (right)->target. Throws UsageError when a node is not in its operand.
  static Expression join(const Expression& left, std::int32_t source, const Expression& right,
                         std::int32_t target);
  // Takes a list in the order described above; throws UsageError when it is not in that order, or joins
  // words that the operands do not hold.
  static Expression from_subgraphs(std::vector<Subgraph> subgraphs);

  const std::vector<Subgraph>& subgraphs() const noexcept { return subgraphs_; }
  const Subgraph& root() const noexcept { return subgraphs_.back(); }
  bool is_atom() const noexcept { return root().is_atom(); }
  std::int32_t owner() const noexcept { return root().source; }  // an atom's word, a join's source
  std::vector<std::int32_t> words() const;                       // distinct, ascending
  std::int32_t order() const;                                    // distinct words
  std::int64_t leaves() const;                                   // atoms with repeats = joins + 1
  std::int32_t depth() const;                                    // atom 0, join 1 + maximum
  std::int32_t kind() const;                                     // of the root join; 0 for an atom
  bool simple() const;                                           // no join overlaps
  bool owner_anchored() const;  // every join links the owners of its operands
  std::vector<MogEdge> edges() const;
  // The expression rooted at subgraphs()[index].
  Expression subexpression(std::int32_t index) const;

  friend bool operator==(const Expression&, const Expression&) = default;

 private:
  explicit Expression(std::vector<Subgraph> subgraphs) : subgraphs_(std::move(subgraphs)) {}
  std::vector<Subgraph> subgraphs_;
};

// The order of tied expressions: fewer joins; smaller owner; then pre-order items, (source, target) for a
// join and (word, 0) for an atom, compared left to right.
std::strong_ordering tie_order(const Expression& a, const Expression& b);

// The name of each word in canonical text: bare when it can stand bare, else quoted, with @position
// exactly when the form occurs more than once among `words`.
std::vector<std::string> node_names(std::span<const std::string> words);
// A form bare or quoted, without position.
std::string quoted_name(std::string_view form);

// "(a)->a U (b)->b"; `names` as from node_names. O(length of the text).
std::string canonical_text(const Expression& expression, std::span<const std::string> names);
// The same with annotations: `unions[i]` is printed for the join subgraphs()[i] in place of "U".
std::string canonical_text(const Expression& expression, std::span<const std::string> names,
                           std::span<const std::string> unions);

}  // namespace mog::analysis

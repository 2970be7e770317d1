// An expression is the list of its distinct subgraphs, operands before what they make, in post-order of
// first occurrence. That order is unique: equal expressions are equal lists, a copy is a copy of vectors,
// and what is shared in the graph is stored once however often a text repeats it. Everything walks this
// list; loops with explicit stacks where the tree itself (with repeats) is asked for. Leaves with repeats
// may pass 64 bits and are capped.
//
// Words of all subgraphs are rows of bits over the distinct words, so overlap is an AND. O(n · w / 64) for n
// subgraphs over w words.
//
// A loop can only be born where operands overlap. So the kinds of all joins cost one pass, and Kahn's
// algorithm runs, O(n + w), for joins that overlap and whose operands have no loop yet: quadratic only in
// expressions made of overlaps.
//
// Trap: the list must be in exactly this order; from_subgraphs() compares and refuses. Sorting it otherwise
// would make equal expressions differ.
#include "analysis/mog/expressions/expression.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Copies the subgraphs reachable from `root` to the end of `out`, in post-order of first occurrence,
// sharing what `known` already holds. Returns the new index of the root.
std::int32_t append(std::span<const Subgraph> from, std::int32_t root, std::vector<Subgraph>& out,
                    std::map<Key, std::int32_t>& known) {
  std::vector<std::int32_t> placed(from.size(), -1);
  std::vector<std::int32_t> stack{root};
  while (!stack.empty()) {
    const std::int32_t index = stack.back();
    Subgraph subgraph = from[at(index)];
    if (!subgraph.is_atom()) {
      if (placed[at(subgraph.left)] < 0) {
        stack.push_back(subgraph.left);
        continue;
      }
      if (placed[at(subgraph.right)] < 0) {
        stack.push_back(subgraph.right);
        continue;
      }
      subgraph.left = placed[at(subgraph.left)];
      subgraph.right = placed[at(subgraph.right)];
    }
    stack.pop_back();
    if (placed[at(index)] >= 0) {
      continue;
    }
    const auto [place, inserted] =
        known.try_emplace(Key{subgraph.left, subgraph.right, subgraph.source, subgraph.target},
                          static_cast<std::int32_t>(out.size()));
    if (inserted) {
      out.push_back(subgraph);
    }
    placed[at(index)] = place->second;
  }
  return placed[at(root)];
}

// The words of every subgraph, as rows of bits over the distinct words of the expression.
struct WordSets {
  explicit WordSets(std::span<const Subgraph> subgraphs) {
    for (const Subgraph& subgraph : subgraphs) {
      if (subgraph.is_atom()) {
        bit_of.try_emplace(subgraph.source, bit_of.size());
      }
    }
    stride = bit_of.size() / 64 + 1;
    bits.assign(subgraphs.size() * stride, 0);
    for (std::size_t i = 0; i < subgraphs.size(); ++i) {
      const Subgraph& subgraph = subgraphs[i];
      if (subgraph.is_atom()) {
        const std::size_t bit = bit_of.at(subgraph.source);
        bits[i * stride + bit / 64] |= std::uint64_t{1} << (bit % 64);
      } else {
        for (std::size_t w = 0; w < stride; ++w) {
          bits[i * stride + w] = bits[at(subgraph.left) * stride + w] | bits[at(subgraph.right) * stride + w];
        }
      }
    }
  }
  bool disjoint(std::int32_t a, std::int32_t b) const {
    for (std::size_t w = 0; w < stride; ++w) {
      if ((bits[at(a) * stride + w] & bits[at(b) * stride + w]) != 0) {
        return false;
      }
    }
    return true;
  }
  std::int32_t count(std::size_t index) const {
    int total = 0;
    for (std::size_t w = 0; w < stride; ++w) {
      total += std::popcount(bits[index * stride + w]);
    }
    return total;
  }
  bool holds(std::int32_t subgraph, std::int32_t word) const {
    const auto bit = bit_of.find(word);
    return bit != bit_of.end() &&
           (bits[at(subgraph) * stride + bit->second / 64] >> (bit->second % 64) & 1U) != 0;
  }
  std::unordered_map<std::int32_t, std::size_t> bit_of;
  std::size_t stride = 1;
  std::vector<std::uint64_t> bits;
};

// Whether the edges of a subgraph close a directed cycle (Kahn's algorithm). Keeps its memory between
// questions.
class CycleSearch {
 public:
  CycleSearch(std::span<const Subgraph> subgraphs, const WordSets& sets)
      : subgraphs_(subgraphs),
        reached_(subgraphs.size()),
        incoming_(sets.bit_of.size()),
        first_(sets.bit_of.size() + 1) {
    for (const Subgraph& subgraph : subgraphs) {
      ends_.emplace_back(sets.bit_of.at(subgraph.source), sets.bit_of.at(subgraph.target));
    }
  }
  bool operator()(std::int32_t root) {
    collect(root);
    free_.clear();
    std::size_t left = 0;  // words that are not yet taken out
    for (std::size_t word = 0; word < incoming_.size(); ++word) {
      if (incoming_[word] == 0) {
        free_.push_back(word);
      }
      left += incoming_[word] >= 0 ? 1U : 0U;
    }
    while (!free_.empty()) {
      const std::size_t word = free_.back();
      free_.pop_back();
      --left;
      for (std::size_t i = first_[word]; i < first_[word + 1]; ++i) {
        if (--incoming_[targets_[i]] == 0) {
          free_.push_back(targets_[i]);
        }
      }
    }
    return left > 0;
  }

 private:
  // The edges below `root`: incoming ones of each of its words (-1: no word of it), targets by source.
  void collect(std::int32_t root) {
    std::fill(reached_.begin(), reached_.begin() + root + 1, 0);
    std::fill(incoming_.begin(), incoming_.end(), -1);
    std::fill(first_.begin(), first_.end(), 0);
    edges_.clear();
    reached_[at(root)] = 1;
    for (std::int32_t i = root; i >= 0; --i) {
      const Subgraph& subgraph = subgraphs_[at(i)];
      if (reached_[at(i)] == 0) {
        continue;
      }
      const auto& [source, target] = ends_[at(i)];
      if (subgraph.is_atom()) {
        incoming_[source] = 0;
        continue;
      }
      reached_[at(subgraph.left)] = reached_[at(subgraph.right)] = 1;
      edges_.push_back(i);
      ++first_[source + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    targets_.resize(edges_.size());
    next_.assign(first_.begin(), first_.end() - 1);
    for (const std::int32_t edge : edges_) {
      const auto& [source, target] = ends_[at(edge)];
      targets_[next_[source]++] = target;
      ++incoming_[target];
    }
  }

  std::span<const Subgraph> subgraphs_;
  std::vector<std::pair<std::size_t, std::size_t>> ends_;  // of each subgraph's edge, as numbers of bits
  std::vector<char> reached_;
  std::vector<std::int32_t> incoming_;
  std::vector<std::size_t> first_;  // of each word's targets
  std::vector<std::size_t> targets_;
  std::vector<std::size_t> next_;
  std::vector<std::int32_t> edges_;
  std::vector<std::size_t> free_;
};

// Kinds of all joins (0 for atoms). A loop is only ever born from an overlap, so that the costly search
// runs for those alone.
std::vector<std::int32_t> kinds(std::span<const Subgraph> subgraphs, const WordSets& sets) {
  std::vector<std::int32_t> kind(subgraphs.size(), 0);
  std::vector<char> loop(subgraphs.size(), 0);
  std::optional<CycleSearch> has_cycle;
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const Subgraph& subgraph = subgraphs[i];
    if (subgraph.is_atom()) {
      continue;
    }
    const bool overlap = !sets.disjoint(subgraph.left, subgraph.right);
    bool looped =
        loop[at(subgraph.left)] != 0 || loop[at(subgraph.right)] != 0 || subgraph.source == subgraph.target;
    if (!looped && overlap) {
      if (!has_cycle) {
        has_cycle.emplace(subgraphs, sets);
      }
      looped = (*has_cycle)(static_cast<std::int32_t>(i));
    }
    loop[i] = looped ? 1 : 0;
    kind[i] = overlap ? (looped ? 3 : 2) : (looped ? 4 : 1);
  }
  return kind;
}

}  // namespace

Expression Expression::atom(std::int32_t word) {
  return Expression({Subgraph{-1, -1, word, word}});
}

Expression Expression::join(const Expression& left, std::int32_t source, const Expression& right,
                            std::int32_t target) {
  const auto holds = [](const Expression& operand, std::int32_t word) {
    return std::any_of(operand.subgraphs_.begin(), operand.subgraphs_.end(),
                       [&](const Subgraph& s) { return s.is_atom() && s.source == word; });
  };
  if (!holds(left, source) || !holds(right, target)) {
    throw UsageError(fmt::format(
        "joining {} -> {}: the source must be a word of the left operand and the target a word of "
        "the right one",
        source + 1, target + 1));
  }
  std::vector<Subgraph> subgraphs;
  std::map<Key, std::int32_t> known;
  const std::int32_t l =
      append(left.subgraphs_, static_cast<std::int32_t>(left.subgraphs_.size()) - 1, subgraphs, known);
  const std::int32_t r =
      append(right.subgraphs_, static_cast<std::int32_t>(right.subgraphs_.size()) - 1, subgraphs, known);
  subgraphs.push_back(Subgraph{l, r, source, target});
  return Expression(std::move(subgraphs));
}

Expression Expression::from_subgraphs(std::vector<Subgraph> subgraphs) {
  if (subgraphs.empty()) {
    throw UsageError("an expression needs at least one subgraph");
  }
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const Subgraph& s = subgraphs[i];
    const auto limit = static_cast<std::int32_t>(i);
    const bool good =
        s.is_atom() ? s.right < 0 && s.source == s.target : s.left < limit && s.right >= 0 && s.right < limit;
    if (!good) {
      throw UsageError(fmt::format("subgraph {} of an expression is not made of earlier ones", i + 1));
    }
  }
  // The ends of an operand's own edge are in it; only for other words its whole set is asked for.
  std::optional<WordSets> sets;
  const auto holds = [&](std::int32_t operand, std::int32_t word) {
    const Subgraph& s = subgraphs[at(operand)];
    if (s.source == word || s.target == word) {
      return true;
    }
    if (!sets) {
      sets.emplace(subgraphs);
    }
    return sets->holds(operand, word);
  };
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const Subgraph& s = subgraphs[i];
    if (!s.is_atom() && !(holds(s.left, s.source) && holds(s.right, s.target))) {
      throw UsageError(
          fmt::format("subgraph {} of an expression joins words that its operands do not hold", i + 1));
    }
  }
  std::vector<Subgraph> ordered;
  std::map<Key, std::int32_t> known;
  append(subgraphs, static_cast<std::int32_t>(subgraphs.size()) - 1, ordered, known);
  if (ordered != subgraphs) {
    throw UsageError("the subgraphs of an expression are not in post-order of their first occurrence");
  }
  return Expression(std::move(ordered));
}

Expression Expression::subexpression(std::int32_t index) const {
  std::vector<Subgraph> subgraphs;
  std::map<Key, std::int32_t> known;
  append(subgraphs_, index, subgraphs, known);
  return Expression(std::move(subgraphs));
}

std::vector<std::int32_t> Expression::words() const {
  std::vector<std::int32_t> words;
  for (const Subgraph& subgraph : subgraphs_) {
    if (subgraph.is_atom()) {
      words.push_back(subgraph.source);
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::int32_t Expression::order() const {
  return static_cast<std::int32_t>(
      std::count_if(subgraphs_.begin(), subgraphs_.end(), [](const Subgraph& s) { return s.is_atom(); }));
}

std::int64_t Expression::leaves() const {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<std::int64_t> leaves(subgraphs_.size(), 1);
  for (std::size_t i = 0; i < subgraphs_.size(); ++i) {
    const Subgraph& subgraph = subgraphs_[i];
    if (!subgraph.is_atom()) {
      leaves[i] = std::min(most, leaves[at(subgraph.left)] + leaves[at(subgraph.right)]);
    }
  }
  return leaves.back();
}

std::int32_t Expression::depth() const {
  std::vector<std::int32_t> depth(subgraphs_.size(), 0);
  for (std::size_t i = 0; i < subgraphs_.size(); ++i) {
    const Subgraph& subgraph = subgraphs_[i];
    if (!subgraph.is_atom()) {
      depth[i] = 1 + std::max(depth[at(subgraph.left)], depth[at(subgraph.right)]);
    }
  }
  return depth.back();
}

std::int32_t Expression::kind() const {
  return kinds(subgraphs_, WordSets(subgraphs_)).back();
}

bool Expression::simple() const {
  const std::vector<std::int32_t> kind = kinds(subgraphs_, WordSets(subgraphs_));
  return std::all_of(kind.begin(), kind.end(), [](std::int32_t k) { return k <= 1; });
}

bool Expression::owner_anchored() const {
  return std::all_of(subgraphs_.begin(), subgraphs_.end(), [&](const Subgraph& s) {
    return s.is_atom() ||
           (s.source == subgraphs_[at(s.left)].source && s.target == subgraphs_[at(s.right)].source);
  });
}

std::vector<MogEdge> Expression::edges() const {
  const WordSets sets(subgraphs_);
  const std::vector<std::int32_t> kind = kinds(subgraphs_, sets);
  std::vector<MogEdge> edges;
  for (std::size_t i = 0; i < subgraphs_.size(); ++i) {
    const Subgraph& s = subgraphs_[i];
    if (!s.is_atom()) {
      edges.push_back({static_cast<std::int32_t>(edges.size()) + 1, s.source, s.target, s.left, s.right,
                       static_cast<std::int32_t>(i), sets.count(i), kind[i]});
    }
  }
  return edges;
}

std::strong_ordering tie_order(const Expression& a, const Expression& b) {
  const std::int64_t leaves_a = a.leaves();
  const std::int64_t leaves_b = b.leaves();
  if (leaves_a != leaves_b) {
    return leaves_a <=> leaves_b;
  }
  if (a.owner() != b.owner()) {
    return a.owner() <=> b.owner();
  }
  const auto& in_a = a.subgraphs();
  const auto& in_b = b.subgraphs();
  std::vector<std::pair<std::int32_t, std::int32_t>> stack{
      {static_cast<std::int32_t>(in_a.size()) - 1, static_cast<std::int32_t>(in_b.size()) - 1}};
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const Subgraph& s = in_a[at(i)];
    const Subgraph& t = in_b[at(j)];
    if (const auto order = s.source <=> t.source; order != 0) {
      return order;
    }
    // An atom reads (word, 0): before every join of the word.
    if (s.is_atom() != t.is_atom()) {
      return s.is_atom() ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    if (const auto order = s.target <=> t.target; order != 0) {
      return order;
    }
    if (!s.is_atom()) {
      stack.emplace_back(s.right, t.right);
      stack.emplace_back(s.left, t.left);
    }
  }
  return std::strong_ordering::equal;
}

}  // namespace mog::analysis

// Trees are walked with explicit stacks: a sentence may be a chain of many thousand words.
//
// The least layers with owner = head: a head makes one join a layer and can take a dependent only when that
// one is complete. Taken in the order in which they are complete, none waits longer than it must: layer =
// max(layer, needed) + 1. O(n log n).
//
// With free anchors any word of a part may be joined, and the question becomes an edge ranking (below):
// labels for the edges, a greater one between any two equal ones. From log2 n or the greatest degree upwards
// each number of labels is tried by one pass from the leaves. A word keeps the least sets of labels that can
// be seen from it; what holds a smaller set is dropped. Linear in the words, exponential in the labels
// alone, and labels end at 16 (12,870 sets a word at most, the subsets of 8 of 16).
//
// Trap: dependency_tree() must check in the order of DependencyError::Reason, since the first that holds is
// told.
#include "analysis/mog/dependencies/dependency_trees.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "analysis/mog/expressions/identifiers.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

using Children = std::vector<std::vector<std::int32_t>>;  // [word], both from 0

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Ascending dependents of every word. Throws for heads out of range.
Children children_of(const DependencyTree& tree) {
  const auto words = static_cast<std::int32_t>(tree.heads.size());
  if (tree.relations.size() != tree.heads.size()) {
    throw FormatError(fmt::format("a dependency tree of {} heads has {} relations", tree.heads.size(),
                                  tree.relations.size()));
  }
  Children children(tree.heads.size());
  for (std::int32_t word = 0; word < words; ++word) {
    const std::int32_t head = tree.heads[at(word)];
    if (head < 0 || head > words) {
      throw FormatError(
          fmt::format("dependency tree: the head of word {} is {}, expected 0 to {}", word + 1, head, words));
    }
    if (head > 0) {
      children[at(head - 1)].push_back(word);
    }
  }
  return children;
}

// Heads before their dependents, root by root. Throws for a cycle.
std::vector<std::int32_t> top_down(const DependencyTree& tree, const Children& children) {
  std::vector<std::int32_t> order;
  for (std::size_t root = 0; root < tree.heads.size(); ++root) {
    if (tree.heads[root] != 0) {
      continue;
    }
    std::vector<std::int32_t> stack{static_cast<std::int32_t>(root)};
    while (!stack.empty()) {
      const std::int32_t word = stack.back();
      stack.pop_back();
      order.push_back(word);
      stack.insert(stack.end(), children[at(word)].begin(), children[at(word)].end());
    }
  }
  if (order.size() != tree.heads.size()) {
    throw FormatError(fmt::format("dependency tree: {} of {} words do not hang on a root: there is a cycle",
                                  tree.heads.size() - order.size(), tree.heads.size()));
  }
  return order;
}

// Layers of every word's own tree when a head is the owner.
std::vector<std::int32_t> layers_of_words(const DependencyTree& tree, const Children& children) {
  const std::vector<std::int32_t> order = top_down(tree, children);
  std::vector<std::int32_t> layers(order.size(), 0);
  std::vector<std::int32_t> below;
  for (auto word = order.rbegin(); word != order.rend(); ++word) {
    below.clear();
    for (const std::int32_t child : children[at(*word)]) {
      below.push_back(layers[at(child)]);
    }
    std::sort(below.begin(), below.end());
    std::int32_t layer = 0;
    for (const std::int32_t one : below) {
      layer = std::max(layer, one) + 1;
    }
    layers[at(*word)] = layer;
  }
  return layers;
}

void sort_children(Children& children, DependentOrder order, const std::vector<std::int32_t>& layers) {
  if (order == DependentOrder::left_to_right) {
    return;
  }
  for (std::size_t head = 0; head < children.size(); ++head) {
    const auto distance = [&](std::int32_t child) {
      return std::abs(child - static_cast<std::int32_t>(head));
    };
    // Stable: of two at one distance the left one stays first.
    std::stable_sort(children[head].begin(), children[head].end(), [&](std::int32_t a, std::int32_t b) {
      if (order == DependentOrder::balanced && layers[at(a)] != layers[at(b)]) {
        return layers[at(a)] < layers[at(b)];
      }
      return distance(a) < distance(b);
    });
  }
}

void check_relation(const std::string& relation, std::int32_t word) {
  if (relation.empty()) {
    throw FormatError(fmt::format("dependency tree: the relation of word {} is empty", word + 1));
  }
}

// The expression of the tree under `root`: an atom for every word when its turn comes, then its joins.
void build(const DependencyTree& tree, const Children& children, std::int32_t root,
           ParsedExpression& result) {
  struct Step {
    std::int32_t word;
    std::int32_t made;      // index of what is built so far
    std::size_t taken = 0;  // dependents whose expression was begun
  };
  std::vector<Subgraph> subgraphs;
  const auto add = [&](const Subgraph& subgraph, JoinAnnotation annotation) {
    subgraphs.push_back(subgraph);
    result.annotations.push_back(std::move(annotation));
    return static_cast<std::int32_t>(subgraphs.size()) - 1;
  };
  std::vector<Step> stack{{root, add({-1, -1, root, root}, {})}};
  while (true) {
    Step& step = stack.back();
    if (step.taken < children[at(step.word)].size()) {
      const std::int32_t child = children[at(step.word)][step.taken++];
      stack.push_back({child, add({-1, -1, child, child}, {})});
      continue;
    }
    const Step done = step;
    stack.pop_back();
    if (stack.empty()) {
      break;
    }
    Step& head = stack.back();
    const std::string& relation = tree.relations[at(done.word)];
    check_relation(relation, done.word);
    head.made = add({head.made, done.made, head.word, done.word}, {{"rel", relation}});
  }
  result.expression = Expression::from_subgraphs(std::move(subgraphs));
}

// ---- free anchors: an edge ranking ------------------------------------------------------------------
//
// Joining along the edges of a tree in any order, an edge made in layer y joins two parts whose own edges
// were made below y: so a label for every edge with a larger one between any two equal ones. From a node,
// looking down, a label is visible when nothing larger hides it. Sets of visible labels are masks; one that
// holds another is never better, so that only the least are kept.

constexpr std::int32_t kMostLabels = 16;
using Mask = std::uint32_t;

void keep_least(std::vector<Mask>& masks) {
  std::sort(masks.begin(), masks.end(),
            [](Mask a, Mask b) { return std::pair(std::popcount(a), a) < std::pair(std::popcount(b), b); });
  masks.erase(std::unique(masks.begin(), masks.end()), masks.end());
  std::vector<Mask> least;
  for (const Mask mask : masks) {
    const bool holds_one =
        std::any_of(least.begin(), least.end(), [&](Mask one) { return one != mask && (one & mask) == one; });
    if (!holds_one) {
      least.push_back(mask);
    }
  }
  masks = std::move(least);
}

// What can be seen of a child with these masks through the edge to it.
std::vector<Mask> through_edge(const std::vector<Mask>& child, std::int32_t labels) {
  std::vector<Mask> seen;
  for (const Mask mask : child) {
    for (std::int32_t label = 0; label < labels; ++label) {
      const Mask bit = Mask{1} << static_cast<unsigned>(label);
      if ((mask & bit) == 0) {
        seen.push_back(bit | (mask & ~(bit - 1)));
      }
    }
  }
  keep_least(seen);
  return seen;
}

bool labels_suffice(const std::vector<std::int32_t>& bottom_up, const Children& children, std::int32_t labels,
                    const SearchControl& control) {
  std::vector<std::vector<Mask>> masks;
  masks.resize(children.size());
  for (const std::int32_t word : bottom_up) {
    std::vector<Mask> all{0};
    for (const std::int32_t child : children[at(word)]) {
      std::vector<Mask> joined;
      for (const Mask seen : through_edge(masks[at(child)], labels)) {
        control.check();
        for (const Mask mask : all) {
          if ((mask & seen) == 0) {
            joined.push_back(mask | seen);
          }
        }
      }
      masks[at(child)].clear();
      keep_least(joined);
      all = std::move(joined);
    }
    if (all.empty()) {
      return false;
    }
    masks[at(word)] = std::move(all);
  }
  return true;
}

std::optional<std::int32_t> fewest_labels(const DependencyTree& tree, const Children& children,
                                          std::int32_t root, const SearchControl& control) {
  std::vector<std::int32_t> order{root};
  std::size_t degree = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& below = children[at(order[i])];
    order.insert(order.end(), below.begin(), below.end());
    degree = std::max(degree, below.size() + (tree.heads[at(order[i])] != 0 ? 1U : 0U));
  }
  std::int32_t labels = static_cast<std::int32_t>(std::bit_width(order.size() - 1));  // log2, rounded up
  labels = std::max(labels, static_cast<std::int32_t>(degree));
  std::reverse(order.begin(), order.end());
  for (; labels <= kMostLabels; ++labels) {
    if (labels_suffice(order, children, labels, control)) {
      return labels;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(DependentOrder order) noexcept {
  switch (order) {
    case DependentOrder::left_to_right:
      return "left-to-right";
    case DependentOrder::balanced:
      return "balanced";
    case DependentOrder::nearest_first:
      break;
  }
  return "nearest-first";
}

DependentOrder parse_dependent_order(std::string_view text) {
  for (const DependentOrder order :
       {DependentOrder::nearest_first, DependentOrder::left_to_right, DependentOrder::balanced}) {
    if (name(order) == text) {
      return order;
    }
  }
  throw unknown_choice("order of dependents", text, {"nearest-first", "left-to-right", "balanced"});
}

std::string_view name(DependencyError::Reason reason) noexcept {
  static constexpr std::string_view kNames[] = {"word_in_two_expressions", "word_missing", "targeted_twice",
                                                "cycle"};
  return kNames[static_cast<std::size_t>(reason)];
}

namespace {

std::string_view meaning(DependencyError::Reason reason) {
  switch (reason) {
    case DependencyError::Reason::word_in_two_expressions:
      return "a word belongs to one expression only";
    case DependencyError::Reason::word_missing:
      return "every word must be in an expression, if only as an atom";
    case DependencyError::Reason::targeted_twice:
      return "a word has one head, so that one join at most may point to it";
    case DependencyError::Reason::cycle:
      break;
  }
  return "the heads go round in a circle";
}

}  // namespace

DependencyError::DependencyError(Reason reason, std::vector<std::int32_t> positions)
    : Error(fmt::format("no dependency tree: {} (word{} {}): {}", name(reason),
                        positions.size() == 1 ? "" : "s", fmt::join(positions, ", "), meaning(reason)),
            ExitCode::format),
      reason_(reason),
      positions_(std::move(positions)) {}
DependencyError::~DependencyError() = default;

std::vector<ParsedExpression> expressions_of(const DependencyTree& tree, std::span<const std::string> words,
                                             DependentOrder order) {
  if (words.size() != tree.heads.size()) {
    throw FormatError(
        fmt::format("a dependency tree of {} heads over {} words", tree.heads.size(), words.size()));
  }
  Children children = children_of(tree);
  sort_children(children, order, layers_of_words(tree, children));
  const std::vector<std::string> names = node_names(words);
  std::vector<ParsedExpression> expressions;
  for (const std::int32_t root : roots(tree)) {
    ParsedExpression& made = expressions.emplace_back();
    build(tree, children, root - 1, made);
    made.names = names;
    for (std::size_t i = 0; i < words.size(); ++i) {
      made.words.push_back({words[i], static_cast<std::int32_t>(i) + 1});
    }
  }
  return expressions;
}

DependencyTree dependency_tree(std::span<const ParsedExpression> expressions, std::size_t words) {
  using Reason = DependencyError::Reason;
  std::vector<std::int32_t> uses(words, 0);
  std::vector<std::int32_t> incoming(words, 0);
  DependencyTree tree{std::vector<std::int32_t>(words, 0), std::vector<std::string>(words, "root")};
  for (const ParsedExpression& parsed : expressions) {
    const auto& subgraphs = parsed.expression.subgraphs();
    for (std::size_t i = 0; i < subgraphs.size(); ++i) {
      const Subgraph& subgraph = subgraphs[i];
      if (subgraph.is_atom()) {
        ++uses.at(at(subgraph.source));
        continue;
      }
      ++incoming.at(at(subgraph.target));
      tree.heads[at(subgraph.target)] = subgraph.source + 1;
      const JoinAnnotation& annotation = parsed.annotations.at(i);
      const auto relation = std::find_if(annotation.begin(), annotation.end(),
                                         [](const auto& entry) { return entry.first == "rel"; });
      tree.relations[at(subgraph.target)] = relation == annotation.end() ? "dep" : relation->second;
    }
  }
  const auto refuse_where = [&](Reason reason, const std::vector<std::int32_t>& values, auto wrong) {
    std::vector<std::int32_t> positions;
    for (std::size_t i = 0; i < words; ++i) {
      if (wrong(values[i])) {
        positions.push_back(static_cast<std::int32_t>(i) + 1);
      }
    }
    if (!positions.empty()) {
      throw DependencyError(reason, std::move(positions));
    }
  };
  refuse_where(Reason::word_in_two_expressions, uses, [](std::int32_t n) { return n > 1; });
  refuse_where(Reason::word_missing, uses, [](std::int32_t n) { return n == 0; });
  refuse_where(Reason::targeted_twice, incoming, [](std::int32_t n) { return n > 1; });
  // What does not hang on a root is on a cycle or under one; heads are followed to the cycle itself.
  std::vector<std::int32_t> state(words, 0);  // 0 fresh, n: reached from word n
  std::vector<std::int32_t> on_cycle(words, 0);
  for (std::size_t start = 0; start < words; ++start) {
    const auto mark = static_cast<std::int32_t>(start) + 1;
    std::int32_t word = mark;
    while (word > 0 && state[at(word - 1)] == 0) {
      state[at(word - 1)] = mark;
      word = tree.heads[at(word - 1)];
    }
    if (word > 0 && state[at(word - 1)] == mark) {
      for (std::int32_t round = word; on_cycle[at(round - 1)] == 0; round = tree.heads[at(round - 1)]) {
        on_cycle[at(round - 1)] = 1;
      }
    }
  }
  refuse_where(Reason::cycle, on_cycle, [](std::int32_t n) { return n > 0; });
  return tree;
}

std::vector<std::int32_t> roots(const DependencyTree& tree) {
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < tree.heads.size(); ++i) {
    if (tree.heads[i] == 0) {
      result.push_back(static_cast<std::int32_t>(i) + 1);
    }
  }
  return result;
}

std::vector<std::int32_t> layers_owner_head(const DependencyTree& tree) {
  const std::vector<std::int32_t> layers = layers_of_words(tree, children_of(tree));
  std::vector<std::int32_t> result;
  for (const std::int32_t root : roots(tree)) {
    result.push_back(layers[at(root - 1)]);
  }
  return result;
}

std::vector<std::optional<std::int32_t>> layers_free(const DependencyTree& tree,
                                                     const SearchControl& control) {
  const Children children = children_of(tree);
  top_down(tree, children);
  std::vector<std::optional<std::int32_t>> result;
  for (const std::int32_t root : roots(tree)) {
    result.push_back(fewest_labels(tree, children, root - 1, control));
  }
  return result;
}

}  // namespace mog::analysis

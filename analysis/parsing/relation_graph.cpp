#include "analysis/parsing/relation_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/parsing/transition_system.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// The head of a word (from 1), of a tree whose heads are in range.
std::int32_t head_of(const PartialTree& tree, std::int32_t word) {
  return tree.heads[at(word - 1)];
}

void check(const PartialTree& tree, RelationNumbers numbers) {
  const auto words = static_cast<std::int32_t>(tree.heads.size());
  const std::size_t labels = numbers.labels == 0 ? 0 : tree.heads.size();
  if (tree.labels.size() != labels) {
    throw FormatError(fmt::format("relations of a tree of {} words: {} labels, expected {}", words,
                                  tree.labels.size(), labels));
  }
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t head = head_of(tree, word);
    if (head == kNoHead) {
      continue;
    }
    if (head < 0 || head > words || head == word) {
      throw FormatError(
          fmt::format("relations of a tree of {} words: the head of word {} is {}", words, word, head));
    }
    if (head > 0 && head_of(tree, head) == word) {
      throw FormatError(fmt::format(
          "relations of a tree: words {} and {} are each other's heads, so their pair has two relations",
          std::min(word, head), std::max(word, head)));
    }
    if (numbers.labels > 0 &&
        (tree.labels[at(word - 1)] < 0 || tree.labels[at(word - 1)] >= numbers.labels)) {
      throw FormatError(fmt::format("relations of a tree: the label of word {} is {}, expected 0 to {}", word,
                                    tree.labels[at(word - 1)], numbers.labels - 1));
    }
  }
}

[[noreturn]] void refuse(const GraphArc& arc, const std::string& defect) {
  throw FormatError(fmt::format("a graph of relations: pair [{}, {}], relation {}: {}", arc.query, arc.key,
                                arc.relation, defect));
}

}  // namespace

std::vector<GraphArc> relation_graph(const PartialTree& tree, RelationNumbers numbers) {
  check(tree, numbers);
  std::vector<GraphArc> arcs;
  for (std::int32_t word = 1; at(word) <= tree.heads.size(); ++word) {
    const std::int32_t head = head_of(tree, word);
    if (head == kNoHead) {
      continue;
    }
    const std::int32_t label = numbers.labels == 0 ? 0 : tree.labels[at(word - 1)];
    arcs.push_back({word, head, label + 1});
    arcs.push_back({head, word, label + 1 + numbers.kinds()});
  }
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}

std::int32_t drop_two_cycles(PartialTree& tree) {
  std::int32_t pairs = 0;
  const auto words = static_cast<std::int32_t>(tree.heads.size());
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t head = head_of(tree, word);
    if (head > 0 && head <= words && head != word && head_of(tree, head) == word) {
      for (const std::int32_t each : {word, head}) {
        tree.heads[at(each - 1)] = kNoHead;
        if (!tree.labels.empty()) {
          tree.labels[at(each - 1)] = kNoLabel;
        }
      }
      ++pairs;
    }
  }
  return pairs;
}

PartialTree tree_of_graph(std::span<const GraphArc> arcs, std::int32_t words, RelationNumbers numbers) {
  if (words < 0) {
    throw UsageError(fmt::format("a graph of relations of {} words", words));
  }
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> relation;
  for (const GraphArc& arc : arcs) {
    if (arc.query < 0 || arc.query > words || arc.key < 0 || arc.key > words || arc.query == arc.key) {
      refuse(arc, fmt::format("expected two different vertices from 0 to {}", words));
    }
    if (arc.relation < 1 || arc.relation >= numbers.relations()) {
      refuse(arc, fmt::format("expected a relation from 1 to {}", numbers.relations() - 1));
    }
    if (!relation.emplace(std::pair(arc.query, arc.key), arc.relation).second) {
      refuse(arc, "the pair has a relation already");
    }
  }
  PartialTree tree{std::vector<std::int32_t>(at(words), kNoHead),
                   std::vector<std::int32_t>(numbers.labels == 0 ? 0 : at(words), kNoLabel)};
  for (const GraphArc& arc : arcs) {
    const bool to_head = arc.relation <= numbers.kinds();
    const auto opposite = relation.find({arc.key, arc.query});
    const std::int32_t expected = arc.relation + (to_head ? numbers.kinds() : -numbers.kinds());
    if (opposite == relation.end() || opposite->second != expected) {
      refuse(arc, fmt::format("the pair the other way round has relation {}, expected {}",
                              opposite == relation.end() ? 0 : opposite->second, expected));
    }
    if (!to_head) {
      continue;
    }
    if (arc.query == 0) {
      refuse(arc, "the root has a head");
    }
    if (head_of(tree, arc.query) != kNoHead) {
      refuse(arc, fmt::format("word {} has the head {} already", arc.query, head_of(tree, arc.query)));
    }
    tree.heads[at(arc.query - 1)] = arc.key;
    if (numbers.labels > 0) {
      tree.labels[at(arc.query - 1)] = arc.relation - 1;
    }
  }
  return tree;
}

}  // namespace mog::analysis

// Which maps of a model find which dependency relation: ensembles of attention heads, chosen on annotated
// sentences (Limisiewicz, Mareček and Rosa 2020, arXiv:2004.14620; their code: tomlimi/BERTHeadEnsembles).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace mog::analysis {

// Maps of the words of one sentence: [unit, query, key]. A unit is a head of a layer, or any other map.
struct UnitMaps {
  std::int32_t units = 0;
  std::int32_t words = 0;
  std::vector<float> values;
  std::span<const float> row(std::int32_t unit, std::int32_t query) const {
    const auto side = static_cast<std::size_t>(words);
    return {values.data() + (static_cast<std::size_t>(unit) * side + static_cast<std::size_t>(query)) * side,
            side};
  }
};

struct AnnotatedTree {
  std::vector<std::int32_t> heads;      // [word], from 1; 0: the root
  std::vector<std::int32_t> relations;  // [word], from 0; that of the root is not read
  std::vector<std::int32_t> tags;       // [word], from 0; -1: a tag that was not learnt
};

struct AnnotatedSentence {
  AnnotatedTree tree;
  UnitMaps maps;
};

// Which word of an edge attends to the other one.
enum class Attends : std::uint8_t { dependent, head };
inline constexpr std::array kBothAttend = {Attends::dependent, Attends::head};

struct HeadEnsemble {
  std::vector<std::int32_t> units;  // in the order of their choice; their maps are averaged; empty: no edge
  // Dependency accuracy on the sentences of the choice: the share of edges whose attending word has its
  // greatest weight, of other words, on the attended one.
  double accuracy = 0;
  std::int64_t edges = 0;  // of the relation in these sentences
  friend bool operator==(const HeadEnsemble&, const HeadEnsemble&) = default;
};
using RelationHeads = std::array<HeadEnsemble, 2>;  // [Attends]

struct EnsembleOptions {
  std::int32_t candidates = 25;  // the best single units of a relation and direction
  std::int32_t most = 4;         // units of an ensemble
  std::stop_token stop = {};
};

// [relation]. Throws ShapeError (maps that differ in their units, trees that do not fit their maps, a
// relation or head out of range), UsageError (options below 1), Interrupted.
std::vector<RelationHeads> choose_ensembles(std::span<const AnnotatedSentence> sentences,
                                            std::int32_t relations, const EnsembleOptions& options = {});

}  // namespace mog::analysis

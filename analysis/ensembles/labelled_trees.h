// Labelled dependency trees from ensembles of maps: every edge has a score for every relation, the tree is
// the one with the greatest sum.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/ensembles/head_ensembles.h"
#include "analysis/ensembles/relation_table.h"
#include "analysis/mog/dependencies/arborescence.h"

namespace mog::analysis {

// score = bias + sum over Attends of weight * log(mean map) + table_weight * log P(relation | tags, side)
struct RelationScore {
  RelationHeads heads;
  double bias = 0;
  std::array<double, 2> weights = {};  // [Attends]
  friend bool operator==(const RelationScore&, const RelationScore&) = default;
};
struct LabelledEnsembles {
  std::vector<RelationScore> relations;
  double table_weight = 0;
  RelationTable table;
};

// What the scores of one sentence are made of.
struct EdgeFeatures {
  std::int32_t words = 0;
  std::int32_t relations = 0;
  // Logarithms of the ensembles' mean weights, which are held between .001 and .999. [Attends] -> [dependent,
  // head, relation]
  std::array<std::vector<float>, 2> attention;
  std::vector<float> table;  // the same of RelationTable
  std::vector<float> root;   // [dependent]
  std::size_t place(std::int32_t dependent, std::int32_t head) const {
    const auto all = static_cast<std::size_t>(words);
    return (static_cast<std::size_t>(dependent) * all + static_cast<std::size_t>(head)) *
           static_cast<std::size_t>(relations);
  }
};
// `table` is the ensembles' or another one of the same size. Throws ShapeError (a unit that the maps do not
// have; tags of another number of words).
EdgeFeatures edge_features(const LabelledEnsembles& ensembles, const RelationTable& table,
                           const UnitMaps& maps, std::span<const std::int32_t> tags);

class EdgeScorer {
 public:
  explicit EdgeScorer(const LabelledEnsembles& ensembles);
  // Of all relations of one edge. out: [relation].
  void scores(const EdgeFeatures& features, std::int32_t dependent, std::int32_t head,
              std::span<float> out) const;
  // Of the dependent as the root.
  float root(const EdgeFeatures& features, std::int32_t dependent) const {
    return table_ * features.root[static_cast<std::size_t>(dependent)];
  }

 private:
  std::vector<float> bias_;                    // [relation]
  std::array<std::vector<float>, 2> weights_;  // [Attends] -> [relation]
  float table_ = 0;
};

struct LabelledTree {
  std::vector<std::int32_t> heads;      // [word], from 1; 0: the root
  std::vector<std::int32_t> relations;  // [word], -1 of the root
};
// Exact: of every edge its best relation (of equal ones the first), then Edmonds or Eisner over the edges.
// `root`: a word from 1 that is to be the root. O(words^2 x relations) besides.
LabelledTree best_labelled_tree(const LabelledEnsembles& ensembles, const EdgeFeatures& features,
                                std::optional<std::int32_t> root = std::nullopt,
                                const TreeOptions& options = {});

}  // namespace mog::analysis

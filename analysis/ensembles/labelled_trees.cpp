// A tree hangs each word on one other by one relation, so the best relation of an edge does not depend on the
// rest of the tree, and the labelled tree is a tree over edges with their best relations.
//
// Trap: a word that is the root scores its share of roots among words with its tag, or 0. What the maps add
// to edges is no part of it, but every tree has one root, so a constant between both would change nothing.
#include "analysis/ensembles/labelled_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr float kLeast = 0.001F;
constexpr float kMost = 0.999F;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

void add_attention(const HeadEnsemble& ensemble, Attends attends, std::size_t relation, const UnitMaps& maps,
                   EdgeFeatures& features) {
  std::vector<float>& out = features.attention[static_cast<std::size_t>(attends)];
  const auto size = static_cast<float>(ensemble.units.size());
  std::vector<float> mean;
  for (std::int32_t query = 0; query < maps.words; ++query) {
    mean.assign(at(maps.words), 0.0F);
    for (const std::int32_t unit : ensemble.units) {
      const std::span<const float> row = maps.row(unit, query);
      std::transform(row.begin(), row.end(), mean.begin(), mean.begin(), std::plus<>());
    }
    for (std::int32_t key = 0; key < maps.words; ++key) {
      const bool dependent = attends == Attends::dependent;
      const std::size_t place = dependent ? features.place(query, key) : features.place(key, query);
      out[place + relation] = std::log(std::clamp(mean[at(key)] / size, kLeast, kMost));
    }
  }
}

void check(const LabelledEnsembles& ensembles, const RelationTable& table, const UnitMaps& maps,
           std::span<const std::int32_t> tags) {
  const auto all = std::int64_t{maps.units} * maps.words * maps.words;
  if (std::ssize(maps.values) != all || std::ssize(tags) != maps.words ||
      table.relations() != std::ssize(ensembles.relations)) {
    throw ShapeError(
        fmt::format("labelled trees: {} maps of {} words ({} values), {} tags, {} relations and a "
                    "table of {}",
                    maps.units, maps.words, maps.values.size(), tags.size(), ensembles.relations.size(),
                    table.relations()));
  }
  for (const RelationScore& relation : ensembles.relations) {
    for (const HeadEnsemble& ensemble : relation.heads) {
      for (const std::int32_t unit : ensemble.units) {
        if (unit < 0 || unit >= maps.units) {
          throw ShapeError(
              fmt::format("labelled trees: an ensemble has map {}, there are {}", unit + 1, maps.units));
        }
      }
    }
  }
}

}  // namespace

EdgeFeatures edge_features(const LabelledEnsembles& ensembles, const RelationTable& table,
                           const UnitMaps& maps, std::span<const std::int32_t> tags) {
  check(ensembles, table, maps, tags);
  EdgeFeatures features{maps.words, table.relations(), {}, {}, {}};
  const std::size_t size = at(maps.words) * at(maps.words) * at(table.relations());
  for (const Attends attends : kBothAttend) {
    const auto side = static_cast<std::size_t>(attends);
    features.attention[side].assign(size, std::log(kLeast));
    for (std::size_t relation = 0; relation < ensembles.relations.size(); ++relation) {
      const HeadEnsemble& ensemble = ensembles.relations[relation].heads[side];
      if (!ensemble.units.empty()) {
        add_attention(ensemble, attends, relation, maps, features);
      }
    }
  }
  features.table.assign(size, 0.0F);
  for (std::int32_t dependent = 0; dependent < maps.words; ++dependent) {
    features.root.push_back(static_cast<float>(table.log_root(tags[at(dependent)])));
    for (std::int32_t head = 0; head < maps.words; ++head) {
      const std::span<float> row(features.table.data() + features.place(dependent, head),
                                 at(table.relations()));
      table.log_probabilities(tags[at(head)], tags[at(dependent)], head < dependent, row);
    }
  }
  return features;
}

EdgeScorer::EdgeScorer(const LabelledEnsembles& ensembles)
    : table_(static_cast<float>(ensembles.table_weight)) {
  for (const RelationScore& relation : ensembles.relations) {
    bias_.push_back(static_cast<float>(relation.bias));
    for (std::size_t side = 0; side < weights_.size(); ++side) {
      weights_[side].push_back(static_cast<float>(relation.weights[side]));
    }
  }
}

void EdgeScorer::scores(const EdgeFeatures& features, std::int32_t dependent, std::int32_t head,
                        std::span<float> out) const {
  const std::size_t first = features.place(dependent, head);
  const float* const from_dependent = features.attention[0].data() + first;
  const float* const from_head = features.attention[1].data() + first;
  const float* const table = features.table.data() + first;
  for (std::size_t relation = 0; relation < out.size(); ++relation) {
    out[relation] = bias_[relation] + weights_[0][relation] * from_dependent[relation] +
                    weights_[1][relation] * from_head[relation] + table_ * table[relation];
  }
}

LabelledTree best_labelled_tree(const LabelledEnsembles& ensembles, const EdgeFeatures& features,
                                std::optional<std::int32_t> root, const TreeOptions& options) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const std::int32_t words = features.words;
  const std::size_t side = at(words) + 1;
  EdgeWeights weights{words, std::vector<double>(side * side, kNone)};
  std::vector<std::int32_t> best(side * side, -1);
  const EdgeScorer scorer(ensembles);
  std::vector<float> scores(at(features.relations));
  for (std::int32_t dependent = 0; dependent < words; ++dependent) {
    const bool may = !root || *root == dependent + 1;
    weights.values[at(dependent) + 1] = may ? scorer.root(features, dependent) : kNone;
    for (std::int32_t head = 0; head < words && !scores.empty(); ++head) {
      if (head != dependent) {
        scorer.scores(features, dependent, head, scores);
        const auto found = std::max_element(scores.begin(), scores.end());
        const std::size_t place = (at(head) + 1) * side + at(dependent) + 1;
        weights.values[place] = *found;
        best[place] = static_cast<std::int32_t>(found - scores.begin());
      }
    }
  }
  LabelledTree tree{best_heads(weights, options), {}};
  for (std::size_t word = 0; word < tree.heads.size(); ++word) {
    tree.relations.push_back(best[at(tree.heads[word]) * side + word + 1]);
  }
  return tree;
}

}  // namespace mog::analysis

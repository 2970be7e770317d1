// The fit is a conditional log-linear model: P(head, relation | word) is proportional to exp(score), and the
// log probability of the gold ones is maximised, less a square penalty that draws the maps' weights to the
// published ones, the table's to 1 and biases to 0: what they are with no data. The objective is concave; its
// gradient is what is found less what is expected. Steps are those of Rprop: of each weight its own, by the
// sign of the slope alone, so nothing has to be tuned to the number of sentences.
//
// A table that has counted a sentence knows its edges too well: its weight is fitted with every sentence's
// own counts taken away. Cost: steps x sentences x words^2 x relations; features take 12 bytes of each.
#include "analysis/ensembles/ensemble_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Of the square distance from what they are with no data; chosen on EWT's development part.
constexpr double kMapPenalty = 16;
constexpr double kTablePenalty = 4;
constexpr double kBiasPenalty = 4;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Of each relation its bias and two weights, then the table's weight and what the root has beside it.
class Weights {
 public:
  explicit Weights(std::size_t relations) : values(3 * relations + 2, 0.0) {}
  double& bias(std::size_t relation) { return values[3 * relation]; }
  double& map(std::size_t relation, std::size_t side) { return values[3 * relation + 1 + side]; }
  double& table() { return values[values.size() - 2]; }
  double& root() { return values.back(); }
  std::vector<double> values;
};

class Fit {
 public:
  Fit(LabelledEnsembles& ensembles, std::span<const AnnotatedSentence> sentences,
      const WeightFitOptions& options)
      : ensembles_(ensembles),
        sentences_(sentences),
        options_(options),
        start_(ensembles.relations.size()),
        penalty_(ensembles.relations.size()),
        weights_(ensembles.relations.size()) {
    LabelledEnsembles published = ensembles;
    weigh_by_accuracy(published, 1);
    RelationTable others = ensembles.table;
    for (const AnnotatedSentence& sentence : sentences) {
      check();
      others.remove(sentence.tree);
      features_.push_back(edge_features(ensembles, others, sentence.maps, sentence.tree.tags));
      others.add(sentence.tree);
    }
    for (std::size_t relation = 0; relation < ensembles.relations.size(); ++relation) {
      penalty_.bias(relation) = kBiasPenalty;
      for (const std::size_t side : {0U, 1U}) {
        start_.map(relation, side) = options.maps ? published.relations[relation].weights[side] : 0;
        penalty_.map(relation, side) = kMapPenalty;
      }
    }
    start_.table() = 1;
    penalty_.table() = kTablePenalty;
    penalty_.root() = kBiasPenalty;
    weights_ = start_;
    give();
  }

  void run() {
    std::vector<double> step(weights_.values.size(), 0.05);
    std::vector<double> before(step.size(), 0.0);
    for (std::int32_t round = 0; round < options_.steps; ++round) {
      std::vector<double> slope = slopes();
      for (std::size_t i = 0; i < step.size(); ++i) {
        const double turned = slope[i] * before[i];
        if (turned > 0) {
          step[i] = std::min(step[i] * 1.2, 0.5);
        } else if (turned < 0) {
          step[i] *= 0.5;
          slope[i] = 0;  // stay for one step
        }
        weights_.values[i] += slope[i] > 0 ? step[i] : slope[i] < 0 ? -step[i] : 0;
      }
      before = std::move(slope);
      give();
    }
  }

 private:
  void check() const {
    if (options_.stop.stop_requested()) {
      throw Interrupted("the fit of the weights was stopped before it was done");
    }
  }

  void give() {
    for (std::size_t relation = 0; relation < ensembles_.relations.size(); ++relation) {
      RelationScore& score = ensembles_.relations[relation];
      score.bias = weights_.bias(relation);
      score.weights = {weights_.map(relation, 0), weights_.map(relation, 1)};
    }
    ensembles_.table_weight = weights_.table();
  }

  // Of the objective.
  std::vector<double> slopes() {
    const EdgeScorer scorer(ensembles_);
    Weights slope(ensembles_.relations.size());
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
      check();
      for (std::int32_t word = 0; word < features_[i].words; ++word) {
        add_word(scorer, features_[i], sentences_[i].tree, word, slope);
      }
    }
    for (std::size_t i = 0; i < slope.values.size(); ++i) {
      slope.values[i] -= penalty_.values[i] * (weights_.values[i] - start_.values[i]);
    }
    if (!options_.maps) {
      for (std::size_t relation = 0; relation < ensembles_.relations.size(); ++relation) {
        slope.map(relation, 0) = 0;
        slope.map(relation, 1) = 0;
      }
    }
    return std::move(slope.values);
  }

  void add_word(const EdgeScorer& scorer, const EdgeFeatures& features, const AnnotatedTree& tree,
                std::int32_t word, Weights& slope) {
    const auto relations = at(features.relations);
    scores_.assign(at(features.words) * relations, -std::numeric_limits<float>::infinity());
    float root = static_cast<float>(weights_.root()) + scorer.root(features, word);
    for (std::int32_t head = 0; head < features.words; ++head) {
      if (head != word) {
        scorer.scores(features, word, head, {scores_.data() + at(head) * relations, relations});
      }
    }
    const float most = std::accumulate(scores_.begin(), scores_.end(), root,
                                       [](float a, float b) { return std::max(a, b); });
    root = std::exp(root - most);
    double sum = root;
    for (float& score : scores_) {
      score = std::exp(score - most);
      sum += score;
    }
    const std::int32_t gold = tree.heads[at(word)] - 1;
    const double root_left = (gold < 0 ? 1 : 0) - root / sum;
    slope.root() += root_left;
    slope.table() += root_left * features.root[at(word)];
    for (std::int32_t head = 0; head < features.words; ++head) {
      for (std::size_t relation = 0; head != word && relation < relations; ++relation) {
        const bool found = head == gold && relation == at(tree.relations[at(word)]);
        const double left = (found ? 1 : 0) - scores_[at(head) * relations + relation] / sum;
        const std::size_t place = features.place(word, head) + relation;
        slope.bias(relation) += left;
        slope.map(relation, 0) += left * features.attention[0][place];
        slope.map(relation, 1) += left * features.attention[1][place];
        slope.table() += left * features.table[place];
      }
    }
  }

  LabelledEnsembles& ensembles_;
  std::span<const AnnotatedSentence> sentences_;
  WeightFitOptions options_;
  std::vector<EdgeFeatures> features_;
  Weights start_;
  Weights penalty_;
  Weights weights_;
  std::vector<float> scores_;  // of one word: [head, relation]
};

}  // namespace

void weigh_by_accuracy(LabelledEnsembles& ensembles, double table_weight) {
  ensembles.table_weight = table_weight;
  for (RelationScore& relation : ensembles.relations) {
    double sum = 0;
    for (std::size_t side = 0; side < relation.weights.size(); ++side) {
      relation.weights[side] = std::pow(relation.heads[side].accuracy, 5);
      sum += relation.weights[side];
    }
    // Heads that found no edge say of every one that it is unlikely.
    relation.bias = sum > 0 ? 0 : std::log(0.001);
    for (double& weight : relation.weights) {
      weight = sum > 0 ? weight / sum : 0;
    }
  }
}

void fit_weights(LabelledEnsembles& ensembles, std::span<const AnnotatedSentence> sentences,
                 const WeightFitOptions& options) {
  if (sentences.empty() || options.steps < 1) {
    throw UsageError(fmt::format("fit of weights to {} sentences in {} steps: at least 1 of each is needed",
                                 sentences.size(), options.steps));
  }
  Fit(ensembles, sentences, options).run();
}

}  // namespace mog::analysis

// How much each part of a relation's score counts.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "analysis/ensembles/labelled_trees.h"

namespace mog::analysis {

// As published: both directions' logarithms are averaged, weighted by the fifth power of their accuracies;
// there is no bias. The table weighs `table_weight`.
void weigh_by_accuracy(LabelledEnsembles& ensembles, double table_weight);

struct WeightFitOptions {
  bool maps = true;  // false: what table and biases do alone, maps weigh 0
  std::int32_t steps = 60;
  std::stop_token stop = {};
};
// Fitted to the sentences that the ensembles were chosen on: each word's probability of its own head and
// relation, among all heads and relations. Throws ShapeError as edge_features, UsageError for no sentence or
// no step, Interrupted.
void fit_weights(LabelledEnsembles& ensembles, std::span<const AnnotatedSentence> sentences,
                 const WeightFitOptions& options = {});

}  // namespace mog::analysis

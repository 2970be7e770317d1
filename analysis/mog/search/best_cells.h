// Cells of refined k-best charts: one expression a cell, ties in the order of the definitions.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "analysis/mog/expressions/expression_pool.h"

namespace mog::analysis {

// Weights whose logarithms differ by no more are tied.
inline constexpr double kTiedScores = 1e-12;
inline constexpr double kNoScore = -std::numeric_limits<double>::infinity();

struct BestCell {
  double score = kNoScore;  // logarithm of the weight
  std::int32_t expression = -1;
};

// Replaces `best` when the offer is better, or tied and earlier in the order of ties.
inline void offer(const ExpressionPool& pool, BestCell& best, double score, std::int32_t expression) {
  const bool tied = best.expression >= 0 && std::abs(score - best.score) <= kTiedScores;
  if (tied ? tie_order(pool, expression, best.expression) < 0 : score > best.score) {
    best = {score, expression};
  }
}

// Offers the join of two cells; only what may win is made an expression.
inline void offer_join(ExpressionPool& pool, BestCell& best, const BestCell& left, const BestCell& right) {
  const double score = left.score + right.score;
  if (left.expression >= 0 && right.expression >= 0 && score >= best.score - kTiedScores) {
    offer(pool, best, score, pool.join(left.expression, right.expression));
  }
}

}  // namespace mog::analysis

// A cell (symbol, leaves) keeps one expression: among the tied best ones the first in the order of ties.
// That order compares a join's ends, then the left operand, then the right one, so that the best of a whole
// is made of the bests of its parts, as the weights are. The right side of a product is reduced over its
// columns first, for every number of leaves, and then met with the left symbol.
#include "analysis/mog/best_by_order.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/mog/internal_best_cells.h"
#include "analysis/mog/internal_derivations.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// The right side of a product.
struct Right {
  double epsilon = kNoScore;    // logarithm; the same expression whichever band it is of
  std::vector<BestCell> cells;  // [leaves - 1]
};

}  // namespace

struct BestByOrder::Impl {
  Impl(const AttentionGrammar& the_grammar, std::int64_t the_most)
      : grammar(the_grammar), most(the_most), pool(the_grammar.word_count()), masses(the_grammar, pool) {
    cells.resize(at(grammar.symbol_count()) * at(most));
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      fill(symbol);
    }
  }

  BestCell& cell(std::int32_t symbol, std::int64_t leaves) {
    return cells[at(symbol) * at(most) + at(leaves - 1)];
  }
  void fill(std::int32_t symbol);
  Right right_side(const RuleProduct& product);

  const AttentionGrammar& grammar;
  std::int64_t most;
  ExpressionPool pool;
  ExpressionMasses masses;
  std::vector<BestCell> cells;  // [symbol, leaves - 1]
};

Right BestByOrder::Impl::right_side(const RuleProduct& product) {
  Right right;
  right.cells.resize(at(most));
  for (const RuleBand& band : grammar.bands(product)) {
    if (band.epsilon > 0) {
      right.epsilon = std::max(right.epsilon, std::log(band.epsilon));
    }
    for (std::int32_t n = 0; n < band.count; ++n) {
      const double weight = band.weight(n);
      if (weight <= 0) {
        continue;
      }
      const double score = std::log(weight);
      for (std::int64_t leaves = 1; leaves <= most; ++leaves) {
        const BestCell& tail = cell(band.tail_first + n, leaves);
        if (tail.expression >= 0) {
          offer(pool, right.cells[at(leaves - 1)], score + tail.score, tail.expression);
        }
      }
    }
  }
  return right;
}

void BestByOrder::Impl::fill(std::int32_t symbol) {
  if (grammar.is_word(symbol)) {
    cell(symbol, 1) = {0, symbol};
    return;
  }
  for (const RuleProduct& product : grammar.products(symbol)) {
    const Right right = right_side(product);
    if (product.left == AttentionGrammar::kUnit) {
      std::copy(right.cells.begin(), right.cells.end(), &cell(symbol, 1));
      return;
    }
    for (std::int64_t leaves = 1; leaves <= most; ++leaves) {
      BestCell& best = cell(symbol, leaves);
      const BestCell& carried = cell(product.left, leaves);
      if (right.epsilon > kNoScore && carried.expression >= 0) {
        offer(pool, best, carried.score + right.epsilon, carried.expression);
      }
      for (std::int64_t i = 1; i < leaves; ++i) {
        offer_join(pool, best, cell(product.left, i), right.cells[at(leaves - i - 1)]);
      }
    }
  }
}

BestByOrder::BestByOrder(const AttentionGrammar& grammar, std::int64_t most_leaves) {
  if (most_leaves < 1) {
    throw UsageError(fmt::format("best by order: expected at least 1 leaf, found {}", most_leaves));
  }
  impl_ = std::make_unique<Impl>(grammar, most_leaves);
}
BestByOrder::~BestByOrder() = default;
BestByOrder::BestByOrder(BestByOrder&&) noexcept = default;
BestByOrder& BestByOrder::operator=(BestByOrder&&) noexcept = default;

std::int64_t BestByOrder::most_leaves() const noexcept {
  return impl_->most;
}

std::optional<Derivation> BestByOrder::best(Goal goal, std::int64_t leaves) {
  const std::int32_t symbol = symbol_of(impl_->grammar, goal);
  if (leaves < 1 || leaves > impl_->most || impl_->cell(symbol, leaves).expression < 0) {
    return std::nullopt;
  }
  const std::int32_t expression = impl_->cell(symbol, leaves).expression;
  return best_derivation(impl_->grammar, impl_->pool, impl_->masses, symbol, expression,
                         static_cast<std::int32_t>(leaves));
}

std::vector<std::optional<Derivation>> BestByOrder::all(Goal goal) {
  std::vector<std::optional<Derivation>> result;
  for (std::int64_t leaves = 1; leaves <= impl_->most; ++leaves) {
    result.push_back(best(goal, leaves));
  }
  return result;
}

}  // namespace mog::analysis

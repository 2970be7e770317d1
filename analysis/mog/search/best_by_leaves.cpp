// A cell (symbol, leaves) keeps one expression: among the tied best ones the first in the order of ties.
// That order compares a join's ends, then the left operand, then the right one, so that the best of a whole
// is made of the bests of its parts, as the weights are. The right side of a product is reduced over its
// columns first, for every number of leaves, and then met with the left symbol.
#include "analysis/mog/search/best_by_leaves.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/mog/search/best_cells.h"
#include "analysis/mog/search/derivations.h"

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

constexpr double kMostBytes = 1e9;

}  // namespace

struct BestByLeaves::Impl {
  Impl(const AttentionGrammar& the_grammar, std::int64_t the_most, const SearchControl& the_control)
      : grammar(the_grammar),
        most(the_most),
        control(the_control),
        pool(the_grammar.word_count()),
        masses(the_grammar, pool) {
    starts.push_back(0);
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      starts.push_back(starts.back() + most_of(symbol));
    }
    if (static_cast<double>(starts.back()) * sizeof(BestCell) > kMostBytes) {
      throw UsageError(
          fmt::format("best by leaves: {} words, {} layers and up to {} leaves need {:.1f} GB; ask for fewer "
                      "leaves",
                      grammar.word_count(), grammar.layers(), most,
                      static_cast<double>(starts.back()) * sizeof(BestCell) / 1e9));
    }
    cells.resize(at(starts.back()));
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      control.step("best by leaves", symbol, grammar.symbol_count());
      fill(symbol);
    }
  }

  // Leaves that a symbol can have, as far as they are asked for: layers double them, steps of a recurrent
  // layer add those of all words before.
  std::int64_t most_of(std::int32_t symbol) const {
    if (grammar.is_word(symbol)) {
      return 1;
    }
    const std::int32_t layer = grammar.layer_of(symbol) - (symbol == grammar.top_symbol() ? 1 : 0);
    const bool doubles = !grammar.recurrent() && layer < 40;
    return doubles ? std::min(most, std::int64_t{1} << layer) : most;
  }
  std::int64_t leaves_of(std::int32_t symbol) const { return starts[at(symbol) + 1] - starts[at(symbol)]; }
  BestCell& cell(std::int32_t symbol, std::int64_t leaves) {
    return cells[at(starts[at(symbol)] + leaves - 1)];
  }
  void fill(std::int32_t symbol);
  Right right_side(const RuleProduct& product);

  const AttentionGrammar& grammar;
  std::int64_t most;
  SearchControl control;
  ExpressionPool pool;
  ExpressionMasses masses;
  std::vector<std::int64_t> starts;  // [symbol + 1]
  std::vector<BestCell> cells;       // of a symbol: [leaves - 1]
};

Right BestByLeaves::Impl::right_side(const RuleProduct& product) {
  Right right;
  std::int64_t most_right = 0;
  for (const RuleBand& band : grammar.bands(product)) {
    most_right = std::max(most_right, band.count > 0 ? leaves_of(band.tail_first) : 0);
  }
  right.cells.resize(at(most_right));
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
      const std::int64_t of_tail = leaves_of(band.tail_first + n);
      const BestCell* const tails = &cell(band.tail_first + n, 1);
      BestCell* const bests = right.cells.data();
      for (std::int64_t i = 0; i < of_tail; ++i) {
        // Most are neither better nor tied.
        if (score + tails[i].score >= bests[i].score - 2 * kTiedScores && tails[i].expression >= 0) {
          offer(pool, bests[i], score + tails[i].score, tails[i].expression);
        }
      }
    }
  }
  return right;
}

void BestByLeaves::Impl::fill(std::int32_t symbol) {
  if (grammar.is_word(symbol)) {
    cell(symbol, 1) = {0, symbol};
    return;
  }
  for (const RuleProduct& product : grammar.products(symbol)) {
    const Right right = right_side(product);
    if (product.left == AttentionGrammar::kUnit) {
      std::copy(right.cells.begin(), right.cells.end(), cells.begin() + starts[at(symbol)]);
      return;
    }
    const std::int64_t of_left = leaves_of(product.left);
    const auto of_right = static_cast<std::int64_t>(right.cells.size());
    for (std::int64_t leaves = 1; leaves <= leaves_of(symbol); ++leaves) {
      BestCell& best = cell(symbol, leaves);
      if (leaves <= of_left) {
        const BestCell& carried = cell(product.left, leaves);
        if (right.epsilon > kNoScore && carried.expression >= 0) {
          offer(pool, best, carried.score + right.epsilon, carried.expression);
        }
      }
      for (std::int64_t i = std::max<std::int64_t>(1, leaves - of_right); i <= std::min(of_left, leaves - 1);
           ++i) {
        offer_join(pool, best, cell(product.left, i), right.cells[at(leaves - i - 1)]);
      }
    }
  }
}

BestByLeaves::BestByLeaves(const AttentionGrammar& grammar, std::int64_t most_leaves,
                           const SearchControl& control) {
  if (most_leaves < 1) {
    throw UsageError(fmt::format("best by leaves: expected at least 1 leaf, found {}", most_leaves));
  }
  impl_ = std::make_unique<Impl>(grammar, most_leaves, control);
}
BestByLeaves::~BestByLeaves() = default;
BestByLeaves::BestByLeaves(BestByLeaves&&) noexcept = default;
BestByLeaves& BestByLeaves::operator=(BestByLeaves&&) noexcept = default;

std::int64_t BestByLeaves::most_leaves() const noexcept {
  return impl_->most;
}

std::optional<Derivation> BestByLeaves::best(Goal goal, std::int64_t leaves) {
  const std::int32_t symbol = symbol_of(impl_->grammar, goal);
  if (leaves < 1 || leaves > impl_->leaves_of(symbol) || impl_->cell(symbol, leaves).expression < 0) {
    return std::nullopt;
  }
  const std::int32_t expression = impl_->cell(symbol, leaves).expression;
  return best_derivation(impl_->grammar, impl_->pool, impl_->masses, symbol, expression,
                         static_cast<std::int32_t>(leaves));
}

std::vector<std::optional<Derivation>> BestByLeaves::all(Goal goal) {
  std::vector<std::optional<Derivation>> result;
  for (std::int64_t leaves = 1; leaves <= impl_->most; ++leaves) {
    impl_->control.step("derivations", leaves, impl_->most);
    result.push_back(best(goal, leaves));
  }
  return result;
}

}  // namespace mog::analysis

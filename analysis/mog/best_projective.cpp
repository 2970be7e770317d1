// A chart over (symbol, span). For one product the right side is reduced over its columns first, span by
// span; then each span of the left symbol meets the right spans that begin where it ends or end where it
// begins.
#include "analysis/mog/best_projective.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "analysis/mog/internal_best_cells.h"
#include "analysis/mog/internal_derivations.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

struct BestProjective::Impl {
  explicit Impl(const AttentionGrammar& the_grammar)
      : grammar(the_grammar),
        words(the_grammar.word_count()),
        pool(the_grammar.word_count()),
        masses(the_grammar, pool),
        cells(at(the_grammar.symbol_count()) * at(words) * at(words)),
        right(at(words) * at(words)) {
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      fill(symbol);
    }
  }

  BestCell& cell(std::int32_t symbol, std::int32_t first, std::int32_t last) {
    return cells[(at(symbol) * at(words) + at(first)) * at(words) + at(last)];
  }
  BestCell& right_cell(std::int32_t first, std::int32_t last) {
    return right[at(first) * at(words) + at(last)];
  }
  void fill(std::int32_t symbol);
  void reduce_right(std::int32_t symbol, const RuleProduct& product);
  void meet(std::int32_t symbol, const RuleProduct& product, double epsilon);

  const AttentionGrammar& grammar;
  std::int32_t words;
  ExpressionPool pool;
  ExpressionMasses masses;
  std::vector<BestCell> cells;  // [symbol, first, last]
  std::vector<BestCell> right;  // [first, last], of the product at hand
};

// The best joins with what covers exactly a span, of all columns and bands.
void BestProjective::Impl::reduce_right(std::int32_t symbol, const RuleProduct& product) {
  std::fill(right.begin(), right.end(), BestCell{});
  // Where owners are words, a tail of column n covers n, and never the left symbol's own word.
  const bool by_word = grammar.kind() != GrammarKind::gru && product.left != AttentionGrammar::kUnit;
  const std::int32_t own = by_word ? grammar.word_of(symbol) : -1;
  for (const RuleBand& band : grammar.bands(product)) {
    for (std::int32_t n = 0; n < band.count; ++n) {
      const double weight = band.weight(n);
      if (weight <= 0) {
        continue;
      }
      const double score = std::log(weight);
      for (std::int32_t first = 0; first < words && (!by_word || first <= n); ++first) {
        for (std::int32_t last = by_word ? n : first; last < words; ++last) {
          const BestCell& tail = cell(band.tail_first + n, first, last);
          if (tail.expression >= 0 && !(first <= own && own <= last)) {
            offer(pool, right_cell(first, last), score + tail.score, tail.expression);
          }
        }
      }
    }
  }
}

void BestProjective::Impl::meet(std::int32_t symbol, const RuleProduct& product, double epsilon) {
  for (std::int32_t first = 0; first < words; ++first) {
    for (std::int32_t last = first; last < words; ++last) {
      const BestCell left = cell(product.left, first, last);
      if (left.expression < 0) {
        continue;
      }
      if (epsilon > 0) {
        offer(pool, cell(symbol, first, last), left.score + std::log(epsilon), left.expression);
      }
      for (std::int32_t end = last + 1; end < words; ++end) {
        offer_join(pool, cell(symbol, first, end), left, right_cell(last + 1, end));
      }
      for (std::int32_t begin = 0; begin < first; ++begin) {
        offer_join(pool, cell(symbol, begin, last), left, right_cell(begin, first - 1));
      }
    }
  }
}

void BestProjective::Impl::fill(std::int32_t symbol) {
  if (grammar.is_word(symbol)) {
    cell(symbol, symbol, symbol) = {0, symbol};
    return;
  }
  for (const RuleProduct& product : grammar.products(symbol)) {
    reduce_right(symbol, product);
    if (product.left == AttentionGrammar::kUnit) {
      std::copy(right.begin(), right.end(), &cell(symbol, 0, 0));
      return;
    }
    double epsilon = 0;
    for (const RuleBand& band : grammar.bands(product)) {
      epsilon = std::max(epsilon, band.epsilon);
    }
    meet(symbol, product, epsilon);
  }
}

BestProjective::BestProjective(const AttentionGrammar& grammar) {
  if (grammar.word_count() > kMostWords) {
    throw UsageError(
        fmt::format("the best projective tree takes sentences of at most {} words, this one has {}",
                    kMostWords, grammar.word_count()));
  }
  impl_ = std::make_unique<Impl>(grammar);
}
BestProjective::~BestProjective() = default;
BestProjective::BestProjective(BestProjective&&) noexcept = default;
BestProjective& BestProjective::operator=(BestProjective&&) noexcept = default;

std::optional<Derivation> BestProjective::best(Goal goal) {
  return best(goal, 0, impl_->words - 1);
}

std::optional<Derivation> BestProjective::best(Goal goal, std::int32_t first, std::int32_t last) {
  const std::int32_t symbol = symbol_of(impl_->grammar, goal);
  if (first < 0 || last >= impl_->words || first > last) {
    throw UsageError(fmt::format("projective tree over words {} to {}: the sentence has {} words", first + 1,
                                 last + 1, impl_->words));
  }
  const std::int32_t expression = impl_->cell(symbol, first, last).expression;
  if (expression < 0) {
    return std::nullopt;
  }
  return best_derivation(impl_->grammar, impl_->pool, impl_->masses, symbol, expression, 1);
}

}  // namespace mog::analysis

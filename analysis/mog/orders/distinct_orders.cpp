// Orders without repeats need the set of words of each derivation: 2^T values a symbol, so 12 words and no
// more. Beyond, derivations are drawn (sampled_orders.cpp).
//
// Two recursions. P(all words lie in S) is multiplicative: the words of a join lie in S when those of both
// operands do. So a rule is a product of rows, O(rules · 2^T), and Möbius inversion, T · 2^T a symbol, makes
// P(words = S) of it. Going through unions directly would cost 4^T a product. That no join overlaps asks for
// disjoint sets instead, a sum over the subsets of S: 3^T a product, for which the right sides are summed
// first, so that the columns of a map cost 2^T each.
//
// Memory: two tables of symbols · 2^T doubles. Trap: the inversion subtracts, and what should be 0 may come
// out as −1e-17; it is cut off only after summing by order.
#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "analysis/mog/orders/posteriors.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// One recursion over sets of words, as rows of 2^T values by symbol.
class WordSetRecursion {
 public:
  WordSetRecursion(const AttentionGrammar& grammar, const SearchControl& control)
      : grammar_(grammar), control_(control), sets_(std::size_t{1} << at(grammar.word_count())) {}

  // P(V ⊆ S), [symbol, set]; then P(V = S) by Möbius inversion.
  std::vector<double> word_sets() const {
    std::vector<double> inside = recurse(
        [this](const double* left, const double* right, double* out) {
          for (std::size_t set = 0; set < sets_; ++set) {
            out[set] += left[set] * right[set];
          }
        },
        true);
    for (std::int32_t symbol = 0; symbol < grammar_.symbol_count(); ++symbol) {
      double* const row = inside.data() + at(symbol) * sets_;
      for (std::size_t bit = 1; bit < sets_; bit *= 2) {
        for (std::size_t set = 0; set < sets_; ++set) {
          if ((set & bit) != 0) {
            row[set] -= row[set ^ bit];
          }
        }
      }
    }
    return inside;
  }

  // P(V = S and no join overlaps), [symbol, set].
  std::vector<double> simple_sets() const {
    return recurse(
        [this](const double* left, const double* right, double* out) {
          for (std::size_t set = 1; set < sets_; ++set) {
            double sum = left[set] * right[0];  // no join
            for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
              sum += left[part] * right[set ^ part];
            }
            out[set] += sum;
          }
        },
        false);
  }

  std::size_t sets() const { return sets_; }

 private:
  // Sums the right side of each product, epsilon included, and meets it with the left by `combine`.
  template <class Combine>
  std::vector<double> recurse(Combine combine, bool upward) const {
    std::vector<double> values(at(grammar_.symbol_count()) * sets_, 0.0);
    std::vector<double> right(sets_);
    for (std::int32_t symbol = 0; symbol < grammar_.symbol_count(); ++symbol) {
      control_.check();
      double* const out = values.data() + at(symbol) * sets_;
      if (grammar_.is_word(symbol)) {
        for (std::size_t set = 0; set < sets_; ++set) {
          const std::size_t bit = std::size_t{1} << at(symbol);
          out[set] = upward ? ((set & bit) != 0 ? 1 : 0) : (set == bit ? 1 : 0);
        }
      }
      for (const RuleProduct& product : grammar_.products(symbol)) {
        std::fill(right.begin(), right.end(), 0.0);
        for (const RuleBand& band : grammar_.bands(product)) {
          add_epsilon(right, band.epsilon, upward);
          for (std::int32_t n = 0; n < band.count; ++n) {
            const double weight = band.weight(n);
            const double* const tail = values.data() + at(band.tail_first + n) * sets_;
            for (std::size_t set = 0; weight > 0 && set < sets_; ++set) {
              right[set] += weight * tail[set];
            }
          }
        }
        if (product.left == AttentionGrammar::kUnit) {
          std::transform(right.begin(), right.end(), out, out, std::plus<>());
        } else {
          combine(values.data() + at(product.left) * sets_, right.data(), out);
        }
      }
    }
    return values;
  }
  // The rule without a join: true of every set above, the empty set otherwise.
  void add_epsilon(std::vector<double>& right, double epsilon, bool upward) const {
    for (std::size_t set = 0; set < (upward ? sets_ : 1); ++set) {
      right[set] += epsilon;
    }
  }

  const AttentionGrammar& grammar_;
  const SearchControl& control_;
  std::size_t sets_;
};

}  // namespace

std::vector<DistinctOrders> distinct_orders_by_layer(const AttentionGrammar& grammar,
                                                     const SearchControl& control) {
  const std::int32_t words = grammar.word_count();
  if (words > kMostCountedWords) {
    throw UsageError(fmt::format("distinct orders are exact up to {} words; the sentence has {}",
                                 kMostCountedWords, words));
  }
  const WordSetRecursion recursion(grammar, control);
  const std::vector<double> sets = recursion.word_sets();
  const std::vector<double> simple = recursion.simple_sets();
  const auto orders_of = [&](std::int32_t symbol) {
    std::vector<double> orders(at(words), 0.0);
    for (std::size_t set = 1; set < recursion.sets(); ++set) {
      orders[at(std::popcount(set)) - 1] += sets[at(symbol) * recursion.sets() + set];
    }
    for (double& order : orders) {
      order = std::max(order, 0.0);  // the inversion subtracts
    }
    return orders;
  };
  const auto simple_of = [&](std::int32_t symbol) {
    double sum = 0;
    for (std::size_t set = 1; set < recursion.sets(); ++set) {
      sum += simple[at(symbol) * recursion.sets() + set];
    }
    return sum;
  };
  std::vector<DistinctOrders> result;
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    DistinctOrders& of_layer = result.emplace_back();
    for (std::int32_t word = 0; word < words; ++word) {
      of_layer.words.push_back(orders_of(grammar.r_symbol(layer, word)));
      of_layer.simple_mass.push_back(simple_of(grammar.r_symbol(layer, word)));
    }
  }
  result.back().top = orders_of(grammar.top_symbol());
  result.back().simple_mass_top = simple_of(grammar.top_symbol());
  return result;
}

}  // namespace mog::analysis

// Bands are cumulative probabilities: P(left + right <= x) = Σ_i left_i P(right <= x - i), no convolution. A
// band has two ends, so a part costs two such sums, O(2^L) each, where its whole distribution would be a
// product of two polynomials of that degree.
//
// The right side of a part is the mix of its columns, O(T · 2^L) a word: this is where the time goes, O(L T²
// 2^L) in all, and why layers end at 12.
//
// Trap: a part that a word gives no weight has no distribution: NaN, not 0, so that means over words leave
// it out.
#include "analysis/mog/orders/part_leaves.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "analysis/mog/orders/order_bands.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/orders/symbol_orders.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// P(leaves <= most) of left + right; right also has a constant, and right[j] is of j + 1 leaves.
double up_to(std::int64_t most, const std::vector<double>& left, double constant,
             const std::vector<double>& right_sums) {
  double total = 0;
  for (std::int64_t i = 1; i <= std::min(most, static_cast<std::int64_t>(left.size())); ++i) {
    const std::int64_t rest = std::min(most - i, static_cast<std::int64_t>(right_sums.size()));
    total += left[at(i - 1)] * (constant + (rest > 0 ? right_sums[at(rest - 1)] : 0));
  }
  return total;
}

class PartLeavesBuilder {
 public:
  PartLeavesBuilder(const AttentionGrammar& grammar, const SearchControl& control)
      : grammar_(grammar),
        orders_(symbol_orders(grammar, std::int64_t{1} << at(std::max<std::int64_t>(grammar.layers(), 1)),
                              control)),
        means_(expected_leaves(grammar)) {}

  // The part of the band's rules in the layer of `symbol`.
  PartLeaves of_band(std::int64_t layer, std::int32_t left, const RuleBand& band) {
    double constant = band.epsilon;
    double weight = band.epsilon;
    double mean = 0;
    right_.clear();
    for (std::int32_t n = 0; n < band.count; ++n) {
      const double w = band.weight(n);
      if (w <= 0) {
        continue;
      }
      const std::vector<double>& tail = orders_[at(band.tail_first + n)];
      right_.resize(std::max(right_.size(), tail.size()), 0.0);
      for (std::size_t k = 0; k < tail.size(); ++k) {
        right_[k] += w * tail[k];
      }
      weight += w;
      mean += w * means_[at(band.tail_first + n)];
    }
    if (weight <= 0) {
      return {kNone, kNone, kNone};
    }
    for (std::size_t k = 0; k < right_.size(); ++k) {
      right_[k] = right_[k] / weight + (k > 0 ? right_[k - 1] : 0);
    }
    constant /= weight;
    const auto in = [&](BandKind kind) {
      const auto limits = order_band(layer, band.part, kind);
      return limits ? up_to(limits->high, orders_[at(left)], constant, right_) -
                          up_to(limits->low - 1, orders_[at(left)], constant, right_)
                    : kNone;
    };
    return {in(BandKind::exact), in(BandKind::nominal), means_[at(left)] + mean / weight};
  }

  PartLeaves of_low(std::int64_t layer, std::int32_t word) {
    // What P holds has at most 2^(layer - 2) leaves, in both bands.
    return layer < 2 ? PartLeaves{kNone, kNone, kNone}
                     : PartLeaves{1, 1, means_[at(grammar_.r_symbol(layer - 2, word))]};
  }

 private:
  const AttentionGrammar& grammar_;
  std::vector<std::vector<double>> orders_;
  std::vector<double> means_;
  std::vector<double> right_;
};

}  // namespace

AllPartLeaves part_leaves(const AttentionGrammar& grammar, const SearchControl& control) {
  constexpr std::int64_t kMostLayers = 12;
  if (grammar.kind() != GrammarKind::order_groups || grammar.layers() > kMostLayers) {
    throw UsageError(
        fmt::format("order bands are of Graph-Transformers of up to {} layers; this is a {} of {} layers",
                    kMostLayers, name(grammar.kind()), grammar.layers()));
  }
  PartLeavesBuilder builder(grammar, control);
  const std::span<const Part> joins = grammar.parts();
  AllPartLeaves result(at(grammar.layers()));
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    auto& of_layer = result[at(layer - 1)];
    of_layer.fill(std::vector<PartLeaves>(at(grammar.word_count()), {kNone, kNone, kNone}));
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      control.check();
      for (const RuleProduct& product : grammar.products(grammar.n_symbol(layer, word))) {
        for (const RuleBand& band : grammar.bands(product)) {
          const auto part = std::find(joins.begin(), joins.end(), band.part);
          if (part != joins.end()) {
            of_layer[at(part - joins.begin())][at(word)] = builder.of_band(layer, product.left, band);
          }
        }
      }
      of_layer[3][at(word)] = builder.of_low(layer, word);
    }
  }
  return result;
}

}  // namespace mog::analysis

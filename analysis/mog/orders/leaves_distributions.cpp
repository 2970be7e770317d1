// The problem: P(leaves = k) of every word and layer; 12 layers make up to 4,096 leaves, so that the plain
// recursion over (layer, word, k) costs 1.1 billion products for 128 words, one by one.
//
// A symbol is a product left × (epsilon + Σ_n w_n · tail_n). The sum over n is linear and stays among
// coefficients; it is made for a whole block of symbols (the words of a layer), strip by strip of k, so that
// the strips of all tails stay in the cache. Only the product with the left symbol is a convolution: direct
// while one factor is short, by Fourier transforms beyond (docs/decisions/0012). Degrees are those that a
// layer can reach, so that lower layers cost half as much each.
//
// Precision: direct products are exact up to rounding; transforms have an absolute error of some 1e-16, and
// the first 64 orders are always multiplied directly. Below 1e-15 higher orders are rounding.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analysis/mog/orders/polynomials.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/orders/symbol_orders.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kStrip = 64;        // coefficients that are summed at a time
constexpr std::size_t kDirect = 128;      // shorter factors are multiplied directly
constexpr std::size_t kAlwaysExact = 64;  // orders that never come from a transform

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

using Row = std::vector<double>;  // [leaves - 1], padded to whole strips

// out += w0 a + w1 b + w2 c + w3 d over one strip.
[[gnu::always_inline]] inline void add_four(double* __restrict out, const std::array<double, 4>& w,
                                            const std::array<const double*, 4>& rows) {
  const double* __restrict a = rows[0];
  const double* __restrict b = rows[1];
  const double* __restrict c = rows[2];
  const double* __restrict d = rows[3];
  for (std::size_t k = 0; k < kStrip; ++k) {
    out[k] += (w[0] * a[k] + w[1] * b[k]) + (w[2] * c[k] + w[3] * d[k]);
  }
}

// Weighted rows of one strip, four at a time.
template <class RowOf>
[[gnu::always_inline]] inline void add_band(double* out, const RuleBand& band, const RowOf& row_of) {
  static constexpr std::array<double, kStrip> kZeros{};
  std::array<double, 4> weights{};
  std::array<const double*, 4> rows{};
  std::size_t filled = 0;
  for (std::int32_t n = 0; n < band.count; ++n) {
    const double weight = band.weight(n);
    const double* const row = weight > 0 ? row_of(band.tail_first + n) : nullptr;
    if (row == nullptr) {
      continue;
    }
    weights[filled] = weight;
    rows[filled] = row;
    if (++filled == 4) {
      add_four(out, weights, rows);
      filled = 0;
    }
  }
  if (filled > 0) {
    for (std::size_t i = filled; i < 4; ++i) {
      weights[i] = 0;
      rows[i] = kZeros.data();
    }
    add_four(out, weights, rows);
  }
}

template <class RowOf>
void add_band_plain(double* out, const RuleBand& band, const RowOf& row_of) {
  add_band(out, band, row_of);
}
#if defined(__x86_64__)
template <class RowOf>
[[gnu::target("avx2,fma")]] void add_band_avx2(double* out, const RuleBand& band, const RowOf& row_of) {
  add_band(out, band, row_of);
}
const bool kAvx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#endif

std::size_t padded(std::size_t size) {
  return (size + kStrip - 1) / kStrip * kStrip;
}

// out[i + j + 1] += left[i] right[j], below `most`.
void add_direct(std::span<const double> left, std::span<const double> right, std::span<double> out,
                std::size_t most) {
  for (std::size_t i = 0; i < left.size() && i + 1 < most; ++i) {
    const double factor = left[i];
    const std::size_t count = std::min(right.size(), most - i - 1);
    double* const to = out.data() + i + 1;
    for (std::size_t j = 0; factor != 0 && j < count; ++j) {
      to[j] += factor * right[j];
    }
  }
}

class OrderRecursion {
 public:
  OrderRecursion(const AttentionGrammar& grammar, std::size_t cap, const SearchControl& control,
                 std::span<const LeavesDistribution> below = {})
      : grammar_(grammar),
        control_(control),
        cap_(cap),
        rows_(at(grammar.symbol_count())),
        degree_(rows_.size(), 1) {
    const std::int32_t words = grammar.word_count();
    require_below(grammar, below.size());
    for (std::int32_t word = 0; word < words; ++word) {
      if (below.empty()) {
        rows_[at(word)].assign(kStrip, 0.0);
        rows_[at(word)][0] = 1;
        continue;
      }
      const std::vector<double>& given = below[at(word)].probability;
      degree_[at(word)] = std::clamp<std::size_t>(given.size(), 1, cap_);
      rows_[at(word)].assign(padded(degree_[at(word)]), 0.0);
      std::copy_n(given.begin(), std::min(given.size(), cap_), rows_[at(word)].begin());
    }
    // A recurrent step reads the step before it.
    const std::int32_t block = grammar.recurrent() ? 1 : words;
    for (std::int32_t first = words; first < grammar.symbol_count(); first += block) {
      fill_block(first, std::min(first + block, grammar.symbol_count()));
    }
  }

  LeavesDistribution distribution(std::int32_t symbol) const {
    LeavesDistribution result;
    const Row& row = rows_[at(symbol)];
    result.probability.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(degree_[at(symbol)]));
    double sum = 0;
    for (const double value : result.probability) {
      sum += value;
    }
    while (!result.probability.empty() && result.probability.back() == 0) {
      result.probability.pop_back();
    }
    // What rounding leaves of a complete distribution is no tail.
    result.tail = 1 - sum > 1e-12 ? 1 - sum : 0;
    return result;
  }

  // Rows of all symbols as long as their degrees.
  std::vector<std::vector<double>> take_rows() && {
    for (std::size_t symbol = 0; symbol < rows_.size(); ++symbol) {
      rows_[symbol].resize(degree_[symbol]);
    }
    return std::move(rows_);
  }

 private:
  struct Factor {  // left × (constant + right)
    std::int32_t left = 0;
    double constant = 0;
    std::size_t degree = 0;  // of right
    Row right;
  };

  std::size_t bounded(std::size_t degree) const { return std::min(degree, cap_); }

  // Sums the right sides of all products of the symbols first..last - 1.
  void sum_right_sides(std::int32_t first, std::int32_t last) {
    factors_.clear();
    std::size_t longest = 0;
    for (std::int32_t symbol = first; symbol < last; ++symbol) {
      auto& of_symbol = factors_.emplace_back();
      std::size_t reach = 1;
      for (const RuleProduct& product : grammar_.products(symbol)) {
        Factor& factor = of_symbol.emplace_back();
        factor.left = product.left;
        for (const RuleBand& band : grammar_.bands(product)) {
          factor.constant += band.epsilon;
          for (std::int32_t n = 0; n < band.count; ++n) {
            if (band.weight(n) > 0) {
              factor.degree = std::max(factor.degree, degree_[at(band.tail_first + n)]);
            }
          }
        }
        factor.right.assign(padded(factor.degree), 0.0);
        longest = std::max(longest, factor.right.size());
        reach = std::max(
            reach, factor.degree + (factor.left == AttentionGrammar::kUnit ? 0 : degree_[at(factor.left)]));
      }
      degree_[at(symbol)] = bounded(reach);
    }
    for (std::size_t strip = 0; strip < longest; strip += kStrip) {
      for (std::int32_t symbol = first; symbol < last; ++symbol) {
        control_.check();
        sum_strip(symbol, factors_[at(symbol - first)], strip);
      }
    }
  }

  void sum_strip(std::int32_t symbol, std::vector<Factor>& factors, std::size_t strip) {
    const auto row_of = [&](std::int32_t tail) {
      const Row& row = rows_[at(tail)];
      return strip < row.size() ? row.data() + strip : nullptr;
    };
    std::size_t p = 0;
    for (const RuleProduct& product : grammar_.products(symbol)) {
      Factor& factor = factors[p++];
      if (strip >= factor.right.size()) {
        continue;
      }
      for (const RuleBand& band : grammar_.bands(product)) {
#if defined(__x86_64__)
        if (kAvx2) {
          add_band_avx2(factor.right.data() + strip, band, row_of);
          continue;
        }
#endif
        add_band_plain(factor.right.data() + strip, band, row_of);
      }
    }
  }

  void fill_block(std::int32_t first, std::int32_t last) {
    sum_right_sides(first, last);
    for (std::int32_t symbol = first; symbol < last; ++symbol) {
      control_.check();
      fill(symbol, factors_[at(symbol - first)]);
    }
    flush();
  }

  std::span<const double> coefficients(std::int32_t symbol) const {
    return {rows_[at(symbol)].data(), degree_[at(symbol)]};
  }

  void fill(std::int32_t symbol, const std::vector<Factor>& factors) {
    Row& out = rows_[at(symbol)];
    out.assign(padded(degree_[at(symbol)]), 0.0);
    const std::size_t degree = degree_[at(symbol)];
    std::vector<const Factor*> transformed;
    for (const Factor& factor : factors) {
      const std::span<const double> right(factor.right.data(), factor.degree);
      if (factor.left == AttentionGrammar::kUnit) {
        std::transform(right.begin(), right.end(), out.begin(), out.begin(), std::plus<>());
        continue;
      }
      const std::span<const double> left = coefficients(factor.left);
      for (std::size_t i = 0; factor.constant > 0 && i < left.size(); ++i) {
        out[i] += factor.constant * left[i];
      }
      const bool direct = std::min(left.size(), right.size()) <= kDirect || !PolynomialProducts::available();
      add_direct(left, right, out, direct ? degree : std::min(degree, kAlwaysExact));
      if (!direct) {
        transformed.push_back(&factor);
      }
    }
    if (!transformed.empty()) {
      transform(symbol, transformed);
    }
  }

  // Queues the products of one symbol; two symbols come back together.
  void transform(std::int32_t symbol, const std::vector<const Factor*>& factors) {
    std::size_t points = 0;
    for (const Factor* factor : factors) {
      points = std::max(points, degree_[at(factor->left)] + factor->degree - 1);
    }
    points = std::bit_ceil(points);
    if (pending_ >= 0 && products_->size() != points) {
      flush();
    }
    products_ = &transforms_.try_emplace(points, points).first->second;
    for (std::size_t i = 0; i < factors.size(); i += 2) {
      const auto factor = [&](std::size_t index) {
        return index < factors.size()
                   ? std::pair(coefficients(factors[index]->left),
                               std::span(factors[index]->right).first(factors[index]->degree))
                   : std::pair(std::span<const double>(), std::span<const double>());
      };
      const auto [a, b] = factor(i);
      const auto [c, d] = factor(i + 1);
      products_->multiply(a, b, c, d, spectrum_);
      if (pending_ < 0) {
        pending_ = symbol;
        std::swap(first_spectrum_, spectrum_);
        continue;
      }
      products_->back(first_spectrum_, &spectrum_);
      take(pending_, false);
      take(symbol, true);
      pending_ = -1;
    }
  }

  void flush() {
    if (pending_ >= 0) {
      products_->back(first_spectrum_, nullptr);
      take(pending_, false);
      pending_ = -1;
    }
  }

  void take(std::int32_t symbol, bool second) {
    Row& out = rows_[at(symbol)];
    const std::size_t last = std::min(degree_[at(symbol)], products_->size() + 1);
    for (std::size_t i = kAlwaysExact; i < last; ++i) {
      out[i] += std::max(second ? products_->second(i - 1) : products_->first(i - 1), 0.0);
    }
  }

  const AttentionGrammar& grammar_;
  const SearchControl& control_;
  std::size_t cap_;
  std::vector<Row> rows_;            // [symbol]
  std::vector<std::size_t> degree_;  // [symbol]: the most leaves, at most the cap
  std::vector<std::vector<Factor>> factors_;
  std::map<std::size_t, PolynomialProducts> transforms_;
  PolynomialProducts* products_ = nullptr;
  PolynomialProducts::Spectrum first_spectrum_;
  PolynomialProducts::Spectrum spectrum_;
  std::int32_t pending_ = -1;  // the symbol of first_spectrum_
};

}  // namespace

std::vector<std::vector<double>> symbol_orders(const AttentionGrammar& grammar, std::int64_t cap,
                                               const SearchControl& control) {
  return OrderRecursion(grammar, at(cap), control).take_rows();
}

LeavesDistributions leaves_distributions(const AttentionGrammar& grammar, std::int64_t cap,
                                         const SearchControl& control,
                                         std::span<const LeavesDistribution> below) {
  if (cap < 1) {
    throw UsageError(fmt::format("order distribution: expected a cap of at least 1, found {}", cap));
  }
  const OrderRecursion recursion(grammar, at(cap), control, below);
  LeavesDistributions result;
  for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
    auto& row = result.words.emplace_back();
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      row.push_back(recursion.distribution(grammar.r_symbol(layer, word)));
    }
  }
  result.top = recursion.distribution(grammar.top_symbol());
  return result;
}

}  // namespace mog::analysis

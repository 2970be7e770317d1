// All sets of at most 12 words as bits. The right side of a product is reduced over its columns first; then
// every set of its left symbol meets the sets of what is left of the words: 3^(T-1) additions and maxima.
// Columns met one by one would cost T times as much.
//
// Memory: a row of 2^T doubles for each symbol and each product. Only scores are kept: what made a cell is
// enumerated again where the k best are asked for (rules()), which happens for a few cells out of all.
//
// A derivation without overlap is a tree whose operands share no word, so its weight is a product over
// disjoint sets and the maximum over all splits is exact.
#include <algorithm>
#include <bit>
#include <cmath>

#include "analysis/mog/search/cell_chart.h"

namespace mog::analysis {
namespace {

class ExactChart final : public CellChart {
 public:
  explicit ExactChart(const AttentionGrammar& grammar)
      : grammar_(grammar), sets_(std::int64_t{1} << grammar.word_count()) {
    const std::int64_t symbols = grammar.symbol_count();
    products_ =
        static_cast<std::int64_t>(grammar.products(grammar.top_symbol()).data() +
                                  grammar.products(grammar.top_symbol()).size() - grammar.products(0).data());
    scores_.assign(at((symbols + products_) * sets_), kNoScore);
    for (std::int32_t symbol = 0; symbol < symbols; ++symbol) {
      fill(symbol);
    }
  }

  double score(std::int64_t cell) const override { return scores_[at(cell)]; }
  std::int32_t word(std::int64_t cell) const override {
    const std::int64_t symbol = cell / sets_;
    return symbol < grammar_.word_count() ? static_cast<std::int32_t>(symbol) : -1;
  }
  std::int64_t whole(std::int32_t symbol) const override { return symbol * sets_ + sets_ - 1; }
  std::vector<std::int64_t> of_order(std::int32_t symbol, std::int32_t words) const override {
    std::vector<std::int64_t> cells;
    for (std::int64_t set = 1; set < sets_; ++set) {
      const std::int64_t cell = symbol * sets_ + set;
      if (std::popcount(static_cast<std::uint64_t>(set)) == words && score(cell) > kNoScore) {
        cells.push_back(cell);
      }
    }
    return cells;
  }
  void rules(std::int64_t cell, std::vector<CellRule>& result) override {
    const std::int64_t row = cell / sets_;
    const std::int64_t set = cell % sets_;
    if (row >= grammar_.symbol_count()) {
      right_rules(grammar_.products(0).data()[row - grammar_.symbol_count()], set, result);
      return;
    }
    for (const RuleProduct& product : grammar_.products(static_cast<std::int32_t>(row))) {
      if (product.left == AttentionGrammar::kUnit) {
        right_rules(product, set, result);
        continue;
      }
      const double epsilon = epsilon_score(grammar_, product);
      add({epsilon, product.left * sets_ + set, -1}, result);
      for (std::int64_t left = (set - 1) & set; left > 0; left = (left - 1) & set) {
        add({0, product.left * sets_ + left, right_row(product) + (set ^ left)}, result);
      }
    }
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
  std::int64_t right_row(const RuleProduct& product) const {
    return (grammar_.symbol_count() + product_number(grammar_, product)) * sets_;
  }
  void add(const CellRule& rule, std::vector<CellRule>& result) const {
    if (rule.score > kNoScore && score(rule.left) > kNoScore &&
        (rule.right < 0 || score(rule.right) > kNoScore)) {
      result.push_back(rule);
    }
  }
  void right_rules(const RuleProduct& product, std::int64_t set, std::vector<CellRule>& result) const {
    for (const RuleBand& band : grammar_.bands(product)) {
      for (std::int32_t n = 0; n < band.count; ++n) {
        const double weight = band.weight(n);
        if (weight > 0) {
          add({std::log(weight), (band.tail_first + n) * sets_ + set, -1}, result);
        }
      }
    }
  }

  void reduce_right(const RuleProduct& product, double* right) const {
    for (const RuleBand& band : grammar_.bands(product)) {
      for (std::int32_t n = 0; n < band.count; ++n) {
        const double weight = band.weight(n);
        if (weight <= 0) {
          continue;
        }
        const double score = std::log(weight);
        const double* const tail = scores_.data() + (band.tail_first + n) * sets_;
        for (std::int64_t set = 0; set < sets_; ++set) {
          right[set] = std::max(right[set], score + tail[set]);
        }
      }
    }
  }

  void fill(std::int32_t symbol) {
    double* const made = scores_.data() + symbol * sets_;
    if (grammar_.is_word(symbol)) {
      made[std::int64_t{1} << symbol] = 0;
      return;
    }
    for (const RuleProduct& product : grammar_.products(symbol)) {
      if (product.left == AttentionGrammar::kUnit) {
        reduce_right(product, made);
        continue;
      }
      double* const right = scores_.data() + right_row(product);
      reduce_right(product, right);
      const double* const left = scores_.data() + product.left * sets_;
      const double epsilon = epsilon_score(grammar_, product);
      const auto bands = grammar_.bands(product);
      const bool joins =
          std::any_of(bands.begin(), bands.end(), [](const RuleBand& band) { return band.count > 0; });
      for (std::int64_t set = 1; set < sets_; ++set) {
        if (left[set] == kNoScore) {
          continue;
        }
        made[set] = std::max(made[set], left[set] + epsilon);
        const std::int64_t rest = joins ? sets_ - 1 - set : 0;
        for (std::int64_t other = rest; other > 0; other = (other - 1) & rest) {
          made[set | other] = std::max(made[set | other], left[set] + right[other]);
        }
      }
    }
  }

  const AttentionGrammar& grammar_;
  std::int64_t sets_;
  std::int64_t products_ = 0;
  std::vector<double> scores_;  // [symbol or symbols + product, set]
};

}  // namespace

std::unique_ptr<CellChart> make_exact_chart(const AttentionGrammar& grammar) {
  return std::make_unique<ExactChart>(grammar);
}

}  // namespace mog::analysis

// Stretches of neighbouring words. The right side of a product is reduced over its columns first, stretch by
// stretch; then each stretch of the left symbol meets the right ones that begin where it ends or end where
// it begins. Both loops run over neighbouring doubles: 100 words and 12 layers take about a second.
#include <algorithm>
#include <cmath>

#include "analysis/mog/search/cell_chart.h"

namespace mog::analysis {
namespace {

class Spans final : public SpanChart {
 public:
  Spans(const AttentionGrammar& grammar, const SearchControl& control)
      : grammar_(grammar), words_(grammar.word_count()), spans_(words_ * (words_ + 1) / 2) {
    scores_.assign(at(grammar.symbol_count() * spans_), kNoScore);
    const auto square = at(words_ * words_);
    right_.resize(square);
    right_by_end_.resize(square);
    made_.resize(square);
    made_by_end_.resize(square);
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      control.step("stretches of words", symbol, grammar.symbol_count());
      fill(symbol);
    }
  }

  std::int64_t cell(std::int32_t symbol, std::int32_t first, std::int32_t last) const override {
    return symbol * spans_ + place(first, last);
  }
  double score(std::int64_t cell) const override {
    const std::int64_t row = cell / spans_;
    if (row < grammar_.symbol_count()) {
      return scores_[at(cell)];
    }
    return right_sides_.at(row - grammar_.symbol_count())[at(cell % spans_)];
  }
  std::int32_t word(std::int64_t cell) const override {
    const std::int64_t symbol = cell / spans_;
    return symbol < words_ ? static_cast<std::int32_t>(symbol) : -1;
  }
  std::int64_t whole(std::int32_t symbol) const override {
    return cell(symbol, 0, static_cast<std::int32_t>(words_ - 1));
  }
  std::vector<std::int64_t> of_order(std::int32_t symbol, std::int32_t words) const override {
    std::vector<std::int64_t> cells;
    for (std::int64_t first = 0; first + words <= words_; ++first) {
      const std::int64_t found = symbol * spans_ + place(first, first + words - 1);
      if (score(found) > kNoScore) {
        cells.push_back(found);
      }
    }
    return cells;
  }
  void rules(std::int64_t cell, std::vector<CellRule>& result) override;
  CellSeeds best_trees() override;

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
  std::int64_t place(std::int64_t first, std::int64_t last) const {
    return first * words_ - first * (first - 1) / 2 + (last - first);
  }
  // First and last word of a stretch.
  std::pair<std::int64_t, std::int64_t> ends(std::int64_t span) const {
    std::int64_t first = 0;
    while (first + 1 < words_ && place(first + 1, first + 1) <= span) {
      ++first;
    }
    return {first, first + span - place(first, first)};
  }
  void add(const CellRule& rule, std::vector<CellRule>& result) const {
    if (rule.score > kNoScore && score(rule.left) > kNoScore &&
        (rule.right < 0 || score(rule.right) > kNoScore)) {
      result.push_back(rule);
    }
  }
  void right_rules(const RuleProduct& product, std::int64_t span, std::vector<CellRule>& result) const;
  std::int64_t right_row(std::int32_t symbol, const RuleProduct& product);
  void reduce_right(std::int32_t symbol, const RuleProduct& product);
  void meet(const RuleProduct& product);
  void fill(std::int32_t symbol);

  const AttentionGrammar& grammar_;
  std::int64_t words_;
  std::int64_t spans_;
  std::vector<double> scores_;  // [symbol, span]
  // Of the product or symbol at hand, [first, last] and [last, first].
  std::vector<double> right_, right_by_end_, made_, made_by_end_;
  std::unordered_map<std::int64_t, std::vector<double>> right_sides_;  // by product: [span], those asked for
};

// The best joins with what covers exactly a stretch, of all columns and bands.
void Spans::reduce_right(std::int32_t symbol, const RuleProduct& product) {
  std::fill(right_.begin(), right_.end(), kNoScore);
  // Where owners are words, a tail of column n covers n, and never the left symbol's own word.
  const bool by_word = !grammar_.recurrent() && product.left != AttentionGrammar::kUnit;
  const std::int64_t own = by_word ? grammar_.word_of(symbol) : -1;
  for (const RuleBand& band : grammar_.bands(product)) {
    for (std::int64_t n = 0; n < band.count; ++n) {
      const double weight = band.weight(static_cast<std::int32_t>(n));
      if (weight <= 0) {
        continue;
      }
      const double score = std::log(weight);
      const bool covers = by_word || product.left == AttentionGrammar::kUnit;
      const bool by_column = covers && !grammar_.recurrent();
      const std::int64_t least_first = own >= 0 && own < n ? own + 1 : 0;
      const std::int64_t most_last = own > n ? own - 1 : words_ - 1;
      for (std::int64_t first = least_first; first <= (by_column ? n : words_ - 1); ++first) {
        const std::int64_t begin = by_column ? n : first;
        const double* const tail = scores_.data() + (band.tail_first + n) * spans_ + place(first, begin);
        double* const right = right_.data() + first * words_ + begin;
        for (std::int64_t i = 0; i <= most_last - begin; ++i) {
          right[i] = std::max(right[i], score + tail[i]);
        }
      }
    }
  }
}

void Spans::meet(const RuleProduct& product) {
  for (std::int64_t first = 0; first < words_; ++first) {
    for (std::int64_t last = first; last < words_; ++last) {
      right_by_end_[at(last * words_ + first)] = right_[at(first * words_ + last)];
    }
  }
  const double epsilon = epsilon_score(grammar_, product);
  for (std::int64_t first = 0; first < words_; ++first) {
    for (std::int64_t last = first; last < words_; ++last) {
      const double left = scores_[at(product.left * spans_ + place(first, last))];
      if (left == kNoScore) {
        continue;
      }
      double* const made = made_.data() + first * words_;
      made[last] = std::max(made[last], left + epsilon);
      const double* const after = right_.data() + (last + 1) * words_;
      for (std::int64_t end = last + 1; end < words_; ++end) {
        made[end] = std::max(made[end], left + after[end]);
      }
      if (first > 0) {
        const double* const before = right_by_end_.data() + (first - 1) * words_;
        double* const ended = made_by_end_.data() + last * words_;
        for (std::int64_t begin = 0; begin < first; ++begin) {
          ended[begin] = std::max(ended[begin], left + before[begin]);
        }
      }
    }
  }
}

void Spans::fill(std::int32_t symbol) {
  double* const scores = scores_.data() + symbol * spans_;
  if (grammar_.is_word(symbol)) {
    scores[place(symbol, symbol)] = 0;
    return;
  }
  std::fill(made_.begin(), made_.end(), kNoScore);
  std::fill(made_by_end_.begin(), made_by_end_.end(), kNoScore);
  for (const RuleProduct& product : grammar_.products(symbol)) {
    const auto bands = grammar_.bands(product);
    const bool joins =
        std::any_of(bands.begin(), bands.end(), [](const RuleBand& band) { return band.count > 0; });
    if (product.left == AttentionGrammar::kUnit) {
      reduce_right(symbol, product);
      made_ = right_;
      continue;
    }
    if (joins) {
      reduce_right(symbol, product);
    } else {
      std::fill(right_.begin(), right_.end(), kNoScore);
    }
    meet(product);
  }
  for (std::int64_t first = 0; first < words_; ++first) {
    for (std::int64_t last = first; last < words_; ++last) {
      scores[place(first, last)] =
          std::max(made_[at(first * words_ + last)], made_by_end_[at(last * words_ + first)]);
    }
  }
}

// The right side of a product as a row of cells; made when it is first asked for.
std::int64_t Spans::right_row(std::int32_t symbol, const RuleProduct& product) {
  const std::int64_t number = product_number(grammar_, product);
  const auto [entry, fresh] = right_sides_.try_emplace(number);
  if (fresh) {
    reduce_right(symbol, product);
    for (std::int64_t first = 0; first < words_; ++first) {
      for (std::int64_t last = first; last < words_; ++last) {
        entry->second.push_back(right_[at(first * words_ + last)]);
      }
    }
  }
  return (grammar_.symbol_count() + number) * spans_;
}

void Spans::right_rules(const RuleProduct& product, std::int64_t span, std::vector<CellRule>& result) const {
  for (const RuleBand& band : grammar_.bands(product)) {
    for (std::int32_t n = 0; n < band.count; ++n) {
      const double weight = band.weight(n);
      if (weight > 0) {
        add({std::log(weight), (band.tail_first + n) * spans_ + span, -1}, result);
      }
    }
  }
}

void Spans::rules(std::int64_t cell, std::vector<CellRule>& result) {
  const std::int64_t row = cell / spans_;
  const std::int64_t span = cell % spans_;
  if (row >= grammar_.symbol_count()) {
    right_rules(grammar_.products(0).data()[row - grammar_.symbol_count()], span, result);
    return;
  }
  const auto [first, last] = ends(span);
  const auto symbol = static_cast<std::int32_t>(row);
  for (const RuleProduct& product : grammar_.products(symbol)) {
    if (product.left == AttentionGrammar::kUnit) {
      right_rules(product, span, result);
      continue;
    }
    const std::int64_t left = product.left * spans_;
    add({epsilon_score(grammar_, product), left + span, -1}, result);
    const std::int64_t right = right_row(symbol, product);
    for (std::int64_t cut = first; cut < last; ++cut) {
      add({0, left + place(first, cut), right + place(cut + 1, last)}, result);
      add({0, left + place(cut + 1, last), right + place(first, cut)}, result);
    }
  }
}

CellSeeds Spans::best_trees() {
  CellSeeds seeds;
  std::unordered_set<std::int64_t> seen;
  std::vector<std::int64_t> pending{whole(grammar_.top_symbol())};
  for (std::int32_t word = 0; word < words_; ++word) {
    pending.push_back(whole(grammar_.r_symbol(grammar_.layers(), word)));
  }
  std::vector<CellRule> ways;
  while (!pending.empty()) {
    const std::int64_t cell = pending.back();
    pending.pop_back();
    if (!seen.insert(cell).second || score(cell) == kNoScore || word(cell) >= 0) {
      continue;
    }
    std::vector<std::uint64_t> set(at(words_ / 64 + 1), 0);
    const auto [first, last] = ends(cell % spans_);
    for (std::int64_t w = first; w <= last; ++w) {
      set[at(w / 64)] |= std::uint64_t{1} << (w % 64);
    }
    seeds[cell / spans_].push_back(std::move(set));
    ways.clear();
    rules(cell, ways);
    const auto total = [&](const CellRule& rule) {
      return rule.score + score(rule.left) + (rule.right < 0 ? 0 : score(rule.right));
    };
    const auto best = std::max_element(
        ways.begin(), ways.end(), [&](const CellRule& a, const CellRule& b) { return total(a) < total(b); });
    if (best != ways.end()) {
      pending.push_back(best->left);
      if (best->right >= 0) {
        pending.push_back(best->right);
      }
    }
  }
  return seeds;
}

}  // namespace

std::unique_ptr<SpanChart> make_span_chart(const AttentionGrammar& grammar, const SearchControl& control) {
  return std::make_unique<Spans>(grammar, control);
}

}  // namespace mog::analysis

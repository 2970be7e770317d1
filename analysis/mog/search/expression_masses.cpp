// An expression can be split in one way only: into its left operand and its right one. So its mass under a
// symbol needs no chart: it is one sum over the symbol's rules, of weights times masses of the operands,
//   M(s, e) = Σ w M(left(s), e) [rules without a join] + Σ w M(left(s), e.left) M(tail, e.right),
// and the best weight and the number of derivations are the same sum over max and over counts. Expressions of
// a pool have numbers, operands before what they make; a row holds the values of one expression under every
// symbol that can derive it, and each row is written once.
//
// Where every symbol derives expressions of its own word alone (by_owner), a row is one cell a layer instead
// of one a symbol: layers × rules a layer steps an expression, layers cells of memory. Else symbols × rules.
//
// Masses shrink with every join: a row whose greatest mass falls below 1e-100 is scaled, and its power of two
// is kept beside it, so that expressions of hundreds of words keep all digits.
#include <algorithm>
#include <bit>
#include <cmath>

#include "analysis/mog/search/expression_masses.h"

namespace mog::analysis {
namespace {

constexpr double kTie = 1e-12;
constexpr std::size_t kRowsOfBlock = 256;
constexpr ExpressionMasses::Cell kZero{};

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

ExpressionMasses::ExpressionMasses(const AttentionGrammar& grammar, const ExpressionPool& pool)
    : grammar_(grammar), pool_(pool) {
  const std::int32_t words = grammar.word_count();
  for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); symbol += words) {
    layer_of_slot_.push_back(grammar.layer_of(symbol));
  }
  if (!by_owner()) {
    return;
  }
  for (std::int32_t symbol = 0; symbol < grammar.top_symbol(); ++symbol) {
    terms_of_.push_back(terms_.size());
    for (const RuleProduct& product : grammar.products(symbol)) {
      for (const RuleBand& band : grammar.bands(product)) {
        terms_.push_back({.weights = band.count == 0 ? nullptr : band.weights,
                          .scale = band.scale,
                          .epsilon = band.epsilon,
                          .left = product.left / words,
                          .tail = band.tail_first / words,
                          .skip = band.skip});
      }
    }
  }
  terms_of_.push_back(terms_.size());
}

std::int32_t ExpressionMasses::row_length() const noexcept {
  const std::int32_t symbols = grammar_.symbol_count() - 1;
  return by_owner() ? symbols / grammar_.word_count() : symbols;
}

const ExpressionMasses::Cell& ExpressionMasses::cell(std::int32_t symbol, std::int32_t expression) const {
  std::int32_t slot = symbol;
  if (by_owner()) {
    const std::int32_t words = grammar_.word_count();
    if (symbol % words != pool_[expression].owner) {
      return kZero;
    }
    slot = symbol / words;
  }
  return row_[at(expression)][slot];
}

// Calls visit(step) for every rule of `symbol` that may end in `expression`, by rule number.
template <class Visit>
void ExpressionMasses::visit_steps(std::int32_t symbol, std::int32_t expression, Visit visit) const {
  const ExpressionPool::Node& node = pool_[expression];
  const bool top = symbol == grammar_.top_symbol();
  for (const RuleProduct& product : grammar_.products(symbol)) {
    for (const RuleBand& band : grammar_.bands(product)) {
      if (top) {
        for (std::int32_t n = 0; n < band.count; ++n) {
          if (!by_owner() || n == node.owner) {
            visit(Step{product.left, band.tail_first + n, band.part, band.weight(n), n});
          }
        }
        continue;
      }
      const std::int32_t column = node.is_atom() ? -1 : band.count == 1 ? 0 : pool_[node.right].owner;
      // Of a map row the rule without a join is the column of the query itself.
      const bool epsilon_first = column < 0 || band.epsilon_rule < band.first_rule + column;
      const auto epsilon = [&] {
        if (band.epsilon > 0) {
          visit(Step{product.left, -1, band.part, band.epsilon, band.epsilon_rule});
        }
      };
      if (epsilon_first) {
        epsilon();
      }
      if (column >= 0 && column < band.count) {
        visit(Step{product.left, band.tail_first + column, band.part, band.weight(column),
                   band.first_rule + column});
      }
      if (!epsilon_first) {
        epsilon();
      }
    }
  }
}

ExpressionMasses::Cell ExpressionMasses::sum(std::int32_t symbol, std::int32_t expression) const {
  const ExpressionPool::Node& node = pool_[expression];
  Cell total{};
  visit_steps(symbol, expression, [&](const Step& step) {
    if (step.weight <= 0) {
      return;
    }
    const Cell& left = step.left == AttentionGrammar::kUnit
                           ? cell(step.tail, expression)
                           : cell(step.left, step.tail < 0 ? expression : node.left);
    if (left.count <= 0) {
      return;
    }
    if (step.tail < 0 || step.left == AttentionGrammar::kUnit) {
      total.mass += step.weight * left.mass;
      total.best = std::max(total.best, step.weight * left.best);
      total.count += left.count;
      return;
    }
    const Cell& right = cell(step.tail, node.right);
    total.mass += step.weight * left.mass * right.mass;
    total.best = std::max(total.best, step.weight * left.best * right.best);
    total.count += left.count * right.count;
  });
  return total;
}

ExpressionMasses::Step ExpressionMasses::best_step(std::int32_t symbol, std::int32_t expression) const {
  const ExpressionPool::Node& node = pool_[expression];
  Step best;
  double most = 0;
  visit_steps(symbol, expression, [&](const Step& step) {
    double weight = step.weight;
    if (step.left == AttentionGrammar::kUnit) {
      weight *= cell(step.tail, expression).best;
    } else if (step.tail < 0) {
      weight *= cell(step.left, expression).best;
    } else {
      weight *= cell(step.left, node.left).best * cell(step.tail, node.right).best;
    }
    if (weight > most * (1 + kTie)) {
      most = weight;
      best = step;
    }
  });
  return best;
}

ExpressionMasses::Value ExpressionMasses::value(std::int32_t symbol, std::int32_t expression) const {
  const std::int64_t exponent = exponent_[at(expression)];
  if (symbol == grammar_.top_symbol()) {
    return {sum(symbol, expression), exponent};
  }
  return {cell(symbol, expression), exponent};
}

void ExpressionMasses::require(std::span<const std::int32_t> expressions) {
  const std::size_t stride = at(grammar_.word_count()) / 64 + 1;
  const auto size = static_cast<std::size_t>(pool_.size());
  if (row_.size() < size) {
    row_.resize(size, nullptr);
    pending_.resize(size, false);
    exponent_.resize(size, 0);
    facts_.resize(size);
    words_.resize(size * stride, 0);
    mark_.resize(size, 0);
  }
  std::vector<std::int32_t> pending(expressions.begin(), expressions.end());
  std::vector<std::int32_t> missing;
  while (!pending.empty()) {
    const std::int32_t expression = pending.back();
    pending.pop_back();
    if (row_[at(expression)] != nullptr || pending_[at(expression)]) {
      continue;
    }
    pending_[at(expression)] = true;
    missing.push_back(expression);
    const ExpressionPool::Node& node = pool_[expression];
    if (!node.is_atom()) {
      pending.push_back(node.left);
      pending.push_back(node.right);
    }
  }
  std::sort(missing.begin(), missing.end());  // operands first
  for (const std::int32_t expression : missing) {
    compute(expression);
    compute_facts(expression);
  }
}

// The row of an expression whose symbols all have its owner; the same sums as `sum`, by terms that know their
// places in rows: most of the time of a k-best list goes by here.
void ExpressionMasses::fill_row(std::int32_t expression, Cell* row) {
  const ExpressionPool::Node& node = pool_[expression];
  const std::int32_t words = grammar_.word_count();
  const std::int32_t length = row_length();
  std::int32_t slot = 0;
  for (; slot < length && layer_of_slot_[at(slot)] < node.depth; ++slot) {
    row[slot] = {};  // a layer adds one join to the depth
  }
  if (node.is_atom()) {
    row[slot++] = {1, 1, 1};
  }
  const Cell* const left_row = node.is_atom() ? nullptr : row_[at(node.left)];
  const Cell* const right_row = node.is_atom() ? nullptr : row_[at(node.right)];
  const std::int32_t column = node.is_atom() ? -1 : pool_[node.right].owner;
  for (; slot < length; ++slot) {
    const std::size_t symbol = at(slot * words + node.owner);
    double mass = 0;
    double best = 0;
    double count = 0;
    for (std::size_t i = terms_of_[symbol]; i < terms_of_[symbol + 1]; ++i) {
      const Term& term = terms_[i];
      if (term.epsilon > 0) {
        const Cell& own = row[term.left];
        mass += term.epsilon * own.mass;
        best = std::max(best, term.epsilon * own.best);
        count += own.count;
      }
      if (term.weights == nullptr || column < 0 || column == term.skip) {
        continue;
      }
      const double weight = term.scale * term.weights[column];
      const Cell& left = left_row[term.left];
      const Cell& right = right_row[term.tail];
      if (weight > 0 && left.count > 0 && right.count > 0) {
        mass += weight * left.mass * right.mass;
        best = std::max(best, weight * left.best * right.best);
        count += left.count * right.count;
      }
    }
    row[slot] = {mass, best, count};
  }
}

ExpressionMasses::Cell* ExpressionMasses::new_row() {
  const std::size_t length = at(row_length());
  if (rows_left_ == 0) {
    blocks_.push_back(std::make_unique_for_overwrite<Cell[]>(kRowsOfBlock * length));
    rows_left_ = kRowsOfBlock;
  }
  return blocks_.back().get() + (kRowsOfBlock - rows_left_--) * length;
}

void ExpressionMasses::compute(std::int32_t expression) {
  const ExpressionPool::Node& node = pool_[expression];
  const std::int32_t length = row_length();
  Cell* const row = new_row();
  row_[at(expression)] = row;
  exponent_[at(expression)] = node.is_atom() ? 0 : exponent_[at(node.left)] + exponent_[at(node.right)];
  if (by_owner()) {
    fill_row(expression, row);
  } else {
    std::fill(row, row + length, Cell{});
    for (std::int32_t symbol = 0; symbol < length; ++symbol) {
      row[symbol] = !grammar_.is_word(symbol) ? sum(symbol, expression)
                    : symbol == expression    ? Cell{1, 1, 1}
                                              : Cell{};
    }
  }
  double most = 0;
  for (std::int32_t slot = 0; slot < length; ++slot) {
    most = std::max(most, row[slot].mass);
  }
  if (most > 0 && most < 1e-100) {
    int shift = 0;
    std::frexp(most, &shift);
    for (std::int32_t slot = 0; slot < length; ++slot) {
      row[slot].mass = std::ldexp(row[slot].mass, -shift);
      row[slot].best = std::ldexp(row[slot].best, -shift);
    }
    exponent_[at(expression)] += shift;
  }
}

void ExpressionMasses::compute_facts(std::int32_t expression) {
  const std::size_t stride = at(grammar_.word_count()) / 64 + 1;
  const ExpressionPool::Node& node = pool_[expression];
  std::uint64_t* const bits = words_.data() + at(expression) * stride;
  Facts& facts = facts_[at(expression)];
  if (node.is_atom()) {
    bits[at(node.owner) / 64] = std::uint64_t{1} << (at(node.owner) % 64);
    return;
  }
  const std::uint64_t* const left = words_.data() + at(node.left) * stride;
  const std::uint64_t* const right = words_.data() + at(node.right) * stride;
  bool overlap = false;
  std::int32_t order = 0;
  for (std::size_t w = 0; w < stride; ++w) {
    bits[w] = left[w] | right[w];
    overlap = overlap || (left[w] & right[w]) != 0;
    order += std::popcount(bits[w]);
  }
  const Facts& l = facts_[at(node.left)];
  const Facts& r = facts_[at(node.right)];
  facts.order = order;
  facts.loop = l.loop || r.loop || (overlap && closes_loop(expression));
  facts.kind = overlap ? (facts.loop ? 3 : 2) : (facts.loop ? 4 : 1);
  facts.simple = l.simple && r.simple && !overlap;
}

// Whether the edges of an expression, none of whose operands has a loop, close one: edges are taken away
// from words that nothing points at until none is left.
bool ExpressionMasses::closes_loop(std::int32_t expression) {
  if (facts_[at(expression)].order > 64) {
    return to_expression(pool_, expression).kind() >= 3;
  }
  std::int32_t word[64];
  std::uint64_t in[64] = {};
  std::size_t count = 0;
  const auto local = [&](std::int32_t w) {
    std::size_t i = 0;
    while (i < count && word[i] != w) {
      ++i;
    }
    if (i == count) {
      word[count++] = w;
    }
    return i;
  };
  ++visit_;
  stack_.assign(1, expression);
  while (!stack_.empty()) {
    const std::int32_t id = stack_.back();
    stack_.pop_back();
    const ExpressionPool::Node& node = pool_[id];
    if (mark_[at(id)] == visit_ || node.is_atom()) {
      continue;
    }
    mark_[at(id)] = visit_;
    const std::size_t source = local(node.owner);
    const std::size_t target = local(pool_[node.right].owner);
    in[target] |= std::uint64_t{1} << source;
    stack_.push_back(node.left);
    stack_.push_back(node.right);
  }
  std::uint64_t remaining = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  for (bool removed = true; removed && remaining != 0;) {
    removed = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if ((remaining & bit) != 0 && (in[i] & remaining) == 0) {
        remaining &= ~bit;
        removed = true;
      }
    }
  }
  return remaining != 0;
}

}  // namespace mog::analysis

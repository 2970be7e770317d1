// Three steps: LazySearch extracts expressions best first until the k-th group of ties is complete;
// ExpressionMasses gives their exact weights and masses; the list is sorted, its ties put into the order
// of the definitions, and cut.
#include "analysis/mog/search/k_best.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/mog/search/derivations.h"
#include "analysis/mog/search/expression_masses.h"
#include "analysis/mog/search/lazy_search.h"

namespace mog::analysis {
namespace {

// Weights that differ by less than this factor are tied.
constexpr double kTie = 1e-12;
// Extraction goes this much further, for scores carry the rounding of their logarithms.
constexpr double kSlack = 4e-12;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

struct KBest::Impl {
  // What an entry's handle stands for.
  struct Handle {
    std::int32_t symbol = 0;
    std::int32_t expression = 0;
    std::int32_t rank = -1;  // of the derivation in the search; -1: the best of the expression
  };
  struct Row {
    KBestEntry entry;
    std::vector<std::int32_t> rules;  // pre-order; only when nothing is merged
    std::int32_t expression = 0;
  };

  Impl(const AttentionGrammar& the_grammar, KBestOptions the_options)
      : grammar(the_grammar),
        options(the_options),
        search(the_grammar, the_options.merge),
        masses(the_grammar, search.pool()) {}

  std::int32_t symbol_of(const Goal& goal) const;
  std::size_t extract(std::int32_t symbol, std::int64_t k, KBestList& list);
  Row make_row(std::int32_t symbol, std::size_t rank);
  void order_ties(std::vector<Row>& rows) const;

  std::int32_t found_tree(std::int32_t symbol, std::int32_t rank, std::vector<DerivationNode>& nodes) const;
  void found_rules(std::int32_t symbol, std::int32_t rank, std::vector<std::int32_t>& rules) const;

  const AttentionGrammar& grammar;
  KBestOptions options;
  LazySearch search;
  ExpressionMasses masses;
  std::vector<Handle> handles;
};

std::int32_t KBest::Impl::symbol_of(const Goal& goal) const {
  return goal.is_top() ? grammar.top_symbol() : grammar.r_symbol(goal.layer, goal.word);
}

// How many derivations of `symbol` belong to the k best, the last group of ties included.
std::size_t KBest::Impl::extract(std::int32_t symbol, std::int64_t k, KBestList& list) {
  const auto wanted = static_cast<std::size_t>(k);
  const auto limit = static_cast<std::size_t>(std::max(options.limit, k));
  double group = 0;
  std::size_t count = 0;
  while (true) {
    options.control.check();
    if (!search.ensure(symbol, count)) {
      list.exhausted = count <= wanted;
      return count;
    }
    const double score = search.found(symbol, count).score;
    if (count == 0 || score < group - kSlack) {
      if (count >= wanted) {
        return count;
      }
      group = score;
    }
    if (count >= limit) {
      list.ended_by_limit = true;
      return count;
    }
    ++count;
  }
}

KBest::Impl::Row KBest::Impl::make_row(std::int32_t symbol, std::size_t rank) {
  const LazySearch::Found& found = search.found(symbol, rank);
  Row row;
  row.expression = found.expression;
  row.entry = describe_expression(search.pool(), masses, symbol, found.expression);
  if (!options.merge) {
    row.entry.weight = std::exp(found.score);
    row.entry.log_weight = found.score;
    found_rules(symbol, static_cast<std::int32_t>(rank), row.rules);
  }
  row.entry.handle = static_cast<std::int32_t>(rank);
  return row;
}

// Sorts by weight, numbers the groups of ties, and sorts inside them.
void KBest::Impl::order_ties(std::vector<Row>& rows) const {
  const auto heavier = [](const Row& a, const Row& b) { return a.entry.log_weight > b.entry.log_weight; };
  if (!std::is_sorted(rows.begin(), rows.end(), heavier)) {  // the search's order, but for rounding
    std::stable_sort(rows.begin(), rows.end(), heavier);
  }
  std::int32_t tie = 0;
  for (std::size_t first = 0; first < rows.size();) {
    ++tie;
    std::size_t last = first;
    while (last < rows.size() && rows[last].entry.log_weight >= rows[first].entry.log_weight - kTie) {
      rows[last++].entry.tie = tie;
    }
    if (last - first > 1) {
      std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first),
                rows.begin() + static_cast<std::ptrdiff_t>(last), [&](const Row& a, const Row& b) {
                  const auto order = tie_order(search.pool(), a.expression, b.expression);
                  return order != 0 ? order < 0 : a.rules < b.rules;
                });
    }
    first = last;
  }
}

std::int32_t KBest::Impl::found_tree(std::int32_t symbol, std::int32_t rank,
                                     std::vector<DerivationNode>& nodes) const {
  while (!grammar.is_word(symbol)) {
    const LazySearch::Found& found = search.found(symbol, at(rank));
    const LazySearch::RightElement& right = search.right(found);
    const RuleProduct& rules = search.rules(found);
    const RuleBand& band = grammar.bands(rules)[at(right.band)];
    if (rules.left == AttentionGrammar::kUnit) {
      symbol = band.tail_first + right.column;
      rank = right.tail_rank;
    } else if (right.expression < 0) {
      symbol = rules.left;
      rank = found.left_rank;
    } else {
      const ExpressionPool::Node& node = search.pool()[found.expression];
      const std::int32_t left = found_tree(rules.left, found.left_rank, nodes);
      const std::int32_t tail = found_tree(band.tail_first + right.column, right.tail_rank, nodes);
      nodes.push_back({.word = node.owner,
                       .target = search.pool()[node.right].owner,
                       .left = left,
                       .right = tail,
                       .layer = grammar.layer_of(symbol),
                       .part = band.part,
                       .weight = band.weight(right.column)});
      return static_cast<std::int32_t>(nodes.size()) - 1;
    }
  }
  return append_leaf(symbol, nodes);
}

void KBest::Impl::found_rules(std::int32_t symbol, std::int32_t rank,
                              std::vector<std::int32_t>& rules) const {
  while (!grammar.is_word(symbol)) {
    const LazySearch::Found& found = search.found(symbol, at(rank));
    const LazySearch::RightElement& right = search.right(found);
    const RuleProduct& product = search.rules(found);
    const RuleBand& band = grammar.bands(product)[at(right.band)];
    rules.push_back(right.expression < 0 ? band.epsilon_rule : band.first_rule + right.column);
    if (product.left == AttentionGrammar::kUnit) {
      symbol = band.tail_first + right.column;
      rank = right.tail_rank;
      continue;
    }
    if (right.expression >= 0) {
      found_rules(product.left, found.left_rank, rules);
      symbol = band.tail_first + right.column;
      rank = right.tail_rank;
    } else {
      symbol = product.left;
      rank = found.left_rank;
    }
  }
}

KBest::KBest(const AttentionGrammar& grammar, KBestOptions options)
    : impl_(std::make_unique<Impl>(grammar, options)) {}
KBest::~KBest() = default;
KBest::KBest(KBest&&) noexcept = default;
KBest& KBest::operator=(KBest&&) noexcept = default;

KBestList KBest::list(Goal goal, std::int64_t k) {
  if (k < 1) {
    throw UsageError(fmt::format("k-best: expected k >= 1, found {}", k));
  }
  const std::int32_t symbol = impl_->symbol_of(goal);
  KBestList list{.goal = goal, .entries = {}};
  const std::size_t count = impl_->extract(symbol, k, list);
  std::vector<std::int32_t> expressions;
  expressions.reserve(count);
  for (std::size_t rank = 0; rank < count; ++rank) {
    expressions.push_back(impl_->search.found(symbol, rank).expression);
  }
  impl_->masses.require(expressions);
  std::vector<Impl::Row> rows;
  rows.reserve(count);
  for (std::size_t rank = 0; rank < count; ++rank) {
    impl_->options.control.check();
    rows.push_back(impl_->make_row(symbol, rank));
  }
  impl_->order_ties(rows);
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(k)));
  for (Impl::Row& row : rows) {
    row.entry.rank = static_cast<std::int32_t>(list.entries.size()) + 1;
    const std::int32_t rank = impl_->options.merge ? -1 : row.entry.handle;
    row.entry.handle = static_cast<std::int32_t>(impl_->handles.size());
    impl_->handles.push_back({symbol, row.expression, rank});
    list.entries.push_back(row.entry);
  }
  return list;
}

Expression KBest::expression(const KBestEntry& entry) const {
  return to_expression(impl_->search.pool(), impl_->handles.at(at(entry.handle)).expression);
}

std::string KBest::text(const KBestEntry& entry) const {
  return canonical_text(impl_->search.pool(), impl_->handles.at(at(entry.handle)).expression,
                        impl_->grammar.names());
}

Derivation KBest::derivation(const KBestEntry& entry) const {
  const Impl::Handle& handle = impl_->handles.at(at(entry.handle));
  Derivation derivation{.entry = entry, .expression = {}, .text = {}, .annotated = {}, .nodes = {}};
  if (handle.rank < 0) {
    append_best_tree(impl_->grammar, impl_->search.pool(), impl_->masses, handle.symbol, handle.expression,
                     derivation.nodes);
  } else {
    impl_->found_tree(handle.symbol, handle.rank, derivation.nodes);
  }
  finish_derivation(impl_->grammar, impl_->search.pool(), handle.expression, derivation);
  return derivation;
}

std::vector<Derivation> KBest::derivations(const KBestList& list) const {
  std::vector<Derivation> derivations;
  derivations.reserve(list.entries.size());
  for (const KBestEntry& entry : list.entries) {
    derivations.push_back(derivation(entry));
  }
  return derivations;
}

}  // namespace mog::analysis

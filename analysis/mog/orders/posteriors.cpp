// Every recursion goes over the products of the grammar in the order of the symbols (tails first), or
// backwards for what flows from the goal. All symbols have inside mass 1, so that no division is needed.
//
// R rules, T words. Means are one pass, O(R). Posteriors of joins are the outside pass and one visit of each
// rule, O(R). That a join occurs at least once is 1 − P(nowhere), a pass of its own for each pair, O(R); all
// pairs go together one source at a time, with a row of targets a symbol, O(R · T²) in all and symbols · T
// doubles.
//
// Where owners move (recurrent encoders) a join's ends are distributions over words. Each symbol then has a
// row by owner, a pair costs O(R · T), all pairs O(R · T³). Their grammars have a few rules a symbol where
// the others have T, so that this is less than it looks.
//
// Trap: the expected number of a join may exceed 1, and is no probability.
#include "analysis/mog/orders/posteriors.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/mog/orders/symbol_orders.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

std::int32_t symbol_of(const AttentionGrammar& grammar, const Goal& goal) {
  return goal.is_top() ? grammar.top_symbol() : grammar.r_symbol(goal.layer, goal.word);
}

bool owners_move(const AttentionGrammar& grammar) {
  return grammar.recurrent();
}

// P(owner of the expression = word), [symbol, word]: owners are inherited from the left.
std::vector<double> owner_distributions(const AttentionGrammar& grammar) {
  const std::size_t words = at(grammar.word_count());
  std::vector<double> owner(at(grammar.symbol_count()) * words, 0.0);
  for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
    double* const row = owner.data() + at(symbol) * words;
    if (grammar.is_word(symbol)) {
      row[symbol] = 1;
    }
    for (const RuleProduct& product : grammar.products(symbol)) {
      for (const RuleBand& band : grammar.bands(product)) {
        for (std::int32_t n = -1; n < band.count; ++n) {
          const double weight = n < 0 ? band.epsilon : band.weight(n);
          const std::int32_t from =
              product.left == AttentionGrammar::kUnit ? band.tail_first + n : product.left;
          if (weight > 0) {
            for (std::size_t word = 0; word < words; ++word) {
              row[word] += weight * owner[at(from) * words + word];
            }
          }
        }
      }
    }
  }
  return owner;
}

std::size_t part_index(const AttentionGrammar& grammar, Part part) {
  const auto parts = grammar.parts();
  return static_cast<std::size_t>(std::find(parts.begin(), parts.end(), part) - parts.begin());
}

// P(no join source -> target) where a symbol's owner is always its word.
double absence_by_word(const AttentionGrammar& grammar, std::int32_t source, std::int32_t target,
                       std::int32_t goal) {
  std::vector<double> absent(at(grammar.symbol_count()), 1.0);
  for (std::int32_t symbol = grammar.word_count(); symbol <= goal; ++symbol) {
    double total = 0;
    for (const RuleProduct& product : grammar.products(symbol)) {
      double right = 0;
      for (const RuleBand& band : grammar.bands(product)) {
        right += band.epsilon;
        for (std::int32_t n = 0; n < band.count; ++n) {
          const bool skipped = band.part != Part::none && n == target && grammar.word_of(symbol) == source;
          right += skipped ? 0 : band.weight(n) * absent[at(band.tail_first + n)];
        }
      }
      total += product.left == AttentionGrammar::kUnit ? right : absent[at(product.left)] * right;
    }
    absent[at(symbol)] = total;
  }
  return absent[at(goal)];
}

// The same where owners move: P(no such join, owner = word), [symbol, word].
double absence_by_owner(const AttentionGrammar& grammar, std::int32_t source, std::int32_t target,
                        std::int32_t goal) {
  const std::size_t words = at(grammar.word_count());
  std::vector<double> absent(at(grammar.symbol_count()) * words, 0.0);
  for (std::int32_t symbol = 0; symbol <= goal; ++symbol) {
    double* const row = absent.data() + at(symbol) * words;
    if (grammar.is_word(symbol)) {
      row[symbol] = 1;
    }
    for (const RuleProduct& product : grammar.products(symbol)) {
      for (const RuleBand& band : grammar.bands(product)) {
        for (std::int32_t n = -1; n < band.count; ++n) {
          const double weight = n < 0 ? band.epsilon : band.weight(n);
          const double* const tail = absent.data() + at(band.tail_first + std::max(n, 0)) * words;
          const double any = n < 0 ? 1 : [&] {
            double sum = 0;
            for (std::size_t word = 0; word < words; ++word) {
              sum += tail[word];
            }
            return sum;
          }();
          for (std::size_t word = 0; weight > 0 && word < words; ++word) {
            if (product.left == AttentionGrammar::kUnit) {
              row[word] += weight * tail[word];
              continue;
            }
            const bool skips = n >= 0 && static_cast<std::int32_t>(word) == source;
            row[word] +=
                weight * absent[at(product.left) * words + word] * (skips ? any - tail[target] : any);
          }
        }
      }
    }
  }
  double sum = 0;
  for (std::size_t word = 0; word < words; ++word) {
    sum += absent[at(goal) * words + word];
  }
  return sum;
}

// P(no join source -> target) of one source and all targets; [symbol, target] as scratch.
void absences_of_source(const AttentionGrammar& grammar, std::int32_t source, std::int32_t goal,
                        std::vector<double>& absent, const SearchControl& control) {
  const std::size_t words = at(grammar.word_count());
  absent.assign(at(goal + 1) * words, 1.0);
  std::vector<double> right(words);
  for (std::int32_t symbol = grammar.word_count(); symbol <= goal; ++symbol) {
    control.check();
    double* const out = absent.data() + at(symbol) * words;
    std::fill(out, out + words, 0.0);
    for (const RuleProduct& product : grammar.products(symbol)) {
      std::fill(right.begin(), right.end(), 0.0);
      for (const RuleBand& band : grammar.bands(product)) {
        const bool joins = band.part != Part::none && grammar.word_of(symbol) == source;
        for (std::int32_t n = 0; n < band.count; ++n) {
          const double weight = band.weight(n);
          const double* const tail = absent.data() + at(band.tail_first + n) * words;
          for (std::size_t target = 0; weight > 0 && target < words; ++target) {
            right[target] += weight * tail[target];
          }
          if (joins && weight > 0) {
            right[at(n)] -= weight * tail[n];
          }
        }
        for (std::size_t target = 0; target < words; ++target) {
          right[target] += band.epsilon;
        }
      }
      const bool unit = product.left == AttentionGrammar::kUnit;
      const double* const left = unit ? nullptr : absent.data() + at(product.left) * words;
      for (std::size_t target = 0; target < words; ++target) {
        out[target] += unit ? right[target] : left[target] * right[target];
      }
    }
  }
}

}  // namespace

void require_below(const AttentionGrammar& grammar, std::size_t below) {
  if (below == 0) {
    return;
  }
  const bool goes_on = grammar.kind() == GrammarKind::attention && grammar.layers() == 1;
  if (!goes_on || below != at(grammar.word_count())) {
    throw ShapeError(
        fmt::format("orders above those of {} words: expected a grammar of one layer of attention "
                    "with as many words, found {} layers of kind {} and {} words",
                    below, grammar.layers(), name(grammar.kind()), grammar.word_count()));
  }
}

std::vector<double> expected_leaves(const AttentionGrammar& grammar, std::span<const double> below) {
  require_below(grammar, below.size());
  std::vector<double> leaves(at(grammar.symbol_count()), 0.0);
  const auto of_word = [&](std::int32_t word) { return below.empty() ? 1.0 : below[at(word)]; };
  for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
    double total = grammar.is_word(symbol) ? of_word(symbol) : 0;
    for (const RuleProduct& product : grammar.products(symbol)) {
      const double left = product.left == AttentionGrammar::kUnit ? 0 : leaves[at(product.left)];
      for (const RuleBand& band : grammar.bands(product)) {
        total += band.epsilon * left;
        for (std::int32_t n = 0; n < band.count; ++n) {
          total += band.weight(n) * (left + leaves[at(band.tail_first + n)]);
        }
      }
    }
    leaves[at(symbol)] = total;
  }
  return leaves;
}

std::vector<double> expected_joins(const AttentionGrammar& grammar) {
  const std::size_t parts = grammar.parts().size();
  const std::size_t width = at(grammar.layers()) * parts;
  std::vector<double> joins(at(grammar.symbol_count()) * width, 0.0);
  const auto add = [&](std::int32_t to, double weight, std::int32_t from) {
    double* const out = joins.data() + at(to) * width;
    const double* const in = joins.data() + at(from) * width;
    for (std::size_t i = 0; i < width; ++i) {
      out[i] += weight * in[i];
    }
  };
  for (std::int32_t symbol = grammar.word_count(); symbol < grammar.symbol_count(); ++symbol) {
    for (const RuleProduct& product : grammar.products(symbol)) {
      double left = 0;
      for (const RuleBand& band : grammar.bands(product)) {
        double joined = 0;
        for (std::int32_t n = 0; n < band.count; ++n) {
          if (const double weight = band.weight(n); weight > 0) {
            add(symbol, weight, band.tail_first + n);
            joined += weight;
          }
        }
        left += band.epsilon + joined;
        if (band.part != Part::none) {
          joins[at(symbol) * width + at(grammar.layer_of(symbol) - 1) * parts +
                part_index(grammar, band.part)] += joined;
        }
      }
      if (product.left != AttentionGrammar::kUnit) {
        add(symbol, left, product.left);
      }
    }
  }
  return joins;
}

std::vector<double> outside(const AttentionGrammar& grammar, Goal goal) {
  std::vector<double> uses(at(grammar.symbol_count()), 0.0);
  const std::int32_t first = symbol_of(grammar, goal);
  uses[at(first)] = 1;
  for (std::int32_t symbol = first; symbol >= 0; --symbol) {
    const double head = uses[at(symbol)];
    for (const RuleProduct& product : grammar.products(symbol)) {
      for (const RuleBand& band : grammar.bands(product)) {
        double left = band.epsilon;
        for (std::int32_t n = 0; head > 0 && n < band.count; ++n) {
          uses[at(band.tail_first + n)] += head * band.weight(n);
          left += band.weight(n);
        }
        if (product.left != AttentionGrammar::kUnit) {
          uses[at(product.left)] += head * left;
        }
      }
    }
  }
  return uses;
}

EdgePosteriors edge_posteriors(const AttentionGrammar& grammar, Goal goal, const SearchControl& control) {
  const std::size_t words = at(grammar.word_count());
  const std::vector<double> uses = outside(grammar, goal);
  const std::vector<double> owner =
      owners_move(grammar) ? owner_distributions(grammar) : std::vector<double>();
  EdgePosteriors result(
      at(grammar.layers()),
      std::vector<std::vector<double>>(grammar.parts().size(), std::vector<double>(words * words, 0.0)));
  for (std::int32_t symbol = grammar.word_count(); symbol < grammar.top_symbol(); ++symbol) {
    control.check();
    for (const RuleProduct& product : grammar.products(symbol)) {
      for (const RuleBand& band : grammar.bands(product)) {
        if (band.part == Part::none) {
          continue;
        }
        auto& map = result[at(grammar.layer_of(symbol) - 1)][part_index(grammar, band.part)];
        for (std::int32_t n = 0; n < band.count; ++n) {
          const double joins = uses[at(symbol)] * band.weight(n);
          if (owner.empty()) {
            map[at(grammar.word_of(symbol)) * words + at(n)] += joins;
            continue;
          }
          for (std::size_t cell = 0; joins > 0 && cell < words * words; ++cell) {
            map[cell] += joins * owner[at(product.left) * words + cell / words] *
                         owner[at(band.tail_first + n) * words + cell % words];
          }
        }
      }
    }
  }
  return result;
}

std::vector<double> summed(const EdgePosteriors& posteriors) {
  std::vector<double> sum(posteriors.at(0).at(0).size(), 0.0);
  for (const auto& layer : posteriors) {
    for (const auto& map : layer) {
      std::transform(map.begin(), map.end(), sum.begin(), sum.begin(), std::plus<>());
    }
  }
  return sum;
}

double edge_presence(const AttentionGrammar& grammar, std::int32_t source, std::int32_t target, Goal goal) {
  const std::int32_t symbol = symbol_of(grammar, goal);
  const double absent = owners_move(grammar) ? absence_by_owner(grammar, source, target, symbol)
                                             : absence_by_word(grammar, source, target, symbol);
  return std::clamp(1 - absent, 0.0, 1.0);
}

std::vector<double> edge_presences(const AttentionGrammar& grammar, Goal goal, const SearchControl& control) {
  const std::int32_t words = grammar.word_count();
  const std::int32_t symbol = symbol_of(grammar, goal);
  std::vector<double> presences;
  std::vector<double> absent;
  for (std::int32_t source = 0; source < words; ++source) {
    if (!owners_move(grammar)) {
      absences_of_source(grammar, source, symbol, absent, control);
    }
    for (std::int32_t target = 0; target < words; ++target) {
      control.check();
      presences.push_back(owners_move(grammar)
                              ? edge_presence(grammar, source, target, goal)
                              : std::clamp(1 - absent[at(symbol) * at(words) + at(target)], 0.0, 1.0));
    }
  }
  return presences;
}

}  // namespace mog::analysis

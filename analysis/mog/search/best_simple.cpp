// A simple expression is a tree over a set of words, none twice. Three charts answer for its best derivation,
// behind one interface (CellChart), and one lazy list of the k best (CellKBest) stands on each of them:
//   exact_chart: a cell a symbol and set of words, 3^T splits: at most 12 words.
//   span_chart: sets are stretches of neighbours, T^2 cells with T splits: L T^4 steps, any length that fits
//   in memory. beam_chart: the `beam` best sets of each symbol and number of words, seeded with those of the
//   best projective
//     trees, so that it is never below them.
// Here is what they may take: the memory of a search is bounded (kMostBytes), and of a beam the steps too
// (kMostSteps). beam_plan() finds by bisection the greatest number of words up to which any set may be kept;
// greater ones come from the seeds alone.
#include "analysis/mog/search/best_simple.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/mog/search/cell_chart.h"
#include "analysis/mog/search/derivations.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// What one search may take of the memory, and the steps (beam_cost) of a beam.
constexpr double kMostBytes = 512.0 * 1024 * 1024;
constexpr double kMostSteps = 7e8;
// Fewer words a set would be no search.
constexpr std::int32_t kLeastOrder = 4;

GrammarSize size_of(const AttentionGrammar& grammar) {
  return {grammar.kind(), grammar.layers(), grammar.word_count()};
}

bool fits(SimpleSearch search, const GrammarSize& size, std::int64_t beam) {
  if (search == SimpleSearch::beam) {
    return beam_cost(size, beam, std::min(size.words, kLeastOrder)).bytes + block_trees_bytes(size) <=
           kMostBytes;
  }
  const double words = size.words;
  return size.symbols() * words * (words + 1) / 2 * 8 <= kMostBytes;
}

std::int32_t most_words_by_bytes(const AttentionGrammar& grammar, std::int64_t beam, SimpleSearch search) {
  GrammarSize size = size_of(grammar);
  size.words = 1;
  while (size.words < 4096 && fits(search, {size.kind, size.layers, size.words + 1}, beam)) {
    ++size.words;
  }
  return size.words;
}

std::vector<std::int32_t> goals_of(const AttentionGrammar& grammar, const std::vector<Goal>& goals) {
  std::vector<std::int32_t> symbols;
  symbols.reserve(goals.size());
  for (const Goal& goal : goals) {
    symbols.push_back(symbol_of(grammar, goal));
  }
  if (goals.empty()) {
    symbols.push_back(grammar.top_symbol());
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      symbols.push_back(grammar.r_symbol(grammar.layers(), word));
    }
  }
  return symbols;
}

}  // namespace

struct SimpleTrees::Impl {
  Impl(const AttentionGrammar& the_grammar, SimpleSearch search, const SimpleTreesOptions& options)
      : grammar(the_grammar), pool(the_grammar.word_count()), masses(the_grammar, pool) {
    switch (search) {
      case SimpleSearch::exact:
        chart = make_exact_chart(grammar);
        break;
      case SimpleSearch::projective: {
        auto made = make_span_chart(grammar, options.control);
        spans = made.get();
        chart = std::move(made);
        break;
      }
      case SimpleSearch::beam: {
        const BeamPlan plan = beam_plan(grammar, options);
        // Without a tree over all words nothing of it is asked for.
        if (options.most_order == 0 || options.most_order >= grammar.word_count()) {
          seeds = plan.seeds == BeamPlan::Seeds::projective
                      ? make_span_chart(grammar, options.control)->best_trees()
                      : block_trees(grammar, goals_of(grammar, options.goals), options.control);
        }
        chart = make_beam_chart(grammar, {.beam = options.beam, .most_order = plan.most_order}, seeds,
                                options.control);
        break;
      }
    }
    lists = std::make_unique<CellKBest>(*chart, pool, options.limit);
  }

  Derivation derivation(std::int32_t symbol, std::int32_t expression, std::int32_t number) {
    return best_derivation(grammar, pool, masses, symbol, expression, number);
  }

  const AttentionGrammar& grammar;
  ExpressionPool pool;
  ExpressionMasses masses;
  std::unique_ptr<CellChart> chart;
  CellSeeds seeds;             // of a beam
  SpanChart* spans = nullptr;  // of a projective search
  std::unique_ptr<CellKBest> lists;
};

std::string_view name(SimpleSearch search) noexcept {
  static constexpr std::string_view kNames[] = {"exact", "projective", "beam"};
  return kNames[static_cast<std::size_t>(search)];
}

std::int32_t SimpleTrees::most_words(SimpleSearch search, const AttentionGrammar& grammar,
                                     const SimpleTreesOptions& options) {
  return search == SimpleSearch::exact ? kMostExactWords : most_words_by_bytes(grammar, options.beam, search);
}

BeamPlan SimpleTrees::beam_plan(const AttentionGrammar& grammar, const SimpleTreesOptions& options) {
  const GrammarSize size = size_of(grammar);
  BeamPlan plan;
  if (!fits(SimpleSearch::projective, size, options.beam)) {
    plan.seeds = is_recurrent(size.kind) ? BeamPlan::Seeds::chains : BeamPlan::Seeds::blocks;
    plan.block_words = is_recurrent(size.kind) ? 0 : block_length(size.words);
  }
  // The greatest order that is affordable.
  std::int32_t low = std::min(size.words, kLeastOrder);
  std::int32_t high = options.most_order > 0 ? std::clamp(options.most_order, low, size.words) : size.words;
  while (low < high) {
    const std::int32_t middle = low + (high - low + 1) / 2;
    const BeamCost cost = beam_cost(size, options.beam, middle);
    if (cost.bytes <= kMostBytes && cost.steps <= kMostSteps) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  plan.most_order = low;
  return plan;
}

SimpleTrees::SimpleTrees(const AttentionGrammar& grammar, SimpleSearch search, SimpleTreesOptions options) {
  if (options.beam < 1) {
    throw UsageError(fmt::format("a beam of {}: expected at least 1", options.beam));
  }
  const std::int32_t most = most_words(search, grammar, options);
  if (grammar.word_count() > most) {
    std::string instead = "choose a shorter one";
    if (search == SimpleSearch::exact) {
      instead =
          grammar.word_count() <= most_words(SimpleSearch::projective, grammar)
              ? "take beam (any tree, inexact) or projective (exact among trees whose steps join neighbours)"
              : "take beam (inexact)";
    } else if (search == SimpleSearch::projective) {
      instead = "take beam (inexact)";
    } else if (options.beam > 1) {
      instead = fmt::format("take a smaller beam than {}", options.beam);
    }
    throw UsageError(
        fmt::format("mode {}: a sentence of {} words is too long, with {} layers it takes at most {}: {}",
                    name(search), grammar.word_count(), grammar.layers(), most, instead));
  }
  impl_ = std::make_unique<Impl>(grammar, search, options);
}
SimpleTrees::~SimpleTrees() = default;
SimpleTrees::SimpleTrees(SimpleTrees&&) noexcept = default;
SimpleTrees& SimpleTrees::operator=(SimpleTrees&&) noexcept = default;

SimpleTrees::List SimpleTrees::best(Goal goal, std::int64_t k) {
  if (k < 1) {
    throw UsageError(fmt::format("the k best trees: expected k of at least 1, found {}", k));
  }
  const std::int32_t symbol = symbol_of(impl_->grammar, goal);
  List result;
  const std::int64_t cell = impl_->chart->whole(symbol);
  if (cell < 0 || impl_->lists->best(cell).expression < 0) {
    return result;
  }
  std::vector<BestCell> found;
  if (k == 1) {
    found.push_back(impl_->lists->best(cell));
  } else {
    const auto list = impl_->lists->list(cell, k);
    found.assign(list.begin(), list.begin() + std::min<std::ptrdiff_t>(std::ssize(list), k));
    result.ended_by_limit = impl_->lists->ended_by_limit();
  }
  std::int32_t tie = 0;
  double group = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i == 0 || found[i].score < group - kTiedScores) {
      ++tie;
      group = found[i].score;
    }
    result.derivations.push_back(
        impl_->derivation(symbol, found[i].expression, static_cast<std::int32_t>(i) + 1));
    result.derivations.back().entry.tie = tie;
  }
  return result;
}

std::vector<std::optional<Derivation>> SimpleTrees::each_order(Goal goal, std::int64_t most) {
  const std::int32_t symbol = symbol_of(impl_->grammar, goal);
  std::vector<std::optional<Derivation>> result;
  for (std::int32_t words = 1; words <= std::min<std::int64_t>(most, impl_->grammar.word_count()); ++words) {
    const std::vector<std::int64_t> cells = impl_->chart->of_order(symbol, words);
    double greatest = kNoScore;
    for (const std::int64_t cell : cells) {
      greatest = std::max(greatest, impl_->chart->score(cell));
    }
    BestCell best;
    for (const std::int64_t cell : cells) {
      if (impl_->chart->score(cell) >= greatest - kTiedScores) {
        const BestCell one = impl_->lists->best(cell);
        offer(impl_->pool, best, one.score, one.expression);
      }
    }
    result.emplace_back();
    if (best.expression >= 0) {
      result.back() = impl_->derivation(symbol, best.expression, words);
    }
  }
  return result;
}

std::optional<Derivation> SimpleTrees::over(Goal goal, std::int32_t first, std::int32_t last) {
  const std::int32_t symbol = symbol_of(impl_->grammar, goal);
  if (impl_->spans == nullptr || first < 0 || last >= impl_->grammar.word_count() || first > last) {
    throw UsageError(fmt::format("projective tree over words {} to {}: the sentence has {} words", first + 1,
                                 last + 1, impl_->grammar.word_count()));
  }
  const BestCell best = impl_->lists->best(impl_->spans->cell(symbol, first, last));
  if (best.expression < 0) {
    return std::nullopt;
  }
  return impl_->derivation(symbol, best.expression, 1);
}

}  // namespace mog::analysis

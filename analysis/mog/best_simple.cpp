#include "analysis/mog/best_simple.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/mog/internal_cell_chart.h"
#include "analysis/mog/internal_derivations.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// What one search may take of the memory.
constexpr double kMostBytes = 512.0 * 1024 * 1024;

std::int32_t most_words_by_bytes(const AttentionGrammar& grammar, const SimpleTreesOptions& options,
                                 SimpleSearch search) {
  const bool graph = grammar.kind() == GrammarKind::graph_transformer;
  const auto bytes = [&](std::int32_t words) {
    if (search == SimpleSearch::beam) {
      return beam_chart_bytes(words, grammar.layers(), graph, options.beam);
    }
    const double symbols = static_cast<double>((graph ? 2 : 1) * grammar.layers() + 1) * words + 1;
    return symbols * words * (words + 1) / 2 * 8;
  };
  std::int32_t words = 1;
  while (words < 4096 && bytes(words + 1) <= kMostBytes) {
    ++words;
  }
  return words;
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
        auto made = make_span_chart(grammar);
        spans = made.get();
        chart = std::move(made);
        break;
      }
      case SimpleSearch::beam:
        if (grammar.word_count() <= SimpleTrees::most_words(SimpleSearch::projective, grammar)) {
          seeds = make_span_chart(grammar)->best_trees();
        }
        chart = make_beam_chart(grammar, options.beam, seeds);
        break;
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
  return search == SimpleSearch::exact ? kMostExactWords : most_words_by_bytes(grammar, options, search);
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

// Charts of the attention grammar whose cells know the words they cover, and k-best lists over them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/mog/expressions/expression_pool.h"
#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/best_cells.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

// A way to make a cell: the join of two cells, or (right < 0) another cell as it is.
struct CellRule {
  double score = 0;  // logarithm of the rule's weight
  std::int64_t left = -1;
  std::int64_t right = -1;
};

// A cell is a symbol with the set of words that it covers, each once; or the right side of a product of
// rules with such a set (so that a split is one way to make a cell, not one for every column).
class CellChart {
 public:
  virtual ~CellChart() = default;
  // Logarithm of the greatest weight; kNoScore where there is no derivation.
  virtual double score(std::int64_t cell) const = 0;
  // The word of a cell that is one, else -1.
  virtual std::int32_t word(std::int64_t cell) const = 0;
  // All ways to make a cell with their tails in this chart; only finite scores.
  virtual void rules(std::int64_t cell, std::vector<CellRule>& result) = 0;
  // The cell of all words; -1 where the chart has none.
  virtual std::int64_t whole(std::int32_t symbol) const = 0;
  // Cells of so many words with a derivation.
  virtual std::vector<std::int64_t> of_order(std::int32_t symbol, std::int32_t words) const = 0;
};

// Every set of at most kMostExactWords words: 3^T steps for each product.
inline constexpr std::int32_t kMostExactWords = 12;
std::unique_ptr<CellChart> make_exact_chart(const AttentionGrammar& grammar);

// Sets of words as bits [words / 64 + 1], by row: a symbol, or the number of symbols + that of a product
// for its right side.
using CellSeeds = std::unordered_map<std::int64_t, std::vector<std::vector<std::uint64_t>>>;
struct GrammarSize {
  GrammarKind kind = GrammarKind::order_groups;
  std::int64_t layers = 0;
  std::int32_t words = 0;
  // Symbols of a layer for each word.
  std::int64_t blocks() const noexcept {
    return kind == GrammarKind::order_groups ? 2 : kind == GrammarKind::two_directions ? 3 : 1;
  }
  double symbols() const noexcept { return static_cast<double>(blocks() * layers + 1) * words + 1; }
};
struct BeamOptions {
  std::int64_t beam = 64;
  std::int32_t most_order = 0;  // sets of more words are the seeds alone
};
// The `beam` best sets of each symbol and number of words, and the seeds beside them.
std::unique_ptr<CellChart> make_beam_chart(const AttentionGrammar& grammar, const BeamOptions& options,
                                           const CellSeeds& seeds, const SearchControl& control);
// What it takes at most, without the seeds.
struct BeamCost {
  double bytes = 0;
  double steps = 0;  // some nanoseconds each
};
BeamCost beam_cost(const GrammarSize& size, std::int64_t beam, std::int32_t most_order);

// Cells of the best trees over all words, for sentences that no chart of stretches takes, of the symbols of
// `goals` (TOP, words of the last layer). Transformers: every step joins neighbouring stretches that lie in
// one block of words or are whole blocks (block_length words each, the last ones fewer); recurrent encoders:
// every step joins a word to all words before it (backward: after it). Empty where there is no such tree.
CellSeeds block_trees(const AttentionGrammar& grammar, std::span<const std::int32_t> goals,
                      const SearchControl& control);
std::int32_t block_length(std::int32_t words) noexcept;
double block_trees_bytes(const GrammarSize& size);

// Stretches of neighbouring words: T^4 / 6 steps a layer and part.
class SpanChart : public CellChart {
 public:
  virtual std::int64_t cell(std::int32_t symbol, std::int32_t first, std::int32_t last) const = 0;
  // The best trees over all words of every word of the last layer and of TOP: their cells.
  virtual CellSeeds best_trees() = 0;
};
std::unique_ptr<SpanChart> make_span_chart(const AttentionGrammar& grammar, const SearchControl& control);

// Number of a product among all of the grammar.
inline std::int64_t product_number(const AttentionGrammar& grammar, const RuleProduct& product) {
  return &product - grammar.products(0).data();
}
// Logarithm of the greatest weight of a rule without a join; which band it is of makes no difference to the
// expression.
double epsilon_score(const AttentionGrammar& grammar, const RuleProduct& product);

// Huang and Chiang's lazy algorithm over a chart: the different expressions of a cell, best first, groups of
// ties in the order of the definitions.
class CellKBest {
 public:
  // `limit`: candidates taken from queues in all; a group of ties may stay incomplete then.
  CellKBest(CellChart& chart, ExpressionPool& pool, std::int64_t limit)
      : chart_(chart), pool_(pool), left_(limit) {}

  // The first in the order of the definitions; expression -1 where there is none. Not limited.
  BestCell best(std::int64_t cell);
  // At least k expressions where there are as many; whole groups of ties.
  std::span<const BestCell> list(std::int64_t cell, std::int64_t k);
  bool ended_by_limit() const noexcept { return ended_by_limit_; }

 private:
  struct Candidate {
    double score;
    std::int32_t rule;
    std::int32_t left;  // ranks from 0
    std::int32_t right;
    friend bool operator<(const Candidate& a, const Candidate& b) { return a.score < b.score; }
  };
  struct Queue {
    bool open = false;
    std::vector<BestCell> found;
    std::vector<CellRule> rules;
    std::vector<Candidate> heap;
    std::unordered_set<std::int32_t> seen;
  };
  Queue& open(std::int64_t cell);
  bool extend(std::int64_t cell);
  const BestCell* entry(std::int64_t cell, std::int64_t rank);
  void offer_candidate(Queue& queue, std::int32_t rule, std::int32_t left, std::int32_t right);

  CellChart& chart_;
  ExpressionPool& pool_;
  std::int64_t left_;
  bool ended_by_limit_ = false;
  std::unordered_map<std::int64_t, BestCell> best_;
  std::unordered_map<std::int64_t, std::unique_ptr<Queue>> queues_;
};

}  // namespace mog::analysis

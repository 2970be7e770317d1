// Exact mass, derivation count and best weight of expressions of one pool.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/mog/expressions/expression_pool.h"
#include "analysis/mog/grammar/attention_grammar.h"

namespace mog::analysis {

// M(symbol, expression) = Σ unary rules w·M(tail, expression) + Σ join rules w·M(tail₁, left)·M(tail₂,
// right), memoised by expression: a row holds the symbols that can derive it. Also what is known of the
// expression alone: order, kind, simple.
class ExpressionMasses {
 public:
  struct Cell {  // not initialised: rows are written once, completely
    double mass;
    double best;
    double count;
  };
  // Values of one symbol and expression; mass and best are to be multiplied by 2^exponent.
  struct Value {
    Cell cell{};
    std::int64_t exponent = 0;
  };
  struct Facts {
    std::int32_t order = 1;
    std::int32_t kind = 0;
    bool simple = true;
    bool loop = false;
  };
  // One rule applied to an expression.
  struct Step {
    std::int32_t left = -1;  // symbol; kUnit for TOP
    std::int32_t tail = -1;  // symbol of the join's right operand (TOP: of the expression); -1: no join
    Part part = Part::none;
    double weight = 0;
    std::int32_t rule = 0;  // number within the symbol
  };

  ExpressionMasses(const AttentionGrammar& grammar, const ExpressionPool& pool);

  // Computes what is missing for these expressions and their parts.
  void require(std::span<const std::int32_t> expressions);
  // Of required expressions.
  Value value(std::int32_t symbol, std::int32_t expression) const;
  const Facts& facts(std::int32_t expression) const { return facts_[static_cast<std::size_t>(expression)]; }
  // The rule of the best derivation; of several (up to 1e-12) the one with the smallest number.
  Step best_step(std::int32_t symbol, std::int32_t expression) const;

 private:
  // One band of a product of a symbol, by owner: what it adds to the symbol's cell of a row.
  struct Term {
    const double* weights = nullptr;  // of the words of right operands; null: no joins
    double scale = 0;
    double epsilon = 0;
    std::int32_t left = 0;  // places in rows
    std::int32_t tail = 0;
    std::int32_t skip = -1;  // the word that is no join
  };

  void compute(std::int32_t expression);
  void fill_row(std::int32_t expression, Cell* row);
  Cell* new_row();
  void compute_facts(std::int32_t expression);
  bool closes_loop(std::int32_t expression);
  Cell sum(std::int32_t symbol, std::int32_t expression) const;
  // The cell of a symbol in the row of an expression; zero when it cannot derive it.
  const Cell& cell(std::int32_t symbol, std::int32_t expression) const;
  template <class Visit>
  void visit_steps(std::int32_t symbol, std::int32_t expression, Visit visit) const;
  bool by_owner() const noexcept { return !grammar_.recurrent(); }
  std::int32_t row_length() const noexcept;

  const AttentionGrammar& grammar_;
  const ExpressionPool& pool_;
  std::vector<std::int32_t> layer_of_slot_;
  std::vector<Term> terms_;                      // by symbol; only by owner
  std::vector<std::size_t> terms_of_;            // [symbol + 1]
  std::vector<std::unique_ptr<Cell[]>> blocks_;  // of kRowsOfBlock rows; rows never move
  std::size_t rows_left_ = 0;                    // in the last block
  std::vector<Cell*> row_;                       // [expression]: its cells; null: not computed
  std::vector<bool> pending_;                    // [expression]: among those that are being computed
  std::vector<std::int32_t> exponent_;           // [expression]
  std::vector<Facts> facts_;                     // [expression]
  std::vector<std::uint64_t> words_;             // [expression, stride]: bits of its words
  std::vector<std::int32_t> stack_;
  std::vector<std::int32_t> mark_;  // [expression]: last visit
  std::int32_t visit_ = 0;
};

}  // namespace mog::analysis

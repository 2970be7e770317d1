// The attention grammar: gates and attention maps of one sentence as a weighted grammar whose
// derivations are multi-order-graph expressions (docs/glossary.md; MoG paper §3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/grammar/rule_sets.h"
#include "io/recording/errors.h"

namespace mog::analysis {

// Why an input was refused; `place` names layer, part, row, e.g. "attention layer 2 part m2 row 1".
class GrammarError : public Error {
 public:
  enum class Reason : std::uint8_t {
    shape,
    negative,
    not_finite,
    range,
    row_sum,
    pi_sum,
    top_sum,
    unknown_kind
  };
  GrammarError(Reason reason, std::string place, const std::string& message);
  ~GrammarError() override;
  Reason reason() const noexcept { return reason_; }
  const std::string& place() const noexcept { return place_; }

 private:
  Reason reason_;
  std::string place_;
};
std::string_view name(GrammarError::Reason reason) noexcept;  // "row_sum", …

// What a model left behind for one sentence of T words and L layers, heads already averaged.
struct GrammarInput {
  GrammarKind kind = GrammarKind::order_groups;
  std::vector<std::string> words{};  // T
  std::int64_t layers = 0;           // L
  // [layer][part] -> [query, key], row-major T*T. The parts are those of the rule set's joins: three of order
  // groups (the second and third of layer 1 are ignored and may be empty), or one attention.
  std::vector<std::vector<std::vector<double>>> attention{};
  std::vector<std::vector<double>> gate{};     // order groups: g [layer][word], in [0, 1]
  std::vector<std::vector<double>> pi{};       // order groups: [layer] -> [word, 3]; empty: 1/3 each
  std::vector<std::vector<double>> rho{};      // attention: [layer][word], in [0, 1]; empty: 1/2
  std::vector<std::vector<double>> z{};        // recurrence: [layer][step], in [0, 1]; of two the forward one
  std::vector<std::vector<double>> sigma_h{};  // recurrence: [layer][step], in [0, 1]; step 1 is ignored
  // Two directions only, [layer][word] in [0, 1]: the backward direction's z and sigma_h (of which step T is
  // ignored), and the forward direction's share in the joined state (empty: 1/2).
  std::vector<std::vector<double>> z_backward{};
  std::vector<std::vector<double>> sigma_backward{};
  std::vector<std::vector<double>> forward_share{};
  // [word]; empty: 1/T each (recurrence: the last step; two directions: the last step of each).
  std::vector<double> top{};
  double top_forward =
      0.5;  // two directions with an empty top: the weight of the forward direction's last step
  // Of the rules, as RuleSet has them; empty, none: as the papers name them.
  std::vector<Part> joins{};
  Part carried{};

  RuleSet rules() const { return {kind, joins, carried}; }
};

// The right side of some rules of one symbol: column n of `weights` is a join with symbol tail_first + n
// and weight scale * weights[n]; `epsilon` is the weight of the rule without a join (0: no such rule).
struct RuleBand {
  const double* weights = nullptr;  // [count]; owned by the grammar
  std::int32_t count = 0;
  std::int32_t skip = -1;  // a column that is no join (the self entry)
  double scale = 0;
  double epsilon = 0;
  std::int32_t tail_first = 0;
  Part part = Part::none;
  std::int32_t epsilon_rule = 0;  // numbers of the rules within the symbol: the order of ties
  std::int32_t first_rule = 0;    // of column 0

  double weight(std::int32_t column) const noexcept { return column == skip ? 0.0 : scale * weights[column]; }
};

// Rules with one left symbol: X -> left (epsilon, any band) and X -> left tail (joins).
struct RuleProduct {
  std::int32_t left = 0;
  std::int32_t first_band = 0;
  std::int32_t band_count = 0;
};

// The grammar as flat arrays. Symbols are numbered so that tails come before heads: the words 0..T-1 (they
// are R[0,m] and N[0,m]), then layer by layer N[l,1..T] (order groups only) or the directions F[l,1..T]
// and B[l,T..1] (two directions only), and R[l,1..T], TOP last.
// Immutable; safe to read from several threads.
class AttentionGrammar {
 public:
  // Checks and takes the input. Rows, pi and top that miss 1 by at most 1e-3 are renormalised; anything
  // worse, negative, not finite or misshapen throws GrammarError naming layer, part and row.
  explicit AttentionGrammar(GrammarInput input);
  AttentionGrammar(const AttentionGrammar&) = delete;
  AttentionGrammar& operator=(const AttentionGrammar&) = delete;
  AttentionGrammar(AttentionGrammar&&) = default;
  AttentionGrammar& operator=(AttentionGrammar&&) = default;

  GrammarKind kind() const noexcept { return input_.kind; }
  bool recurrent() const noexcept { return is_recurrent(input_.kind); }
  std::int64_t layers() const noexcept { return input_.layers; }
  std::int32_t word_count() const noexcept { return static_cast<std::int32_t>(input_.words.size()); }
  const std::vector<std::string>& words() const noexcept { return input_.words; }
  const std::vector<std::string>& names() const noexcept { return names_; }  // as in canonical text
  std::span<const double> top() const noexcept { return input_.top; }
  // Normalised; for layer 1 of order groups the given values, though only the first part counts there.
  const GrammarInput& input() const noexcept { return input_; }
  // Parts of a layer's joins, as in RuleSet::joins.
  std::span<const Part> parts() const noexcept { return input_.joins; }
  RuleSet rules() const { return input_.rules(); }

  std::int32_t symbol_count() const noexcept { return static_cast<std::int32_t>(products_of_.size()) - 1; }
  std::int32_t top_symbol() const noexcept { return symbol_count() - 1; }
  // R[layer, word]: layer 0..L, word from 0. Throws UsageError out of range.
  std::int32_t r_symbol(std::int64_t layer, std::int32_t word) const;
  // N[layer, word] of order groups, layer 0..L; R elsewhere.
  std::int32_t n_symbol(std::int64_t layer, std::int32_t word) const;
  // "R[2,1]", "N[1,3]", "F[1,2]", "B[1,2]", "word 2", "TOP"
  std::string symbol_text(std::int32_t symbol) const;
  std::int32_t layer_of(std::int32_t symbol) const noexcept;  // 0 for words; L + 1 for TOP
  std::int32_t word_of(std::int32_t symbol) const noexcept;   // -1 for TOP
  bool is_word(std::int32_t symbol) const noexcept { return symbol < word_count(); }

  std::span<const RuleProduct> products(std::int32_t symbol) const noexcept {
    const auto s = static_cast<std::size_t>(symbol);
    return {products_.data() + products_of_[s], products_of_[s + 1] - products_of_[s]};
  }
  std::span<const RuleBand> bands(const RuleProduct& product) const noexcept {
    return {bands_.data() + product.first_band, static_cast<std::size_t>(product.band_count)};
  }
  // The left side of TOP's rules: derives the empty string with weight 1.
  static constexpr std::int32_t kUnit = -1;

  // Weight of R[layer, word] -> R[layer - 1, word]: the state goes on as it is. Empty in recurrent grammars,
  // whose states go on from step to step, not from layer to layer. Throws UsageError out of range.
  std::optional<double> carrying(std::int64_t layer, std::int32_t word) const;

  // Inside mass of every symbol [symbol]; 1 up to rounding.
  std::vector<double> inside() const;
  // The rules as text, one a line, for small tests: "R[1,1] -> N[1,1]  0.5".
  std::string dump() const;

 private:
  void build_order_groups();
  void build_attention();
  void build_recurrence();
  void build_two_directions();
  void add_step(std::int32_t input, std::int32_t before, double z, double sigma, Part part);
  void build_top();
  void open_symbol();
  void add_product(std::int32_t left, std::span<const RuleBand> bands);
  void add_unary(std::int32_t left, double weight, std::int32_t rule);

  GrammarInput input_;
  std::vector<std::string> names_;
  std::vector<RuleBand> bands_;
  std::vector<RuleProduct> products_;
  std::vector<std::size_t> products_of_;  // [symbol + 1]
};

// Checks and renormalises; used by the constructor. Throws GrammarError.
void validate(GrammarInput& input);

}  // namespace mog::analysis

// From expressions of a pool to what the public headers hand out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/mog/expressions/expression_pool.h"
#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/expression_masses.h"
#include "analysis/mog/search/k_best.h"

namespace mog::analysis {

// Mass, count, order, kind … of a required expression under a symbol; the weight is its best.
KBestEntry describe_expression(const ExpressionPool& pool, const ExpressionMasses& masses,
                               std::int32_t symbol, std::int32_t expression);
// Appends the nodes of the best derivation in post-order; returns the root's index.
std::int32_t append_best_tree(const AttentionGrammar& grammar, const ExpressionPool& pool,
                              const ExpressionMasses& masses, std::int32_t symbol, std::int32_t expression,
                              std::vector<DerivationNode>& nodes);
std::int32_t append_leaf(std::int32_t word, std::vector<DerivationNode>& nodes);
// Fills expression, text, annotated and the nodes' subgraphs of a derivation that has its nodes.
void finish_derivation(const AttentionGrammar& grammar, const ExpressionPool& pool, std::int32_t expression,
                       Derivation& derivation);

// All of it for the best derivation of an expression; `number` becomes its rank and tie.
Derivation best_derivation(const AttentionGrammar& grammar, const ExpressionPool& pool,
                           ExpressionMasses& masses, std::int32_t symbol, std::int32_t expression,
                           std::int32_t number);
// Throws UsageError when the grammar does not have it.
std::int32_t symbol_of(const AttentionGrammar& grammar, const Goal& goal);

}  // namespace mog::analysis

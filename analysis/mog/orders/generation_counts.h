// How many subgraphs encoders can make and hold, exactly, however large: counts as decimal digits.
//
// "Disjoint" counts are of owner-anchored derivations without overlap over n words; a plain encoder makes one
// again in every later layer, the Graph-Transformer once (MoG paper §3.4). Layers and steps count from 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/mog/expressions/expression.h"
#include "analysis/mog/grammar/attention_grammar.h"

namespace mog::analysis {

using BigCount = std::string;  // decimal digits

// What the representations of all words hold of one order after a layer, copies counted, and what the layer
// made of it.
struct GenerationRow {
  std::int64_t layer = 0;
  BigCount plain_held;
  BigCount plain_new;
  BigCount graph_held;
  BigCount graph_high;  // new by part
  BigCount graph_middle1;
  BigCount graph_middle2;
};
// One row a layer. 1 <= order <= words <= 512, layers 1..64; throws UsageError. O(layers order^2).
std::vector<GenerationRow> generation_counts(std::int64_t words, std::int64_t order, std::int64_t layers);

// Different disjoint derivations of one order: over n words; of one owner and set of words; with free
// anchors (any word of an operand may be joined), of one set of words.
BigCount distinct_derivations(std::int64_t words, std::int64_t order);
BigCount owned_derivations(std::int64_t order);
BigCount free_anchor_derivations(std::int64_t order);

// How often one expression is made.
struct MultiplicityRow {
  std::int64_t layer = 0;
  BigCount plain_multiplicity;          // derivations that the plain representation of its owner holds
  std::int64_t plain_events = 0;        // layers up to this one that make it
  std::int64_t graph_multiplicity = 0;  // 1 from the layer that equals its depth
};
// Throws UsageError for an expression with overlaps or whose joins do not link the owners.
std::vector<MultiplicityRow> multiplicities(const Expression& expression, std::int64_t layers);

// Expressions of one word with overlaps and self pairs, after layers 0..layers (at most 16).
struct OverlapRow {
  std::int64_t layer = 0;
  BigCount plain;
  BigCount graph;
};
std::vector<OverlapRow> overlap_counts(std::int64_t words, std::int64_t layers);

// Recurrent encoders: at step t, expressions of one order in one layer, C(t, order); all of layer l,
// 2^C(t+l-1, l) - 1 (refused above 2^20 bits).
BigCount recurrent_of_order(std::int64_t step, std::int64_t order);
BigCount recurrent_total(std::int64_t step, std::int64_t layer);

// Size of an attention grammar none of whose weights is 0 (TOP has a rule for every word), and derivations
// of the last word in the last layer. At most 16 layers.
struct GrammarSize {
  BigCount rules;
  BigCount derivations;
};
// Throws UsageError for a bidirectional encoder, which has no closed form here.
GrammarSize grammar_size(GrammarKind kind, std::int64_t words, std::int64_t layers);

}  // namespace mog::analysis

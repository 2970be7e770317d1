// The diagrams of the MoG paper from real expressions: how subgraphs are generated, iterated, and read as
// syntax.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/expressions/expression_parser.h"

namespace mog::analysis {

// One panel an expression (MoG paper, Figure 1): its distinct edges, numbered in the order of their
// generation, the last one thick; lines around what it joins. Titled by the kind of the last join.
FigureData kinds_diagram(std::span<const ParsedExpression> expressions);

// One panel an expression (Figure 2): joins at the height of the layer that makes them; where every join adds
// one word to what was there, the heights are the steps of one layer (sentence-level iteration).
FigureData iterations_diagram(std::span<const ParsedExpression> expressions);

// One step of one layer (Figure 6): the edges of all expressions that layers below `layer` make, and the same
// with those that `layer` adds, thick, each with its order. An edge is made in the layer that its annotation
// `l` names, without one in the layer after its operands' (its subgraph's depth). 0: the last layer. Throws
// UsageError when no edge is made there.
FigureData layer_step_diagram(std::span<const ParsedExpression> expressions, std::int64_t layer = 0);

// A sentence as a multi-order graph (Figure 7): the edges as arcs with their relation or the place in the
// order of generation, and the same joins as a tree. Several expressions follow one another.
FigureData sentence_diagram(std::span<const ParsedExpression> expressions);

// Every join's heights, weights and parts as far as the text gives them. Throws UsageError for an empty list,
// more than kMostDiagrams expressions, or a graph with more than kMostDiagramNodes words.
inline constexpr std::size_t kMostDiagrams = 24;
inline constexpr std::size_t kMostDiagramNodes = 60;

}  // namespace mog::analysis

// Figures of expressions, whoever wrote them.
#pragma once

#include "analysis/figure_data/derivation_figures.h"
#include "analysis/mog/expressions/expression_parser.h"

namespace mog::analysis {

// The expression as a binary tree above its words. A join stands at the height of its annotation `l` where
// every join has one that its operands allow, else at its depth; `part` gives the colour, `w` the weight.
FigureData expression_tree_figure(const ParsedExpression& parsed, const SentenceFigureText& text = {});
// Its joins as arcs source -> target, each with its annotation `rel`, else with its number.
FigureData expression_arcs_figure(const ParsedExpression& parsed, const SentenceFigureText& text = {});

}  // namespace mog::analysis

// Multi-order graphs and derivation forests as text, JSON, DOT and GraphML. Equal graphs give equal bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/mog/graph_files/forest.h"

namespace mog::analysis {

enum class GraphFormat : std::uint8_t { text, json, dot, graphml };

// Ends with a newline. Bytes that are not UTF-8 become U+FFFD.
std::string export_graph(const MultiOrderGraph& graph, GraphFormat format);
// Several in one file: lines of JSON, graphs of one GraphML document, digraphs one after the other.
std::string export_graphs(std::span<const MultiOrderGraph> graphs, GraphFormat format);
std::string export_forest(const Forest& forest, GraphFormat format);
// A weight in four digits; one that is too small for a double from its logarithm ("3.214e-1217").
std::string weight_text(double weight, double log_weight);

}  // namespace mog::analysis

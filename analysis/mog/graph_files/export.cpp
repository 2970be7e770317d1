#include "analysis/mog/graph_files/export.h"

#include <fmt/format.h>

#include "analysis/mog/graph_files/graph_export.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {

std::string export_graph(const MultiOrderGraph& graph, GraphFormat format) {
  switch (format) {
    case GraphFormat::text:
      return valid_utf8(graph_as_text(graph));
    case GraphFormat::json:
      return graph_as_json(graph) + '\n';
    case GraphFormat::dot:
      return graph_as_dot(graph);
    case GraphFormat::graphml:
      break;
  }
  return graph_as_graphml(graph);
}

std::string export_graphs(std::span<const MultiOrderGraph> graphs, GraphFormat format) {
  if (format == GraphFormat::graphml) {
    return graphs_as_graphml(graphs);
  }
  std::string text;
  for (const MultiOrderGraph& graph : graphs) {
    text += export_graph(graph, format);
  }
  return text;
}

std::string export_forest(const Forest& forest, GraphFormat format) {
  switch (format) {
    case GraphFormat::text:
      return forest_as_text(forest);
    case GraphFormat::json:
      return forest_as_json(forest) + '\n';
    case GraphFormat::dot:
      return forest_as_dot(forest);
    case GraphFormat::graphml:
      break;
  }
  return forest_as_graphml(forest);
}

}  // namespace mog::analysis

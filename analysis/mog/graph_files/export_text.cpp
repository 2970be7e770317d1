// Text for people: a list with one line a tree, then each tree with its joins.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "analysis/mog/expressions/identifiers.h"
#include "analysis/mog/graph_files/export.h"
#include "analysis/mog/graph_files/graph_export.h"

namespace mog::analysis {
namespace {

std::string part_text(const JoinEdge& edge) {
  return edge.layer > 0 ? fmt::format("  l={} {:<2} {:.4g}", edge.layer, edge.part.short_name(), edge.weight)
                        : "";
}

}  // namespace

std::string weight_text(double weight, double log_weight) {
  if (weight >= std::numeric_limits<double>::min() || !std::isfinite(log_weight)) {
    return fmt::format("{:.4g}", weight);
  }
  const double tens = log_weight / std::log(10.0);
  return fmt::format("{:.3f}e{:.0f}", std::pow(10.0, tens - std::floor(tens)), std::floor(tens));
}

std::string graph_as_text(const MultiOrderGraph& graph) {
  const TreeInfo& info = graph[boost::graph_bundle];
  std::string text = fmt::format("{}\norder {}  leaves {}  depth {}  kind {}{}\n", info.text, info.order,
                                 info.leaves, info.depth, info.kind, info.simple ? "  simple" : "");
  for (const auto& edge : edges_by_id(graph)) {
    const JoinEdge& join = graph[edge];
    text += fmt::format("  {:>3}  {} -> {}  order {}  kind {}{}\n", join.id,
                        graph[boost::source(edge, graph)].name, graph[boost::target(edge, graph)].name,
                        join.order, join.kind, part_text(join));
  }
  return text;
}

std::string forest_as_text(const Forest& forest) {
  const ForestInfo& info = forest[boost::graph_bundle];
  std::string words;
  for (const std::string& word : info.words) {
    words += (words.empty() ? "" : " ") + (has_escaped(word) ? quoted_name(word) : word);
  }
  std::string text = fmt::format("{}: {} best of \"{}\"\n", info.title, info.trees.size(), words);
  text += "rank  weight      mass        derivations  order  leaves  kind  expression\n";
  for (const TreeInfo& tree : info.trees) {
    text += fmt::format("{:>4}  {:<10}  {:<10}  {:>11.6g}  {:>5}  {:>6}  {:>4}  {}\n", tree.rank,
                        weight_text(tree.weight, tree.log_weight), weight_text(tree.mass, tree.log_mass),
                        tree.derivations, tree.order, tree.leaves, tree.kind, tree.annotated);
  }
  if (info.ended_by_limit) {
    text += "the search ended at its limit: the last group of equal weights may be incomplete\n";
  }
  return valid_utf8(text);
}

}  // namespace mog::analysis

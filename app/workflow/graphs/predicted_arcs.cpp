#include "app/workflow/graphs/predicted_arcs.h"

#include <span>

#include "app/workflow/graphs/decode_tree.h"

namespace mog::app {

std::vector<model::GraphArc> predicted_arcs(const model::GraphConfig& graph,
                                            const std::vector<const Sentence*>& sentences,
                                            const model::PairScores& scores) {
  const std::span<const float> arcs = scores.values.at("arcs");
  const std::span<const float> labels = scores.values.at("labels");
  const std::size_t classes = graph.labels.size();
  std::vector<model::GraphArc> all;
  std::int64_t first = 0;
  for (std::size_t at = 0; at < sentences.size(); ++at) {
    const Sentence& sentence = *sentences[at];
    const auto begin = static_cast<std::size_t>(scores.area[at]);
    const std::size_t size = static_cast<std::size_t>(scores.area[at + 1]) - begin;
    const DecodedTree decoded = decode_tree(graph, sentence, arcs.subspan(begin, size),
                                            labels.subspan(begin * classes, size * classes));
    for (const model::GraphArc& arc : model::dependency_arcs(graph, sentence, decoded.tree)) {
      all.push_back({first + arc.query, first + arc.key, arc.relation});
    }
    first += static_cast<std::int64_t>(sentence.tokens.size());
  }
  return all;
}

}  // namespace mog::app

#include "app/workflow/graphs/read_graphs.h"

#include "app/workflow/graphs/coref_chains.h"
#include "app/workflow/graphs/parse_sentences.h"

namespace mog::app {

std::vector<std::vector<model::GraphArc>> read_graphs(const model::Model& model,
                                                      std::span<const Sentence> sentences,
                                                      std::stop_token stop) {
  const model::ModelConfig& config = model.config();
  std::vector<std::vector<model::GraphArc>> arcs(sentences.size());
  if (!config.encoder.graph_input || !config.graph) {
    return arcs;
  }
  if (config.graph->kind == model::GraphKind::coreference) {
    return read_links(model, sentences, stop);
  }
  const std::vector<Parse> parses = parse_sentences(model, sentences, {.stop = stop});
  for (std::size_t at = 0; at < sentences.size(); ++at) {
    const std::vector<model::DependencyTree>& rounds = parses[at].rounds;
    const bool refined = rounds.size() > 1;
    arcs[at] = model::dependency_arcs(*config.graph, sentences[at],
                                      refined ? rounds[rounds.size() - 2] : model::DependencyTree{});
  }
  return arcs;
}

}  // namespace mog::app

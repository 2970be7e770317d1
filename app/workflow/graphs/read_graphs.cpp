#include "app/workflow/graphs/read_graphs.h"

#include <utility>

#include "app/workflow/graphs/coref_chains.h"
#include "app/workflow/graphs/parse_sentences.h"

namespace mog::app {
namespace {

// Of a transition parser, which hangs the root's word last: the arcs that it had when it did.
model::DependencyTree before_the_root(model::DependencyTree tree) {
  for (std::size_t word = 0; word < tree.heads.size(); ++word) {
    if (tree.heads[word] == 0) {
      tree.heads[word] = analysis::kNoHead;
    }
  }
  return tree;
}

}  // namespace

std::vector<std::vector<model::GraphArc>> read_graphs(const model::Model& model,
                                                      std::span<const Sentence> sentences,
                                                      std::stop_token stop,
                                                      std::optional<std::int64_t> round) {
  const model::ModelConfig& config = model.config();
  std::vector<std::vector<model::GraphArc>> arcs(sentences.size());
  if (!config.encoder.graph_input || !config.graph || config.graph->reads_states()) {
    return arcs;
  }
  if (config.graph->kind == model::GraphKind::coreference) {
    return read_links(model, sentences, stop, round);
  }
  if (config.graph->by_transitions()) {
    const std::vector<Parse> parses = parse_sentences(model, sentences, {.stop = stop});
    for (std::size_t at = 0; at < sentences.size(); ++at) {
      arcs[at] = model::dependency_arcs(*config.graph, sentences[at], before_the_root(parses[at].best.tree));
    }
    return arcs;
  }
  const std::int64_t last = round.value_or(config.graph->refinements);
  if (last == 0) {
    return arcs;
  }
  const std::vector<Parse> parses =
      parse_sentences(model, sentences, {.refinements = last - 1, .stop = stop});
  for (std::size_t at = 0; at < sentences.size(); ++at) {
    arcs[at] = model::dependency_arcs(*config.graph, sentences[at], parses[at].rounds.back());
  }
  return arcs;
}

model::PackedBatch packed_with_graphs(const model::Model& model, std::span<const Sentence> sentences,
                                      std::stop_token stop, std::optional<std::int64_t> round) {
  const std::vector<std::vector<model::GraphArc>> graphs =
      read_graphs(model, sentences, std::move(stop), round);
  model::PackedBatch packed;
  for (std::size_t at = 0; at < sentences.size(); ++at) {
    const std::int64_t first = packed.tokens();
    packed.append(sentences[at]);
    for (const model::GraphArc& arc : graphs[at]) {
      packed.arcs.push_back({first + arc.query, first + arc.key, arc.relation});
    }
  }
  return packed;
}

}  // namespace mog::app

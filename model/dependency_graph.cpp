#include "model/dependency_graph.h"

#include <algorithm>
#include <string>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

class Arcs {
 public:
  explicit Arcs(const GraphConfig& graph) : graph_(graph) {}

  // `from` hangs on `to`.
  void add(std::int64_t from, std::int64_t to, std::int64_t label) {
    for (const GraphArc& arc : arcs_of_pair(graph_, from, to, label)) {
      arcs_.push_back(arc);
    }
  }
  std::vector<GraphArc> take() {
    const auto before = [](const GraphArc& left, const GraphArc& right) {
      return left.query != right.query ? left.query < right.query : left.key < right.key;
    };
    const auto same = [](const GraphArc& left, const GraphArc& right) {
      return left.query == right.query && left.key == right.key;
    };
    std::stable_sort(arcs_.begin(), arcs_.end(), before);
    arcs_.erase(std::unique(arcs_.begin(), arcs_.end(), same), arcs_.end());
    return std::move(arcs_);
  }

 private:
  const GraphConfig& graph_;
  std::vector<GraphArc> arcs_;
};

}  // namespace

bool can_read_graph(const EncoderConfig& encoder) noexcept {
  return encoder.kind == EncoderKind::transformer;
}

std::vector<std::int64_t> vertex_tokens(const Sentence& sentence) {
  std::vector<std::int64_t> tokens(sentence.words.size() + 1, -1);
  for (std::size_t at = 0; at < sentence.tokens.size(); ++at) {
    std::int64_t& token = tokens[static_cast<std::size_t>(sentence.tokens[at].word + 1)];
    token = token < 0 ? static_cast<std::int64_t>(at) : token;
  }
  if (tokens.front() < 0) {
    throw ModelError(
        "A dependency graph of sentence " + std::to_string(sentence.number) +
        ": its root is the first token that belongs to no word, and there is none; the tokenizer "
        "of the model must add one (</s>, [CLS]).");
  }
  return tokens;
}

std::array<GraphArc, 2> arcs_of_pair(const GraphConfig& graph, std::int64_t dependent, std::int64_t head,
                                     std::int64_t label) {
  const std::int64_t opposite = (graph.relations() - 1) / 2;
  return {GraphArc{dependent, head, label + 1}, GraphArc{head, dependent, label + 1 + opposite}};
}

std::vector<GraphArc> dependency_arcs(const GraphConfig& graph, const Sentence& sentence,
                                      const DependencyTree& tree) {
  const auto labels = static_cast<std::int64_t>(graph.labels.size());
  const std::vector<std::int64_t> tokens = vertex_tokens(sentence);
  Arcs arcs(graph);
  for (std::size_t word = 0; word < tree.heads.size(); ++word) {
    const std::int32_t head = tree.heads[word];
    const std::int64_t from = tokens[word + 1];
    if (head < 0 || from < 0 || tokens[static_cast<std::size_t>(head)] < 0 || tree.labels[word] < 0) {
      continue;
    }
    arcs.add(from, tokens[static_cast<std::size_t>(head)], tree.labels[word]);
  }
  for (std::size_t at = 0; graph.link_pieces && at < sentence.tokens.size(); ++at) {
    const std::int64_t word = sentence.tokens[at].word;
    const std::int64_t first = word < 0 ? -1 : tokens[static_cast<std::size_t>(word) + 1];
    if (first >= 0 && first != static_cast<std::int64_t>(at)) {
      arcs.add(static_cast<std::int64_t>(at), first, labels);
    }
  }
  return arcs.take();
}

std::vector<Relation> relations_of(const GraphInputConfig& input, const GraphConfig* graph) {
  std::vector<Relation> relations = {{"none", ""}};
  if (graph == nullptr) {
    for (std::int64_t number = 1; number < input.relations; ++number) {
      relations.push_back({std::to_string(number), ""});
    }
    return relations;
  }
  if (graph->kind == GraphKind::coreference) {
    relations.push_back({"mention", "to its start"});
    relations.push_back({"antecedent", "to the antecedent"});
    return relations;
  }
  for (const bool to_head : {true, false}) {
    for (const std::string& label : graph->labels) {
      relations.push_back({label, to_head ? "to the head" : "to the dependent"});
    }
    if (graph->link_pieces) {
      relations.push_back({"piece of a word", to_head ? "to the head" : "to the dependent"});
    }
  }
  return relations;
}

}  // namespace mog::model

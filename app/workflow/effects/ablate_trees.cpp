#include "app/workflow/effects/ablate_trees.h"

#include <algorithm>
#include <cmath>

#include "app/workflow/graphs/decode_tree.h"
#include "model/dependency_graph.h"

namespace mog::app {
namespace {

constexpr const char* kHeads = "heads";
constexpr const char* kArcs = "arcs";
constexpr double kNever = -1e30;  // finite: it is compared with itself

// Natural logarithms of the softmax; entries at kNever stay there.
void normalize(std::vector<double>& scores) {
  const double greatest = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (const double score : scores) {
    sum += std::exp(score - greatest);
  }
  const double log = greatest + std::log(sum);
  for (double& score : scores) {
    score = score > kNever / 2 ? score - log : kNever;
  }
}

std::string without_subtype(const std::string& relation) {
  return relation.substr(0, relation.find(':'));
}

std::string arc_text(std::int32_t head, const std::string& label) {
  return std::to_string(head) + ":" + label;
}

}  // namespace

std::vector<std::string> tree_tasks(const model::ModelConfig& config) {
  if (!config.graph || config.graph->kind != model::GraphKind::dependencies) {
    return {};
  }
  return {kHeads, kArcs};
}

void add_tree(const model::GraphConfig& graph, const Sentence& sentence, std::span<const float> arcs,
              std::span<const float> labels, SentenceTags& tags,
              std::map<std::string, std::vector<float>>& scores) {
  const model::DependencyTree tree = decode_tree(graph, sentence, arcs, labels).tree;
  std::vector<std::string>& heads_told = tags.tags[kHeads];
  std::vector<std::string>& arcs_told = tags.tags[kArcs];
  for (std::size_t word = 0; word < tree.heads.size(); ++word) {
    heads_told.push_back(std::to_string(tree.heads[word]));
    const auto label = static_cast<std::size_t>(std::max(tree.labels[word], 0));
    arcs_told.push_back(arc_text(tree.heads[word], without_subtype(graph.labels.at(label))));
  }
  const std::size_t tokens = sentence.tokens.size();
  const std::vector<std::int64_t> vertices = model::vertex_tokens(sentence);
  const std::size_t width = vertices.size();
  const std::size_t count = graph.labels.size();
  std::vector<float>& of_heads = scores[kHeads];
  std::vector<float>& of_arcs = scores[kArcs];
  of_heads.assign(tokens * width, 0.0F);
  of_arcs.assign(tokens * width * count, 0.0F);
  for (std::size_t word = 1; word < width; ++word) {
    if (vertices[word] < 0) {
      continue;
    }
    const auto token = static_cast<std::size_t>(vertices[word]);
    std::vector<double> heads(width, kNever);
    for (std::size_t head = 0; head < width; ++head) {
      if (head != word && vertices[head] >= 0) {
        heads[head] = static_cast<double>(arcs[token * tokens + static_cast<std::size_t>(vertices[head])]);
      }
    }
    normalize(heads);
    for (std::size_t head = 0; head < width; ++head) {
      of_heads[token * width + head] = static_cast<float>(heads[head]);
      std::vector<double> own(count, heads[head]);
      if (heads[head] > kNever) {
        const std::size_t place = token * tokens + static_cast<std::size_t>(vertices[head]);
        for (std::size_t label = 0; label < count; ++label) {
          own[label] = static_cast<double>(labels[label * arcs.size() + place]);
        }
        normalize(own);
        for (double& value : own) {
          value += heads[head];
        }
      }
      std::transform(own.begin(), own.end(),
                     of_arcs.begin() + static_cast<std::ptrdiff_t>((token * width + head) * count),
                     [](double value) { return static_cast<float>(value); });
    }
  }
}

void add_gold_tree(TaggedSentence& sentence) {
  for (std::size_t word = 0; word < sentence.heads.size(); ++word) {
    const std::string& relation = sentence.relations[word];
    sentence.tags[kHeads].push_back(std::to_string(sentence.heads[word]));
    sentence.tags[kArcs].push_back(arc_text(sentence.heads[word], without_subtype(relation)));
  }
}

}  // namespace mog::app

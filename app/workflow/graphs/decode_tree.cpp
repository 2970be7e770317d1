#include "app/workflow/graphs/decode_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/mog/dependencies/arborescence.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kUnlikely = -1e4;  // of the arcs of a word without a token

class TreeDecoder {
 public:
  TreeDecoder(const model::GraphConfig& graph, const Sentence& sentence, std::span<const float> arcs,
              std::span<const float> labels)
      : graph_(graph),
        words_(static_cast<std::int32_t>(sentence.words.size())),
        tokens_(sentence.tokens.size()),
        vertices_(model::vertex_tokens(sentence)),
        arcs_(arcs),
        labels_(labels) {
    if (arcs.size() != tokens_ * tokens_ || labels.size() != arcs.size() * graph.labels.size()) {
      throw ShapeError("Decoding a tree: " + std::to_string(arcs.size()) + " scores of arcs and " +
                       std::to_string(labels.size()) + " of labels for " + std::to_string(tokens_) +
                       " tokens and " + std::to_string(graph.labels.size()) + " labels.");
    }
  }

  DecodedTree decode(const DecodeOptions& options) const {
    DecodedTree decoded;
    const analysis::EdgeWeights weights = edge_weights();
    decoded.tree.heads = analysis::best_heads(weights, {.projective = options.projective, .one_root = true});
    for (std::int32_t word = 1; word <= words_; ++word) {
      const std::int32_t head = decoded.tree.heads[static_cast<std::size_t>(word) - 1];
      const bool seen = token(word) >= 0 && token(head) >= 0;
      const auto [label, probability] =
          seen ? best_label(word, head) : std::pair<std::int32_t, double>{0, 0.0};
      decoded.tree.labels.push_back(label);
      decoded.label_probabilities.push_back(probability);
      decoded.head_probabilities.push_back(seen ? std::exp(weights.at(head, word)) : 0.0);
    }
    return decoded;
  }

 private:
  std::int64_t token(std::int32_t vertex) const { return vertices_[static_cast<std::size_t>(vertex)]; }
  double score(std::int32_t dependent, std::int32_t head) const {
    return static_cast<double>(
        arcs_[static_cast<std::size_t>(token(dependent)) * tokens_ + static_cast<std::size_t>(token(head))]);
  }

  analysis::EdgeWeights edge_weights() const {
    const auto size = static_cast<std::size_t>(words_) + 1;
    analysis::EdgeWeights weights{words_, std::vector<double>(size * size, kNever)};
    const auto at = [&](std::int32_t head, std::int32_t dependent) -> double& {
      return weights.values[static_cast<std::size_t>(head) * size + static_cast<std::size_t>(dependent)];
    };
    for (std::int32_t word = 1; word <= words_; ++word) {
      if (token(word) < 0) {
        for (std::int32_t head = 0; head < word; ++head) {
          at(head, word) = head == word - 1 ? 0.0 : kUnlikely;
        }
        continue;
      }
      double greatest = kNever;
      for (std::int32_t head = 0; head <= words_; ++head) {
        if (head != word && token(head) >= 0) {
          at(head, word) = score(word, head);
          greatest = std::max(greatest, at(head, word));
        }
      }
      double sum = 0.0;
      for (std::int32_t head = 0; head <= words_; ++head) {
        sum += std::exp(at(head, word) - greatest);
      }
      for (std::int32_t head = 0; head <= words_; ++head) {
        at(head, word) -= greatest + std::log(sum);
      }
    }
    return weights;
  }

  std::pair<std::int32_t, double> best_label(std::int32_t dependent, std::int32_t head) const {
    const std::size_t place =
        static_cast<std::size_t>(token(dependent)) * tokens_ + static_cast<std::size_t>(token(head));
    const auto root = std::find(graph_.labels.begin(), graph_.labels.end(), "root") - graph_.labels.begin();
    const auto count = static_cast<std::ptrdiff_t>(graph_.labels.size());
    std::ptrdiff_t best = -1;
    double greatest = kNever;
    for (std::ptrdiff_t label = 0; label < count; ++label) {
      const bool allowed = root == count || count == 1 || (label == root) == (head == 0);
      const double value =
          static_cast<double>(labels_[static_cast<std::size_t>(label) * arcs_.size() + place]);
      if (allowed && (best < 0 || value > greatest)) {
        best = label;
        greatest = value;
      }
    }
    double sum = 0.0;
    for (std::ptrdiff_t label = 0; label < count; ++label) {
      sum += std::exp(static_cast<double>(labels_[static_cast<std::size_t>(label) * arcs_.size() + place]) -
                      greatest);
    }
    return {static_cast<std::int32_t>(best), 1.0 / sum};
  }

  const model::GraphConfig& graph_;
  std::int32_t words_;
  std::size_t tokens_;
  std::vector<std::int64_t> vertices_;
  std::span<const float> arcs_;
  std::span<const float> labels_;
};

}  // namespace

DecodedTree decode_tree(const model::GraphConfig& graph, const Sentence& sentence,
                        std::span<const float> arcs, std::span<const float> labels,
                        const DecodeOptions& options) {
  return TreeDecoder(graph, sentence, arcs, labels).decode(options);
}

}  // namespace mog::app

#include "app/workflow/graphs/decode_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "analysis/mog/dependencies/arborescence.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

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
    for (std::int32_t word = 1; word <= words_; ++word) {
      if (token(word) >= 0) {
        seen_.push_back(word);
      }
    }
  }

  DecodedTree decode(const DecodeOptions& options) const {
    DecodedTree decoded;
    if (words_ == 0) {
      return decoded;
    }
    const analysis::EdgeWeights weights = edge_weights();
    decoded.tree.heads.assign(static_cast<std::size_t>(words_), -1);
    if (!seen_.empty()) {
      const std::vector<std::int32_t> heads = best_heads(weights, options);
      for (std::size_t at = 0; at < seen_.size(); ++at) {
        decoded.tree.heads[static_cast<std::size_t>(seen_[at]) - 1] = vertex(heads[at]);
      }
    }
    attach_unseen(decoded.tree.heads);
    decoded.tree.labels.assign(decoded.tree.heads.size(), unseen_label());
    decoded.label_probabilities.assign(decoded.tree.heads.size(), 0.0);
    decoded.head_probabilities = decoded.label_probabilities;
    for (std::size_t at = 0; at < seen_.size(); ++at) {
      const auto word = static_cast<std::size_t>(seen_[at]) - 1;
      const std::int32_t head = decoded.tree.heads[word];
      std::tie(decoded.tree.labels[word], decoded.label_probabilities[word]) = best_label(seen_[at], head);
      decoded.head_probabilities[word] =
          std::exp(weights.at(place_of(head), static_cast<std::int32_t>(at) + 1));
    }
    return decoded;
  }

  ArcTable table() const {
    const auto side = static_cast<std::size_t>(words_) + 1;
    ArcTable table{words_, std::vector<double>(side * side, std::numeric_limits<double>::quiet_NaN()),
                   std::vector<std::int32_t>(side * side, -1), std::vector<double>(side * side, 0.0)};
    const analysis::EdgeWeights weights = edge_weights();
    for (std::size_t at = 0; at < seen_.size(); ++at) {
      for (std::size_t place = 0; place <= seen_.size(); ++place) {
        const std::int32_t head = vertex(static_cast<std::int32_t>(place));
        if (head == seen_[at]) {
          continue;
        }
        const std::size_t cell = table.at(head, seen_[at]);
        table.probabilities[cell] =
            std::exp(weights.at(static_cast<std::int32_t>(place), static_cast<std::int32_t>(at) + 1));
        std::tie(table.labels[cell], table.label_probabilities[cell]) = best_label(seen_[at], head);
      }
    }
    return table;
  }

 private:
  std::vector<std::int32_t> best_heads(const analysis::EdgeWeights& weights,
                                       const DecodeOptions& options) const {
    const analysis::TreeOptions trees{.projective = options.projective, .one_root = true};
    if (options.constraints == nullptr || options.constraints->empty()) {
      return analysis::best_heads(weights, trees);
    }
    try {
      return analysis::best_heads(constrained(weights, *options.constraints), trees);
    } catch (const UsageError&) {
      std::ignore = analysis::best_heads(weights, trees);  // throws where the scores are at fault
      throw ConstraintError(options.projective
                                ? "No tree without crossing arcs obeys all arcs that were set; let go of one."
                                : "No tree obeys all arcs that were set; let go of one.");
    }
  }

  // Forbidden arcs are no edges; a forced one is the only edge into its word, and a forced root the only one.
  analysis::EdgeWeights constrained(analysis::EdgeWeights weights, const TreeConstraints& constraints) const {
    const std::size_t size = seen_.size() + 1;
    const auto weight = [&](std::size_t head, std::size_t dependent) -> double& {
      return weights.values[head * size + dependent];
    };
    for (const TreeArc& arc : constraints.forbidden) {
      weight(static_cast<std::size_t>(place_of(arc.head)),
             static_cast<std::size_t>(place_of(arc.dependent))) = kNever;
    }
    for (const TreeArc& arc : constraints.forced) {
      const auto head = static_cast<std::size_t>(place_of(arc.head));
      const auto dependent = static_cast<std::size_t>(place_of(arc.dependent));
      for (std::size_t other = 0; other < size; ++other) {
        if (other != head) {
          weight(other, dependent) = kNever;
        }
        if (head == 0 && other > 0 && other != dependent) {
          weight(0, other) = kNever;
        }
      }
    }
    return weights;
  }

  std::int64_t token(std::int32_t vertex) const { return vertices_[static_cast<std::size_t>(vertex)]; }
  double score(std::int32_t dependent, std::int32_t head) const {
    return static_cast<double>(
        arcs_[static_cast<std::size_t>(token(dependent)) * tokens_ + static_cast<std::size_t>(token(head))]);
  }

  // Vertices of the tree that is sought are the root and the words with a token.
  std::int32_t vertex(std::int32_t place) const {
    return place == 0 ? 0 : seen_[static_cast<std::size_t>(place) - 1];
  }
  std::int32_t place_of(std::int32_t vertex) const {
    return vertex == 0 ? 0
                       : static_cast<std::int32_t>(std::lower_bound(seen_.begin(), seen_.end(), vertex) -
                                                   seen_.begin()) +
                             1;
  }

  // A word without a token hangs on the word before it, those before all others on the root's word; where no
  // word has a token, the first one is the root's.
  void attach_unseen(std::vector<std::int32_t>& heads) const {
    const auto root = std::find(heads.begin(), heads.end(), 0) - heads.begin();
    const bool all = root == static_cast<std::ptrdiff_t>(heads.size());
    const std::int32_t first = all ? 1 : static_cast<std::int32_t>(root) + 1;
    for (std::int32_t word = 1; word <= words_; ++word) {
      std::int32_t& head = heads[static_cast<std::size_t>(word) - 1];
      if (head < 0) {
        const bool leads = seen_.empty() ? word == 1 : word < seen_.front();
        head = all && word == 1 ? 0 : leads ? first : word - 1;
      }
    }
  }

  std::int32_t unseen_label() const {
    const auto found = std::find(graph_.labels.begin(), graph_.labels.end(), "dep");
    return found == graph_.labels.end() ? 0 : static_cast<std::int32_t>(found - graph_.labels.begin());
  }

  analysis::EdgeWeights edge_weights() const {
    const std::size_t size = seen_.size() + 1;
    analysis::EdgeWeights weights{static_cast<std::int32_t>(seen_.size()),
                                  std::vector<double>(size * size, kNever)};
    for (std::size_t dependent = 1; dependent < size; ++dependent) {
      const auto at = [&](std::size_t head) -> double& { return weights.values[head * size + dependent]; };
      double greatest = kNever;
      for (std::size_t head = 0; head < size; ++head) {
        if (head != dependent) {
          at(head) = score(seen_[dependent - 1], vertex(static_cast<std::int32_t>(head)));
          greatest = std::max(greatest, at(head));
        }
      }
      double sum = 0.0;
      for (std::size_t head = 0; head < size; ++head) {
        sum += std::exp(at(head) - greatest);
      }
      for (std::size_t head = 0; head < size; ++head) {
        at(head) -= greatest + std::log(sum);
      }
    }
    return weights;
  }

  std::pair<std::int32_t, double> best_label(std::int32_t dependent, std::int32_t head) const {
    const std::size_t place =
        static_cast<std::size_t>(token(dependent)) * tokens_ + static_cast<std::size_t>(token(head));
    const auto root = std::find(graph_.labels.begin(), graph_.labels.end(), "root") - graph_.labels.begin();
    const auto count = static_cast<std::ptrdiff_t>(graph_.labels.size());
    const auto allowed = [&](std::ptrdiff_t label) {
      return root == count || count == 1 || (label == root) == (head == 0);
    };
    const auto value = [&](std::ptrdiff_t label) {
      return static_cast<double>(labels_[static_cast<std::size_t>(label) * arcs_.size() + place]);
    };
    std::ptrdiff_t best = -1;
    for (std::ptrdiff_t label = 0; label < count; ++label) {
      if (allowed(label) && (best < 0 || value(label) > value(best))) {
        best = label;
      }
    }
    double sum = 0.0;
    for (std::ptrdiff_t label = 0; label < count; ++label) {
      sum += allowed(label) ? std::exp(value(label) - value(best)) : 0.0;
    }
    return {static_cast<std::int32_t>(best), 1.0 / sum};
  }

  const model::GraphConfig& graph_;
  std::int32_t words_;
  std::size_t tokens_;
  std::vector<std::int64_t> vertices_;
  std::vector<std::int32_t> seen_;  // words with a token, from 1
  std::span<const float> arcs_;
  std::span<const float> labels_;
};

}  // namespace

DecodedTree decode_tree(const model::GraphConfig& graph, const Sentence& sentence,
                        std::span<const float> arcs, std::span<const float> labels,
                        const DecodeOptions& options) {
  if (options.constraints != nullptr) {
    check_constraints(*options.constraints, sentence);
  }
  return TreeDecoder(graph, sentence, arcs, labels).decode(options);
}

ArcTable arc_table(const model::GraphConfig& graph, const Sentence& sentence, std::span<const float> arcs,
                   std::span<const float> labels) {
  return TreeDecoder(graph, sentence, arcs, labels).table();
}

}  // namespace mog::app

#include "analysis/figure_data/derivation_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

std::vector<WordLabel> labels_of(std::span<const std::string> words) {
  std::vector<WordLabel> result;
  for (const std::string& word : words) {
    result.push_back({word, false, static_cast<std::int64_t>(result.size())});
  }
  return result;
}

// The edge that each subgraph of an expression makes; nullptr for atoms.
std::vector<const MogEdge*> edges_by_subgraph(const Expression& expression,
                                              const std::vector<MogEdge>& edges) {
  std::vector<const MogEdge*> result(expression.subgraphs().size(), nullptr);
  for (const MogEdge& edge : edges) {
    result[static_cast<std::size_t>(edge.made)] = &edge;
  }
  return result;
}

std::string tuple_text(const Expression& expression, const MogEdge& edge,
                       std::span<const std::string> names) {
  const auto text = [&](std::int32_t subgraph) {
    std::string whole = canonical_text(expression.subexpression(subgraph), names);
    constexpr std::size_t kLongest = 400;
    if (whole.size() > kLongest) {  // the read-out of a deep tree
      whole = whole.substr(0, character_boundary(whole, kLongest)) + " …";
    }
    return whole;
  };
  return fmt::format("({}, {}, {}, {}, {}, {})", names[static_cast<std::size_t>(edge.source)],
                     names[static_cast<std::size_t>(edge.target)], text(edge.left), text(edge.right),
                     text(edge.made), edge.order);
}

// Appends the nodes of one derivation and returns the index of its root.
std::int64_t append(TreeFigure& tree, const Derivation& derivation, std::span<const std::string> names) {
  const std::vector<MogEdge> edges = derivation.expression.edges();
  const auto edge_of = edges_by_subgraph(derivation.expression, edges);
  const auto first = static_cast<std::int64_t>(tree.nodes.size());
  for (const DerivationNode& from : derivation.nodes) {
    TreeNode node;
    node.word = from.word;
    node.layer = from.layer;
    if (from.is_leaf()) {
      node.x = from.word;
    } else {
      node.left = first + from.left;
      node.right = first + from.right;
      node.x = (tree.nodes[static_cast<std::size_t>(node.left)].x +
                tree.nodes[static_cast<std::size_t>(node.right)].x) /
               2;
      node.part = from.part;
      node.weight = from.weight;
      if (const MogEdge* const edge = edge_of[static_cast<std::size_t>(from.subgraph)]; edge != nullptr) {
        node.kind = edge->kind;
        node.order = edge->order;
        node.tuple = tuple_text(derivation.expression, *edge, names);
      }
    }
    tree.nodes.push_back(std::move(node));
  }
  return static_cast<std::int64_t>(tree.nodes.size()) - 1;
}

// Absent where the grammar does not carry from layer to layer: what a state is may be another word's then.
double carried_on(const AttentionGrammar& grammar, const DerivationNode& root, std::int64_t last_layer) {
  double weight = grammar.recurrent() ? kAbsent : 1;
  for (std::int64_t layer = root.layer + 1; layer <= last_layer; ++layer) {
    weight *= grammar.carrying(layer, root.word).value_or(kAbsent);
  }
  return weight;
}

std::string summary(const Derivation& derivation) {
  const KBestEntry& entry = derivation.entry;
  if (entry.leaves == 1) {
    return fmt::format("weight {}, one word, carried unchanged", readable(entry.weight));
  }
  return fmt::format("weight {}, order {}, {} leaves, kind {}", readable(entry.weight), entry.order,
                     entry.leaves, entry.kind);
}

FigureData framed(const SentenceFigureText& text, std::string title) {
  FigureData figure;
  if (text.title.empty()) {
    figure.title = std::move(title);
  } else {
    figure.title = text.title;
  }
  figure.caption = text.caption;
  return figure;
}

}  // namespace

FigureData tree_figure(const Derivation& derivation, std::span<const std::string> words,
                       std::int64_t last_layer, const SentenceFigureText& text,
                       const AttentionGrammar* grammar) {
  const std::vector<std::string> names = text.names.empty() ? node_names(words) : text.names;
  TreeFigure tree;
  tree.words = labels_of(words);
  tree.layers = last_layer;
  tree.carried = text.carried;
  tree.roots = {append(tree, derivation, names)};
  if (grammar != nullptr) {
    tree.carried_weight = carried_on(*grammar, derivation.root(), last_layer);
  }
  FigureData figure = framed(text, summary(derivation));
  figure.body = std::move(tree);
  return figure;
}

FigureData forest_figure(std::span<const Derivation> derivations, std::span<const std::string> words,
                         std::int64_t last_layer, const SentenceFigureText& text,
                         const AttentionGrammar* grammar) {
  PanelFigure panels;
  for (const Derivation& derivation : derivations) {
    panels.panels.push_back(tree_figure(derivation, words, last_layer, {.carried = text.carried}, grammar));
  }
  FigureData figure = framed(text, counted(static_cast<std::int64_t>(derivations.size()), "derivation"));
  figure.body = std::move(panels);
  return figure;
}

FigureData derivation_arcs(const Derivation& derivation, std::span<const std::string> words,
                           const SentenceFigureText& text) {
  const std::vector<std::string> names = text.names.empty() ? node_names(words) : text.names;
  const std::vector<MogEdge> edges = derivation.expression.edges();
  const auto edge_of = edges_by_subgraph(derivation.expression, edges);
  ArcFigure arcs;
  arcs.words = labels_of(words);
  arcs.weight = {"weight of the join", "", ""};
  double greatest = 0;
  for (const DerivationNode& node : derivation.nodes) {
    if (node.is_leaf()) {
      continue;
    }
    Arc arc;
    arc.source = node.word;
    arc.target = node.target;
    arc.weight = node.weight;
    arc.part = node.part;
    arc.layer = node.layer;
    arc.label = fmt::format("{}", node.layer);
    if (const MogEdge* const edge = edge_of[static_cast<std::size_t>(node.subgraph)]; edge != nullptr) {
      arc.tuple = tuple_text(derivation.expression, *edge, names);
    }
    greatest = std::isfinite(arc.weight) ? std::max(greatest, arc.weight) : greatest;
    arcs.arcs.push_back(std::move(arc));
  }
  arcs.weight_of_full_width = greatest > 0 ? greatest : 1;
  FigureData figure = framed(text, summary(derivation));
  figure.body = std::move(arcs);
  return figure;
}

namespace {

// [source * size + target], of one part, layers summed.
std::vector<double> sum_over_layers(const EdgePosteriors& posteriors, std::size_t part, std::size_t size) {
  std::vector<double> sum(size * size, 0.0);
  for (const auto& layer : posteriors) {
    if (part < layer.size() && !layer[part].empty()) {
      if (layer[part].size() != sum.size()) {
        throw ShapeError(fmt::format("edge posteriors of {} words: expected {} values a part, found {}", size,
                                     sum.size(), layer[part].size()));
      }
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += layer[part][i];
      }
    }
  }
  return sum;
}

}  // namespace

FigureData posterior_arcs(const EdgePosteriors& posteriors, std::span<const Part> parts,
                          std::span<const std::string> words, std::optional<double> threshold,
                          const SentenceFigureText& text, std::int64_t at_most) {
  constexpr double kShare = 0.2;
  const std::size_t size = words.size();
  std::vector<std::vector<double>> sums;
  double greatest = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    sums.push_back(sum_over_layers(posteriors, part, size));
    for (const double value : sums.back()) {
      greatest = std::max(greatest, value);
    }
  }
  const double least = threshold.value_or(kShare * greatest);
  ArcFigure arcs;
  arcs.words = labels_of(words);
  arcs.weight = {"expected number of joins", "", "sum over layers"};
  arcs.weight_of_full_width = greatest > 0 ? greatest : 1;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t i = 0; i < sums[part].size(); ++i) {
      if (sums[part][i] >= least && sums[part][i] > 0) {
        Arc arc;
        arc.source = static_cast<std::int64_t>(i / size);
        arc.target = static_cast<std::int64_t>(i % size);
        arc.weight = sums[part][i];
        arc.part = parts[part];
        arcs.arcs.push_back(std::move(arc));
      }
    }
  }
  FigureData figure = framed(
      text, threshold
                ? fmt::format("Joins expected at least {} times", shortest(*threshold))
                : fmt::format("Joins expected at least {:.2g} times, a fifth of the most frequent", least));
  const std::size_t found = arcs.arcs.size();
  if (found > static_cast<std::size_t>(std::max<std::int64_t>(at_most, 0))) {
    std::stable_sort(arcs.arcs.begin(), arcs.arcs.end(),
                     [](const Arc& a, const Arc& b) { return a.weight > b.weight; });
    arcs.arcs.resize(static_cast<std::size_t>(std::max<std::int64_t>(at_most, 0)));
    add_to_caption(figure, fmt::format("the strongest {} of {} arcs", arcs.arcs.size(), found));
  }
  figure.body = std::move(arcs);
  return figure;
}

}  // namespace mog::analysis

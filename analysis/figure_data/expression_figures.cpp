#include "analysis/figure_data/expression_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kMostLeaves = 2000;  // of one figure

std::string value_of(const JoinAnnotation& annotation, std::string_view key) {
  const auto found = std::find_if(annotation.begin(), annotation.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found == annotation.end() ? std::string() : found->second;
}

Part part_of(const JoinAnnotation& annotation) {
  return Part::find(value_of(annotation, "part")).value_or(Part::none);
}

// Where the joins stand: at the annotated layers of all subgraphs (0 for atoms), or at their depths.
struct Heights {
  std::vector<std::int32_t> of;
  std::string row;  // what they are
};
Heights heights_of(const ParsedExpression& parsed) {
  const auto& subgraphs = parsed.expression.subgraphs();
  std::vector<std::int32_t> written(subgraphs.size(), 0);
  std::vector<std::int32_t> depths(subgraphs.size(), 0);
  bool good = true;
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const Subgraph& s = subgraphs[i];
    if (s.is_atom()) {
      continue;
    }
    const auto left = static_cast<std::size_t>(s.left);
    const auto right = static_cast<std::size_t>(s.right);
    depths[i] = 1 + std::max(depths[left], depths[right]);
    const std::string text = value_of(parsed.annotations[i], "l");
    std::from_chars(text.data(), text.data() + text.size(), written[i]);
    good = good && written[i] > std::max(written[left], written[right]) && written[i] <= 1000;
  }
  const bool any = std::any_of(written.begin(), written.end(), [](std::int32_t layer) { return layer > 0; });
  return good && any ? Heights{std::move(written), "layer"} : Heights{std::move(depths), "depth"};
}

// As a derivation: the tree with its repeats.
Derivation derivation_of(const ParsedExpression& parsed) {
  const Expression& expression = parsed.expression;
  if (expression.leaves() > kMostLeaves) {
    throw UsageError(fmt::format("drawing an expression: it has {} leaves, a figure takes at most {}",
                                 expression.leaves(), kMostLeaves));
  }
  const auto& subgraphs = expression.subgraphs();
  const std::vector<std::int32_t> layers = heights_of(parsed).of;
  Derivation derivation{.entry = {},
                        .expression = expression,
                        .text = parsed.text(false),
                        .annotated = parsed.text(),
                        .nodes = {}};
  derivation.entry.order = expression.order();
  derivation.entry.leaves = expression.leaves();
  derivation.entry.kind = expression.kind();
  struct Step {
    std::int32_t subgraph;
    std::int32_t left = -1;  // node
    int done = 0;
  };
  std::vector<Step> stack{{static_cast<std::int32_t>(subgraphs.size()) - 1}};
  while (!stack.empty()) {
    Step& step = stack.back();
    const auto index = static_cast<std::size_t>(step.subgraph);
    const Subgraph& s = subgraphs[index];
    const auto last = static_cast<std::int32_t>(derivation.nodes.size()) - 1;
    if (!s.is_atom() && step.done == 0) {
      step.done = 1;
      stack.push_back({s.left});
      continue;
    }
    if (!s.is_atom() && step.done == 1) {
      step.done = 2;
      step.left = last;
      stack.push_back({s.right});
      continue;
    }
    DerivationNode node{.word = s.source, .target = s.target};
    node.subgraph = step.subgraph;
    if (!s.is_atom()) {
      node.left = step.left;
      node.right = last;
      node.layer = layers[index];
      node.part = part_of(parsed.annotations[index]);
      const std::string weight = value_of(parsed.annotations[index], "w");
      node.weight = kAbsent;
      std::from_chars(weight.data(), weight.data() + weight.size(), node.weight);
    }
    derivation.nodes.push_back(node);
    stack.pop_back();
  }
  return derivation;
}

std::vector<std::string> words_of(const ParsedExpression& parsed) {
  std::vector<std::string> words;
  for (const ExpressionWord& word : parsed.words) {
    words.push_back(word.form);
  }
  return words;
}

SentenceFigureText text_of(const ParsedExpression& parsed, const SentenceFigureText& text) {
  SentenceFigureText result = text;
  const Expression& expression = parsed.expression;
  if (result.title.empty()) {
    result.title = fmt::format("order {}, {} leaves, depth {}, kind {}", expression.order(),
                               expression.leaves(), expression.depth(), expression.kind());
  }
  result.names = parsed.names;
  return result;
}

}  // namespace

FigureData expression_tree_figure(const ParsedExpression& parsed, const SentenceFigureText& text) {
  const Derivation derivation = derivation_of(parsed);
  FigureData figure =
      tree_figure(derivation, words_of(parsed), derivation.root().layer, text_of(parsed, text));
  std::get<TreeFigure>(figure.body).row = heights_of(parsed).row;
  return figure;
}

FigureData expression_arcs_figure(const ParsedExpression& parsed, const SentenceFigureText& text) {
  const Derivation derivation = derivation_of(parsed);
  FigureData figure = derivation_arcs(derivation, words_of(parsed), text_of(parsed, text));
  auto& body = std::get<ArcFigure>(figure.body);
  auto& arcs = body.arcs;
  // Without weights all arcs are as wide, and no width says anything.
  const bool weighted =
      std::any_of(arcs.begin(), arcs.end(), [](const Arc& one) { return std::isfinite(one.weight); });
  if (!weighted) {
    body.weight = {};
    body.weight_of_full_width = 1;
  }
  for (Arc& one : arcs) {
    one.weight = weighted ? one.weight : 1;
  }
  std::size_t arc = 0;
  std::size_t number = 0;
  for (const DerivationNode& node : derivation.nodes) {
    if (!node.is_leaf()) {
      ++number;
      const std::string relation =
          value_of(parsed.annotations[static_cast<std::size_t>(node.subgraph)], "rel");
      arcs.at(arc++).label = relation.empty() ? std::to_string(number) : relation;
    }
  }
  return figure;
}

}  // namespace mog::analysis

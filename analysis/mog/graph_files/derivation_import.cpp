// Derivation trees from GraphML and DOT, as `mog trees` writes them: words are leaves, every join has an
// edge to its left and one to its right operand. The tree itself spells the expression.
//
// So the nodes are walked from each root and written as text, which the ordinary parser reads: one
// definition of what an expression is, and errors in its words. Roots are the nodes without a parent; after
// all of them as many nodes must have been spelled as there are, else the rest hangs on a cycle. Linear,
// without recursion.
//
// Trap: a node has one parent. A subgraph that is used twice is two nodes here, unlike in the multi-order
// graph, where it is one edge.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "analysis/mog/expressions/escape.h"
#include "analysis/mog/expressions/identifiers.h"
#include "analysis/mog/graph_files/attributed_graph.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// "left", "right" or "" where the edge leads to no operand.
std::string side_of(const AttributedEdge& edge) {
  const std::string side = text_of(edge.attributes, {"operand", "label"});
  return side == "left" || side == "right" ? side : "";
}

struct Operands {
  std::size_t left = kNone;
  std::size_t right = kNone;
};

class Trees {
 public:
  Trees(const AttributedGraph& graph, const std::string& where) : graph_(graph), where_(where) {
    words_ = words_of(graph, where);
    read_operands();
    read_forms();
  }

  std::vector<GraphClaim> claims() {
    std::vector<GraphClaim> claims;
    std::size_t spelled = 0;
    for (std::size_t root = 0; root < graph_.nodes.size(); ++root) {
      if (!has_parent_[root]) {
        claims.push_back(claim_of(root, spelled));
      }
    }
    if (spelled != graph_.nodes.size()) {
      refuse_graph(where_, graph_.place, "joins that are their own operands: a derivation tree has no cycle");
    }
    // What the file says of a whole graph is about its one tree.
    if (claims.size() == 1 && claims[0].expression.empty()) {
      read_expression(graph_.attributes, graph_, {"annotated", "expression", "mog_expression"}, claims[0]);
      if (graph_.attributes.contains("annotated")) {
        claims[0].plain = text_of(graph_.attributes, {"expression"});
      }
    }
    return claims;
  }

 private:
  [[noreturn]] void refuse(std::size_t node, const std::string& defect) const {
    refuse_graph(where_, graph_.nodes[node].place,
                 fmt::format("the node \"{}\": {}", graph_.nodes[node].id.substr(0, 40), defect));
  }
  void read_operands() {
    operands_.resize(graph_.nodes.size());
    has_parent_.resize(graph_.nodes.size(), false);
    for (const AttributedEdge& edge : graph_.edges) {
      const std::string side = side_of(edge);
      if (side.empty()) {
        refuse_graph(where_, edge.place,
                     "an edge of a derivation tree that leads to no left or right operand");
      }
      std::size_t& operand = side == "left" ? operands_[edge.source].left : operands_[edge.source].right;
      if (operand != kNone) {
        refuse_graph(where_, edge.place, fmt::format("a second {} operand of one join", side));
      }
      if (has_parent_[edge.target]) {
        refuse_graph(where_, edge.place, "an operand of two joins: every use of it is a node of its own");
      }
      operand = edge.target;
      has_parent_[edge.target] = true;
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if ((operands_[i].left == kNone) != (operands_[i].right == kNone)) {
        refuse(i, "it has one operand; a join has two, a word none");
      }
    }
  }
  std::int64_t number(std::size_t node, std::string_view bare, std::string_view dot) const {
    const Attributes& attributes = graph_.nodes[node].attributes;
    return number_of(attributes, attributes.contains(bare) ? bare : dot, where_);
  }
  // Forms by position: of the sentence, where it is given, else of the nodes.
  void read_forms() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      form_at_[static_cast<std::int64_t>(i) + 1] = words_[i];
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::int64_t position = number(i, "position", "mog_position");
      std::string form = text_of(graph_.nodes[i].attributes, {"word", "mog_form"});
      if (position > 0 && !form.empty()) {
        const auto [known, inserted] = form_at_.emplace(position, form);
        if (!inserted && known->second != form) {
          refuse(i, fmt::format("the word at position {} is \"{}\" here and \"{}\" elsewhere", position, form,
                                known->second));
        }
      }
    }
  }
  std::string name_at(std::size_t node, std::int64_t position) const {
    const auto form = form_at_.find(position);
    if (position < 1 || form == form_at_.end()) {
      refuse(node, fmt::format("no node names the word at position {}", position));
    }
    return fmt::format("{}@{}", quoted_name(form->second), position);
  }
  // The names of a node's word (a join: its source) and of its target, as they stand in a text.
  std::pair<std::string, std::string> names_of(std::size_t node) const {
    const bool leaf = operands_[node].left == kNone;
    const std::int64_t position = number(node, "position", "mog_position");
    if (position != 0) {
      return {name_at(node, position), leaf ? "" : name_at(node, number(node, "target", "mog_target"))};
    }
    // As it is drawn: "saw", or "saw -> dog" and a second line.
    const std::string label = text_of(graph_.nodes[node].attributes, {"label"});
    const std::string line = label.substr(0, label.find('\n'));
    const std::size_t arrow = line.find(" -> ");
    if (line.empty() || (!leaf && arrow == std::string::npos)) {
      refuse(node, leaf ? "it names no word: expected \"position\" and \"word\" (DOT: mog_position, mog_form)"
                        : "it names no words: expected \"position\" and \"target\" (DOT: mog_position, "
                          "mog_target)");
    }
    return leaf ? std::pair(line, std::string()) : std::pair(line.substr(0, arrow), line.substr(arrow + 4));
  }
  std::string union_of(std::size_t node) const {
    const Attributes& attributes = graph_.nodes[node].attributes;
    JoinAnnotation annotation;
    for (const auto& [key, bare, dot] :
         {std::tuple("l", "layer", "mog_layer"), std::tuple("part", "part", "mog_part")}) {
      std::string value = text_of(attributes, {bare, dot});
      if (!value.empty()) {
        annotation.emplace_back(key, std::move(value));
      }
    }
    return annotation.empty() ? "U" : "U[" + annotation_text(annotation) + "]";
  }

  // The text of the tree; counts its nodes.
  GraphClaim claim_of(std::size_t root, std::size_t& spelled) const {
    struct Step {
      std::size_t node;
      int done;
    };
    GraphClaim claim;
    claim.place = place_text(graph_.nodes[root].place);
    claim.words = words_;
    claim.facts = facts_of(graph_.nodes[root].attributes, facts_of(graph_.attributes));
    read_expression(graph_.nodes[root].attributes, graph_, {"mog_expression"}, claim);
    claim.of_sentence = !words_.empty();
    std::string& text = claim.derivation;
    std::vector<Step> stack{{root, 0}};
    while (!stack.empty()) {
      Step& step = stack.back();
      const std::size_t node = step.node;
      const auto [source, target] = names_of(node);
      const bool leaf = operands_[node].left == kNone;
      if (step.done == 0) {
        ++spelled;
      }
      if (leaf) {
        text += source;
        stack.pop_back();
      } else if (step.done == 0) {
        step.done = 1;
        text += '(';
        stack.push_back({operands_[node].left, 0});
      } else if (step.done == 1) {
        step.done = 2;
        text += fmt::format(")->{} {} (", source, union_of(node));
        stack.push_back({operands_[node].right, 0});
      } else {
        text += ")->" + target;
        stack.pop_back();
      }
    }
    return claim;
  }

  const AttributedGraph& graph_;
  const std::string& where_;
  std::vector<std::string> words_;
  std::vector<Operands> operands_;
  std::vector<bool> has_parent_;
  std::map<std::int64_t, std::string> form_at_;
};

}  // namespace

// A file of derivation trees says so: on every edge, or, where trees are single words, on the leaves.
bool is_derivation(const AttributedGraph& graph) {
  if (!graph.edges.empty()) {
    return !side_of(graph.edges.front()).empty();
  }
  return !graph.nodes.empty() && (graph.nodes.front().attributes.contains("leaf") ||
                                  graph.nodes.front().attributes.contains("mog_leaf"));
}

std::vector<std::string> words_of(const AttributedGraph& graph, const std::string& where) {
  const auto found = graph.attributes.find(graph.attributes.contains("words") ? "words" : "mog_words");
  if (found == graph.attributes.end()) {
    return {};
  }
  // As the words of an expression, with blanks between: names that need it are quoted.
  std::vector<std::string> words;
  std::string_view rest = found->second.text;
  while (!rest.empty()) {
    std::size_t end = 0;
    if (rest[0] == '"') {
      for (end = 1; end < rest.size() && rest[end] != '"'; ++end) {
        end += rest[end] == '\\' ? 1U : 0U;
      }
      end = std::min(end + 1, rest.size());
    } else {
      end = std::min(rest.find(' '), rest.size());
    }
    std::string form;
    try {
      const ParsedExpression parsed = parse_expression(rest.substr(0, end));
      form = parsed.words.size() == 1 && parsed.words[0].position == 0 ? parsed.words[0].form : "";
    } catch (const ExpressionError&) {
    }
    if (form.empty()) {
      refuse_graph(where, found->second.place,
                   fmt::format("\"words\": word {} is no name as expressions write it", words.size() + 1));
    }
    words.push_back(std::move(form));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

std::vector<GraphClaim> derivation_claims(const AttributedGraph& graph, const std::string& where) {
  return Trees(graph, where).claims();
}

}  // namespace mog::analysis

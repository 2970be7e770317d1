// A graph file says one thing several times: a text, an annotated text, words, edges with ends, operands,
// orders and kinds. The text decides, and everything else is compared with what the expression gives; one
// difference is an error with its place. Believing the parts in turn would let a file that somebody edited
// mean two things.
//
// Without a text the edges may be enough. While no two subgraphs share a word, an edge joins what its two
// words are joined in already, which union and find know: almost linear. What an edge claims (order, kind,
// operands) must fit what came out. As soon as an edge joins words that are joined already its operands
// cannot be known, and the message says what to add.
//
// Comparing the texts of the edges is quadratic in the worst case, edges times the length of a text; so is
// the file that holds them.
//
// Trap: a graph read from its edges is not compared with them again: ids may be missing there.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "analysis/mog/graph_files/import_graph.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::string placed(const std::string& where, const std::string& place) {
  return place.empty() ? where : fmt::format("{}: {}", where, place);
}

// ---- words and edges alone ------------------------------------------------------------------------------
//
// An edge joins the subgraph of its source with that of its target. While no two subgraphs share a word,
// these are what the edges made before have joined, so that an order of the edges is all it takes: their ids,
// or the orders of what they make (disjoint subgraphs may be made in any order).

constexpr std::string_view kGive =
    "give the graph its \"expression\" (DOT: mog_expression), or the edges \"sub\", the text of what they "
    "make";

std::vector<std::size_t> order_of_edges(const GraphClaim& claim, const std::string& where) {
  const std::vector<EdgeClaim>& edges = claim.edges;
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), 0);
  const auto all_have = [&](std::int64_t EdgeClaim::*value) {
    return std::all_of(edges.begin(), edges.end(), [&](const EdgeClaim& edge) { return edge.*value != 0; });
  };
  std::int64_t EdgeClaim::*by = nullptr;
  if (all_have(&EdgeClaim::id)) {
    by = &EdgeClaim::id;
  } else if (all_have(&EdgeClaim::order)) {
    by = &EdgeClaim::order;
  } else if (edges.size() > 1) {
    throw FormatError(
        fmt::format("{}: {} edges, and nothing says in which order they join: expected \"id\" (1, 2, ...) or "
                    "\"order\" (words "
                    "of what it makes) on every edge; or {}",
                    placed(where, claim.place), edges.size(), kGive));
  }
  if (by != nullptr) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return edges[a].*by < edges[b].*by; });
  }
  for (std::size_t i = 1; by == &EdgeClaim::id && i < order.size(); ++i) {
    if (edges[order[i]].id == edges[order[i - 1]].id) {
      throw FormatError(fmt::format("{}: a second edge with the id {}", placed(where, edges[order[i]].place),
                                    edges[order[i]].id));
    }
  }
  return order;
}

class Joining {
 public:
  Joining(const GraphClaim& claim, const std::string& where)
      : claim_(claim), where_(where), names_(node_names(claim.words)) {
    for (std::size_t i = 0; i < claim.words.size(); ++i) {
      group_.push_back(i);
      size_.push_back(1);
      made_.push_back(i);
      nodes_.push_back({-1, -1, static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)});
    }
  }

  std::string text() {
    for (const std::size_t edge : order_of_edges(claim_, where_)) {
      join(claim_.edges[edge]);
    }
    if (nodes_.size() == claim_.words.size() && claim_.words.size() != 1) {
      throw FormatError(fmt::format("{}: {} words and no edge; {}", placed(where_, claim_.place),
                                    claim_.words.size(), kGive));
    }
    const std::vector<Subgraph> all = in_post_order(nodes_.size() - 1);
    require_all_edges(all);
    return canonical_text(Expression::from_subgraphs(all), names_);
  }

 private:
  std::size_t group_of(std::size_t word) {
    while (group_[word] != word) {
      group_[word] = group_[group_[word]];
      word = group_[word];
    }
    return word;
  }
  void join(const EdgeClaim& edge) {
    const auto words = static_cast<std::int64_t>(claim_.words.size());
    if (edge.source < 1 || edge.source > words || edge.target < 1 || edge.target > words) {
      throw FormatError(fmt::format("{}: an edge {} -> {} among {} words", placed(where_, edge.place),
                                    edge.source, edge.target, words));
    }
    std::size_t left = group_of(static_cast<std::size_t>(edge.source - 1));
    std::size_t right = group_of(static_cast<std::size_t>(edge.target - 1));
    if (left == right) {
      throw FormatError(
          fmt::format("{}: the edge {} -> {} joins words that are joined already (an overlap), so that its "
                      "operands are not "
                      "known; {}",
                      placed(where_, edge.place), edge.source, edge.target, kGive));
    }
    nodes_.push_back({static_cast<std::int32_t>(made_[left]), static_cast<std::int32_t>(made_[right]),
                      static_cast<std::int32_t>(edge.source - 1),
                      static_cast<std::int32_t>(edge.target - 1)});
    if (size_[left] < size_[right]) {
      std::swap(left, right);
    }
    group_[right] = left;
    size_[left] += size_[right];
    made_[left] = nodes_.size() - 1;
    compare_operand(edge, "left", edge.left, nodes_.back().left);
    compare_operand(edge, "right", edge.right, nodes_.back().right);
    if ((edge.order != 0 && edge.order != size_[left]) || edge.kind > 1) {
      throw FormatError(fmt::format(
          "{}: the edge {} -> {} makes a subgraph of {} words without overlap by what stands before it, but "
          "says "
          "order {}, kind {}; {}",
          placed(where_, edge.place), edge.source, edge.target, size_[left], edge.order, edge.kind, kGive));
    }
  }
  void compare_operand(const EdgeClaim& edge, std::string_view side, const std::string& claimed,
                       std::int32_t operand) const {
    if (claimed.empty()) {
      return;
    }
    const std::string found =
        canonical_text(Expression::from_subgraphs(in_post_order(static_cast<std::size_t>(operand))), names_);
    if (claimed != found) {
      throw FormatError(fmt::format("{}: the edge {} -> {}: \"{}\" is {}, but what stands before it makes {}",
                                    placed(where_, edge.place), edge.source, edge.target, side, claimed,
                                    found));
    }
  }
  // The subgraphs under a node, operands first.
  std::vector<Subgraph> in_post_order(std::size_t root) const {
    std::vector<Subgraph> result;
    std::unordered_map<std::size_t, std::int32_t> index;  // as large as the part that is asked for
    std::vector<std::pair<std::size_t, bool>> stack{{root, false}};
    while (!stack.empty()) {
      const auto [node, ready] = stack.back();
      stack.pop_back();
      const Subgraph& written = nodes_[node];
      if (!written.is_atom() && !ready) {
        stack.emplace_back(node, true);
        stack.emplace_back(static_cast<std::size_t>(written.right), false);
        stack.emplace_back(static_cast<std::size_t>(written.left), false);
        continue;
      }
      index[node] = static_cast<std::int32_t>(result.size());
      result.push_back(written);
      if (!written.is_atom()) {
        result.back().left = index.at(static_cast<std::size_t>(written.left));
        result.back().right = index.at(static_cast<std::size_t>(written.right));
      }
    }
    return result;
  }
  void require_all_edges(const std::vector<Subgraph>& all) const {
    const auto joins =
        std::count_if(all.begin(), all.end(), [](const Subgraph& subgraph) { return !subgraph.is_atom(); });
    if (joins != static_cast<std::ptrdiff_t>(claim_.edges.size())) {
      throw FormatError(
          fmt::format("{}: the edges make several subgraphs, {} of {} edges the last one; an "
                      "expression is one",
                      placed(where_, claim_.place), joins, claim_.edges.size()));
    }
  }

  const GraphClaim& claim_;
  const std::string& where_;
  const std::vector<std::string> names_;
  std::vector<std::size_t> group_;  // of each word, by union and find
  std::vector<std::int64_t> size_;
  std::vector<std::size_t> made_;  // the node that made a group
  std::vector<Subgraph> nodes_;    // words, then joins; operands by index of nodes_
};

// The text where the file has none: what the last edge makes, what a derivation tree spells, or what words
// and edges leave no choice about.
struct FoundText {
  std::string text;
  bool from_edges = false;
};
FoundText text_of(const GraphClaim& claim, const std::string& where) {
  if (!claim.expression.empty() || !claim.derivation.empty()) {
    return {claim.expression.empty() ? claim.derivation : claim.expression};
  }
  // The whole expression is what the greatest of the texts spells; ids may be missing.
  const auto last =
      std::max_element(claim.edges.begin(), claim.edges.end(), [](const EdgeClaim& a, const EdgeClaim& b) {
        return std::pair(a.id, a.made.size()) < std::pair(b.id, b.made.size());
      });
  if (last != claim.edges.end() && !last->made.empty()) {
    return {last->made};
  }
  if (claim.words.empty()) {
    throw FormatError(fmt::format(
        "{}: expected \"expression\", or edges with \"sub\" (what they make), found neither", where));
  }
  return {Joining(claim, where).text(), true};
}

// `where` names the edge's place too, where that is known.
template <class Value>
void compare(const std::string& where, std::int64_t id, std::string_view what, const Value& claimed,
             const Value& found) {
  if (claimed != Value() && claimed != found) {
    throw FormatError(fmt::format("{}: edge {}: \"{}\" is {}, but the expression gives {}", where, id, what,
                                  claimed, found));
  }
}

void compare_words(const GraphClaim& claim, const ParsedExpression& parsed, const std::string& where) {
  std::vector<std::string> words;
  for (const ExpressionWord& word : parsed.words) {
    words.push_back(word.form);
  }
  if (words.size() != claim.words.size()) {
    throw FormatError(fmt::format("{}: {} words are named, the expression has {}", where, claim.words.size(),
                                  words.size()));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != claim.words[i]) {
      throw FormatError(fmt::format("{}: word {} is \"{}\", but the expression's is \"{}\"", where, i + 1,
                                    claim.words[i], words[i]));
    }
  }
}

void compare_edges(const GraphClaim& claim, const ParsedExpression& parsed, const std::string& file) {
  const std::vector<MogEdge> edges = parsed.expression.edges();
  if (claim.edges.size() != edges.size()) {
    throw FormatError(fmt::format("{}: {} edges are listed, the expression makes {}",
                                  placed(file, claim.place), claim.edges.size(), edges.size()));
  }
  std::vector<char> seen(edges.size(), 0);
  for (std::size_t i = 0; i < claim.edges.size(); ++i) {
    const EdgeClaim& claimed = claim.edges[i];
    const std::string where = placed(file, claimed.place);
    const std::int64_t id = claimed.id == 0 ? static_cast<std::int64_t>(i) + 1 : claimed.id;
    if (id < 1 || id > static_cast<std::int64_t>(edges.size()) ||
        seen[static_cast<std::size_t>(id - 1)] != 0) {
      throw FormatError(
          fmt::format("{}: edge {}: expected each number from 1 to {} once", where, id, edges.size()));
    }
    seen[static_cast<std::size_t>(id - 1)] = 1;
    const MogEdge& edge = edges[static_cast<std::size_t>(id - 1)];
    const auto text = [&](std::int32_t subgraph) {
      return canonical_text(parsed.expression.subexpression(subgraph), parsed.names);
    };
    compare<std::int64_t>(where, id, "source", claimed.source, edge.source + 1);
    compare<std::int64_t>(where, id, "target", claimed.target, edge.target + 1);
    compare<std::int64_t>(where, id, "order", claimed.order, edge.order);
    compare<std::int64_t>(where, id, "kind", claimed.kind, edge.kind);
    if (!claimed.left.empty()) {
      compare(where, id, "left", claimed.left, text(edge.left));
    }
    if (!claimed.right.empty()) {
      compare(where, id, "right", claimed.right, text(edge.right));
    }
    if (!claimed.made.empty()) {
      compare(where, id, "sub", claimed.made, text(edge.made));
    }
  }
}

// Without a sentence words are numbered as they appear: equal expressions have equal lists either way.
bool same_expression(const ParsedExpression& one, const ParsedExpression& other) {
  const auto same_forms =
      std::equal(one.words.begin(), one.words.end(), other.words.begin(), other.words.end(),
                 [](const ExpressionWord& a, const ExpressionWord& b) { return a.form == b.form; });
  return same_forms && one.expression == other.expression;
}

void compare_derivation(const ParsedExpression& spelled, const ParsedExpression& parsed,
                        const std::string& where) {
  if (!same_expression(spelled, parsed)) {
    throw FormatError(fmt::format("{}: its nodes and edges make {}, but its expression is {}", where,
                                  spelled.text(false).substr(0, 200), parsed.text(false).substr(0, 200)));
  }
}

}  // namespace

ParsedExpression checked_expression(const GraphClaim& claim, const std::string& where) {
  const FoundText found = text_of(claim, where);
  const std::string place = placed(where, claim.place);
  const auto parse = [&](const std::string& text) {
    try {
      return claim.of_sentence && !claim.words.empty()
                 ? parse_expression(text, std::span<const std::string>(claim.words))
                 : parse_expression(text);
    } catch (const ExpressionError& error) {
      const bool known = claim.place_of_column && text == claim.expression;
      throw FormatError(fmt::format(
          "{}: {}", known ? placed(where, claim.place_of_column(error.column())) : place, error.what()));
    }
  };
  ParsedExpression parsed = parse(found.text);
  if (!claim.plain.empty()) {
    const ParsedExpression plain = parse(claim.plain);
    if (!same_expression(plain, parsed)) {
      throw FormatError(fmt::format("{}: \"expression\" is {}, but \"annotated\" is {}", place,
                                    plain.text(false).substr(0, 200), parsed.text(false).substr(0, 200)));
    }
  }
  if (!claim.words.empty() && !claim.of_sentence) {
    compare_words(claim, parsed, place);
  }
  if (!claim.derivation.empty() && !claim.expression.empty()) {
    compare_derivation(parse(claim.derivation), parsed, place);
  }
  if (found.from_edges) {
    return parsed;
  }
  // DOT files carry no ids: their edges stand in order.
  if (!claim.edges.empty()) {
    compare_edges(claim, parsed, where);
  }
  return parsed;
}

}  // namespace mog::analysis

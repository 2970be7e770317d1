#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "analysis/mog/import_graph.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// The text where only the edges tell: what the last one makes, or the one word.
std::string text_of(const GraphClaim& claim, const std::string& where) {
  if (!claim.expression.empty()) {
    return claim.expression;
  }
  const auto last = std::max_element(claim.edges.begin(), claim.edges.end(),
                                     [](const EdgeClaim& a, const EdgeClaim& b) { return a.id < b.id; });
  if (last != claim.edges.end() && !last->made.empty()) {
    return last->made;
  }
  if (claim.edges.empty() && claim.words.size() == 1) {
    return quoted_name(claim.words.front());
  }
  throw FormatError(fmt::format(
      "{}: expected \"expression\", or edges with \"sub\" (what they make), found neither", where));
}

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

void compare_edges(const GraphClaim& claim, const ParsedExpression& parsed, const std::string& where) {
  const std::vector<MogEdge> edges = parsed.expression.edges();
  if (claim.edges.size() != edges.size()) {
    throw FormatError(fmt::format("{}: {} edges are listed, the expression makes {}", where,
                                  claim.edges.size(), edges.size()));
  }
  std::vector<char> seen(edges.size(), 0);
  for (std::size_t i = 0; i < claim.edges.size(); ++i) {
    const EdgeClaim& claimed = claim.edges[i];
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

}  // namespace

ParsedExpression checked_expression(const GraphClaim& claim, const std::string& where) {
  const std::string text = text_of(claim, where);
  ParsedExpression parsed;
  try {
    parsed = claim.of_sentence && !claim.words.empty()
                 ? parse_expression(text, std::span<const std::string>(claim.words))
                 : parse_expression(text);
  } catch (const ExpressionError& error) {
    throw FormatError(fmt::format("{}: {}", where, error.what()));
  }
  if (!claim.words.empty() && !claim.of_sentence) {
    compare_words(claim, parsed, where);
  }
  // DOT files carry no ids: their edges stand in order.
  if (!claim.edges.empty()) {
    compare_edges(claim, parsed, where);
  }
  return parsed;
}

}  // namespace mog::analysis

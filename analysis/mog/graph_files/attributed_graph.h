// What GraphML and DOT have in common: nodes and edges with named values, each with its place in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analysis/mog/graph_files/import_graph.h"

namespace mog::analysis {

// Both from 1; columns count code points.
struct TextPlace {
  std::int64_t line = 0;
  std::int64_t column = 0;
};

struct PlacedText {
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  std::string text;
  TextPlace place;
  std::size_t byte = kNowhere;  // of the file, at which the value begins (internal_value_places.h)
};

using Attributes = std::map<std::string, PlacedText, std::less<>>;

struct AttributedNode {
  std::string id;
  Attributes attributes;
  TextPlace place;
};

struct AttributedEdge {
  std::size_t source = 0;  // index of a node
  std::size_t target = 0;
  Attributes attributes;
  TextPlace place;
};

struct AttributedGraph {
  Attributes attributes;
  std::vector<AttributedNode> nodes;
  std::vector<AttributedEdge> edges;  // as they stand in the file
  TextPlace place;
  // Where a column of a value stands; it must not outlive the text of the file.
  std::function<std::string(const PlacedText& value, std::int64_t column)> place_of_column = {};
};

// Attributes that no reader of ours asks for are left out. Throw FormatError naming line and column; what
// `where` says stands before.
std::vector<AttributedGraph> parse_graphml(std::string_view text, const std::string& where);
std::vector<AttributedGraph> parse_dot(std::string_view text, const std::string& where);
// Whether some reader asks for an attribute of this name.
bool is_wanted(std::string_view name);

inline std::string place_text(const TextPlace& place) {
  return fmt::format("line {}, column {}", place.line, place.column);
}

// What the attributes say about where a graph comes from; `otherwise` for what they do not say.
GraphFacts facts_of(const Attributes& attributes, const GraphFacts& otherwise = {});

[[noreturn]] void refuse_graph(const std::string& where, const TextPlace& place, std::string_view defect);

// A graph whose nodes are joins and words (edges: left and right operands) has one claim a tree.
bool is_derivation(const AttributedGraph& graph);
std::vector<GraphClaim> derivation_claims(const AttributedGraph& graph, const std::string& where);
// The words of the sentence that the graph names, a JSON list; none where it names none.
std::vector<std::string> words_of(const AttributedGraph& graph, const std::string& where);
// 0 where there is no such value. Throws FormatError where it is no whole number.
std::int64_t number_of(const Attributes& attributes, std::string_view name, const std::string& where);
// The text of a graph, which `names` may hold, for `claim`: with its place.
void read_expression(const Attributes& attributes, const AttributedGraph& graph,
                     std::initializer_list<std::string_view> names, GraphClaim& claim);
// "" where there is no such value; of the first of the names that has one.
std::string text_of(const Attributes& attributes, std::initializer_list<std::string_view> names);

}  // namespace mog::analysis

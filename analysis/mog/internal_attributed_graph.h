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

#include "analysis/mog/import_graph.h"

namespace mog::analysis {

// Both from 1; columns count code points.
struct TextPlace {
  std::int64_t line = 0;
  std::int64_t column = 0;
};

struct PlacedText {
  std::string text;
  TextPlace place;
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

[[noreturn]] void refuse_graph(const std::string& where, const TextPlace& place, std::string_view defect);

// A graph whose nodes are joins and words (edges: left and right operands) has one claim a tree.
bool is_derivation(const AttributedGraph& graph);
std::vector<GraphClaim> derivation_claims(const AttributedGraph& graph, const std::string& where);
// The words of the sentence that the graph names, a JSON list; none where it names none.
std::vector<std::string> words_of(const AttributedGraph& graph, const std::string& where);
// 0 where there is no such value. Throws FormatError where it is no whole number.
std::int64_t number_of(const Attributes& attributes, std::string_view name, const std::string& where);
// "" where there is no such value; of the first of the names that has one.
std::string text_of(const Attributes& attributes, std::initializer_list<std::string_view> names);

}  // namespace mog::analysis

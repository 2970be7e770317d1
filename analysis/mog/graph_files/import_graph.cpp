// What GraphML and DOT say about a multi-order graph; derivation trees are derivation_import.cpp's.
//
// Both formats come as one plain structure of nodes, edges and texts with places, and leave as claims that
// checked_expression.cpp compares. Here is only which attribute means what: ours (bare in GraphML, with mog_
// in DOT), then what other programs keep of them. NetworkX puts an edge's name in place of its id, a file
// that was only meant to be drawn has labels and tooltips, some programs make 3.0 of 3; each is read back
// where it leaves no doubt. One pass, O(size of the graph · log of its attributes).
//
// Trap: kWanted names everything that is ever looked at. The readers drop all other attributes while they
// parse, so a new attribute that is missing there is never seen.
#include "analysis/mog/graph_files/import_graph.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "analysis/mog/expressions/escape.h"
#include "analysis/mog/expressions/expression_syntax.h"
#include "analysis/mog/graph_files/attributed_graph.h"
#include "analysis/mog/graph_files/value_places.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Names in GraphML are bare; in DOT ours begin with mog_, and what is drawn says the same.
constexpr std::array<std::string_view, 32> kWanted = {
    "expression", "annotated",    "sentence", "words",      "position",       "form",
    "name",       "word",         "target",   "layer",      "part",           "weight",
    "id",         "left",         "right",    "sub",        "order",          "kind",
    "operand",    "label",        "tooltip",  "leaf",       "mog_expression", "mog_sentence",
    "mog_words",  "mog_position", "mog_form", "mog_target", "mog_layer",      "mog_part",
    "mog_weight", "mog_leaf"};

// A form written as a name of an expression (quotes, escapes); "" where it is none.
std::string form_of_name(std::string_view written) {
  try {
    const std::vector<WrittenSubgraph> read = read_syntax(written);
    return read.size() == 1 ? read[0].source.form : "";
  } catch (const ExpressionError&) {
    return "";
  }
}

std::string form_of(const AttributedNode& node) {
  std::string form = text_of(node.attributes, {"form", "mog_form"});
  if (form.empty()) {
    form = form_of_name(text_of(node.attributes, {"name"}));
  }
  if (form.empty()) {
    form = form_of_name(text_of(node.attributes, {"label"}));
  }
  // A program that draws words need not name them otherwise.
  return !form.empty() ? form : text_of(node.attributes, {"name", "label"});
}

// The words in the order of their positions; of nodes without positions in the order of the file.
std::vector<std::size_t> read_words(const AttributedGraph& graph, const std::string& where,
                                    GraphClaim& claim) {
  std::map<std::int64_t, std::size_t> by_position;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const AttributedNode& node = graph.nodes[i];
    const bool given = node.attributes.contains("position") || node.attributes.contains("mog_position");
    const std::int64_t position =
        given ? number_of(node.attributes, node.attributes.contains("position") ? "position" : "mog_position",
                          where)
              : static_cast<std::int64_t>(i) + 1;
    const auto [other, inserted] = by_position.emplace(position, i);
    if (position < 1 || !inserted) {
      refuse_graph(where, node.place,
                   position < 1 ? fmt::format("the node \"{}\" has the position {}; expected 1 or more",
                                              node.id.substr(0, 40), position)
                                : fmt::format("the nodes \"{}\" and \"{}\" are both at position {}",
                                              graph.nodes[other->second].id.substr(0, 40),
                                              node.id.substr(0, 40), position));
    }
  }
  std::vector<std::size_t> place_of(graph.nodes.size(), 0);
  for (const auto& [position, index] : by_position) {
    const AttributedNode& node = graph.nodes[index];
    claim.words.push_back(form_of(node));
    place_of[index] = claim.words.size();
    if (claim.words.back().empty()) {
      refuse_graph(where, node.place,
                   fmt::format("the node \"{}\" names no word: expected \"form\" (DOT: mog_form or label)",
                               node.id.substr(0, 40)));
    }
    if (claim.of_sentence && position != static_cast<std::int64_t>(claim.words.size())) {
      refuse_graph(where, node.place,
                   fmt::format("expected a node at position {}, found one at {}; all words of the sentence "
                               "are nodes, unless \"sentence\" is no",
                               claim.words.size(), position));
    }
  }
  return place_of;
}

// What `mog` draws beside an edge says its order, and its tooltip the texts.
void read_drawn(const Attributes& attributes, EdgeClaim& edge) {
  const std::string label = text_of(attributes, {"label"});
  const std::size_t sign = label.find(" o=");
  if (edge.order == 0 && sign != std::string::npos) {
    const char* const end = label.data() + label.size();
    std::from_chars(label.data() + sign + 3, end, edge.order);
    if (edge.id == 0) {
      std::from_chars(label.data(), label.data() + sign, edge.id);
    }
  }
  if (!edge.made.empty()) {
    return;
  }
  const std::string tooltip = text_of(attributes, {"tooltip"});
  for (std::size_t begin = 0; begin < tooltip.size();) {
    const std::size_t end = std::min(tooltip.find('\n', begin), tooltip.size());
    const std::string_view line = std::string_view(tooltip).substr(begin, end - begin);
    for (const auto& [key, into] : {std::pair(std::string_view("left "), &edge.left),
                                    std::pair(std::string_view("right "), &edge.right),
                                    std::pair(std::string_view("makes "), &edge.made)}) {
      if (line.starts_with(key)) {
        *into = line.substr(key.size());
      }
    }
    begin = end + 1;
  }
}

// NetworkX puts the name of the <edge>, which is "e3" in our files, in place of its data "id".
std::int64_t id_of(const Attributes& attributes, const std::string& where) {
  const auto found = attributes.find(std::string_view("id"));
  if (found != attributes.end() && found->second.text.starts_with('e')) {
    Attributes renamed;
    renamed.emplace("id", PlacedText{found->second.text.substr(1), found->second.place});
    return number_of(renamed, "id", where);
  }
  return number_of(attributes, "id", where);
}

GraphClaim claim_of(const AttributedGraph& graph, const std::string& where) {
  GraphClaim claim;
  claim.place = place_text(graph.place);
  read_expression(graph.attributes, graph, {"annotated", "expression", "mog_expression"}, claim);
  if (graph.attributes.contains("annotated")) {
    claim.plain = text_of(graph.attributes, {"expression"});
  }
  claim.facts = facts_of(graph.attributes);
  const std::string sentence = text_of(graph.attributes, {"sentence", "mog_sentence"});
  claim.of_sentence = sentence != "no" && sentence != "false";
  const std::vector<std::size_t> place_of = read_words(graph, where, claim);
  for (const AttributedEdge& edge : graph.edges) {
    EdgeClaim& one = claim.edges.emplace_back();
    one.source = static_cast<std::int64_t>(place_of[edge.source]);
    one.target = static_cast<std::int64_t>(place_of[edge.target]);
    one.id = id_of(edge.attributes, where);
    one.order = number_of(edge.attributes, "order", where);
    one.kind = number_of(edge.attributes, "kind", where);
    one.left = text_of(edge.attributes, {"left"});
    one.right = text_of(edge.attributes, {"right"});
    one.made = text_of(edge.attributes, {"sub"});
    one.place = place_text(edge.place);
    if (claim.expression.empty()) {
      read_drawn(edge.attributes, one);
    }
  }
  return claim;
}

std::vector<GraphClaim> claims_of(const std::vector<AttributedGraph>& graphs, const std::string& where) {
  std::vector<GraphClaim> claims;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::string place = graphs.size() == 1 ? where : fmt::format("{}: graph {}", where, i + 1);
    if (is_derivation(graphs[i])) {
      for (GraphClaim& claim : derivation_claims(graphs[i], place)) {
        claims.push_back(std::move(claim));
      }
    } else {
      claims.push_back(claim_of(graphs[i], place));
    }
  }
  return claims;
}

}  // namespace

bool is_wanted(std::string_view name) {
  const std::string_view bare = name.starts_with("mog_") ? name.substr(4) : name;
  return std::find(kWanted.begin(), kWanted.end(), name) != kWanted.end() ||
         std::find(kGraphFacts.begin(), kGraphFacts.end(), bare) != kGraphFacts.end();
}

GraphFacts facts_of(const Attributes& attributes, const GraphFacts& otherwise) {
  GraphFacts facts;
  for (const std::string_view name : kGraphFacts) {
    const auto known = std::find_if(otherwise.begin(), otherwise.end(),
                                    [&](const auto& fact) { return fact.first == name; });
    std::string value = text_of(attributes, {fmt::format("mog_{}", name), name});
    if (value.empty() && known != otherwise.end()) {
      value = known->second;
    }
    if (!value.empty()) {
      facts.emplace_back(name, std::move(value));
    }
  }
  return facts;
}

void refuse_graph(const std::string& where, const TextPlace& place, std::string_view defect) {
  throw FormatError(fmt::format("{}: {}: {}", where, place_text(place), defect));
}

void read_expression(const Attributes& attributes, const AttributedGraph& graph,
                     std::initializer_list<std::string_view> names, GraphClaim& claim) {
  for (const std::string_view name : names) {
    const auto found = attributes.find(name);
    if (found != attributes.end() && !found->second.text.empty()) {
      claim.expression = found->second.text;
      if (graph.place_of_column && found->second.byte != PlacedText::kNowhere) {
        const PlacedText begin{"", found->second.place, found->second.byte};
        claim.place_of_column = [begin, place = graph.place_of_column](std::int64_t column) {
          return place(begin, column);
        };
      }
      return;
    }
  }
}

std::string text_of(const Attributes& attributes, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = attributes.find(name);
    if (found != attributes.end() && !found->second.text.empty()) {
      return found->second.text;
    }
  }
  return "";
}

std::int64_t number_of(const Attributes& attributes, std::string_view name, const std::string& where) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) {
    return 0;
  }
  std::string_view text = found->second.text;
  while (!text.empty() && std::string_view(" \t\r\n").find(text.front()) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  // Other programs may have made a floating-point number of it: 3.0.
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && std::floor(value) == value &&
                     std::abs(value) < 1e15;
  if (!whole) {
    refuse_graph(where, found->second.place,
                 fmt::format("\"{}\": expected a whole number, found \"{}\"", name, text.substr(0, 40)));
  }
  return static_cast<std::int64_t>(value);
}

std::vector<GraphClaim> read_graphml(std::string_view text, const std::string& where) {
  std::vector<AttributedGraph> graphs = parse_graphml(text, where);
  for (AttributedGraph& graph : graphs) {
    graph.place_of_column = [text](const PlacedText& value, std::int64_t column) {
      return place_text(place_in_graphml(text, value.byte, column));
    };
  }
  return claims_of(graphs, where);
}

std::vector<GraphClaim> read_dot(std::string_view text, const std::string& where) {
  std::vector<AttributedGraph> graphs = parse_dot(text, where);
  const auto undo = [](Attributes& attributes) {
    for (auto& [key, value] : attributes) {
      value.text = from_dot_value(value.text);
    }
  };
  for (AttributedGraph& graph : graphs) {
    graph.place_of_column = [text](const PlacedText& value, std::int64_t column) {
      return place_text(place_in_dot(text, value.byte, column));
    };
    undo(graph.attributes);
    for (AttributedNode& node : graph.nodes) {
      undo(node.attributes);
      // Where nothing else names a node, its own name does, as Graphviz draws it.
      node.attributes.try_emplace("label", PlacedText{node.id, node.place});
    }
    for (AttributedEdge& edge : graph.edges) {
      undo(edge.attributes);
    }
  }
  return claims_of(graphs, where);
}

}  // namespace mog::analysis

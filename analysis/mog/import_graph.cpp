// Boost's readers build trees by recursion, so that nesting is bounded here before they see a text.
#include "analysis/mog/import_graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/make_shared.hpp>
#include <charconv>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "analysis/mog/internal_graph_text.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                                    boost::property<boost::edge_index_t, std::size_t>>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;
using Edge = boost::graph_traits<Graph>::edge_descriptor;

std::string as_text(const boost::any& value) {
  if (const auto* text = boost::any_cast<std::string>(&value)) {
    return *text;
  }
  if (const auto* number = boost::any_cast<int>(&value)) {
    return std::to_string(*number);
  }
  if (const auto* number = boost::any_cast<long>(&value)) {
    return std::to_string(*number);
  }
  if (const auto* number = boost::any_cast<double>(&value)) {
    return fmt::format("{}", *number);
  }
  if (const auto* number = boost::any_cast<float>(&value)) {
    return fmt::format("{}", *number);
  }
  if (const auto* flag = boost::any_cast<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  return "";
}

// Which thing of a graph a property is about. Edges are known by the address of their properties.
std::size_t key_of(const boost::any& key) {
  if (const auto* vertex = boost::any_cast<Vertex>(&key)) {
    return *vertex;
  }
  if (const auto* edge = boost::any_cast<Edge>(&key)) {
    return reinterpret_cast<std::size_t>(edge->get_property());
  }
  return 0;  // the graph itself
}

// One property of vertices, edges or the graph as text, whatever type the file declares.
template <class Key>
class TextMap final : public boost::dynamic_property_map {
 public:
  boost::any get(const boost::any& key) override { return boost::any(get_string(key)); }
  std::string get_string(const boost::any& key) override {
    const auto found = values_.find(key_of(key));
    return found == values_.end() ? std::string() : found->second;
  }
  void put(const boost::any& key, const boost::any& value) override { values_[key_of(key)] = as_text(value); }
  const std::type_info& key() const override { return typeid(Key); }
  const std::type_info& value() const override { return typeid(std::string); }

 private:
  std::map<std::size_t, std::string> values_;
};

// The properties that matter; all others are passed over.
class Properties {
 public:
  Properties() : all_(&boost::ignore_other_properties) {}
  template <class Key>
  void want(const char* name) {
    all_.insert(name, boost::make_shared<TextMap<Key>>());
  }
  template <class Key>
  std::string text(const char* name, const Key& key) const {
    for (auto i = all_.lower_bound(name); i != all_.end() && i->first == name; ++i) {
      if (i->second->key() == typeid(Key)) {
        return i->second->get_string(boost::any(key));
      }
    }
    return "";
  }
  template <class Key>
  std::int64_t number(const char* name, const Key& key, const std::string& where) const {
    const std::string found = text(name, key);
    if (found.empty()) {
      return 0;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc() || end != found.data() + found.size()) {
      throw FormatError(
          fmt::format("{}: \"{}\": expected a whole number, found \"{}\"", where, name, found.substr(0, 40)));
    }
    return value;
  }
  boost::dynamic_properties& all() { return all_; }

 private:
  boost::dynamic_properties all_;
};

struct Names {
  const char* expression;
  const char* annotated;
  const char* sentence;
  const char* position;
  const char* form;
};

template <class Key>
void want_all(Properties& properties, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    properties.want<Key>(name);
  }
}

// The words in the order of their positions; of vertices without positions in the order of the file.
std::vector<std::size_t> read_words(const Graph& graph, const Properties& properties, const Names& names,
                                    const std::string& where, GraphClaim& claim) {
  std::map<std::int64_t, Vertex> by_position;
  for (const Vertex vertex : boost::make_iterator_range(boost::vertices(graph))) {
    const std::int64_t position = properties.number(names.position, vertex, where);
    const std::int64_t place = position == 0 ? static_cast<std::int64_t>(vertex) + 1 : position;
    if (place < 1 || !by_position.emplace(place, vertex).second) {
      throw FormatError(fmt::format("{}: two nodes, or none that can be, at position {}", where, place));
    }
  }
  std::vector<std::size_t> place_of(boost::num_vertices(graph), 0);
  for (const auto& [position, vertex] : by_position) {
    claim.words.push_back(properties.text(names.form, vertex));
    place_of[vertex] = claim.words.size();
    if (claim.words.back().empty()) {
      throw FormatError(
          fmt::format("{}: the node at position {} has no \"{}\"", where, position, names.form));
    }
    if (claim.of_sentence && position != static_cast<std::int64_t>(claim.words.size())) {
      throw FormatError(fmt::format("{}: a node at position {} is expected, there is one at {}", where,
                                    claim.words.size(), position));
    }
  }
  return place_of;
}

GraphClaim claim_of(Graph& graph, const Properties& properties, const Names& names,
                    const std::string& where) {
  GraphClaim claim;
  claim.expression = properties.text(names.annotated, &graph);
  if (claim.expression.empty()) {
    claim.expression = properties.text(names.expression, &graph);
  }
  claim.of_sentence = properties.text(names.sentence, &graph) != "no";
  const std::vector<std::size_t> place_of = read_words(graph, properties, names, where, claim);
  for (const Edge& edge : boost::make_iterator_range(boost::edges(graph))) {
    if (!properties.text("operand", edge).empty()) {
      throw FormatError(fmt::format(
          "{}: this is a forest of derivations, not a multi-order graph; its JSON can be read", where));
    }
    EdgeClaim& one = claim.edges.emplace_back();
    one.source = static_cast<std::int64_t>(place_of[boost::source(edge, graph)]);
    one.target = static_cast<std::int64_t>(place_of[boost::target(edge, graph)]);
    one.id = properties.number("id", edge, where);
    one.order = properties.number("order", edge, where);
    one.kind = properties.number("kind", edge, where);
    one.left = properties.text("left", edge);
    one.right = properties.text("right", edge);
    one.made = properties.text("sub", edge);
  }
  return claim;
}

}  // namespace

std::vector<GraphClaim> read_graphml(std::string_view text, const std::string& where) {
  const std::vector<std::string> graphs = split_graphml_graphs(text, where);
  std::vector<GraphClaim> claims;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    Graph graph;
    Properties properties;
    want_all<Graph*>(properties, {"expression", "annotated", "sentence"});
    want_all<Vertex>(properties, {"position", "form"});
    want_all<Edge>(properties, {"id", "left", "right", "sub", "order", "kind", "operand"});
    const std::string place = graphs.size() == 1 ? where : fmt::format("{}: graph {}", where, i + 1);
    try {
      std::istringstream stream(graphs[i]);
      boost::read_graphml(stream, graph, properties.all());
    } catch (const std::exception& error) {
      throw FormatError(fmt::format("{}: no GraphML that can be read: {}", place, error.what()));
    }
    claims.push_back(
        claim_of(graph, properties, {"expression", "annotated", "sentence", "position", "form"}, place));
  }
  return claims;
}

std::vector<GraphClaim> read_dot(std::string_view text, const std::string& where) {
  std::vector<GraphClaim> claims;
  const std::vector<std::string_view> graphs = split_dot_graphs(text, where);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    Graph graph;
    Properties properties;
    want_all<Graph*>(properties, {"mog_expression", "mog_sentence"});
    want_all<Vertex>(properties, {"mog_position", "mog_form"});
    want_all<Edge>(properties, {"operand"});
    const std::string place = graphs.size() == 1 ? where : fmt::format("{}: graph {}", where, i + 1);
    try {
      boost::read_graphviz(std::string(graphs[i]), graph, properties.all(), "mog_node");
    } catch (const std::exception& error) {
      throw FormatError(fmt::format("{}: no DOT that can be read: {}", place, error.what()));
    }
    GraphClaim claim = claim_of(graph, properties,
                                {"mog_expression", "", "mog_sentence", "mog_position", "mog_form"}, place);
    // Boost takes the backslash before a quote away and leaves the others as they stand.
    claim.expression = without_doubled_backslashes(claim.expression);
    for (std::string& word : claim.words) {
      word = without_doubled_backslashes(word);
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace mog::analysis

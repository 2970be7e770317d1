// DOT by a reader of our own (docs/decisions/0015): Boost's has no places, and no other library of a licence
// that fits reads DOT. Subgraphs, chains of edges, edges between subgraphs, defaults of nodes and edges,
// ports, HTML and joined strings are read; it needs no recursion.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/mog/graph_files/attributed_graph.h"
#include "analysis/mog/graph_files/dot_lexer.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;  // that edges between subgraphs make of few words

class Document {
 public:
  Document(std::string_view text, const std::string& where) : lexer_(text, where), where_(where) { step(); }

  std::vector<AttributedGraph> read() {
    while (now_.kind != DotToken::Kind::end) {
      read_graph();
    }
    if (graphs_.empty()) {
      fail("expected digraph NAME { … }, found the end of the file");
    }
    return std::move(graphs_);
  }

 private:
  // A node alone, or all of a subgraph.
  struct Nodes {
    std::vector<std::size_t> all;
    TextPlace place;
  };
  // What has been opened by a "{": its nodes, and what edges begin there.
  struct Scope {
    Attributes node_defaults;
    Attributes edge_defaults;
    std::vector<std::size_t> nodes;
    std::vector<Nodes> chain;  // of the statement that this subgraph is part of
    TextPlace place;
  };

  void step() { now_ = lexer_.next(); }
  [[noreturn]] void fail(const std::string& defect) const { refuse_graph(where_, now_.place, defect); }
  std::string found() const {
    switch (now_.kind) {
      case DotToken::Kind::end:
        return "the end of the file";
      case DotToken::Kind::arrow:
        return "->";
      case DotToken::Kind::line:
        return "--";
      default:
        return fmt::format("\"{}\"", now_.text.substr(0, 40));
    }
  }
  void expect(char sign) {
    if (!now_.is(sign)) {
      fail(fmt::format("expected \"{}\", found {}", sign, found()));
    }
    step();
  }
  PlacedText name(const char* what) {
    if (now_.kind != DotToken::Kind::name) {
      fail(fmt::format("expected {}, found {}", what, found()));
    }
    PlacedText result{now_.text, now_.place, now_.byte};
    const bool quoted = now_.quoted;
    step();
    while (quoted && now_.is('+')) {
      step();
      if (now_.kind != DotToken::Kind::name || !now_.quoted) {
        fail(fmt::format("expected a string after \"+\", found {}", found()));
      }
      result.text += now_.text;
      step();
    }
    return result;
  }

  void read_graph();
  void read_statement();
  void read_operand();
  void end_operand(Nodes nodes);
  void end_chain(std::vector<Nodes> chain);
  void close_scope();
  Attributes attribute_lists();
  std::size_t node(const PlacedText& id);

  DotLexer lexer_;
  const std::string& where_;
  DotToken now_;
  std::vector<AttributedGraph> graphs_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::vector<Scope> scopes_;
  std::vector<Nodes> chain_;  // operands of the statement that is being read
  std::size_t made_bytes_ = 0;
};

void Document::read_graph() {
  const TextPlace place = now_.place;
  if (now_.is_keyword("strict")) {
    step();
  }
  if (now_.is_keyword("graph")) {
    fail("a graph whose edges have no direction; a join's edge goes from its source to its target (digraph)");
  }
  if (!now_.is_keyword("digraph")) {
    fail(fmt::format("expected digraph NAME {{ … }}, found {}", found()));
  }
  step();
  if (now_.kind == DotToken::Kind::name) {
    name("a name");
  }
  expect('{');
  graphs_.push_back({{}, {}, {}, place});
  node_of_.clear();
  scopes_.assign(1, Scope{});
  chain_.clear();
  while (!scopes_.empty()) {
    read_statement();
  }
}

// One statement, or the end of a subgraph (which may go on as an operand of an edge).
void Document::read_statement() {
  const bool attributes = now_.is_keyword("graph") || now_.is_keyword("node") || now_.is_keyword("edge");
  if (!chain_.empty() || !(attributes || now_.is(';') || now_.is('}'))) {
    read_operand();
  } else if (now_.is(';')) {
    step();
  } else if (now_.is('}')) {
    step();
    close_scope();
  } else {
    const bool of_graph = now_.is_keyword("graph");
    const bool of_node = now_.is_keyword("node");
    step();
    if (!now_.is('[')) {
      fail(fmt::format("expected \"[\" and attributes, found {}", found()));
    }
    const bool whole = scopes_.size() == 1;
    Attributes ignored;
    Attributes& into = of_graph  ? (whole ? graphs_.back().attributes : ignored)
                       : of_node ? scopes_.back().node_defaults
                                 : scopes_.back().edge_defaults;
    for (auto& [key, value] : attribute_lists()) {
      into.insert_or_assign(key, std::move(value));
    }
  }
}

// A node, a subgraph, or "key = value".
void Document::read_operand() {
  if (now_.is('{') || now_.is_keyword("subgraph")) {
    const TextPlace place = now_.place;
    if (now_.is_keyword("subgraph")) {
      step();
      if (now_.kind == DotToken::Kind::name) {
        name("a name");
      }
    }
    expect('{');
    if (scopes_.size() >= kDeepest) {
      refuse_graph(where_, place, fmt::format("subgraphs nested in more than {} levels", kDeepest));
    }
    scopes_.push_back(
        {scopes_.back().node_defaults, scopes_.back().edge_defaults, {}, std::move(chain_), place});
    chain_.clear();
    return;
  }
  const PlacedText id = name("a node");
  if (chain_.empty() && now_.is('=')) {
    step();
    const PlacedText value = name("a value");
    if (scopes_.size() == 1 && is_wanted(id.text)) {
      graphs_.back().attributes.insert_or_assign(id.text, value);
    }
    return;
  }
  for (int ports = 0; ports < 2 && now_.is(':'); ++ports) {
    step();
    name("a port");
  }
  end_operand({{node(id)}, id.place});
}

// After an operand: another edge, or the attributes of the statement.
void Document::end_operand(Nodes nodes) {
  chain_.push_back(std::move(nodes));
  if (now_.kind == DotToken::Kind::line) {
    fail("expected \"->\", found \"--\": an edge without direction");
  }
  if (now_.kind == DotToken::Kind::arrow) {
    step();
    if (now_.kind != DotToken::Kind::name && !now_.is('{')) {
      fail(fmt::format("expected the node that the edge goes to, found {}", found()));
    }
    return;  // read_statement goes on with it
  }
  std::vector<Nodes> chain;
  chain.swap(chain_);
  end_chain(std::move(chain));
}

void Document::end_chain(std::vector<Nodes> chain) {
  const TextPlace place = now_.place;
  const bool alone = chain.size() == 1;
  Attributes given = attribute_lists();
  AttributedGraph& graph = graphs_.back();
  if (alone) {
    for (const std::size_t one : chain[0].all) {
      for (const auto& [key, value] : given) {
        graph.nodes[one].attributes.insert_or_assign(key, value);
      }
    }
    return;
  }
  std::size_t bytes = 256;  // of one edge
  for (const auto& [key, value] : scopes_.back().edge_defaults) {
    given.emplace(key, value);
  }
  for (const auto& [key, value] : given) {
    bytes += key.size() + value.text.size() + 128;
  }
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    const std::size_t edges = chain[i].all.size() * chain[i + 1].all.size();
    made_bytes_ += edges > 1 ? edges * bytes : 0;
    if (made_bytes_ > kMostBytes) {
      refuse_graph(where_, place, "edges between subgraphs make more than 64 MiB");
    }
    for (const std::size_t source : chain[i].all) {
      for (const std::size_t target : chain[i + 1].all) {
        graph.edges.push_back({source, target, given, chain[i].place});
      }
    }
  }
}

void Document::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  if (scopes_.empty()) {
    return;
  }
  std::sort(scope.nodes.begin(), scope.nodes.end());
  scope.nodes.erase(std::unique(scope.nodes.begin(), scope.nodes.end()), scope.nodes.end());
  std::vector<std::size_t>& outer = scopes_.back().nodes;
  outer.insert(outer.end(), scope.nodes.begin(), scope.nodes.end());
  chain_ = std::move(scope.chain);
  end_operand({std::move(scope.nodes), scope.place});
}

Attributes Document::attribute_lists() {
  Attributes result;
  while (now_.is('[')) {
    step();
    while (!now_.is(']')) {
      const PlacedText key = name("an attribute or \"]\"");
      PlacedText value{"true", key.place};
      if (now_.is('=')) {
        step();
        value = name("a value");
      }
      if (is_wanted(key.text)) {
        result.insert_or_assign(key.text, std::move(value));
      }
      if (now_.is(',') || now_.is(';')) {
        step();
      }
    }
    step();
  }
  return result;
}

std::size_t Document::node(const PlacedText& id) {
  AttributedGraph& graph = graphs_.back();
  const auto [found, inserted] = node_of_.emplace(id.text, graph.nodes.size());
  if (inserted) {
    graph.nodes.push_back({id.text, scopes_.back().node_defaults, id.place});
  }
  scopes_.back().nodes.push_back(found->second);
  return found->second;
}

}  // namespace

std::vector<AttributedGraph> parse_dot(std::string_view text, const std::string& where) {
  return Document(text, where).read();
}

}  // namespace mog::analysis

// GraphML by expat, which gives places, knows all encodings of XML and builds nothing. Nested graphs,
// hyperedges, ports and data that no key declares are passed over, as the standard of GraphML lets a reader
// do.
#include <expat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "analysis/mog/graph_files/attributed_graph.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kDeepest = 32;

std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

class Document {
 public:
  Document(std::string_view text, const std::string& where)
      : text_(text), where_(where), parser_(XML_ParserCreate(nullptr), &XML_ParserFree) {
    if (parser_ == nullptr) {
      throw std::bad_alloc();
    }
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &Document::on_start, &Document::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &Document::on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &Document::on_doctype);
    XML_SetXmlDeclHandler(parser_.get(), &Document::on_declaration);
    bytes_tell_ = !text.starts_with("\xFE\xFF") && !text.starts_with("\xFF\xFE");
  }

  std::vector<AttributedGraph> read() {
    constexpr std::size_t kBlock = std::size_t{1} << 20U;
    for (std::size_t at = 0;; at += kBlock) {
      const std::string_view block = text_.substr(std::min(at, text_.size()), kBlock);
      const bool last = at + kBlock >= text_.size();
      const XML_Status status =
          XML_Parse(parser_.get(), block.data(), static_cast<int>(block.size()), last ? 1 : 0);
      if (defect_) {
        refuse_graph(where_, defect_->place, defect_->text);
      }
      if (status != XML_STATUS_OK) {
        refuse_graph(where_, here(),
                     fmt::format("no sound XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
      }
      if (last) {
        break;
      }
    }
    if (graphs_.empty()) {
      refuse_graph(where_, here(), "the end of the file; expected GraphML with a <graph>, found none");
    }
    return std::move(graphs_);
  }

 private:
  struct Key {
    std::string name;
    std::string owner;  // "node", "edge", "graph", "all"
    bool boolean = false;
    std::optional<std::string> otherwise;
  };
  enum class Element : std::uint8_t { other, graphml, graph, node, edge, data, key, otherwise };
  struct WrittenEdge {
    std::string source;
    std::string target;
    TextPlace place;
    Attributes attributes;
  };

  // Exceptions may not pass through expat, which is C.
  static void on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Document*>(self)->start(local_name(name), attributes);
  }
  static void on_end(void* self, const XML_Char* /*name*/) { static_cast<Document*>(self)->end(); }
  static void on_text(void* self, const XML_Char* text, int bytes) {
    auto* const document = static_cast<Document*>(self);
    if (document->collects_) {
      if (document->collected_.empty() && document->bytes_tell_) {
        document->data_byte_ = static_cast<std::size_t>(XML_GetCurrentByteIndex(document->parser_.get()));
      }
      document->collected_.append(text, static_cast<std::size_t>(bytes));
    }
  }
  static void on_declaration(void* self, const XML_Char* /*version*/, const XML_Char* encoding, int) {
    std::string name = encoding == nullptr ? "utf-8" : encoding;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    auto* const document = static_cast<Document*>(self);
    document->bytes_tell_ = document->bytes_tell_ && (name == "utf-8" || name == "us-ascii");
  }
  static void on_doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    auto* const document = static_cast<Document*>(self);
    document->refuse(document->here(), "GraphML with a document type declaration is not read");
  }

  TextPlace here() const {
    // Expat counts columns from 0, in characters.
    return {static_cast<std::int64_t>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<std::int64_t>(XML_GetCurrentColumnNumber(parser_.get())) + 1};
  }
  void refuse(const TextPlace& place, std::string defect) {
    if (!defect_) {
      defect_ = PlacedText{std::move(defect), place};
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }
  static std::string attribute(const XML_Char** attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2) {
      if (local_name(attributes[0]) == name) {
        return attributes[1];
      }
    }
    return "";
  }

  void start(std::string_view name, const XML_Char** attributes);
  void start_graph(const XML_Char** attributes);
  void start_key(const XML_Char** attributes);
  void end();
  void end_data();
  void end_graph();
  void add_defaults(Attributes& attributes, std::string_view owner) const;

  std::string_view text_;
  const std::string& where_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::optional<PlacedText> defect_;
  std::vector<Element> open_;
  std::unordered_map<std::string, Key> keys_;
  std::string open_key_;  // of <key> or <data>
  TextPlace data_place_;
  std::size_t data_byte_ = PlacedText::kNowhere;
  bool bytes_tell_ = true;  // the file is UTF-8, so that places can be found in its bytes
  bool collects_ = false;
  std::string collected_;
  std::unordered_map<std::string, std::size_t> node_of_;  // of the open graph
  std::vector<WrittenEdge> edges_;
  std::vector<AttributedGraph> graphs_;
};

void Document::start(std::string_view name, const XML_Char** attributes) {
  if (defect_) {
    return;
  }
  const Element parent = open_.empty() ? Element::other : open_.back();
  Element element = Element::other;
  if (open_.size() >= kDeepest) {
    refuse(here(), fmt::format("elements nested in more than {} levels", kDeepest));
  } else if (open_.empty()) {
    element = Element::graphml;
    if (name != "graphml") {
      refuse(here(), fmt::format("expected <graphml>, found <{}>", name.substr(0, 40)));
    }
  } else if (parent == Element::graphml && name == "graph") {
    element = Element::graph;
    start_graph(attributes);
  } else if (parent == Element::graphml && name == "key") {
    element = Element::key;
    start_key(attributes);
  } else if (parent == Element::key && name == "default") {
    element = Element::otherwise;
    collects_ = true;
  } else if (parent == Element::graph && name == "node") {
    element = Element::node;
    const std::string id = attribute(attributes, "id");
    AttributedGraph& graph = graphs_.back();
    if (id.empty()) {
      refuse(here(), "a <node> without an \"id\"");
    } else if (!node_of_.emplace(id, graph.nodes.size()).second) {
      refuse(here(), fmt::format("a second node with the id \"{}\"", id.substr(0, 40)));
    }
    graph.nodes.push_back({id, {}, here()});
  } else if (parent == Element::graph && name == "edge") {
    element = Element::edge;
    if (attribute(attributes, "directed") == "false") {
      refuse(here(), "an edge without direction; a join's edge goes from its source to its target");
    }
    edges_.push_back({attribute(attributes, "source"), attribute(attributes, "target"), here(), {}});
  } else if ((parent == Element::graph || parent == Element::node || parent == Element::edge) &&
             name == "data") {
    element = Element::data;
    open_key_ = attribute(attributes, "key");
    data_place_ = here();
    data_byte_ = PlacedText::kNowhere;
    const auto key = keys_.find(open_key_);
    collects_ = key != keys_.end() && is_wanted(key->second.name);
  }
  open_.push_back(element);
}

void Document::start_graph(const XML_Char** attributes) {
  if (attribute(attributes, "edgedefault") == "undirected") {
    refuse(here(), "a graph whose edges have no direction; a join's edge goes from its source to its target");
  }
  graphs_.push_back({{}, {}, {}, here()});
  node_of_.clear();
  edges_.clear();
}

void Document::start_key(const XML_Char** attributes) {
  open_key_ = attribute(attributes, "id");
  std::string name = attribute(attributes, "attr.name");
  std::string owner = attribute(attributes, "for");
  keys_[open_key_] = {name.empty() ? open_key_ : std::move(name), owner.empty() ? "all" : std::move(owner),
                      attribute(attributes, "attr.type") == "boolean", std::nullopt};
}

void Document::end() {
  if (defect_ || open_.empty()) {
    return;
  }
  const Element element = open_.back();
  open_.pop_back();
  if (element == Element::otherwise) {
    keys_[open_key_].otherwise = std::move(collected_);
  } else if (element == Element::data && collects_) {
    end_data();
  } else if (element == Element::graph) {
    end_graph();
  }
  if (element == Element::otherwise || element == Element::data) {
    collects_ = false;
    collected_.clear();
  }
}

void Document::end_data() {
  const Key& key = keys_.at(open_key_);
  if (key.boolean) {
    // xs:boolean has four spellings; some programs write Python's.
    const std::string_view found = trimmed(collected_);
    const bool yes = found == "true" || found == "1" || found == "True";
    if (!yes && found != "false" && found != "0" && found != "False") {
      refuse(data_place_, fmt::format("\"{}\": expected true, false, 1 or 0, found \"{}\"", key.name,
                                      found.substr(0, 40)));
      return;
    }
    collected_ = yes ? "true" : "false";
  }
  AttributedGraph& graph = graphs_.back();
  Attributes& attributes = open_.back() == Element::node   ? graph.nodes.back().attributes
                           : open_.back() == Element::edge ? edges_.back().attributes
                                                           : graph.attributes;
  if (!attributes.emplace(key.name, PlacedText{std::move(collected_), data_place_, data_byte_}).second) {
    refuse(data_place_, fmt::format("a second value of \"{}\"", key.name.substr(0, 40)));
  }
}

void Document::add_defaults(Attributes& attributes, std::string_view owner) const {
  for (const auto& [id, key] : keys_) {
    if (key.otherwise && is_wanted(key.name) && (key.owner == owner || key.owner == "all")) {
      attributes.emplace(key.name, PlacedText{*key.otherwise, graphs_.back().place});
    }
  }
}

// Edges may stand before their nodes.
void Document::end_graph() {
  AttributedGraph& graph = graphs_.back();
  for (WrittenEdge& edge : edges_) {
    const auto source = node_of_.find(edge.source);
    const auto target = node_of_.find(edge.target);
    if (source == node_of_.end() || target == node_of_.end()) {
      refuse(edge.place, fmt::format("an edge from \"{}\" to \"{}\": there is no node \"{}\"",
                                     edge.source.substr(0, 40), edge.target.substr(0, 40),
                                     (source == node_of_.end() ? edge.source : edge.target).substr(0, 40)));
      return;
    }
    graph.edges.push_back({source->second, target->second, std::move(edge.attributes), edge.place});
  }
  edges_.clear();
  const bool defaults = std::any_of(keys_.begin(), keys_.end(),
                                    [](const auto& key) { return key.second.otherwise.has_value(); });
  if (defaults) {
    add_defaults(graph.attributes, "graph");
    for (AttributedNode& node : graph.nodes) {
      add_defaults(node.attributes, "node");
    }
    for (AttributedEdge& edge : graph.edges) {
      add_defaults(edge.attributes, "edge");
    }
  }
}

}  // namespace

std::vector<AttributedGraph> parse_graphml(std::string_view text, const std::string& where) {
  return Document(text, where).read();
}

}  // namespace mog::analysis

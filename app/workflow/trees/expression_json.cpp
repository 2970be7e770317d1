// Graphs in JSON: one document, or one a line.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/workflow/trees/expression_read.h"
#include "io/recording/errors.h"
#include "io/text/json_check.h"

namespace mog::app {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kVersion = 1;  // of mog-graph and mog-forest

class Document {
 public:
  Document(std::string_view text, std::int64_t first_line, const std::string& name,
           const ExpressionOptions& options, std::vector<ExpressionSet>& sets)
      : text_(text), first_line_(first_line), name_(name), options_(options), sets_(sets) {}

  void read() {
    io::check_json(text_, name_, {.first_line = first_line_});
    const Json document = Json::parse(text_);
    add(document, "", name_);
    // `mog trees --json` says why it found none.
    if (graphs_ == 0 && document.is_object()) {
      const auto notes = document.find("notes");
      const bool known =
          notes != document.end() && notes->is_array() && !notes->empty() && notes->back().is_string();
      throw FormatError(fmt::format("{}: it holds no graph{}", name_,
                                    known ? ": " + notes->back().get<std::string>() : ""));
    }
  }

 private:
  // Places are looked for only when something is wrong there: a walk from the beginning each.
  [[noreturn]] void refuse(const std::string& pointer, const std::string& where, const std::string& defect) {
    throw FormatError(fmt::format("{}: {}: {}", where, io::json_place(text_, pointer, first_line_), defect));
  }

  template <class Value>
  Value field(const Json& object, const char* key, Value otherwise, const std::string& pointer,
              const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
      return otherwise;
    }
    try {
      if (std::is_same_v<Value, std::int64_t> && !found->is_number_integer()) {
        refuse(pointer + '/' + key, where, fmt::format("\"{}\" is no whole number", key));
      }
      return found->get<Value>();
    } catch (const Json::exception&) {
      refuse(pointer + '/' + key, where, fmt::format("\"{}\" has the wrong type", key));
    }
  }

  // Names and versions are compared where they are given: other programs need not give them.
  void check_format(const Json& object, const char* expected, const std::string& pointer,
                    const std::string& where) {
    const auto format = field<std::string>(object, "format", expected, pointer, where);
    if (format != expected) {
      refuse(pointer + "/format", where,
             fmt::format("expected the format \"{}\", found \"{}\"", expected, format.substr(0, 40)));
    }
    const auto version = field<std::int64_t>(object, "version", kVersion, pointer, where);
    if (version != kVersion) {
      refuse(pointer + "/version", where,
             fmt::format("expected version {} of {}, found {}{}", kVersion, expected, version,
                         version > kVersion ? ", which a newer program wrote" : ""));
    }
  }

  analysis::GraphClaim claim_of(const Json& tree, const std::string& pointer, const std::string& where);
  void read_facts(const Json& object);
  void add_graph(const Json& tree, const std::string& pointer, const std::string& where);
  void add_list(const Json& list, const std::string& pointer, const std::string& where, const char* what);
  void add(const Json& document, const std::string& pointer, const std::string& where);

  std::string_view text_;
  std::int64_t first_line_;
  const std::string& name_;
  const ExpressionOptions& options_;
  std::vector<ExpressionSet>& sets_;
  analysis::GraphFacts facts_;  // of what is being read
  std::size_t graphs_ = 0;      // that were read
};

// Of a graph's "about", and of what surrounds the forests of `mog trees --json`. Other types than expected
// are another program's fields.
void Document::read_facts(const Json& object) {
  const auto set = [&](std::string_view name, std::string value) {
    const auto known =
        std::find_if(facts_.begin(), facts_.end(), [&](const auto& fact) { return fact.first == name; });
    if (known != facts_.end()) {
      known->second = std::move(value);
    } else if (!value.empty()) {
      facts_.emplace_back(name, std::move(value));
    }
  };
  for (const std::string_view name : analysis::kGraphFacts) {
    const auto found = object.find(name == "number" && object.contains("sentence") ? "sentence" : name);
    if (found == object.end()) {
      continue;
    }
    if (found->is_string()) {
      set(name, found->get<std::string>());
    } else if (found->is_number_integer() && name == "number") {
      set(name, found->dump());
    } else if (found->is_object() && name == "choices") {
      std::string text;
      for (const auto& [key, value] : found->items()) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                            value.is_string() ? value.get<std::string>() : value.dump());
      }
      set(name, std::move(text));
    }
  }
  std::stable_sort(facts_.begin(), facts_.end(), [](const auto& a, const auto& b) {
    const auto place = [](std::string_view name) {
      return std::find(analysis::kGraphFacts.begin(), analysis::kGraphFacts.end(), name);
    };
    return place(a.first) < place(b.first);
  });
}

analysis::GraphClaim Document::claim_of(const Json& tree, const std::string& pointer,
                                        const std::string& where) {
  analysis::GraphClaim claim;
  claim.expression = field<std::string>(tree, "expression", "", pointer, where);
  // The derivations of `mog trees` too have annotations; they stand in a field of their own.
  if (std::string annotated = field<std::string>(tree, "annotated", "", pointer, where); !annotated.empty()) {
    claim.plain = std::move(claim.expression);
    claim.expression = std::move(annotated);
  }
  claim.of_sentence = field(tree, "sentence", true, pointer, where);
  if (const auto about = tree.find("about"); about != tree.end() && about->is_object()) {
    facts_.clear();
    read_facts(*about);
  }
  claim.facts = facts_;
  claim.words = field(tree, "words", std::vector<std::string>(), pointer, where);
  const auto edges = tree.find("edges");
  if (edges == tree.end()) {
    return claim;
  }
  if (!edges->is_array()) {
    refuse(pointer + "/edges", where, "\"edges\" is no list");
  }
  for (std::size_t i = 0; i < edges->size(); ++i) {
    const Json& edge = (*edges)[i];
    const std::string place = fmt::format("{}/edges/{}", pointer, i);
    if (!edge.is_object()) {
      refuse(place, where, "an edge is no object");
    }
    analysis::EdgeClaim& one = claim.edges.emplace_back();
    one.id = field<std::int64_t>(edge, "id", 0, place, where);
    one.source = field<std::int64_t>(edge, "source", 0, place, where);
    one.target = field<std::int64_t>(edge, "target", 0, place, where);
    one.order = field<std::int64_t>(edge, "order", 0, place, where);
    one.kind = field<std::int64_t>(edge, "kind", 0, place, where);
    one.left = field<std::string>(edge, "left", "", place, where);
    one.right = field<std::string>(edge, "right", "", place, where);
    one.made = field<std::string>(edge, "sub", "", place, where);
  }
  return claim;
}

void Document::add_graph(const Json& tree, const std::string& pointer, const std::string& where) {
  ++graphs_;
  analysis::GraphClaim claim = claim_of(tree, pointer, where);
  try {
    add_claim(claim, where, options_, sets_);
    return;
  } catch (const Error&) {
    // Again, with the places that make the message say where.
    claim.place = io::json_place(text_, pointer + (tree.contains("annotated") ? "/annotated" : "/expression"),
                                 first_line_);
    const std::vector<std::string> places = io::json_places(text_, pointer + "/edges", first_line_);
    for (std::size_t i = 0; i < std::min(places.size(), claim.edges.size()); ++i) {
      claim.edges[i].place = places[i];
    }
  }
  add_claim(claim, where, options_, sets_);
}

void Document::add_list(const Json& list, const std::string& pointer, const std::string& where,
                        const char* what) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    add(list[i], fmt::format("{}/{}", pointer, i), fmt::format("{}: {} {}", where, what, i + 1));
  }
}

// One graph, a forest of derivations (`mog trees --json`), or a list of either.
void Document::add(const Json& document, const std::string& pointer, const std::string& where) {
  if (document.is_array()) {
    add_list(document, pointer, where, "element");
    return;
  }
  if (!document.is_object()) {
    refuse(pointer, where, "expected an object with \"expression\", \"words\" and \"edges\"");
  }
  if (document.contains("forest")) {
    read_facts(document);
    // In `mog trees --json` "sentence" is its number.
    add(document["forest"], pointer + "/forest", where);
    return;
  }
  if (const auto goals = document.find("goals"); goals != document.end() && goals->is_array()) {
    read_facts(document);
    add_list(*goals, pointer + "/goals", where, "goal");
    return;
  }
  const auto trees = document.find("trees");
  if (trees == document.end() || !trees->is_array()) {
    check_format(document, "mog-graph", pointer, where);
    add_graph(document, pointer, where);
    return;
  }
  check_format(document, "mog-forest", pointer, where);
  for (std::size_t i = 0; i < trees->size(); ++i) {
    const std::string place = fmt::format("{}: tree {}", where, i + 1);
    const std::string tree_pointer = fmt::format("{}/trees/{}", pointer, i);
    Json tree = (*trees)[i];
    if (!tree.is_object()) {
      refuse(tree_pointer, place, "it is no object");
    }
    tree["words"] = document.value("words", Json::array());
    add_graph(tree, tree_pointer, place);
  }
}

}  // namespace

void read_json_graphs(std::string_view text, const std::string& name, const ExpressionOptions& options,
                      std::vector<ExpressionSet>& sets) {
  std::int64_t line = 1;
  std::size_t begin = 0;
  const bool lines = Json::accept(text.substr(0, text.find('\n')));
  while (begin < text.size()) {
    const std::size_t end = lines ? std::min(text.find('\n', begin), text.size()) : text.size();
    const std::string_view document = text.substr(begin, end - begin);
    if (!only_blanks(document)) {
      Document(document, line, name, options, sets).read();
    }
    begin = end + 1;
    ++line;
  }
}

}  // namespace mog::app

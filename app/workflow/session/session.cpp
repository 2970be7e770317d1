#include "app/workflow/session/session.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "mog-workbench session";

// ---- writing -----------------------------------------------------------------------------------------

constexpr std::string_view kAllParts = "all";

std::string part_word(Part part) {
  return std::string(part == Part::none ? kAllParts : name(part));
}

struct PrintIntervention {
  Json operator()(const model::MaskToken& intervention) const {
    return {{"edit", "mask"}, {"token", intervention.token + 1}};
  }
  Json operator()(const model::ReplaceToken& intervention) const {
    return {{"edit", "replace"}, {"token", intervention.token + 1}, {"id", intervention.id}};
  }
  Json operator()(const model::ScaleHead& intervention) const {
    return {{"edit", "head"},
            {"layer", intervention.layer},
            {"part", part_word(intervention.part)},
            {"head", intervention.head},
            {"factor", intervention.factor}};
  }
  Json operator()(const model::ScalePart& intervention) const {
    return {{"edit", "part"},
            {"layer", intervention.layer},
            {"part", part_word(intervention.part)},
            {"factor", intervention.factor}};
  }
  Json operator()(const model::ScaleLayer& intervention) const {
    return {{"edit", "layer"}, {"layer", intervention.layer}, {"factor", intervention.factor}};
  }
  Json operator()(const model::ScaleFeedForward& intervention) const {
    return {{"edit", "feed_forward"}, {"layer", intervention.layer}, {"factor", intervention.factor}};
  }
  Json operator()(const model::SetGate& intervention) const {
    Json json = {{"edit", "gate"}, {"layer", intervention.layer}, {"value", intervention.value}};
    if (intervention.token) {
      json["token"] = *intervention.token + 1;
    }
    return json;
  }
  Json operator()(const model::CutLogitTerm& intervention) const {
    return {{"edit", "term"},
            {"layer", intervention.layer},
            {"term", std::string(model::name(intervention.term))}};
  }
  Json operator()(const model::CutGraphTerm& intervention) const {
    Json json = {{"edit", "graph_term"},
                 {"layer", intervention.layer},
                 {"term", std::string(model::name(intervention.term))}};
    if (intervention.head) {
      json["head"] = *intervention.head;
    }
    return json;
  }
  Json operator()(const model::ZeroEmbedding& intervention) const {
    return {{"edit", "zero"}, {"token", intervention.token + 1}};
  }
  Json operator()(const model::ScaleCapsule& intervention) const {
    return {{"edit", "capsule"},
            {"layer", intervention.layer},
            {"capsule", intervention.capsule},
            {"factor", intervention.factor}};
  }
  Json operator()(const model::ScaleGlobal& intervention) const {
    return {{"edit", "global"}, {"factor", intervention.factor}};
  }
};

Json print_item(const SessionItem& item) {
  if (!item.recording.empty()) {
    return {{"recording", item.recording}};
  }
  Json sentences = Json::array();
  for (const SessionSentence& sentence : item.sentences) {
    Json json = {{"text", sentence.text}};
    if (sentence.parent >= 0) {
      json["parent"] = sentence.parent + 1;
    }
    if (sentence.words != model::WordCut::automatic) {
      json["words"] = std::string(model::name(sentence.words));
    }
    if (!sentence.name.empty()) {
      json["name"] = sentence.name;
    }
    for (const model::Intervention& intervention : sentence.interventions) {
      json["edits"].push_back(std::visit(PrintIntervention{}, intervention));
    }
    sentences.push_back(std::move(json));
  }
  return {{"model", item.model + 1}, {"sentences", std::move(sentences)}};
}

Json print_selection(const SessionSelection& selection) {
  Json json = {{"item", selection.item + 1},
               {"sentence", selection.sentence + 1},
               {"layer", selection.layer},
               {"part", part_word(selection.part)},
               {"head", selection.head}};
  if (selection.token) {
    json["token"] = *selection.token + 1;
  }
  if (selection.key) {
    json["key"] = *selection.key + 1;
  }
  if (selection.shortest) {
    json["shortest"] = *selection.shortest;
  }
  if (selection.longest) {
    json["longest"] = *selection.longest;
  }
  return json;
}

// ---- reading -----------------------------------------------------------------------------------------

// One value with its place in the file, for messages.
class Node {
 public:
  Node(const Json& json, std::string place, const std::string& file)
      : json_(json), place_(std::move(place)), file_(file) {}

  [[noreturn]] void refuse(const std::string& expected) const {
    std::string found = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > 60) {
      found = std::string(json_.type_name());
    }
    throw FormatError(
        fmt::format("reading the session {}: {} should be {}, found {}", file_, place_, expected, found));
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Node at(const char* key) const {
    if (!json_.is_object()) {
      refuse("an object");
    }
    if (!json_.contains(key)) {
      refuse(fmt::format("an object with \"{}\"", key));
    }
    return {json_.at(key), place_ == "the file" ? key : place_ + "." + key, file_};
  }
  std::string text() const {
    if (!json_.is_string()) {
      refuse("a text");
    }
    return json_.get<std::string>();
  }
  std::int64_t integer(std::int64_t least) const {
    if (!json_.is_number_integer() || (json_.is_number_unsigned() && !fits())) {
      refuse("a whole number");
    }
    const auto value = json_.get<std::int64_t>();
    if (value < least) {
      refuse(fmt::format("a whole number of at least {}", least));
    }
    return value;
  }
  double number() const {
    if (!json_.is_number() || !std::isfinite(json_.get<double>())) {
      refuse("a number");
    }
    return json_.get<double>();
  }
  std::vector<Node> list() const {
    if (!json_.is_array()) {
      refuse("a list");
    }
    std::vector<Node> result;
    for (std::size_t i = 0; i < json_.size(); ++i) {
      result.emplace_back(json_.at(i), fmt::format("{}[{}]", place_, i + 1), file_);
    }
    return result;
  }
  Part part() const {
    const std::string spelt = text();
    if (spelt == kAllParts) {
      return Part::none;
    }
    try {
      return Part::named(spelt);
    } catch (const Error&) {
      refuse("a part (all, or its name)");
    }
  }
  SessionValue value() const {
    if (json_.is_boolean()) {
      return json_.get<bool>();
    }
    if (json_.is_number()) {
      return number();
    }
    if (json_.is_string()) {
      return text();
    }
    if (!json_.is_array()) {
      refuse("true, false, a number, a text or a list of numbers");
    }
    std::vector<double> numbers;
    for (const Node& entry : list()) {
      numbers.push_back(entry.number());
    }
    return numbers;
  }
  const Json& json() const { return json_; }
  const std::string& place() const { return place_; }

 private:
  bool fits() const {
    return json_.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  }
  const Json& json_;
  std::string place_;
  const std::string& file_;
};

model::Intervention read_edit(const Node& node) {
  const std::string kind = node.at("edit").text();
  if (kind == "mask") {
    return model::MaskToken{.sentence = 0, .token = node.at("token").integer(1) - 1};
  }
  if (kind == "replace") {
    return model::ReplaceToken{
        .sentence = 0, .token = node.at("token").integer(1) - 1, .id = node.at("id").integer(0)};
  }
  if (kind == "head") {
    return model::ScaleHead{.layer = node.at("layer").integer(1),
                            .part = node.at("part").part(),
                            .head = node.at("head").integer(1),
                            .factor = node.at("factor").number()};
  }
  if (kind == "part") {
    return model::ScalePart{.layer = node.at("layer").integer(1),
                            .part = node.at("part").part(),
                            .factor = node.at("factor").number()};
  }
  if (kind == "layer") {
    return model::ScaleLayer{.layer = node.at("layer").integer(1), .factor = node.at("factor").number()};
  }
  if (kind == "feed_forward") {
    return model::ScaleFeedForward{.layer = node.at("layer").integer(1),
                                   .factor = node.at("factor").number()};
  }
  if (kind == "gate") {
    model::SetGate gate;
    gate.layer = node.at("layer").integer(1);
    gate.sentence = 0;
    gate.value = node.at("value").number();
    if (node.has("token")) {
      gate.token = node.at("token").integer(1) - 1;
    }
    return gate;
  }
  if (kind == "term") {
    const auto term = model::find_logit_term(node.at("term").text());
    if (!term) {
      node.at("term").refuse("pp, pi, ip, ii, bp or bi");
    }
    return model::CutLogitTerm{.layer = node.at("layer").integer(1), .term = *term};
  }
  if (kind == "graph_term") {
    const auto term = model::find_graph_term(node.at("term").text());
    if (!term) {
      node.at("term").refuse("content, relation_key, relation_query or relation_value");
    }
    model::CutGraphTerm cut{.layer = node.at("layer").integer(1), .term = *term, .head = {}};
    if (node.has("head")) {
      cut.head = node.at("head").integer(1);
    }
    return cut;
  }
  if (kind == "zero") {
    return model::ZeroEmbedding{.sentence = 0, .token = node.at("token").integer(1) - 1};
  }
  if (kind == "capsule") {
    return model::ScaleCapsule{.layer = node.at("layer").integer(1),
                               .capsule = node.at("capsule").integer(1),
                               .factor = node.at("factor").number()};
  }
  if (kind == "global") {
    return model::ScaleGlobal{.factor = node.at("factor").number()};
  }
  node.at("edit").refuse("mask, replace, head, part, layer, gate, term, graph_term, zero, capsule or global");
}

SessionItem read_item(const Node& node, std::size_t models) {
  SessionItem item;
  if (node.has("recording")) {
    item.recording = node.at("recording").text();
    return item;
  }
  item.model = node.at("model").integer(1) - 1;
  if (item.model >= static_cast<std::int64_t>(models)) {
    node.at("model").refuse(fmt::format("one of the {} models, counted from 1", models));
  }
  for (const Node& entry : node.at("sentences").list()) {
    SessionSentence sentence;
    sentence.text = entry.at("text").text();
    if (entry.has("parent")) {
      sentence.parent = entry.at("parent").integer(1) - 1;
      if (sentence.parent >= static_cast<std::int64_t>(item.sentences.size())) {
        entry.at("parent").refuse("the number of a sentence before this one");
      }
    }
    if (entry.has("words")) {
      try {
        sentence.words = model::parse_word_cut(entry.at("words").text());
      } catch (const UsageError&) {
        entry.at("words").refuse("auto, spaces, ud-en or characters");
      }
    }
    if (entry.has("name")) {
      sentence.name = entry.at("name").text();
    }
    if (entry.has("edits")) {
      for (const Node& intervention : entry.at("edits").list()) {
        sentence.interventions.push_back(read_edit(intervention));
      }
    }
    item.sentences.push_back(std::move(sentence));
  }
  return item;
}

SessionSelection read_selection(const Node& node) {
  SessionSelection selection;
  selection.item = node.at("item").integer(0) - 1;
  selection.sentence = node.at("sentence").integer(1) - 1;
  selection.layer = node.at("layer").integer(0);
  selection.part = node.at("part").part();
  selection.head = node.at("head").integer(0);
  if (node.has("token")) {
    selection.token = node.at("token").integer(1) - 1;
  }
  if (node.has("key")) {
    selection.key = node.at("key").integer(1) - 1;
  }
  if (node.has("shortest")) {
    selection.shortest = node.at("shortest").integer(0);
  }
  if (node.has("longest")) {
    selection.longest = node.at("longest").integer(0);
  }
  return selection;
}

}  // namespace

std::string print_session(const Session& session) {
  Json json = {{"format", kFormat}, {"version", kSessionVersion}, {"models", session.models}};
  json["items"] = Json::array();
  for (const SessionItem& item : session.items) {
    json["items"].push_back(print_item(item));
  }
  json["selection"] = print_selection(session.selection);
  if (session.held) {
    json["held"] = {{"item", session.held->item + 1}, {"sentence", session.held->sentence + 1}};
  }
  if (!session.gold.empty()) {
    json["gold"] = session.gold;
  }
  if (!session.trajectories.empty()) {
    json["trajectories"] = session.trajectories;
  }
  json["find"] = session.find;
  if (!session.names.empty()) {
    json["names"] = session.names;
  }
  json["views"] = Json::object();
  for (const auto& [key, value] : session.views) {
    std::visit([&, name = key](const auto& known) { json["views"][name] = known; }, value);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Session parse_session(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line …": the number says nothing to a reader.
    const std::string_view what = error.what();
    const std::size_t end = what.find("] ");
    throw FormatError(fmt::format("reading the session {}: it is not JSON: {}", file,
                                  what.substr(end == std::string_view::npos ? 0 : end + 2)));
  }
  const Node root(json, "the file", file);
  if (!root.has("format") || !root.at("format").json().is_string() || root.at("format").text() != kFormat) {
    throw FormatError(fmt::format(
        "reading the session {}: \"format\" should be \"{}\"; is this a session of mog-workbench?", file,
        kFormat));
  }
  const std::int64_t version = root.at("version").integer(1);
  if (version > kSessionVersion) {
    throw FormatError(
        fmt::format("reading the session {}: it has version {}, this program reads up to version {}; open it "
                    "with the program that wrote it",
                    file, version, kSessionVersion));
  }
  Session session;
  for (const Node& model : root.at("models").list()) {
    session.models.push_back(model.text());
  }
  for (const Node& item : root.at("items").list()) {
    session.items.push_back(read_item(item, session.models.size()));
  }
  session.selection = read_selection(root.at("selection"));
  if (session.selection.item >= static_cast<std::int64_t>(session.items.size())) {
    root.at("selection").at("item").refuse(fmt::format("at most {}", session.items.size()));
  }
  if (root.has("held")) {
    const Node held = root.at("held");
    session.held = {.item = held.at("item").integer(1) - 1, .sentence = held.at("sentence").integer(1) - 1};
    if (session.held->item >= static_cast<std::int64_t>(session.items.size())) {
      held.at("item").refuse(fmt::format("at most {}", session.items.size()));
    }
  }
  if (root.has("views")) {
    const Node views = root.at("views");
    if (!views.json().is_object()) {
      views.refuse("an object");
    }
    for (const auto& [key, value] : views.json().items()) {
      session.views.emplace(key, views.at(key.c_str()).value());
    }
  }
  session.gold = root.has("gold") ? root.at("gold").text() : "";
  if (root.has("trajectories")) {
    for (const Node& path : root.at("trajectories").list()) {
      session.trajectories.push_back(path.text());
    }
  }
  session.find = root.has("find") ? root.at("find").text() : "";
  if (root.has("names")) {
    const Node names = root.at("names");
    if (!names.json().is_object()) {
      names.refuse("an object");
    }
    for (const auto& [path, name] : names.json().items()) {
      session.names.emplace(path, names.at(path.c_str()).text());
    }
  }
  return session;
}

}  // namespace mog::app

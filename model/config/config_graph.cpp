// The keys of graphs that are read and predicted.
#include <fmt/format.h>

#include <set>

#include "model/config/config_parts.h"

namespace mog::model {
namespace {

constexpr std::int64_t kMostRelations = 1 << 16;
constexpr std::size_t kMostLabels = 10'000;
constexpr std::int64_t kMostRefinements = 1000;
constexpr std::int64_t kMostWindow = 1'000'000;

std::vector<std::string> read_labels(ConfigReader& reader) {
  const nlohmann::ordered_json& found = reader.at("labels");
  if (!found.is_array() || found.empty() || found.size() > kMostLabels) {
    reader.refuse("labels", fmt::format("a list of 1 to {} labels", kMostLabels), found.dump().substr(0, 80));
  }
  std::vector<std::string> labels;
  std::set<std::string> seen;
  for (const nlohmann::ordered_json& label : found) {
    if (!label.is_string() || label.get<std::string>().empty()) {
      reader.refuse("labels", "a list of texts", label.dump().substr(0, 80));
    }
    if (!seen.insert(label.get<std::string>()).second) {
      reader.refuse("labels", "each label once", label.dump() + " twice");
    }
    labels.push_back(label.get<std::string>());
  }
  return labels;
}

const char* foreign_keys(const GraphConfig& config) {
  if (config.reads_states()) {
    return "refinements belongs to parser = pairs, link_pieces to the parsers that read sentences, window "
           "and "
           "overlap to kind = coreference";
  }
  if (config.by_transitions()) {
    return "refinements belongs to parser = pairs; classifier, composition and history to state_transitions; "
           "window and overlap to kind = coreference";
  }
  if (config.is_tree()) {
    return "classifier, composition and history belong to parser = state_transitions, window and overlap to "
           "kind = coreference";
  }
  return "labels, label_width, link_pieces and parser belong to kind = dependencies; classifier, composition "
         "and history to parser = state_transitions";
}

}  // namespace

GraphInputConfig read_graph_input(ConfigReader reader) {
  GraphInputConfig config;
  config.relations = reader.integer("relations", 2, kMostRelations);
  config.form = reader.choice("form", kRelationForms);
  config.none = reader.choice("none", kNoRelations);
  config.share = reader.boolean("share");
  config.key_norm = reader.boolean("key_norm");
  config.value_norm = reader.boolean("value_norm");
  reader.finish();
  return config;
}

GraphConfig read_graph(ConfigReader reader, const std::string& file, const EncoderConfig& encoder) {
  GraphConfig config;
  config.kind = reader.choice("kind", kGraphKinds);
  if (config.is_tree() && reader.has("parser")) {
    config.kind = reader.choice("parser", kParsers);
  }
  config.width = reader.integer("width", 1, kMostWidth);
  if (config.is_tree()) {
    config.labels = read_labels(reader);
    config.label_width = reader.integer("label_width", 1, kMostWidth);
    config.link_pieces = !config.reads_states() && reader.boolean("link_pieces");
  } else {
    config.label_width = 0;
    config.link_pieces = false;
    config.window = reader.has("window") ? reader.integer("window", 8, kMostWindow) : config.window;
    config.overlap = reader.has("overlap") ? reader.integer("overlap", 0, config.window - 1) : config.overlap;
  }
  if (config.reads_states()) {
    config.classifier = reader.choice("classifier", kStateClassifiers);
    config.composition = reader.choice("composition", kCompositions);
    config.history = reader.integer("history", 0, kMostWidth);
  }
  config.refinements = config.by_transitions() ? 0 : reader.integer("refinements", 0, kMostRefinements);
  reader.finish(foreign_keys(config));
  if (encoder.graph_input && encoder.graph_input->relations != config.relations()) {
    contradict(file, fmt::format("encoder.graph_input.relations = {}, but a graph of {}{} has {}",
                                 encoder.graph_input->relations, name(config.kind),
                                 config.is_tree() ? fmt::format(" with {} labels", config.labels.size()) : "",
                                 config.relations()));
  }
  if (!encoder.graph_input && config.refinements > 0) {
    contradict(file,
               fmt::format("graph.refinements = {} without encoder.graph_input; an encoder that reads no "
                           "graph has refinements = 0",
                           config.refinements));
  }
  return config;
}

nlohmann::ordered_json graph_input_json(const GraphInputConfig& config) {
  return {{"relations", config.relations},
          {"form", text_of(kRelationForms, config.form)},
          {"none", text_of(kNoRelations, config.none)},
          {"share", config.share},
          {"key_norm", config.key_norm},
          {"value_norm", config.value_norm}};
}

nlohmann::ordered_json graph_json(const GraphConfig& config) {
  nlohmann::ordered_json json = {{"kind", name(config.kind)}};
  if (config.by_transitions()) {
    json["parser"] = text_of(kParsers, config.kind);
  }
  json["width"] = config.width;
  if (config.is_tree()) {
    json["labels"] = config.labels;
    json["label_width"] = config.label_width;
    if (!config.reads_states()) {
      json["link_pieces"] = config.link_pieces;
    }
  }
  if (config.reads_states()) {
    json["classifier"] = text_of(kStateClassifiers, config.classifier);
    json["composition"] = text_of(kCompositions, config.composition);
    json["history"] = config.history;
  }
  if (!config.is_tree()) {
    json["window"] = config.window;
    json["overlap"] = config.overlap;
  }
  if (!config.by_transitions()) {
    json["refinements"] = config.refinements;
  }
  return json;
}

std::string describe(const GraphInputConfig& input) {
  return fmt::format(
      "reads a graph of {} relations ({}{})", input.relations - 1,
      input.form == RelationForm::three_term ? "with keys, queries and values" : "with keys and values",
      input.share ? ", the same vectors in all layers" : "");
}

std::string describe(const GraphConfig& graph) {
  std::string text = graph.is_tree()
                         ? fmt::format("Predicts dependency trees of {} labels", graph.labels.size())
                         : std::string("Predicts mentions and antecedents");
  text += fmt::format(
      " by {} (width {}{})", graph.by_transitions() ? "transitions with swap" : "biaffine scores of pairs",
      graph.width, graph.labels.empty() ? "" : fmt::format(", of labels {}", graph.label_width));
  if (graph.reads_states()) {
    text += fmt::format(
        "; every state is a text of its own{}, scored by {}{}",
        graph.composition == Composition::none ? "" : ", its words composed with their dependents",
        graph.classifier == StateClassifier::cls ? "its first token" : "the words at hand",
        graph.history > 0 ? fmt::format(" and the transitions before (width {})", graph.history) : "");
  }
  return text +
         (graph.refinements > 0 ? fmt::format(", read again in at most {} rounds", graph.refinements) : "");
}

std::vector<PairHead> pair_heads(const GraphConfig& graph) {
  if (graph.kind == GraphKind::coreference) {
    return {{"mentions", graph.width, 0}, {"antecedents", graph.width, 0}};
  }
  if (graph.by_transitions()) {
    return {};
  }
  return {{"arcs", graph.width, 0},
          {"labels", graph.label_width, static_cast<std::int64_t>(graph.labels.size())}};
}

std::vector<StateHead> state_heads(const GraphConfig& graph) {
  if (!graph.by_transitions()) {
    return {};
  }
  const auto labels = static_cast<std::int64_t>(graph.labels.size());
  const bool pools = graph.reads_states();
  const bool first = pools && graph.classifier == StateClassifier::cls;
  constexpr std::int64_t kActions = 4;  // kParserActions of the rooms above
  return {{"actions", first ? 1 : 3, pools, graph.history, graph.width, kActions},
          {"labels", first ? 1 : 2, pools, graph.history, graph.label_width, labels}};
}

std::vector<std::string> head_names(const GraphConfig& graph) {
  std::vector<std::string> names;
  for (const PairHead& head : pair_heads(graph)) {
    names.push_back(head.name);
  }
  for (const StateHead& head : state_heads(graph)) {
    names.push_back(head.name);
  }
  return names;
}

}  // namespace mog::model

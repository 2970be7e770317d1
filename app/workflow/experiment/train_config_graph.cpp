// [graph] and [graph.input]: the graph that a model predicts, and reads.
#include "app/workflow/experiment/train_config_parts.h"

namespace mog::app {
namespace {

constexpr std::int64_t kMany = 1'000'000;

model::GraphInputConfig read_input(const toml::table& found, const std::filesystem::path& file) {
  TomlTable table(found, "graph.input", file);
  model::GraphInputConfig input;
  if (const int at = table.choice("form", {"three_term", "two_term", "unscaled"}); at >= 0) {
    input.form = static_cast<model::RelationForm>(at);
  }
  if (const int at = table.choice("none", {"zero", "frozen", "learned"}); at >= 0) {
    input.none = static_cast<model::NoRelation>(at);
  }
  table.read("share", input.share);
  table.read("key_norm", input.key_norm);
  table.read("value_norm", input.value_norm);
  table.finish();
  return input;
}

void read_parser(TomlTable& table, model::GraphConfig& graph) {
  constexpr model::GraphKind kParsers[] = {model::GraphKind::dependencies, model::GraphKind::transitions,
                                           model::GraphKind::state_transitions};
  if (const int at = table.choice("parser", {"pairs", "sentence_transitions", "state_transitions"});
      at >= 0) {
    graph.kind = kParsers[at];
  }
  if (!graph.reads_states()) {
    return;
  }
  graph.link_pieces = false;
  if (const int at = table.choice("classifier", {"pooled", "cls"}); at >= 0) {
    graph.classifier = static_cast<model::StateClassifier>(at);
  }
  if (const int at = table.choice("composition", {"none", "recursive", "last_dependent"}); at >= 0) {
    graph.composition = static_cast<model::Composition>(at);
  }
  table.read("history", graph.history, 0, kMany);
}

}  // namespace

void read_graph_plan(TomlTable& root, TrainConfig& config) {
  const toml::table* found = root.table("graph");
  if (found == nullptr) {
    return;
  }
  TomlTable table(*found, "graph", config.file);
  model::GraphConfig& graph = config.model.graph.emplace();
  table.require("kind");
  graph.kind = static_cast<model::GraphKind>(table.choice("kind", {"dependencies", "coreference"}));
  if (graph.is_tree()) {
    read_parser(table, graph);
  }
  table.read("width", graph.width, 1, kMany);
  if (graph.is_tree()) {
    table.read("label_width", graph.label_width, 1, kMany);
    if (!graph.reads_states()) {
      table.read("link_pieces", graph.link_pieces);
    }
    table.read("subtypes", config.graph.subtypes);
  } else {
    graph.label_width = 0;
    graph.link_pieces = false;
    table.read("window", graph.window, 8, kMany);
    table.read("overlap", graph.overlap, 0, kMany);
  }
  table.read("dropout", config.training.trainer.pair_dropout, 0.0, 0.99);
  if (const toml::table* input = table.table("input")) {
    config.model.encoder.graph_input = read_input(*input, config.file);
    config.model.encoder.graph_input->relations = graph.relations();
    if (!graph.by_transitions()) {
      table.read("refinements", graph.refinements, 0, 1000);
    }
  }
  if (graph.by_transitions() || !config.model.encoder.graph_input) {
    graph.refinements = 0;
    if (const toml::node* node = table.find("refinements")) {
      throw ModelError(
          "Reading " + config.file.string() + ", line " + std::to_string(node->source().begin.line) +
          (graph.by_transitions()
               ? ": graph.refinements belongs to parser = \"pairs\": transitions read their graph as it "
                 "grows."
               : ": graph.refinements needs [graph.input]: an encoder that reads no graph has nothing to "
                 "refine."));
    }
  }
  table.finish();
}

}  // namespace mog::app

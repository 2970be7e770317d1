// The keys of graphs that are predicted, the tensors of their heads, and what is refused.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "io/recording/errors.h"
#include "model/config/config.h"
#include "model/tensor_table.h"

namespace mog::model {
namespace {

const std::string kParser = R"({
  "format": "mog-model", "format_version": 1, "architecture": "encoder",
  "encoder": {"kind": "transformer", "layers": 1, "d_model": 8, "heads": 2, "attention_dim": 8, "ffn_dim": 16,
              "activation": "gelu", "layer_norm_eps": 1e-6, "norm": "pre", "position": "learned",
              "embed_scale": false, "graph_input": {"relations": 7, "form": "three_term", "none": "zero",
              "share": false, "key_norm": false, "value_norm": false}},
  "tokenizer": {"kind": "whitespace", "lowercase": false, "vocab": "vocab.txt"},
  "vocab_size": 20, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3,
  "tasks": {"upos": ["NOUN", "VERB"]},
  "graph": {"kind": "dependencies", "parser": "sentence_transitions", "width": 6, "labels": ["nsubj", "root"],
            "label_width": 5, "link_pieces": true}
})";

std::string changed(std::string json, const std::string& from, const std::string& to) {
  const auto at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

std::map<std::string, std::vector<std::int64_t>> head_tensors(const ModelConfig& config) {
  std::map<std::string, std::vector<std::int64_t>> found;
  for (const TensorSpec& spec : tensor_table(config)) {
    if (spec.name.starts_with("heads.") && !spec.name.starts_with("heads.upos")) {
      found.emplace(spec.name, spec.shape);
    }
  }
  return found;
}

TEST(ConfigGraph, ReadsATransitionParserAndWritesItBack) {
  const ModelConfig config = parse_config(kParser, "config.json");
  EXPECT_TRUE(config.graph->by_transitions());
  EXPECT_TRUE(config.graph->is_tree());
  EXPECT_EQ(config.graph->refinements, 0);
  EXPECT_EQ(config.graph->relations(), 7);
  EXPECT_EQ(parse_config(to_json(config), "again"), config);
  EXPECT_TRUE(pair_heads(*config.graph).empty());
  EXPECT_EQ(head_tensors(config),
            (std::map<std::string, std::vector<std::int64_t>>{{"heads.actions.hidden.bias", {6}},
                                                              {"heads.actions.hidden.weight", {6, 24}},
                                                              {"heads.actions.missing", {8}},
                                                              {"heads.actions.output.bias", {4}},
                                                              {"heads.actions.output.weight", {4, 6}},
                                                              {"heads.labels.hidden.bias", {5}},
                                                              {"heads.labels.hidden.weight", {5, 16}},
                                                              {"heads.labels.output.bias", {2}},
                                                              {"heads.labels.output.weight", {2, 5}}}));
}

TEST(ConfigGraph, OfCoreferenceSaysItsWindows) {
  const std::string at = kParser.substr(kParser.find("\"graph\": "));
  const std::string none = changed(
      changed(changed(kParser, at, R"("graph": {"kind": "coreference", "width": 6, "refinements": 1}})"),
              R"("relations": 7)", R"("relations": 3)"),
      R"("tasks": {"upos": ["NOUN", "VERB"]},)", "");
  const ModelConfig before = parse_config(none, "config.json");
  EXPECT_EQ(before.graph->window, 384);
  EXPECT_EQ(before.graph->overlap, 128);
  EXPECT_EQ(parse_config(to_json(before), "again"), before);
  const std::string said = changed(none, R"("width": 6)", R"("width": 6, "window": 40, "overlap": 10)");
  const ModelConfig config = parse_config(said, "config.json");
  EXPECT_EQ(config.graph->window, 40);
  EXPECT_EQ(config.graph->overlap, 10);
  EXPECT_EQ(parse_config(to_json(config), "again"), config);
  EXPECT_THROW(parse_config(changed(said, R"("overlap": 10)", R"("overlap": 40)"), "config.json"),
               FormatError);
  EXPECT_THROW(parse_config(changed(kParser, R"("width": 6)", R"("width": 6, "window": 40)"), "config.json"),
               FormatError);
}

TEST(ConfigGraph, WithoutAParserKeyPairsAreScored) {
  const std::string pairs = changed(changed(kParser, R"("parser": "sentence_transitions", )", ""),
                                    R"("link_pieces": true)", R"("link_pieces": true, "refinements": 2)");
  const ModelConfig config = parse_config(pairs, "config.json");
  EXPECT_FALSE(config.graph->by_transitions());
  EXPECT_TRUE(state_heads(*config.graph).empty());
  EXPECT_EQ(to_json(config).find("parser"), std::string::npos);
  EXPECT_EQ(head_tensors(config),
            (std::map<std::string, std::vector<std::int64_t>>{{"heads.arcs.query.weight", {6, 8}},
                                                              {"heads.arcs.query.bias", {6}},
                                                              {"heads.arcs.key.weight", {6, 8}},
                                                              {"heads.arcs.key.bias", {6}},
                                                              {"heads.arcs.weight", {7, 6}},
                                                              {"heads.labels.query.weight", {5, 8}},
                                                              {"heads.labels.query.bias", {5}},
                                                              {"heads.labels.key.weight", {5, 8}},
                                                              {"heads.labels.key.bias", {5}},
                                                              {"heads.labels.weight", {2, 6, 6}}}));
  EXPECT_EQ(parse_config(
                changed(pairs, R"("kind": "dependencies",)", R"("kind": "dependencies", "parser": "pairs",)"),
                "config.json"),
            config);
}

// Its graph has two relations less.
std::string states() {
  return changed(changed(kParser, "sentence_transitions", "state_transitions"), R"("link_pieces": true)",
                 R"("classifier": "cls", "composition": "recursive", "history": 3)");
}

TEST(ConfigGraph, ReadsAParserOfStatesAndWritesItBack) {
  const std::string json = changed(states(), R"("relations": 7)", R"("relations": 5)");
  const ModelConfig config = parse_config(json, "config.json");
  EXPECT_TRUE(config.graph->reads_states() && config.graph->by_transitions() && config.graph->is_tree());
  EXPECT_EQ(config.graph->classifier, StateClassifier::cls);
  EXPECT_EQ(config.graph->composition, Composition::recursive);
  EXPECT_EQ(config.graph->history, 3);
  EXPECT_EQ(parse_config(to_json(config), "again"), config);
  EXPECT_EQ(to_json(config).find("link_pieces"), std::string::npos);
  std::map<std::string, std::vector<std::int64_t>> tensors = head_tensors(config);
  EXPECT_EQ(tensors["heads.actions.pool.weight"], (std::vector<std::int64_t>{8, 8}));
  EXPECT_EQ(tensors["heads.labels.hidden.weight"], (std::vector<std::int64_t>{5, 8 + 3}));
  std::map<std::string, std::vector<std::int64_t>> parser;
  for (const TensorSpec& spec : tensor_table(config)) {
    if (spec.name.starts_with("parser.") && !spec.name.ends_with(".bias")) {
      parser.emplace(spec.name.substr(std::string("parser.").size()), spec.shape);
    }
  }
  EXPECT_EQ(parser, (std::map<std::string, std::vector<std::int64_t>>{
                        {"segments.weight", {3, 8}},
                        {"composition.labels.weight", {2, 8}},
                        {"composition.join.weight", {8, 24}},
                        {"composition.output.weight", {8, 8}},
                        {"history.actions.weight", {4, 3}},
                        {"history.labels.weight", {2, 3}},
                        {"history.first_state", {2, 3}},
                        {"history.first_cell", {2, 3}},
                        {"history.layers.0.input.weight", {12, 3}},
                        {"history.layers.0.recurrent.weight", {12, 3}},
                        {"history.layers.1.input.weight", {12, 3}},
                        {"history.layers.1.recurrent.weight", {12, 3}}}));
  const ModelConfig pooled =
      parse_config(changed(changed(changed(json, "cls", "pooled"), "recursive", "none"), R"("history": 3)",
                           R"("history": 0)"),
                   "config.json");
  tensors = head_tensors(pooled);
  EXPECT_EQ(tensors["heads.actions.pool.weight"], (std::vector<std::int64_t>{8, 24}));
  EXPECT_EQ(tensors["heads.labels.pool.weight"], (std::vector<std::int64_t>{8, 16}));
  EXPECT_EQ(tensors["heads.labels.hidden.weight"], (std::vector<std::int64_t>{5, 8}));
}

TEST(ConfigGraph, WhatDoesNotFitIsNamed) {
  const auto refused = [](const std::string& json, const std::string& part) {
    try {
      parse_config(json, "config.json");
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused(states(), "a graph of dependencies with 2 labels has 5");
  refused(changed(states(), R"("history": 3)", R"("history": 3, "link_pieces": false)"),
          "link_pieces to the parsers that read sentences");
  refused(changed(kParser, R"("link_pieces": true)", R"("link_pieces": true, "history": 3)"),
          "classifier, composition and history to state_transitions");
  refused(changed(kParser, "sentence_transitions", "transitions"), "one of pairs, sentence_transitions");
  refused(changed(kParser, R"("link_pieces": true)", R"("link_pieces": true, "refinements": 2)"),
          "refinements belongs to parser = pairs");
  refused(changed(kParser, R"("relations": 7)", R"("relations": 5)"),
          "a graph of dependencies with 2 labels has 7");
  refused(changed(kParser, R"("upos": [)", R"("labels": [)"), "tasks.labels");
}

}  // namespace
}  // namespace mog::model

// Sound configurations with a key changed: each says file, key, what was expected and found, and whether the
// file is no configuration (FormatError) or one that contradicts itself (ModelError). The changes are JSON
// merge patches (RFC 7386): null takes a key away.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/config/config.h"

namespace mog::model {
namespace {

const char* const kTagger = R"({
  "format": "mog-model", "format_version": 1, "architecture": "encoder",
  "encoder": {"kind": "transformer", "layers": 2, "d_model": 8, "heads": 4, "attention_dim": 8, "ffn_dim": 16,
              "activation": "gelu", "layer_norm_eps": 1e-6, "norm": "pre", "position": "learned",
              "embed_scale": false},
  "tokenizer": {"kind": "whitespace", "lowercase": false, "vocab": "vocab.txt"},
  "vocab_size": 20, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3, "tasks": {"upos": ["NOUN", "VERB"]}})";
const char* const kTranslator = R"({
  "format": "mog-model", "format_version": 1, "architecture": "encoder_decoder",
  "encoder": {"kind": "graph_transformer", "layers": 2, "d_model": 8, "heads": 2, "attention_dim": 8, "ffn_dim": 16,
              "activation": "relu", "layer_norm_eps": 1e-5, "norm": "post", "position": "sinusoidal",
              "embed_scale": true, "fusion": "weight_gate", "gate_form": "linear2", "share_qkv": false,
              "first_layer": "incremental", "self_gate_scale": "d", "residual": "full"},
  "decoder": {"layers": 2, "d_model": 8, "heads": 2, "ffn_dim": 16, "activation": "relu", "layer_norm_eps": 1e-5,
              "norm": "post", "position": "sinusoidal", "embed_scale": true, "share_output_embedding": false},
  "tokenizer": {"kind": "bpe", "lowercase": true, "codes": "bpe.codes", "vocab": "vocab.txt",
                "target_vocab": "target_vocab.txt"},
  "vocab_size": 20, "target_vocab_size": 10, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3})";
// Of trees by scores of pairs, read again.
const char* const kParser =
    R"({"encoder": {"graph_input": {"relations": 7, "form": "three_term", "none": "zero",
    "share": false, "key_norm": false, "value_norm": false}},
  "graph": {"kind": "dependencies", "width": 6, "labels": ["nsubj", "root"], "label_width": 5, "link_pieces": true,
            "refinements": 2}})";
const char* const kReader = R"({"encoder": {"mask": "causal"}, "language_model": {"share_embedding": true},
  "tasks": null})";

nlohmann::ordered_json patched(const char* base, const std::vector<const char*>& patches) {
  auto document = nlohmann::ordered_json::parse(base);
  for (const char* const patch : patches) {
    document.merge_patch(nlohmann::ordered_json::parse(patch));
  }
  return document;
}

struct Case {
  const char* patch;
  const char* words;
};

template <class Refusal>
void expect_refused(const char* base, const std::vector<const char*>& patches,
                    const std::vector<Case>& cases) {
  EXPECT_NO_THROW(parse_config(patched(base, patches).dump(), "sound"));
  for (const auto& [patch, words] : cases) {
    std::vector<const char*> all = patches;
    all.push_back(patch);
    try {
      parse_config(patched(base, all).dump(), "dir/config.json");
      ADD_FAILURE() << "accepted: " << patch;
    } catch (const Refusal& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find("dir/config.json: "), 0U) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
    }
  }
}

TEST(ConfigRefusals, OfTheWholeDocument) {
  expect_refused<FormatError>(
      kTagger, {},
      {{R"({"format": "onnx"})", "format: expected \"mog-model\", found \"onnx\""},
       {R"({"format": 3})", "format: expected text, found 3"},
       {R"({"format_version": 2})", "format_version: expected a whole number from 1 to 1, found 2"},
       {R"({"architecture": "decoder"})",
        "architecture: expected one of encoder_decoder, encoder, found \"decoder\""},
       {R"({"encoder": 3})", "expected encoder to be a JSON object, found 3"},
       {R"({"encoder": null})", "the key encoder is missing"},
       {R"({"vocab_size": 1.5})", "vocab_size: expected a whole number"},
       {R"({"vocab_size": 18446744073709551615})", "vocab_size: expected a whole number"},
       {R"({"vocab_size": 0})", "vocab_size: expected a whole number from 1"},
       {R"({"pad_id": 20})", "pad_id: expected a number below vocab_size = 20, found 20"},
       {R"({"unk_id": -1})", "unk_id: expected a whole number from 0"},
       {R"({"decoder": {}})", "unknown key decoder: decoder, gret and target_vocab_size belong to"},
       {R"({"tasks": 3})", "tasks: expected an object of lists of tags, found 3"},
       {R"({"tasks": {"": ["a"]}})", "tasks.: expected a name of letters, digits, _ and -"},
       {R"({"tasks": {"a b": ["a"]}})", "expected a name of letters, digits, _ and -, found \"a b\""},
       {R"({"tasks": {"upos": 3}})", "tasks.upos: expected a list of tags, found 3"},
       {R"({"tasks": {"upos": [3]}})", "tasks.upos: expected a list of texts, found 3"},
       {R"({"tasks": {"upos": [""]}})", "tasks.upos: expected a list of texts, found \"\""},
       {R"({"tasks": {"upos": ["a", "a"]}})", "tasks.upos: expected each tag once, found \"a\" twice"},
       {R"({"tokenizer": {"vocab": ".."}})", "tokenizer.vocab: expected the name of a file inside"},
       {R"({"tokenizer": {"vocab": "a\\b"}})", "tokenizer.vocab: expected the name of a file inside"},
       {R"({"tokenizer": {"vocab": "a\u0000b"}})", "tokenizer.vocab: expected the name of a file inside"},
       {R"({"tokenizer": {"vocab": 3}})", "tokenizer.vocab: expected text, found 3"},
       {R"({"tokenizer": {"words": "letters"}})",
        "tokenizer.words: expected one of spaces, ud-en, characters"},
       {R"({"tokenizer": {"sentence_end": 1}})", "tokenizer.sentence_end: expected true or false, found 1"},
       {R"({"tokenizer": {"codes": "c"}})", "unknown key tokenizer.codes: codes belongs to kind = bpe"}});
  expect_refused<ModelError>(kTagger, {},
                             {{R"({"pad_id": 2})", "pad_id = 2 is the id of another special token too"},
                              {R"({"pad_id": 3})", "pad_id = 3 is the id of another special token too"}});
  EXPECT_THROW(parse_config("[1]", "f"), FormatError);
  // What is long is shown by its beginning.
  try {
    parse_config(
        patched(kTagger, {}).dump().replace(1, 0, "\"architecture2\": \"" + std::string(200, 'x') + "\","),
        "f");
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_LT(std::string(error.what()).size(), 200U) << error.what();
  }
}

TEST(ConfigRefusals, OfAnEncoderThatAttends) {
  expect_refused<FormatError>(
      kTagger, {},
      {{R"({"encoder": {"layers": 0}})", "encoder.layers: expected a whole number from 1"},
       {R"({"encoder": {"layer_norm_eps": -1}})", "encoder.layer_norm_eps: expected a number above 0"},
       {R"({"encoder": {"layer_norm_eps": 2}})",
        "encoder.layer_norm_eps: expected a number above 0, at most 1"},
       {R"({"encoder": {"layer_norm_eps": "x"}})", "encoder.layer_norm_eps: expected a number above 0"},
       {R"({"encoder": {"d_model": 7, "attention_dim": 7, "position": "sinusoidal"}})",
        "encoder.d_model: expected an even number from 4 with position = sinusoidal, found 7"},
       {R"({"encoder": {"d_model": 2, "position": "sinusoidal"}})",
        "encoder.d_model: expected an even number"},
       {R"({"encoder": {"position": "sinusoidal", "first_position": -1}})", "encoder.first_position"},
       {R"({"encoder": {"first_position": 0}})", "unknown key encoder.first_position"},
       {R"({"encoder": {"position": "relative", "relative_buckets": 6, "relative_distance": 9}})",
        "encoder.relative_buckets: expected a multiple of 4, found 6"},
       {R"({"encoder": {"position": "relative"}})", "the key encoder.relative_buckets is missing"},
       {R"({"encoder": {"norm_kind": "batch"}})", "encoder.norm_kind: expected one of layer, rms"},
       {R"({"encoder": {"kv_heads": 3}})", "encoder.kv_heads: expected a divisor of heads = 4, found 3"},
       {R"({"encoder": {"windows": 3}})",
        "encoder.windows: expected a list of at most 2 whole numbers, found 3"},
       {R"({"encoder": {"windows": [1, 2, 3]}})", "encoder.windows: expected a list of at most 2"},
       {R"({"encoder": {"windows": [1, 1.5]}})", "encoder.windows: expected whole numbers from 0"},
       {R"({"encoder": {"windows": [1, 18446744073709551615]}})",
        "encoder.windows: expected whole numbers from 0"},
       {R"({"encoder": {"windows": [1, 2000000000]}})", "encoder.windows: expected whole numbers from 0"},
       {R"({"encoder": {"windows": [1]}})",
        "encoder.windows: expected a number for each of 2 layers, found 1"},
       {R"({"encoder": {"position": "rotary", "rotary": {"dims": 2, "without": [1, 1]}}})",
        "encoder.rotary.without: expected each layer once, found 1, 1"},
       {R"({"encoder": {"position": "rotary", "rotary": {"dims": 2, "pairs": "thirds"}}})",
        "encoder.rotary.pairs"},
       {R"({"encoder": {"position": "rotary", "rotary": {"dims": 2, "factor": 0}}})",
        "encoder.rotary.factor"},
       {R"({"encoder": {"position": "rotary", "rotary": {"dims": 2, "base": 1}}})",
        "unknown key encoder.rotary.base"},
       {R"({"encoder": {"disentangled": {"span": 4, "content_to_position": false, "position_to_content": false}}})",
        "encoder.disentangled.position_to_content: expected true where content_to_position is false"},
       {R"({"encoder": {"query_key_norm": "column"}})",
        "encoder.query_key_norm: expected one of none, head, row"},
       {R"({"encoder": {"query_key_norm_kind": "x"}})", "encoder.query_key_norm_kind"},
       {R"({"encoder": {"max_positions": 0}})", "encoder.max_positions: expected a whole number from 1"},
       {R"({"encoder": {"parallel": 1}})", "encoder.parallel: expected true or false"},
       {R"({"encoder": {"residual_scale": 1e7}})",
        "encoder.residual_scale: expected a number above 0, at most"},
       {R"({"encoder": {"fusion": "sum"}})", "unknown key encoder.fusion: fusion, gate_form"}});
  expect_refused<ModelError>(
      kTagger, {},
      {{R"({"encoder": {"heads": 3}})", "encoder.heads = 3 does not divide encoder.attention_dim = 8"},
       {R"({"encoder": {"attention_dim": 16}})",
        "encoder.attention_dim = 16 is greater than encoder.d_model = 8"},
       {R"({"encoder": {"attention_dim": 4}})", "encoder.attention_dim = 4 with kind = transformer"},
       {R"({"encoder": {"head_dim": 3}})", "encoder.attention_dim = 8, but heads = 4 of head_dim = 3"},
       {R"({"encoder": {"position": "sinusoidal", "embedding_dim": 4}})",
        "encoder.position = sinusoidal with encoder.embedding_dim = 4"},
       {R"({"encoder": {"position": "relative", "relative_buckets": 8, "relative_distance": 2}})",
        "encoder.relative_buckets = 8 and relative_distance = 2"},
       {R"({"encoder": {"disentangled": {"span": 4}, "kv_heads": 2}})",
        "encoder.disentangled with mask = causal"},
       {R"({"encoder": {"disentangled": {"span": 4}, "position": "rotary", "rotary": {"dims": 2}}})",
        "encoder.disentangled with mask = causal"}});
  // What changes nothing is not kept.
  const ModelConfig plain = parse_config(patched(kTagger, {}).dump(), "f");
  for (const char* const patch :
       {R"({"encoder": {"embedding_dim": 8}})", R"({"encoder": {"final_norm": true}})",
        R"({"encoder": {"windows": [0, 0]}})", R"({"encoder": {"kv_heads": 4}})"}) {
    EXPECT_EQ(parse_config(patched(kTagger, {patch}).dump(), "f"), plain) << patch;
  }
}

TEST(ConfigRefusals, OfTranslators) {
  expect_refused<FormatError>(
      kTranslator, {},
      {{R"({"decoder": 3})", "expected decoder to be a JSON object"},
       {R"({"decoder": {"norm": "sandwich"}})", "decoder.norm: expected one of post, pre"},
       {R"({"decoder": {"position": "rotary"}})", "decoder.position: expected one of sinusoidal"},
       {R"({"decoder": {"head_dim": 0}})", "decoder.head_dim: expected a whole number from 1"},
       {R"({"decoder": {"first_id": -1}})", "decoder.first_id: expected a whole number from 0"},
       {R"({"decoder": {"mask": "causal"}})", "unknown key decoder.mask"},
       {R"({"bos_id": 10})", "bos_id: expected a number below target_vocab_size = 10, found 10"},
       {R"({"eos_id": 12})", "eos_id: expected a number below target_vocab_size = 10, found 12"},
       {R"({"tasks": {"upos": ["a"]}})", "unknown key tasks: tasks, graph and language_model belong to"},
       {R"({"gret": {"capsules": 8}})", "the key gret.iterations is missing"},
       {R"({"tokenizer": {"target_file": "t"}})", "unknown key tokenizer.target_file"}});
  expect_refused<ModelError>(
      kTranslator, {},
      {{R"({"decoder": {"d_model": 6}})", "decoder.d_model = 6, encoder.d_model = 8: they must be equal"},
       {R"({"decoder": {"heads": 3}})", "decoder.heads = 3 does not divide decoder.d_model = 8"},
       {R"({"decoder": {"position": "relative", "relative_buckets": 8, "relative_distance": 4}})",
        "decoder.relative_buckets = 8 and relative_distance = 4"},
       {R"({"decoder": {"first_id": 10}})", "decoder.first_id = 10: it must be below target_vocab_size = 10"},
       {R"({"encoder": {"norm": "pre"}})",
        "encoder.norm = pre with kind = graph_transformer, which is post"}});
  // A decoder may start from the padding, and from an id that no source has.
  EXPECT_NO_THROW(parse_config(patched(kTranslator, {R"({"bos_id": 1})"}).dump(), "f"));
  EXPECT_NO_THROW(parse_config(patched(kTranslator, {R"({"vocab_size": 5, "bos_id": 9})"}).dump(), "f"));
  const char* const reads =
      R"({"encoder": {"kind": "transformer", "fusion": null, "gate_form": null, "share_qkv": null,
    "first_layer": null, "self_gate_scale": null, "residual": null}})";
  expect_refused<ModelError>(
      kTranslator, {reads},
      {{R"({"encoder": {"graph_input": {"relations": 7, "form": "three_term", "none": "zero", "share": false,
            "key_norm": false, "value_norm": false}}})",
        "encoder.graph_input with architecture = encoder_decoder"}});
}

TEST(ConfigRefusals, OfGraphs) {
  expect_refused<FormatError>(
      kTagger, {kParser},
      {{R"({"graph": {"kind": "constituents"}})", "graph.kind: expected one of dependencies, coreference"},
       {R"({"graph": {"labels": "root"}})",
        "graph.labels: expected a list of 1 to 10000 labels, found \"root\""},
       {R"({"graph": {"labels": []}})", "graph.labels: expected a list of 1 to 10000 labels"},
       {R"({"graph": {"labels": [1, 2]}})", "graph.labels: expected a list of texts, found 1"},
       {R"({"graph": {"labels": ["a", ""]}})", "graph.labels: expected a list of texts, found \"\""},
       {R"({"graph": {"labels": ["a", "a"]}})", "graph.labels: expected each label once, found \"a\" twice"},
       {R"({"graph": {"history": 3}})",
        "unknown key graph.history: classifier, composition and history belong"},
       {R"({"graph": {"kind": "coreference"}})",
        "unknown key graph.labels: labels, label_width, link_pieces"},
       {R"({"graph": {"refinements": 1001}})", "graph.refinements: expected a whole number from 0 to 1000"},
       {R"({"encoder": {"graph_input": {"form": "four_term"}}})", "encoder.graph_input.form"},
       {R"({"encoder": {"graph_input": {"relations": 1}}})", "encoder.graph_input.relations: expected"}});
  expect_refused<ModelError>(
      kTagger, {kParser},
      {{R"({"encoder": {"graph_input": null}})", "graph.refinements = 2 without encoder.graph_input"},
       {R"({"graph": {"labels": ["a"]}})", "a graph of dependencies with 1 labels has 5"},
       {R"({"tasks": {"arcs": ["a"]}})", "tasks.arcs has the name of a head of graph; choose another"},
       {R"({"encoder": {"mask": "causal"}})", "encoder.graph_input with encoder.mask = causal"},
       {R"({"encoder": {"kv_heads": 2}})", "encoder.graph_input with encoder.kv_heads"},
       {R"({"encoder": {"windows": [1, 0]}})", "encoder.graph_input with encoder.windows"},
       {R"({"encoder": {"position": "rotary", "rotary": {"dims": 2}}})",
        "encoder.graph_input with encoder.rotary"},
       {R"({"encoder": {"position": "alibi"}})", "encoder.graph_input with encoder.position = alibi"},
       {R"({"encoder": {"disentangled": {"span": 4}}})", "encoder.graph_input with encoder.disentangled"},
       {R"({"encoder": {"query_key_norm": "head"}})", "encoder.graph_input with encoder.query_key_norm"},
       {R"({"encoder": {"score_cap": 5}})", "encoder.graph_input with encoder.score_cap"}});
}

TEST(ConfigRefusals, OfTheNextToken) {
  expect_refused<FormatError>(
      kTagger, {kReader},
      {{R"({"language_model": {"share_embedding": 1}})",
        "language_model.share_embedding: expected true or false"},
       {R"({"language_model": {"rows": 0}})", "language_model.rows: expected a whole number from 1"},
       {R"({"language_model": {"scale": 0}})", "language_model.scale: expected a number above 0"},
       {R"({"language_model": {"cap": -1}})", "language_model.cap: expected a number above 0"},
       {R"({"language_model": {"tied": true}})", "unknown key language_model.tied"}});
  expect_refused<ModelError>(
      kTagger, {kReader},
      {{R"({"encoder": {"mask": "full"}})", "language_model without encoder.mask = causal"},
       {R"({"language_model": {"rows": 19}})",
        "language_model.rows = 19: it must be at least vocab_size = 20"},
       {R"({"encoder": {"embedding_dim": 4}})", "the embeddings are 4 wide and the states 8"}});
  // One token may begin, end and pad.
  EXPECT_NO_THROW(parse_config(patched(kTagger, {kReader, R"({"pad_id": 2, "unk_id": 2})"}).dump(), "f"));
}

TEST(ConfigRefusals, OfRecurrentEncoders) {
  const char* const base = R"({
    "format": "mog-model", "format_version": 1, "architecture": "encoder",
    "encoder": {"kind": "gru", "layers": 2, "d_model": 12, "position": "sinusoidal", "embed_scale": false},
    "tokenizer": {"kind": "whitespace", "lowercase": false, "vocab": "vocab.txt"},
    "vocab_size": 20, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3})";
  expect_refused<ModelError>(
      base, {},
      {{R"({"encoder": {"cell": "lstm"}})", "its cells are gru_reset, gru_plain and gru"},
       {R"({"encoder": {"kind": "lstm", "cell": "gru"}})", "its cell is lstm"},
       {R"({"encoder": {"embedding_dim": 4}})", "these positions need embeddings"}});
  const ModelConfig same = parse_config(patched(base, {R"({"encoder": {"embedding_dim": 12}})"}).dump(), "f");
  EXPECT_EQ(same, parse_config(patched(base, {}).dump(), "f"));
}

// What describe says of it (mog describe, model cards).
TEST(ConfigWords, SayKindAndSwitches) {
  const auto words = [](const char* base, const std::vector<const char*>& patches) {
    return describe(parse_config(patched(base, patches).dump(), "f").encoder);
  };
  EXPECT_EQ(words(kTagger, {}).substr(0, 41), "Transformer encoder of 2 layers, d_model ");
  EXPECT_EQ(words(kTagger, {kReader}).find("causal Transformer of 2 layers"), 0U);
  EXPECT_NE(words(kTagger, {kParser}).find("reads a graph of 6 relations (with keys, queries and values)"),
            std::string::npos);
  EXPECT_NE(words(kTagger, {kParser, R"({"encoder": {"graph_input": {"form": "two_term", "share": true}}})"})
                .find("(with keys and values, the same vectors in all layers)"),
            std::string::npos);
  EXPECT_NE(words(kTranslator, {}).find("Graph-Transformer encoder of 2 layers"), std::string::npos);
  EXPECT_NE(
      words(kTranslator, {R"({"encoder": {"fusion": "self_gate", "attention_dim": 4, "share_qkv": true}})"})
          .find("fusion by self gate, half-dimension attention, shared query, key and value maps"),
      std::string::npos);
  const auto graph = [](const std::vector<const char*>& patches) {
    std::vector<const char*> all = {kParser};
    all.insert(all.end(), patches.begin(), patches.end());
    return describe(*parse_config(patched(kTagger, all).dump(), "f").graph);
  };
  EXPECT_EQ(graph({}),
            "Predicts dependency trees of 2 labels by biaffine scores of pairs (width 6, of labels 5), "
            "read again in at most 2 rounds");
  EXPECT_EQ(graph({R"({"graph": {"parser": "sentence_transitions", "refinements": null}})"}),
            "Predicts dependency trees of 2 labels by transitions with swap (width 6, of labels 5)");
  const char* const states =
      R"({"encoder": {"graph_input": {"relations": 5}}, "graph": {"parser": "state_transitions",
    "refinements": null, "link_pieces": null, "classifier": "cls", "composition": "recursive", "history": 3}})";
  EXPECT_NE(graph({states}).find(
                "every state is a text of its own, its words composed with their dependents, scored "
                "by its first token and the transitions before (width 3)"),
            std::string::npos)
      << graph({states});
  EXPECT_NE(graph({states, R"({"graph": {"classifier": "pooled", "composition": "none", "history": 0}})"})
                .find("every state is a text of its own, scored by the words at hand"),
            std::string::npos);
  const char* const chains =
      R"({"encoder": {"graph_input": {"relations": 3}}, "graph": {"kind": "coreference",
    "labels": null, "label_width": null, "link_pieces": null, "refinements": 0}})";
  EXPECT_EQ(graph({chains}), "Predicts mentions and antecedents by biaffine scores of pairs (width 6)");
  EXPECT_EQ(describe(LanguageModelConfig{.share_embedding = true}),
            "next-token head with the weights of the embeddings");
  EXPECT_EQ(describe(LanguageModelConfig{.share_embedding = false}), "next-token head");
}

}  // namespace
}  // namespace mog::model

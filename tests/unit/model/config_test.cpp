#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "io/recording/errors.h"
#include "model/config/config.h"
#include "model/tensor_table.h"

namespace mog::model {
namespace {

const std::string kTranslation = R"({
  "format": "mog-model", "format_version": 1, "architecture": "encoder_decoder",
  "encoder": {"kind": "graph_transformer", "layers": 6, "d_model": 512, "heads": 4, "attention_dim": 512,
              "ffn_dim": 1024, "activation": "relu", "layer_norm_eps": 1e-5, "norm": "post",
              "position": "sinusoidal", "embed_scale": true, "fusion": "weight_gate", "gate_form": "linear2",
              "share_qkv": false, "first_layer": "incremental", "self_gate_scale": "d", "residual": "full"},
  "decoder": {"layers": 6, "d_model": 512, "heads": 4, "ffn_dim": 1024, "activation": "relu",
              "layer_norm_eps": 1e-5, "norm": "post", "position": "sinusoidal", "embed_scale": true,
              "share_output_embedding": false},
  "tokenizer": {"kind": "bpe", "lowercase": true, "codes": "bpe.codes", "vocab": "vocab.txt",
                "target_vocab": "target_vocab.txt"},
  "vocab_size": 8848, "target_vocab_size": 6632, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3
})";

const std::string kTagger = R"({
  "format": "mog-model", "format_version": 1, "architecture": "encoder",
  "encoder": {"kind": "transformer", "layers": 2, "d_model": 8, "heads": 2, "attention_dim": 8, "ffn_dim": 16,
              "activation": "gelu", "layer_norm_eps": 1e-6, "norm": "pre", "position": "learned",
              "embed_scale": false},
  "tokenizer": {"kind": "whitespace", "lowercase": false, "vocab": "vocab.txt"},
  "vocab_size": 20, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3,
  "tasks": {"upos": ["NOUN", "VERB"], "ner": ["O", "B-PER", "I-PER"]}
})";

std::string changed(std::string json, const std::string& from, const std::string& to) {
  const auto at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

TEST(Config, ReadsEveryKeyAndWritesItBack) {
  const ModelConfig translation = parse_config(kTranslation, "config.json");
  EXPECT_EQ(translation.encoder.fusion, Fusion::weight_gate);
  EXPECT_EQ(translation.decoder->ffn_dim, 1024);
  EXPECT_EQ(translation.tokenizer.target_vocab, "target_vocab.txt");
  EXPECT_EQ(parse_config(to_json(translation), "again"), translation);
  const ModelConfig tagger = parse_config(kTagger, "config.json");
  EXPECT_EQ(tagger.encoder.activation, Activation::gelu);
  EXPECT_EQ(tagger.encoder.norm, NormPlace::pre);
  EXPECT_EQ(tagger.tasks.at("ner").at(1), "B-PER");
  EXPECT_FALSE(tagger.decoder);
  EXPECT_EQ(parse_config(to_json(tagger), "again"), tagger);
}

// What models of other programs need: optional, written only where it is not the default.
TEST(Config, ReadsWhatOtherProgramsNeedAndWritesItBack) {
  const std::string plain = to_json(parse_config(kTagger, "config.json"));
  for (const char* const key :
       {"norm_kind", "final_norm", "head_dim", "embedding_dim", "attention_scale", "gated_ffn",
        "projection_bias", "first_position", "relative_buckets", "sentence_end"}) {
    EXPECT_EQ(plain.find(key), std::string::npos) << key;
  }
  const std::string t5 = changed(
      changed(kTagger, R"("position": "learned")",
              R"("position": "relative", "relative_buckets": 32, "relative_distance": 128, "norm_kind": "rms",
                 "head_dim": 6, "attention_scale": false, "projection_bias": false, "gated_ffn": true,
                 "final_norm": false, "embedding_dim": 5)"),
      R"("attention_dim": 8)", R"("attention_dim": 12)");
  const ModelConfig config = parse_config(t5, "config.json");
  EXPECT_EQ(config.encoder.norm_kind, NormKind::rms);
  EXPECT_EQ(config.encoder.attention_dim, 12);
  EXPECT_FALSE(config.encoder.ends_with_norm());
  EXPECT_EQ(parse_config(to_json(config), "again"), config);
  const auto has = [&](const char* name, std::vector<std::int64_t> shape) {
    const auto table = tensor_table(config);
    return std::find(table.begin(), table.end(), TensorSpec{name, std::move(shape)}) != table.end();
  };
  EXPECT_TRUE(has("encoder.relative_bias.weight", {32, 2}));
  EXPECT_TRUE(has("encoder.embed_projection.weight", {8, 5}));
  EXPECT_TRUE(has("encoder.embed_tokens.weight", {20, 5}));
  EXPECT_TRUE(has("encoder.layers.1.self_attn.out_proj.weight", {8, 12}));
  EXPECT_TRUE(has("encoder.layers.1.fc1_linear.weight", {16, 8}));
  EXPECT_FALSE(has("encoder.layers.1.fc1.bias", {16}));
  EXPECT_FALSE(has("encoder.layers.1.attn_layer_norm.bias", {8}));
  const ModelConfig said = parse_config(
      changed(kTagger, R"("norm": "pre")", R"("norm": "pre", "final_norm": true, "norm_kind": "layer")"),
      "config.json");
  EXPECT_EQ(said, parse_config(kTagger, "config.json"));
}

TEST(Config, ReadsWhatForeignDecodersNeedAndWritesItBack) {
  const std::string plain = to_json(parse_config(kTranslation, "config.json"));
  const std::string plain_decoder = plain.substr(plain.find("\"decoder\""));
  for (const char* const key : {"embedding_norm", "norm_kind", "head_dim", "attention_scale", "gated_ffn",
                                "projection_bias", "relative_buckets", "first_id", "target_file"}) {
    EXPECT_EQ(plain_decoder.find(key), std::string::npos) << key;
  }
  const std::string json = changed(
      changed(
          changed(kTranslation, R"("kind": "bpe", "lowercase": true, "codes": "bpe.codes")",
                  R"("kind": "unigram", "lowercase": false, "file": "t.json", "target_file": "u.json")"),
          R"("position": "sinusoidal", "embed_scale": true,
              "share_output_embedding": false)",
          R"("position": "relative", "relative_buckets": 32, "relative_distance": 128, "embed_scale": true,
              "share_output_embedding": false, "embedding_norm": true, "norm_kind": "rms", "head_dim": 6,
              "attention_scale": false, "projection_bias": false, "gated_ffn": true, "first_id": 7)"),
      R"("pad_id": 1, "bos_id": 2)", R"("pad_id": 1, "bos_id": 1)");
  const ModelConfig config = parse_config(json, "config.json");
  EXPECT_EQ(config.decoder->attention_dim(), 24);
  EXPECT_EQ(config.decoder->first_id, 7);
  EXPECT_EQ(config.tokenizer.target_file, "u.json");
  EXPECT_EQ(parse_config(to_json(config), "again"), config);
  const auto table = tensor_table(config);
  const auto has = [&](const char* name, std::vector<std::int64_t> shape) {
    return std::find(table.begin(), table.end(), TensorSpec{name, std::move(shape)}) != table.end();
  };
  EXPECT_TRUE(has("decoder.relative_bias.weight", {32, 4}));
  EXPECT_TRUE(has("decoder.embed_layer_norm.weight", {512}));
  EXPECT_FALSE(has("decoder.embed_layer_norm.bias", {512}));
  EXPECT_TRUE(has("decoder.layers.5.cross_attn.out_proj.weight", {512, 24}));
  EXPECT_TRUE(has("decoder.layers.5.fc1_linear.weight", {1024, 512}));
  EXPECT_FALSE(has("decoder.layers.5.self_attn.q_proj.bias", {24}));
  EXPECT_THROW(parse_config(changed(json, R"("first_id": 7)", R"("first_id": 6632)"), "config.json"),
               ModelError);
  EXPECT_THROW(
      parse_config(changed(json, R"("relative_distance": 128)", R"("relative_distance": 16)"), "config.json"),
      ModelError);
}

const std::string kGret = R"("gret": {"capsules": 8, "iterations": 2, "route_axis": "capsules",
  "pooling": "attentive", "ffn_dim": 20, "share_capsules": false, "share_pooling": true, "share_gru": false},
  "tokenizer")";

TEST(Config, ReadsAGlobalRepresentationAndWritesItBack) {
  const std::string json = changed(kTranslation, R"("tokenizer")", kGret);
  const ModelConfig config = parse_config(json, "config.json");
  EXPECT_EQ(config.gret->capsules, 8);
  EXPECT_EQ(config.gret->route_axis, RouteAxis::capsules);
  EXPECT_EQ(parse_config(to_json(config), "again"), config);
  EXPECT_FALSE(parse_config(kTranslation, "config.json").gret);
  const ModelConfig mean =
      parse_config(changed(changed(changed(json, "attentive", "mean"), R"("ffn_dim": 20, )", ""),
                           R"("share_pooling": true, )", ""),
                   "config.json");
  EXPECT_EQ(mean.gret->ffn_dim, 0);
  EXPECT_EQ(parse_config(to_json(mean), "again"), mean);
  const ModelConfig joined = parse_config(
      changed(changed(json, "attentive", "concatenation"), R"("ffn_dim": 20, )", ""), "config.json");
  EXPECT_EQ(parse_config(to_json(joined), "again"), joined);
}

std::map<std::string, std::vector<std::int64_t>> gret_tensors(const ModelConfig& config) {
  std::map<std::string, std::vector<std::int64_t>> found;
  for (const TensorSpec& spec : tensor_table(config)) {
    if (spec.name.starts_with("gret.")) {
      EXPECT_TRUE(found.emplace(spec.name, spec.shape).second) << spec.name;
    }
  }
  return found;
}

TEST(TensorTable, OfAGlobalRepresentation) {
  ModelConfig config = parse_config(changed(kTranslation, R"("tokenizer")", kGret), "config.json");
  config.encoder.layers = 2;
  auto tensors = gret_tensors(config);
  EXPECT_EQ(tensors.size(), 2U + 8U + 2U * 4U + 2U);
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(tensors.at("gret.layers.1.capsule.weight"), (Shape{8, 512, 512}));
  EXPECT_EQ(tensors.at("gret.pool_query.fc1.weight"), (Shape{20, 512}));
  EXPECT_EQ(tensors.at("gret.pool_output.fc2.bias"), (Shape{512}));
  EXPECT_EQ(tensors.at("gret.layers.0.gru.weight_hh"), (Shape{1536, 512}));
  EXPECT_EQ(tensors.at("gret.gate.weight"), (Shape{512, 1024}));
  config.gret->pooling = CapsulePooling::concatenation;
  config.gret->share_capsules = config.gret->share_gru = true;
  config.gret->share_pooling = false;
  tensors = gret_tensors(config);
  EXPECT_EQ(tensors.size(), 1U + 2U * 2U + 4U + 2U);
  EXPECT_EQ(tensors.at("gret.capsule.weight"), (Shape{8, 512, 512}));
  EXPECT_EQ(tensors.at("gret.layers.1.pool_output.weight"), (Shape{512, 8 * 512}));
}

TEST(Config, AGlobalRepresentationNeedsADecoderAndAnEncoderThatAttends) {
  const auto refused = [](const std::string& json, const char* word, auto&& kind) {
    using Kind = std::decay_t<decltype(kind)>;
    try {
      parse_config(json, "config.json");
      ADD_FAILURE() << word;
    } catch (const Kind& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  const FormatError format("");
  const ModelError contradiction("");
  refused(changed(kTagger, R"("tokenizer")", kGret), "gret", format);
  const std::string json = changed(kTranslation, R"("tokenizer")", kGret);
  const std::string encoder =
      json.substr(json.find(R"("encoder": {)"), json.find("\"decoder\"") - json.find(R"("encoder": {)"));
  refused(
      changed(
          json, encoder,
          R"("encoder": {"kind": "gru", "layers": 2, "d_model": 512, "position": "none", "embed_scale": false}, )"),
      "gret with encoder.kind = gru", contradiction);
  refused(changed(json, R"("capsules": 8)", R"("capsules": 0)"), "gret.capsules", format);
  refused(changed(json, R"("iterations": 2)", R"("iterations": 0)"), "gret.iterations", format);
  refused(changed(json, R"("route_axis": "capsules")", R"("route_axis": "words")"), "positions, capsules",
          format);
  refused(changed(json, R"("pooling": "attentive")", R"("pooling": "mean")"), "ffn_dim belongs to", format);
  refused(changed(json, R"("share_gru": false)", R"("share_grus": false)"), "share_gru", format);
}

struct Wrong {
  const char* from;
  const char* to;
  const char* word;  // in the message
};

class WrongKey : public testing::TestWithParam<Wrong> {};

TEST_P(WrongKey, IsAFormatErrorThatNamesIt) {
  const Wrong& wrong = GetParam();
  const bool translation = kTranslation.find(wrong.from) != std::string::npos;
  const std::string json = changed(translation ? kTranslation : kTagger, wrong.from, wrong.to);
  try {
    parse_config(json, "dir/config.json");
    ADD_FAILURE() << "accepted";
  } catch (const FormatError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("dir/config.json"), std::string::npos) << message;
    EXPECT_NE(message.find(wrong.word), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongKey,
    testing::Values(
        Wrong{R"("ffn_dim": 1024, "activation": "relu", "layer_norm_eps": 1e-5, "norm": "post",
              "position")",
              R"("ffn_dim": 0, "activation": "relu", "layer_norm_eps": 1e-5, "norm": "post",
              "position")",
              "encoder.ffn_dim"},
        Wrong{R"("share_qkv": false)", R"("share_qkv": 0)", "encoder.share_qkv"},
        Wrong{R"("share_qkv": false)", R"("share_qkw": false)", "encoder.share_qkv"},
        Wrong{R"("share_qkv": false)", R"("share_qkv": false, "dropout": 0.1)", "encoder.dropout"},
        Wrong{R"("share_output_embedding": false)", R"("share_output_embedding": "no")",
              "decoder.share_output_embedding"},
        Wrong{R"("layer_norm_eps": 1e-5)", R"("layer_norm_eps": 0)", "encoder.layer_norm_eps"},
        Wrong{R"("layer_norm_eps": 1e-5)", R"("layer_norm_eps": 1e400)", "config.json"},
        Wrong{R"("fusion": "weight_gate")", R"("fusion": "Sum")", "self_gate"},
        Wrong{R"("codes": "bpe.codes")", R"("codes": "../bpe.codes")", "tokenizer.codes"},
        Wrong{R"("codes": "bpe.codes")", R"("codes": "")", "tokenizer.codes"},
        Wrong{R"("kind": "bpe")", R"("kind": "wordpiece")", "tokenizer.file"},
        Wrong{R"("kind": "bpe")", R"("kind": "sentencepiece")", "tokenizer.kind"},
        Wrong{R"("kind": "bpe")", R"("kind": "unigram")", "tokenizer.file"},
        Wrong{R"("kind": "bpe")", R"("kind": "whitespace")", "tokenizer.codes"},
        Wrong{R"("target_vocab_size": 6632)", R"("target_vocab_size": 2)", "bos_id"},
        Wrong{R"("unk_id": 3
})",
              R"("unk_id": 3, "tasks": {}})", "tasks"},
        Wrong{R"("vocab_size": 20)", R"("vocab_size": 20, "target_vocab_size": 20)", "target_vocab_size"},
        Wrong{R"("embed_scale": false})", R"("embed_scale": false, "fusion": "sum"})", "fusion"},
        Wrong{R"(["NOUN", "VERB"])", R"(["NOUN", "NOUN"])", "tasks.upos"},
        Wrong{R"(["NOUN", "VERB"])", R"([])", "tasks.upos"},
        Wrong{R"("upos")", R"("u.pos")", "tasks.u.pos"}));

TEST(Config, ContradictionsAreModelErrors) {
  EXPECT_THROW(parse_config(changed(kTranslation, R"("heads": 4)", R"("heads": 3)"), "c"), ModelError);
  EXPECT_THROW(
      parse_config(changed(kTranslation, R"("attention_dim": 512)", R"("attention_dim": 1024)"), "c"),
      ModelError);
  EXPECT_THROW(parse_config(changed(kTagger, R"("attention_dim": 8)", R"("attention_dim": 4)"), "c"),
               ModelError);
  EXPECT_THROW(parse_config(changed(kTranslation, R"("norm": "post")", R"("norm": "pre")"), "c"), ModelError);
  EXPECT_THROW(parse_config(changed(kTranslation, R"("layers": 6, "d_model": 512, "heads": 4, "ffn_dim")",
                                    R"("layers": 6, "d_model": 256, "heads": 4, "ffn_dim")"),
                            "c"),
               ModelError);
  EXPECT_THROW(parse_config(changed(kTranslation, R"("pad_id": 1)", R"("pad_id": 2)"), "c"), ModelError);
}

const std::string kRecurrent = R"({
  "format": "mog-model", "format_version": 1, "architecture": "encoder",
  "encoder": {"kind": "gru", "layers": 2, "d_model": 12, "embedding_dim": 10, "cell": "gru",
              "position": "none", "embed_scale": false},
  "tokenizer": {"kind": "whitespace", "lowercase": false, "vocab": "vocab.txt"},
  "vocab_size": 20, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3
})";

TEST(Config, ReadsARecurrentEncoderAndWritesItAgain) {
  const ModelConfig config = parse_config(kRecurrent, "c");
  EXPECT_TRUE(config.encoder.recurrent());
  EXPECT_EQ(config.encoder.cell, RecurrentCell::gru);
  EXPECT_EQ(config.encoder.input_width(1), 10);
  EXPECT_EQ(config.encoder.input_width(2), 12);
  EXPECT_EQ(parse_config(to_json(config), "c"), config);
  const ModelConfig plain =
      parse_config(changed(kRecurrent, R"("embedding_dim": 10, "cell": "gru",)", ""), "c");
  EXPECT_EQ(plain.encoder.cell, RecurrentCell::gru_reset);
  EXPECT_EQ(plain.encoder.embedding_width(), 12);
  const ModelConfig lstm = parse_config(
      changed(changed(kRecurrent, R"("cell": "gru",)", ""), R"("kind": "gru")", R"("kind": "lstm")"), "c");
  EXPECT_EQ(lstm.encoder.cell, RecurrentCell::lstm);
  EXPECT_EQ(parse_config(to_json(lstm), "c"), lstm);
}

TEST(Config, RefusesWhatARecurrentEncoderDoesNotHave) {
  const auto refused = [](const std::string& json, const std::string& word) {
    try {
      parse_config(json, "c");
      ADD_FAILURE() << word;
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  for (const char* const key : {"heads", "ffn_dim", "attention_dim"}) {
    refused(changed(kRecurrent, R"("layers": 2,)", std::string(R"("layers": 2, ")") + key + R"(": 4,)"),
            std::string("encoder.") + key);
  }
  refused(changed(kRecurrent, R"("layers": 2,)", R"("layers": 2, "bidirectional": 1,)"),
          "encoder.bidirectional");
  refused(changed(kRecurrent, R"("d_model": 12,)", R"("d_model": 13, "bidirectional": true,)"),
          "an even number with bidirectional");
  refused(changed(kTagger, R"("layers": 2,)", R"("layers": 2, "bidirectional": true,)"),
          "encoder.bidirectional");
  refused(changed(kRecurrent, R"("d_model": 12,)", ""), "encoder.d_model");
  refused(changed(kRecurrent, R"("cell": "gru")", R"("cell": "gru3")"),
          "one of gru_reset, gru_plain, gru, lstm");
  refused(changed(kTagger, R"("layers": 2,)", R"("layers": 2, "cell": "gru",)"), "encoder.cell");
  EXPECT_THROW(parse_config(changed(kRecurrent, R"("cell": "gru")", R"("cell": "lstm")"), "c"), ModelError);
  EXPECT_THROW(parse_config(changed(kRecurrent, R"("kind": "gru")", R"("kind": "lstm")"), "c"), ModelError);
  EXPECT_THROW(parse_config(changed(kRecurrent, R"("position": "none")", R"("position": "sinusoidal")"), "c"),
               ModelError);
}

TEST(Config, OfTwoDirectionsHalvesTheWidthOfEach) {
  const ModelConfig config =
      parse_config(changed(kRecurrent, R"("layers": 2,)", R"("layers": 2, "bidirectional": true,)"), "c");
  EXPECT_TRUE(config.encoder.bidirectional);
  EXPECT_EQ(config.encoder.hidden_width(), 6);
  EXPECT_EQ(config.encoder.input_width(2), 12);
  EXPECT_EQ(parse_config(to_json(config), "c"), config);
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const TensorSpec& spec : tensor_table(config)) {
    shapes[spec.name] = spec.shape;
  }
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(shapes.at("encoder.layers.0.reset.input.weight"), (Shape{6, 10}));
  EXPECT_EQ(shapes.at("encoder.layers.0.backward.reset.input.weight"), (Shape{6, 10}));
  EXPECT_EQ(shapes.at("encoder.layers.1.update.input.weight"), (Shape{6, 12}));
  EXPECT_EQ(shapes.at("encoder.layers.1.backward.candidate.recurrent.weight"), (Shape{6, 6}));
  EXPECT_EQ(shapes.at("encoder.layers.1.backward.candidate.recurrent.bias"), (Shape{6}));
  EXPECT_EQ(shapes.size(), 1U + 2 * 2 * 10);
}

TEST(TensorTable, OfARecurrentEncoder) {
  const auto shape = [](const ModelConfig& config, const std::string& name) {
    for (const TensorSpec& spec : tensor_table(config)) {
      if (spec.name == name) {
        return spec.shape;
      }
    }
    return std::vector<std::int64_t>();
  };
  using Shape = std::vector<std::int64_t>;
  ModelConfig config = parse_config(kRecurrent, "c");
  EXPECT_EQ(shape(config, "encoder.embed_tokens.weight"), (Shape{20, 10}));
  EXPECT_EQ(shape(config, "encoder.layers.0.update.input.weight"), (Shape{12, 10}));
  EXPECT_EQ(shape(config, "encoder.layers.1.reset.input.weight"), (Shape{12, 12}));
  EXPECT_EQ(shape(config, "encoder.layers.1.candidate.recurrent.weight"), (Shape{12, 12}));
  EXPECT_EQ(shape(config, "encoder.layers.1.candidate.recurrent.bias"), (Shape{12}));
  // 20·10 + (3 (12·10 + 12 + 12·12) + 12) + (3 (12·12 + 12 + 12·12) + 12)
  EXPECT_EQ(parameter_count(config), 200 + 840 + 912);
  config.encoder.cell = RecurrentCell::gru_reset;
  EXPECT_EQ(shape(config, "encoder.layers.1.candidate.recurrent.bias"), Shape{});
  EXPECT_EQ(parameter_count(config), 200 + 828 + 900);
  config.encoder.kind = EncoderKind::lstm;
  EXPECT_EQ(shape(config, "encoder.layers.0.forget_gate.input.bias"), (Shape{12}));
  EXPECT_EQ(parameter_count(config), 200 + 4 * 276 + 4 * 300);
}

// docs/model-directory.md, Parameters; the counts of the papers' systems (paper map).
TEST(ParameterCount, IsExactForTheSystemsOfThePaper) {
  const ModelConfig gate = parse_config(kTranslation, "c");
  const auto count = [&](auto&& change) {
    ModelConfig config = gate;
    change(config.encoder);
    return parameter_count(config);
  };
  EXPECT_EQ(count([](EncoderConfig& e) { e.kind = EncoderKind::transformer; }), 42'864'640);
  EXPECT_EQ(count([](EncoderConfig& e) { e.fusion = Fusion::sum; }), 53'896'192);
  EXPECT_EQ(count([](EncoderConfig& e) {
              e.fusion = Fusion::sum;
              e.attention_dim = 256;
            }),
            47'597'056);
  EXPECT_EQ(count([](EncoderConfig&) {}), 57'048'064);
  EXPECT_EQ(count([](EncoderConfig& e) { e.fusion = Fusion::self_gate; }), 53'896'192);
  EXPECT_EQ(count([](EncoderConfig& e) { e.share_qkv = true; }), 52'320'256);
  EXPECT_EQ(count([](EncoderConfig& e) { e.attention_dim = 256; }), 50'748'928);
  EXPECT_EQ(count([](EncoderConfig& e) {
              e.attention_dim = 256;
              e.share_qkv = true;
            }),
            47'595'520);
}

TEST(TensorTable, FollowsTheSwitches) {
  ModelConfig config = parse_config(kTranslation, "c");
  config.encoder.first_layer = FirstLayer::plain;
  config.encoder.share_qkv = true;
  config.encoder.attention_dim = 256;
  config.encoder.position = Position::random;
  config.decoder->share_output_embedding = true;
  std::string names;
  for (const TensorSpec& spec : tensor_table(config, 100)) {
    names += " " + spec.name;
    if (spec.name == "encoder.embed_positions.weight") {
      EXPECT_EQ(spec.shape, (std::vector<std::int64_t>{100, 512}));
      EXPECT_FALSE(spec.trained);
    }
    if (spec.name == "encoder.layers.1.middle.out_proj.weight") {
      EXPECT_EQ(spec.shape, (std::vector<std::int64_t>{512, 256}));
    }
  }
  names += " ";
  const auto has = [&](const std::string& name) { return names.find(" " + name + " ") != std::string::npos; };
  EXPECT_TRUE(has("encoder.layers.0.incremental.q_proj.weight"));
  EXPECT_TRUE(has("encoder.layers.0.high.out_proj.bias"));
  EXPECT_FALSE(has("encoder.layers.0.previous.q_proj.weight"));
  EXPECT_FALSE(has("encoder.layers.0.low.weight"));
  EXPECT_FALSE(has("encoder.layers.0.gate.new.weight"));
  EXPECT_TRUE(has("encoder.layers.1.previous.v_proj.bias"));
  EXPECT_TRUE(has("encoder.layers.1.middle.out_proj.weight"));
  EXPECT_TRUE(has("encoder.layers.1.gate.low.weight"));
  EXPECT_FALSE(has("encoder.layers.1.out_proj.weight"));
  EXPECT_FALSE(has("encoder.layer_norm.weight"));
  EXPECT_FALSE(has("decoder.output_projection.weight"));
  config.encoder.gate_form = GateForm::formula;
  for (const TensorSpec& spec : tensor_table(config)) {
    EXPECT_EQ(spec.name.find("gate"), std::string::npos) << spec.name;
  }
}

}  // namespace
}  // namespace mog::model

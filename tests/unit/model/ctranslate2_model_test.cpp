// Transformers of CTranslate2, made variable by variable: what each number and flag of the specification
// means for our configuration, and which are refused because our arithmetic does not have them.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/foreign/foreign_model.h"
#include "tests/support/ctranslate2_bytes.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

using test::CTranslate2Model;
using test::kF32;
using test::kI16;
using test::kI32;
using test::kI8;
using test::little_endian;
using test::named;
using test::Variable;

std::string single(float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

// With the norms that a Transformer must have, and those behind all layers.
CTranslate2Model sound() {
  CTranslate2Model model;
  for (const char* const norm : {"layer_0/self_attention/layer_norm", "layer_norm"}) {
    for (const char* const part : {"gamma", "beta"}) {
      model.variables.push_back({"encoder/" + std::string(norm) + "/" + part, {4}});
    }
  }
  return model;
}

// The same with a decoder of one layer.
CTranslate2Model translator() {
  CTranslate2Model model = sound();
  model.specification = named("TransformerSpec");
  const std::string layer = "decoder/layer_0/";
  model.variables.insert(model.variables.end(), {{"decoder/embeddings/weight", {5, 4}},
                                                 {"decoder/num_heads", {}, kI16, little_endian(2, 2)},
                                                 {"decoder/projection/weight", {5, 4}},
                                                 {"decoder/projection/bias", {5}}});
  const auto linear = [&](const std::string& name, std::uint64_t out, std::uint64_t in) {
    model.variables.push_back({layer + name + "/weight", {out, in}});
    model.variables.push_back({layer + name + "/bias", {out}});
  };
  linear("self_attention/linear_0", 12, 4);
  linear("self_attention/linear_1", 4, 4);
  linear("attention/linear_0", 4, 4);
  linear("attention/linear_1", 8, 4);
  linear("attention/linear_2", 4, 4);
  linear("ffn/linear_0", 8, 4);
  linear("ffn/linear_1", 4, 8);
  for (const std::string& norm : {layer + "self_attention/layer_norm", layer + "attention/layer_norm",
                                  layer + "ffn/layer_norm", std::string("decoder/layer_norm")}) {
    model.variables.push_back({norm + "/gamma", {4}});
    model.variables.push_back({norm + "/beta", {4}});
  }
  return model;
}

class CTranslate2Models : public testing::Test {
 protected:
  CTranslate2Models() { folder_.write("vocabulary.txt", "<blank>\n<unk>\n<s>\n</s>\na\n"); }
  ForeignModel read(const CTranslate2Model& model) const {
    folder_.write("model.bin", model.bytes());
    return read_foreign_model(folder_.path());
  }
  // With one more variable.
  ForeignModel with(const Variable& variable) const {
    CTranslate2Model model = sound();
    model.variables.push_back(variable);
    return read(model);
  }
  void expect_refused(const CTranslate2Model& model, const std::string& words) const {
    try {
      read(model);
      ADD_FAILURE() << "was read; expected: " << words;
    } catch (const ModelError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("model.bin: "), std::string::npos) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
    }
  }
  void expect_refused(const Variable& variable, const std::string& words) const {
    CTranslate2Model model = sound();
    model.variables.push_back(variable);
    expect_refused(model, words);
  }
  const test::TemporaryFolder folder_;
};

TEST_F(CTranslate2Models, NumbersAndFlagsAreWhatOursSay) {
  const EncoderConfig usual = read(sound()).config.encoder;
  EXPECT_EQ(usual.layers, 1);
  EXPECT_EQ(usual.heads, 2);
  EXPECT_EQ(usual.ffn_dim, 8);
  EXPECT_EQ(usual.norm, NormPlace::pre);
  EXPECT_EQ(usual.activation, Activation::relu);
  EXPECT_EQ(usual.position, Position::sinusoidal);
  EXPECT_EQ(usual.first_position, 1);
  EXPECT_TRUE(usual.embed_scale);
  const Activation activations[] = {Activation::relu, Activation::gelu_tanh, Activation::silu,
                                    Activation::gelu};
  for (std::uint64_t number = 0; number < 4; ++number) {
    EXPECT_EQ(with({"encoder/activation", {}, kI8, little_endian(number, 1)}).config.encoder.activation,
              activations[number]);
  }
  expect_refused({"encoder/activation", {}, kI8, little_endian(4, 1)},
                 "encoder/activation = 4 is not supported; supported: 0 (ReLU)");
  // Scaling is a flag, or the factor itself.
  EXPECT_FALSE(with({"encoder/scale_embeddings", {}, kI8, little_endian(0, 1)}).config.encoder.embed_scale);
  EXPECT_TRUE(with({"encoder/scale_embeddings", {}, kI8, little_endian(1, 1)}).config.encoder.embed_scale);
  EXPECT_TRUE(with({"encoder/scale_embeddings", {}, kF32, single(2)}).config.encoder.embed_scale);
  EXPECT_FALSE(with({"encoder/scale_embeddings", {}, kF32, single(1)}).config.encoder.embed_scale);
  expect_refused({"encoder/scale_embeddings", {}, kF32, single(3)},
                 "encoder/scale_embeddings = 3 is not supported; supported: 1 and the root of 4");
  // After the blocks, and with the norm behind all layers all the same, or without it.
  const EncoderConfig post = with({"encoder/pre_norm", {}, kI8, little_endian(0, 1)}).config.encoder;
  EXPECT_EQ(post.norm, NormPlace::post);
  EXPECT_EQ(post.final_norm, true);
  CTranslate2Model bare = sound();
  bare.remove("encoder/layer_norm/gamma");
  bare.remove("encoder/layer_norm/beta");
  EXPECT_EQ(read(bare).config.encoder.final_norm, false);
  EXPECT_FALSE(read(sound()).config.tokenizer.sentence_end);
  EXPECT_TRUE(with({"with_source_eos", {}, kI8, little_endian(1, 1)}).config.tokenizer.sentence_end);
  expect_refused({"with_source_bos", {}, kI8, little_endian(1, 1)}, "with_source_bos = 1 is not supported");
  EXPECT_NO_THROW(with({"encoder/head_dim", {}, kI32, little_endian(2, 4)}));
  expect_refused({"encoder/head_dim", {}, kI32, little_endian(3, 4)},
                 "encoder/head_dim = 3 is not supported with 2 heads in 4 columns");
}

TEST_F(CTranslate2Models, WhatOurArithmeticDoesNotHaveIsOff) {
  for (const char* const key :
       {"with_relative_position", "with_relative_attention_bias", "alibi", "multi_query_attention",
        "start_from_zero_embedding", "rotary_dim", "rms_norm", "pre_post_layer_norm", "parallel_residual",
        "shared_layer_norm", "scale_outputs", "sliding_window", "project_in", "project_out"}) {
    const std::string name = "encoder/" + std::string(key);
    EXPECT_NO_THROW(with({name, {}, kI8, little_endian(0, 1)})) << key;
    expect_refused({name, {}, kI8, little_endian(1, 1)}, name + " = 1 is not supported");
    expect_refused({key, {}, kI8, little_endian(1, 1)},
                   name + " = 1 is not supported");  // as older files have it
  }
}

TEST_F(CTranslate2Models, PositionsAreATableOrNone) {
  const ForeignModel table = with({"encoder/position_encodings/encodings", {3, 4}});
  EXPECT_EQ(table.config.encoder.position, Position::fixed);
  EXPECT_EQ(table.config.encoder.first_position, 2);
  EXPECT_EQ(table.positions, 5);
  CTranslate2Model typed = sound();
  typed.variables.push_back({"encoder/position_encodings/encodings", {3, 4}});
  typed.variables.push_back({"encoder/embeddings_1/weight", {2, 4}, kF32, [] {
                               std::string rows;
                               for (int i = 0; i < 8; ++i) {
                                 rows += single(i < 4 ? 0.5F : 9.0F);
                               }
                               return rows;
                             }()});
  expect_refused(typed, "encoder/embeddings_1 is joined to the words side by side");
  typed.variables.push_back({"encoder/embeddings_merge", {}, kI8, little_endian(1, 1)});
  // Every place has the first type's row added.
  EXPECT_EQ(read(typed).weights.at("encoder.embed_positions.weight").to_floats()[2 * 4], 0.5F);
  CTranslate2Model normed = sound();
  normed.variables.push_back({"encoder/layernorm_embedding/gamma", {4}});
  normed.variables.push_back({"encoder/layernorm_embedding/beta", {4}});
  EXPECT_TRUE(read(normed).config.encoder.embedding_norm);
}

TEST_F(CTranslate2Models, DecodersComeWithThem) {
  const ForeignModel model = read(translator());
  ASSERT_TRUE(model.config.decoder);
  EXPECT_EQ(model.config.decoder->layers, 1);
  EXPECT_EQ(model.config.decoder->heads, 2);
  EXPECT_TRUE(model.config.decoder->output_bias);
  EXPECT_EQ(model.config.decoder->position, Position::sinusoidal);
  EXPECT_EQ(model.config.target_vocab_size, 5);
  EXPECT_EQ(model.notes.size(), 0U);
  CTranslate2Model changed = translator();
  changed.remove("decoder/projection/bias");
  changed.variables.push_back({"decoder/position_encodings/encodings", {3, 4}});
  changed.variables.push_back({"decoder/pre_norm", {}, kI8, little_endian(0, 1)});
  const ForeignModel other = read(changed);
  EXPECT_FALSE(other.config.decoder->output_bias);
  EXPECT_EQ(other.config.decoder->position, Position::fixed);
  EXPECT_EQ(other.config.decoder->final_norm, true);
  EXPECT_EQ(other.target_positions, 5);
  // Two vocabularies whose special tokens have other numbers: both are numbered anew.
  folder_.write("source_vocabulary.txt", "a\n<blank>\n</s>\n<unk>\n<s>\n");
  folder_.write("target_vocabulary.txt", "<s>\n</s>\n<unk>\n<blank>\nb\n");
  CTranslate2Model apart = translator();
  std::string rows;
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 4; ++column) {
      rows += single(static_cast<float>(row));
    }
  }
  apart["encoder/embeddings_0/weight"].data = rows;
  apart["decoder/embeddings/weight"].data = rows;
  const ForeignModel anew = read(apart);
  ASSERT_EQ(anew.notes.size(), 1U);
  EXPECT_NE(anew.notes[0].find("tokens are numbered anew, special tokens first"), std::string::npos);
  EXPECT_EQ(anew.config.pad_id, 0);
  const Vocabulary& source = anew.tokenizer->vocabulary();
  const std::vector<float> table = anew.weights.at("encoder.embed_tokens.weight").to_floats();
  EXPECT_EQ(table[static_cast<std::size_t>(*source.find("a")) * 4], 0.0F);
  EXPECT_EQ(table[static_cast<std::size_t>(*source.find("</s>")) * 4], 2.0F);
  const std::vector<float> target = anew.weights.at("decoder.embed_tokens.weight").to_floats();
  EXPECT_EQ(target[static_cast<std::size_t>(*anew.target_vocabulary->find("b")) * 4], 4.0F);
  EXPECT_EQ(target[static_cast<std::size_t>(*anew.target_vocabulary->find("</s>")) * 4], 1.0F);
}

TEST_F(CTranslate2Models, SpecificationsAndSizes) {
  CTranslate2Model other = sound();
  other.specification = named("WhisperSpec");
  expect_refused(other, "the specification WhisperSpec of CTranslate2 is not supported; supported:");
  // The older ones know their heads: 8 and 16, which do not divide a width of 4.
  for (const char* const usual : {"TransformerBase", "TransformerBig"}) {
    CTranslate2Model base = sound();
    base.specification = named(usual);
    EXPECT_NO_THROW(read(base)) << usual;
    base.remove("encoder/num_heads");
    EXPECT_THROW(read(base), Error) << usual;
  }
  CTranslate2Model headless = sound();
  headless.remove("encoder/num_heads");
  expect_refused(headless, "encoder has 0 heads, width 4 and 1 layers; each must be at least 1");
  CTranslate2Model flat = sound();
  flat["encoder/embeddings_0/weight"].shape = {5};
  expect_refused(flat, "the tensor encoder/embeddings_0/weight is missing or has too few axes");
  CTranslate2Model more = sound();
  more.variables.push_back({"encoder/layer_0/gate/weight", {4, 4}});
  expect_refused(more, "the tensor encoder/layer_0/gate/weight is not one of a Transformer of CTranslate2");
}

}  // namespace
}  // namespace mog::model

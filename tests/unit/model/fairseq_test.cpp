// Checkpoints of fairseq's Transformers, made option by option: what each means for our configuration, which
// are refused, and what of a decoder that ours cannot be is left out.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/foreign/foreign_model.h"
#include "tests/support/pickle_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/weights_bytes.h"

namespace mog::model {
namespace {

namespace pickle = test::pickle;
using pickle::dictionary;
using pickle::text;
using pickle::whole;

const std::string kTrue = "\x88";
const std::string kNone = "N";

// A Transformer of one layer and width 4 on both sides; six tokens with the four special ones.
struct Checkpoint {
  std::map<std::string, std::string> options = {{"arch", text("transformer_iwslt_de_en")},
                                                {"encoder_layers", whole(1)},
                                                {"encoder_embed_dim", whole(4)},
                                                {"encoder_attention_heads", whole(2)},
                                                {"encoder_ffn_embed_dim", whole(8)},
                                                {"decoder_layers", whole(1)},
                                                {"decoder_attention_heads", whole(2)},
                                                {"decoder_ffn_embed_dim", whole(8)},
                                                {"source_lang", text("de")},
                                                {"target_lang", text("en")}};
  std::map<std::string, std::vector<std::int64_t>> tensors = {};
  bool joined = false;  // the older form: one input projection, layer_norms.0
  bool cfg = false;     // the newer form: options of the model and of the task apart

  explicit Checkpoint(bool older = false) : joined(older), cfg(!older) {
    for (const std::string stack : {"encoder", "decoder"}) {
      tensors[stack + ".embed_tokens.weight"] = {6, 4};
      const std::string layer = stack + ".layers.0.";
      attention(layer + "self_attn");
      if (stack == "decoder") {
        attention(layer + "encoder_attn");
      }
      linear(layer + "fc1", 8, 4);
      linear(layer + "fc2", 4, 8);
      const std::vector<std::string> norms =
          joined ? std::vector<std::string>{"layer_norms.0", "layer_norms.1"}
                 : std::vector<std::string>{"self_attn_layer_norm", "final_layer_norm"};
      for (const std::string& norm : norms) {
        tensors[layer + norm + ".weight"] = {4};
        tensors[layer + norm + ".bias"] = {4};
      }
      if (stack == "decoder") {
        const std::string norm = layer + (joined ? "layer_norms.2" : "encoder_attn_layer_norm");
        tensors[norm + ".weight"] = {4};
        tensors[norm + ".bias"] = {4};
      }
    }
  }
  void linear(const std::string& name, std::int64_t out, std::int64_t in) {
    tensors[name + ".weight"] = {out, in};
    tensors[name + ".bias"] = {out};
  }
  void attention(const std::string& name) {
    if (joined) {
      tensors[name + ".in_proj_weight"] = {12, 4};
      tensors[name + ".in_proj_bias"] = {12};
    } else {
      for (const char* const map : {".q_proj", ".k_proj", ".v_proj"}) {
        linear(name + map, 4, 4);
      }
    }
    linear(name + ".out_proj", 4, 4);
  }
  void remove(const std::string& beginning) {
    std::erase_if(tensors, [&](const auto& entry) { return entry.first.starts_with(beginning); });
  }

  std::string bytes() const {
    std::map<std::string, std::string> entries = {{"a/version", "3\n"}, {"a/byteorder", "little"}};
    pickle::Parts weights;
    for (const auto& [name, shape] : tensors) {
      const std::string key = std::to_string(entries.size());
      std::int64_t elements = 1;
      std::vector<std::int64_t> strides(shape.size(), 1);
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = elements;
        elements *= shape[axis];
      }
      pickle::Tensor tensor;
      tensor.key = text(key);
      tensor.elements = whole(elements);
      tensor.shape = pickle::wholes(shape);
      tensor.strides = pickle::wholes(strides);
      weights.push_back(text(name) + tensor.call());
      entries["a/data/" + key] = std::string(static_cast<std::size_t>(elements) * 4, '\0');
    }
    pickle::Parts said;
    pickle::Parts task;
    for (const auto& [key, value] : options) {
      (cfg && key.ends_with("_lang") ? task : said).push_back(text(key) + value);
    }
    const std::string all =
        cfg ? text("cfg") + dictionary({text("model") + dictionary(said), text("task") + dictionary(task)})
            : text("args") + dictionary(said);
    entries["a/data.pkl"] = pickle::pickled(dictionary({text("model") + dictionary(weights), all}));
    return test::zip_of(entries);
  }
};

class Fairseq : public testing::Test {
 protected:
  Fairseq() {
    folder_.write("dict.de.txt", "a 9\nb 3\n");
    folder_.write("dict.en.txt", "c 9\nd 3\n");
  }
  ForeignModel read(const Checkpoint& checkpoint) const {
    return read_foreign_model(folder_.write("checkpoint.pt", checkpoint.bytes()));
  }
  ForeignModel with(const std::string& option, const std::string& value) const {
    Checkpoint checkpoint;
    checkpoint.options[option] = value;
    return read(checkpoint);
  }
  template <class Refusal = ModelError>
  void expect_refused(const Checkpoint& checkpoint, const std::string& words) const {
    try {
      read(checkpoint);
      ADD_FAILURE() << "was read; expected: " << words;
    } catch (const Refusal& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(folder_.path().string()), std::string::npos) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
    }
  }
  void expect_refused(const std::string& option, const std::string& value, const std::string& words) const {
    Checkpoint checkpoint;
    checkpoint.options[option] = value;
    expect_refused(checkpoint, words);
  }
  const test::TemporaryFolder folder_;
};

TEST_F(Fairseq, BothFormsOfAFile) {
  for (const bool older : {false, true}) {
    const ForeignModel model = read(Checkpoint(older));
    EXPECT_EQ(model.config.encoder.layers, 1) << older;
    EXPECT_EQ(model.config.encoder.norm, NormPlace::post);
    EXPECT_EQ(model.config.encoder.position, Position::sinusoidal);
    EXPECT_EQ(model.config.encoder.activation, Activation::relu);
    EXPECT_TRUE(model.config.encoder.embed_scale);
    ASSERT_TRUE(model.config.decoder) << older;
    EXPECT_TRUE(model.config.decoder->share_output_embedding);
    EXPECT_EQ(model.weights.at("decoder.layers.0.cross_attn.k_proj.weight").shape(),
              (std::vector<std::int64_t>{4, 4}));
    EXPECT_EQ(model.tokenizer->vocabulary().token(4), "a");
    EXPECT_EQ(model.target_vocabulary->token(5), "d");
    EXPECT_EQ(model.notes.back(),
              "there are no codes of BPE beside the file: tokens are what spaces separate");
  }
}

TEST_F(Fairseq, OptionsAreWhatOursSay) {
  const std::pair<const char*, Activation> activations[] = {{"relu", Activation::relu},
                                                            {"gelu", Activation::gelu},
                                                            {"gelu_fast", Activation::gelu_tanh},
                                                            {"gelu_accurate", Activation::gelu_tanh},
                                                            {"swish", Activation::silu}};
  for (const auto& [name, activation] : activations) {
    EXPECT_EQ(with("activation_fn", text(name)).config.encoder.activation, activation) << name;
  }
  expect_refused("activation_fn", text("tanh"),
                 "the option activation_fn = \"tanh\" of fairseq is not supported; supported: relu, gelu");
  EXPECT_FALSE(with("no_scale_embedding", kTrue).config.encoder.embed_scale);
  EXPECT_FALSE(with("no_scale_embedding", text("True")).config.encoder.embed_scale);
  EXPECT_TRUE(with("no_scale_embedding", text("False")).config.encoder.embed_scale);
  EXPECT_TRUE(with("no_scale_embedding", kNone).config.encoder.embed_scale);
  expect_refused("no_scale_embedding", whole(1),
                 "the option no_scale_embedding of fairseq: expected true or false");
  EXPECT_EQ(with("no_token_positional_embeddings", kTrue).config.encoder.position, Position::none);
  // Before the blocks; these files have no norm at the end, as version 1 has it.
  const ForeignModel before = with("encoder_normalize_before", kTrue);
  EXPECT_EQ(before.config.encoder.norm, NormPlace::pre);
  EXPECT_EQ(before.config.encoder.final_norm, false);
  Checkpoint normed;
  normed.options["decoder_normalize_before"] = kTrue;
  for (const char* const stack : {"encoder", "decoder"}) {
    normed.tensors[std::string(stack) + ".layer_norm.weight"] = {4};
    normed.tensors[std::string(stack) + ".layer_norm.bias"] = {4};
  }
  const ForeignModel ends = read(normed);
  EXPECT_EQ(ends.config.encoder.final_norm, true);
  EXPECT_EQ(ends.config.decoder->norm, NormPlace::pre);
  EXPECT_EQ(ends.config.decoder->final_norm, std::nullopt);
}

TEST_F(Fairseq, LearnedPositionsAndNormedEmbeddings) {
  Checkpoint learned;
  learned.options["encoder_learned_pos"] = kTrue;
  learned.options["decoder_learned_pos"] = kTrue;
  learned.options["layernorm_embedding"] = kTrue;
  learned.tensors["encoder.embed_positions.weight"] = {9, 4};
  learned.tensors["encoder.layernorm_embedding.weight"] = {4};
  learned.tensors["encoder.layernorm_embedding.bias"] = {4};
  learned.tensors["encoder.version"] = {1};
  const ForeignModel model = read(learned);
  EXPECT_EQ(model.config.encoder.position, Position::learned);
  EXPECT_EQ(model.positions, 9);
  EXPECT_TRUE(model.config.encoder.embedding_norm);
  EXPECT_FALSE(model.config.decoder);
  EXPECT_EQ(model.notes.front(),
            "the decoder is left out: the option layernorm_embedding is not supported there");
  learned.remove("encoder.embed_positions");
  expect_refused(learned, "the tensor model.encoder.embed_positions.weight is missing");
}

TEST_F(Fairseq, WhatComputesOtherwiseIsRefused) {
  for (const char* const option : {"adaptive_input", "layer_wise_attention", "encoder_layers_to_keep",
                                   "char_inputs", "quant_noise_scalar", "alignment_heads_only"}) {
    expect_refused(option, kTrue,
                   "the option " + std::string(option) + " = true of fairseq is not supported");
    EXPECT_NO_THROW(with(option, kNone)) << option;
    EXPECT_NO_THROW(with(option, text("None"))) << option;
    EXPECT_NO_THROW(with(option, whole(0))) << option;
  }
  for (const char* const arch : {"lstm", "transformer_lm", "transformer_lm_gpt"}) {
    expect_refused("arch", text(arch),
                   "the architecture " + std::string(arch) + " of fairseq is not supported");
  }
  for (const std::string& size : {whole(0), whole(-1), whole(1 << 21), text("4"), kNone}) {
    expect_refused("encoder_embed_dim", size,
                   "the option encoder_embed_dim of fairseq: expected a whole number");
  }
  Checkpoint more;
  more.tensors["encoder.layers.0.gate.weight"] = {4};
  expect_refused(more,
                 "the tensor model.encoder.layers.0.gate.weight is not one of a Transformer of fairseq");
}

TEST_F(Fairseq, DecodersThatOursCannotBeAreLeftOut) {
  for (const char* const option : {"adaptive_softmax_cutoff", "no_cross_attention", "cross_self_attention",
                                   "decoder_layers_to_keep", "tie_adaptive_weights"}) {
    const ForeignModel model = with(option, kTrue);
    EXPECT_FALSE(model.config.decoder) << option;
    EXPECT_EQ(model.notes.front(),
              "the decoder is left out: the option " + std::string(option) + " is not supported there");
    EXPECT_EQ(model.notes.at(1).find("left out: "), 0U) << model.notes.at(1);
  }
  EXPECT_EQ(with("decoder_output_dim", whole(8)).notes.front(),
            "the decoder is left out: decoder_output_dim = 8 is not encoder_embed_dim = 4");
  EXPECT_TRUE(with("decoder_embed_dim", whole(4)).config.decoder);
  Checkpoint alone;
  alone.remove("decoder.");
  EXPECT_EQ(read(alone).notes.front(), "the decoder is left out: the file has none");
  Checkpoint apart;
  apart.tensors["decoder.embed_out"] = {6, 4};
  EXPECT_FALSE(read(apart).config.decoder->share_output_embedding);
}

TEST_F(Fairseq, DictionariesAndCodesLieBeside) {
  std::filesystem::remove(folder_.file("dict.en.txt"));
  expect_refused<FormatError>(Checkpoint(), "dict.en.txt is missing (and dict.txt); put the dictionary");
  folder_.write("dict.txt", "c 9\nd 3\n");
  EXPECT_EQ(read(Checkpoint()).target_vocabulary->token(4), "c");
  Checkpoint nameless;
  nameless.options.erase("source_lang");
  nameless.options.erase("target_lang");
  EXPECT_EQ(read(nameless).tokenizer->vocabulary().token(4), "c");
  folder_.write("dict.de.txt", "a 9\n");
  expect_refused(Checkpoint(),
                 "dict.de.txt: 5 tokens with the four special ones, but encoder.embed_tokens has 6 rows");
  std::filesystem::remove(folder_.file("dict.txt"));
  expect_refused<FormatError>(nameless, "dict.txt is missing; put the dictionary");
  folder_.write("dict.de.txt", "a 9\n<s> 1\n");  // a token that is written as a special one is
  folder_.write("dict.en.txt", "c 9\nd 3\n");
  folder_.write("bpe.codes", "#version: 0.2\na b</w>\n");
  const ForeignModel model = read(Checkpoint());
  EXPECT_EQ(model.tokenizer->vocabulary().token(0), "<Lua heritage>");
  EXPECT_EQ(model.config.tokenizer.kind, TokenizerKind::bpe);
  EXPECT_TRUE(model.notes.empty());
}

}  // namespace
}  // namespace mog::model

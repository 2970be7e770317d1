// State dicts around torch.nn.TransformerEncoder, made here: what the description beside them must say, and
// what is refused where it, the weights and the vocabulary do not fit each other.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "model/foreign/foreign_model.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;
using Tensors = std::map<std::string, HostTensor>;

HostTensor filled(std::vector<std::int64_t> shape, float value) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    size *= extent;
  }
  return HostTensor::of<float>(std::move(shape), std::vector<float>(static_cast<std::size_t>(size), value));
}

// One layer of width 4 with 8 columns between, five tokens.
Tensors encoder(const std::string& prefix = "encoder.") {
  Tensors tensors = {{"emb.weight", filled({5, 4}, 1)}};
  const std::string layer = prefix + "layers.0.";
  tensors[layer + "self_attn.in_proj_weight"] = filled({12, 4}, 1);
  tensors[layer + "self_attn.in_proj_bias"] = filled({12}, 0);
  tensors[layer + "self_attn.out_proj.weight"] = filled({4, 4}, 1);
  tensors[layer + "self_attn.out_proj.bias"] = filled({4}, 0);
  tensors[layer + "linear1.weight"] = filled({8, 4}, 1);
  tensors[layer + "linear1.bias"] = filled({8}, 0);
  tensors[layer + "linear2.weight"] = filled({4, 8}, 1);
  tensors[layer + "linear2.bias"] = filled({4}, 0);
  for (const char* const norm : {"norm1", "norm2"}) {
    tensors[layer + norm + ".weight"] = filled({4}, 1);
    tensors[layer + norm + ".bias"] = filled({4}, 0);
  }
  return tensors;
}

class TorchEncoder : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.file("model.weights"); }
  void write(const Tensors& tensors, const char* patch,
             const char* vocabulary = "<pad>\n<unk>\n</s>\na\nb\n") const {
    io::write_tensors(file(), tensors);
    Json said = Json::parse(R"({"heads": 2, "norm": "post", "activation": "relu", "embed_scale": false,
      "positions": "none", "pad_id": 0, "bos_id": 2, "eos_id": 2, "unk_id": 1})");
    said.merge_patch(Json::parse(patch));
    folder_.write("model.json", said.dump());
    std::filesystem::remove(folder_.file("vocab.txt"));
    if (vocabulary != nullptr) {
      folder_.write("vocab.txt", vocabulary);
    }
  }
  ForeignModel read(const Tensors& tensors, const char* patch = "{}",
                    const ForeignOptions& options = {}) const {
    write(tensors, patch);
    return read_foreign_model(file(), options);
  }
  template <class Refusal>
  void expect_refused(const std::string& words) const {
    try {
      read_foreign_model(file());
      ADD_FAILURE() << "was read; expected: " << words;
    } catch (const Refusal& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(folder_.path().string()), std::string::npos) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
    }
  }
  template <class Refusal>
  void expect_refused(const Tensors& tensors, const char* patch, const std::string& words) const {
    write(tensors, patch);
    expect_refused<Refusal>(words);
  }
  const test::TemporaryFolder folder_;
};

TEST_F(TorchEncoder, IsWhatItsDescriptionSays) {
  for (const char* const prefix : {"", "encoder.", "transformer_encoder."}) {
    const ForeignModel model = read(encoder(prefix));
    EXPECT_EQ(model.config.encoder.layers, 1) << prefix;
    EXPECT_EQ(model.config.encoder.d_model, 4);
    EXPECT_EQ(model.config.encoder.ffn_dim, 8);
    EXPECT_EQ(model.config.encoder.heads, 2);
    EXPECT_EQ(model.config.encoder.position, Position::none);
    EXPECT_TRUE(model.config.tokenizer.sentence_end);
    EXPECT_DOUBLE_EQ(model.config.encoder.layer_norm_eps, 1e-5);
    EXPECT_EQ(model.weights.at("encoder.embed_tokens.weight").shape(), (std::vector<std::int64_t>{5, 4}));
  }
  const ForeignModel said = read(encoder(), R"({"positions": "sinusoidal", "layer_norm_eps": 1e-6,
    "sentence_end": false, "lowercase": true, "norm": "pre", "activation": "gelu_tanh", "embedding": "emb.weight"})");
  EXPECT_EQ(said.config.encoder.position, Position::sinusoidal);
  EXPECT_DOUBLE_EQ(said.config.encoder.layer_norm_eps, 1e-6);
  EXPECT_FALSE(said.config.tokenizer.sentence_end);
  EXPECT_TRUE(said.config.tokenizer.lowercase);
  EXPECT_EQ(said.config.encoder.final_norm, false);  // pre, without a norm at the end
  Tensors normed = encoder();
  normed["encoder.norm.weight"] = filled({4}, 1);
  normed["encoder.norm.bias"] = filled({4}, 0);
  normed["head.weight"] = filled({3, 4}, 1);
  const ForeignModel ends = read(normed);
  EXPECT_EQ(ends.config.encoder.final_norm, true);
  EXPECT_EQ(ends.notes.at(0), "left out, no part of the encoder: head");
}

TEST_F(TorchEncoder, PositionsAreRowsInThreeForms) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3, 4}, {3, 1, 4}, {1, 3, 4}}) {
    Tensors tensors = encoder();
    tensors["pe"] = filled(shape, 0.5F);
    const ForeignModel model = read(tensors, R"({"positions": "pe"})");
    EXPECT_EQ(model.config.encoder.position, Position::fixed);
    EXPECT_EQ(model.positions, 5);
    EXPECT_EQ(model.weights.at("encoder.embed_positions.weight").to_floats()[4 * 4], 0.5F);
  }
  Tensors tensors = encoder();
  tensors["pe"] = filled({3, 2, 4}, 1);
  expect_refused<ModelError>(tensors, R"({"positions": "pe"})",
                             "tensor pe: positions are [P, 4], [P, 1, 4] or [1, P, 4], found [3, 2, 4]");
  expect_refused<ModelError>(tensors, R"({"positions": "table"})",
                             "there is no tensor table, which the description names as \"positions\"");
}

TEST_F(TorchEncoder, WhatIsNotSaidIsAskedFor) {
  expect_refused<ModelError>(encoder(), R"({"heads": null})", R"(do not say "heads"; write it into )");
  expect_refused<ModelError>(encoder(), R"({"norm": null, "activation": null, "unk_id": null})",
                             R"(do not say "norm", "activation", "unk_id"; write them into )");
  expect_refused<ModelError>("(--norm, --activation of mog convert may stand in)");
  ForeignOptions options;
  options.heads = 4;
  options.norm = NormPlace::pre;
  options.activation = Activation::silu;
  const ForeignModel model = read(encoder(), R"({"heads": null, "norm": null, "activation": null})", options);
  EXPECT_EQ(model.config.encoder.heads, 4);
  EXPECT_EQ(model.config.encoder.activation, Activation::silu);
  std::filesystem::remove(folder_.file("model.json"));
  expect_refused<ModelError>(R"(do not say "heads", "norm", "activation", "embed_scale", "positions")");
  expect_refused<FormatError>(encoder(), R"({"my_key": 1})", "my_key");
  expect_refused<FormatError>(encoder(), R"({"norm": "both"})", "norm: expected one of post, pre");
  expect_refused<FormatError>(encoder(), R"({"pad_id": -1})", "pad_id: expected a whole number from 0");
}

TEST_F(TorchEncoder, DescriptionWeightsAndVocabularyFitEachOther) {
  expect_refused<ModelError>(
      encoder(), R"({"heads": 3})",
      "heads = 3 does not divide the width 4 of encoder.layers.0.self_attn.in_proj_weight");
  expect_refused<ModelError>(encoder(), R"({"eos_id": 5})",
                             "the id 5 is not below the 5 tokens of vocab.txt");
  write(encoder(), "{}", "<pad>\n<unk>\n</s>\n");
  expect_refused<ModelError>(
      "the embedding table emb.weight is [5, 4], but vocab.txt beside it has 3 tokens");
  write(encoder(), "{}", nullptr);
  expect_refused<FormatError>("vocab.txt is missing beside it");
  Tensors two = encoder();
  two["out.weight"] = filled({5, 4}, 1);
  expect_refused<ModelError>(
      two, "{}", "2 tensors outside the encoder have the shape [5, 4] of an embedding table: emb");
  EXPECT_NO_THROW(read(two, R"({"embedding": "out.weight"})"));
  Tensors none = encoder();
  none.erase("emb.weight");
  expect_refused<ModelError>(none, "{}", "0 tensors outside the encoder have the shape [5, 4]");
  expect_refused<ModelError>(none, R"({"embedding": "emb.weight"})", "the tensor emb.weight is missing");
  Tensors more = encoder();
  more["encoder.layers.0.gate"] = filled({4}, 1);
  expect_refused<ModelError>(more, "{}", "the tensor encoder.layers.0.gate is not one of a torch.nn");
  Tensors narrow = encoder();
  narrow["encoder.layers.0.linear2.bias"] = filled({5}, 1);
  expect_refused<ModelError>(
      narrow, "{}", "tensor encoder.layers.0.linear2.bias: the configuration asks for [4], found [5]");
  // A decoder's layer, or a layer without its feed-forward block, is no encoder.
  Tensors decoder = encoder();
  decoder["encoder.layers.0.multihead_attn.in_proj_weight"] = filled({12, 4}, 1);
  expect_refused<ModelError>(decoder, "{}", "of which no model is known");
  Tensors half = encoder();
  half.erase("encoder.layers.0.linear1.weight");
  expect_refused<ModelError>(half, "{}", "of which no model is known");
}

}  // namespace
}  // namespace mog::model

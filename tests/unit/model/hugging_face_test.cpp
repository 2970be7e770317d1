#include "model/foreign/hugging_face.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/model_directory.h"
#include "model/tensor_table.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;
using Tensors = std::map<std::string, HostTensor>;
using test::TemporaryFolder;

const std::filesystem::path kTiny = mog::test::data_dir() / "model" / "bert-tiny";

std::string text_of(const std::filesystem::path& file) {
  return io::read_file(file, "a test file", 1U << 20U);
}

// A copy of the small BERT that tests change.
// With its values, which are otherwise read when they are used.
ForeignModel read_whole(const std::filesystem::path& folder) {
  ForeignModel model = read_hugging_face(folder);
  model.weights = read_all(*model.stored);
  return model;
}

class TinyBert : public testing::Test {
 protected:
  TinyBert() {
    for (const char* const name : {"config.json", "model.safetensors", "tokenizer.json", "vocab.txt"}) {
      std::filesystem::copy_file(kTiny / name, folder_.file(name));
    }
  }
  void patch_config(const char* patch) {
    Json document = Json::parse(text_of(folder_.file("config.json")));
    document.merge_patch(Json::parse(patch));
    folder_.write("config.json", document.dump());
  }
  void change_tensors(const std::function<void(Tensors&)>& change) {
    Tensors tensors = io::read_tensors(folder_.file("model.safetensors"));
    change(tensors);
    io::write_tensors(folder_.file("model.safetensors"), tensors);
  }
  template <class Thrown>
  void expect_refused(const std::string& word) {
    try {
      read_whole(folder_.path());
      ADD_FAILURE() << "it was read; expected: " << word;
    } catch (const Thrown& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(folder_.path().string()), std::string::npos) << error.what();
    }
  }
  TemporaryFolder folder_;
};

TEST_F(TinyBert, BecomesAModelOfOurs) {
  const ForeignModel model = read_whole(folder_.path());
  const EncoderConfig& encoder = model.config.encoder;
  EXPECT_EQ(encoder.kind, EncoderKind::transformer);
  EXPECT_EQ(encoder.layers, 3);
  EXPECT_EQ(encoder.activation, Activation::gelu);
  EXPECT_EQ(encoder.position, Position::learned);
  EXPECT_TRUE(encoder.embedding_norm);
  EXPECT_FALSE(encoder.embed_scale);
  EXPECT_DOUBLE_EQ(encoder.layer_norm_eps, 1e-12);
  EXPECT_EQ(model.config.vocab_size, 77);
  EXPECT_EQ(model.config.pad_id, 0);
  EXPECT_EQ(model.config.unk_id, 1);
  EXPECT_EQ(model.config.bos_id, 2);
  EXPECT_EQ(model.config.eos_id, 3);
  EXPECT_EQ(model.positions, 34);
  for (const TensorSpec& spec : tensor_table(model.config, model.positions)) {
    ASSERT_TRUE(model.weights.contains(spec.name)) << spec.name;
    EXPECT_EQ(model.weights.at(spec.name).shape(), spec.shape) << spec.name;
  }
  EXPECT_EQ(model.weights.size(), tensor_table(model.config).size());
  EXPECT_EQ(model.tensor_types, std::vector<std::string>{"F32"});
  EXPECT_EQ(model.notes.at(0), "left out, no part of the encoder: pooler.dense");
}

TEST_F(TinyBert, CountsPositionsFromRowTwoWithTokenTypeZero) {
  const Tensors tensors = io::read_tensors(kTiny / "model.safetensors");
  const auto places = tensors.at("embeddings.position_embeddings.weight").values<float>();
  const auto types = tensors.at("embeddings.token_type_embeddings.weight").values<float>();
  const ForeignModel model = read_whole(folder_.path());
  const HostTensor& sums = model.weights.at("encoder.embed_positions.weight");
  const auto table = sums.values<double>();  // exact, for runs in float64
  const std::vector<float> single = sums.to_floats();
  for (std::size_t column = 0; column < 16; ++column) {
    EXPECT_EQ(table[column], 0.0);
    EXPECT_EQ(table[16 + column], 0.0);
    EXPECT_EQ(table[2 * 16 + column],
              static_cast<double>(places[column]) + static_cast<double>(types[column]));
    EXPECT_EQ(table[33 * 16 + column],
              static_cast<double>(places[31 * 16 + column]) + static_cast<double>(types[column]));
    EXPECT_EQ(single[33 * 16 + column], places[31 * 16 + column] + types[column]);
  }
}

TEST_F(TinyBert, OpensWhereAModelDirectoryDoes) {
  const ModelDirectory model = open_model_directory(folder_.path());
  EXPECT_EQ(model.card.encoder_kind, "transformer");
  EXPECT_EQ(model.card.tokenizer, "wordpiece");
  EXPECT_EQ(model.tokenizer->encode("cats").tokens.size(), 3U);
  EXPECT_EQ(model.weights.size(), tensor_table(model.config).size());
  const ModelDirectory header = open_model_directory(folder_.path(), {.weights = false});
  EXPECT_TRUE(header.weights.empty());
  EXPECT_EQ(header.card, model.card);
}

TEST_F(TinyBert, ReadsOtherSpellingsOfTheSameWeights) {
  const ForeignModel plain = read_whole(folder_.path());
  change_tensors([](Tensors& tensors) {
    Tensors renamed;
    for (const auto& [name, tensor] : tensors) {
      std::string other = "bert." + name;
      for (const auto& [now, then] : {std::pair{"LayerNorm.weight", "LayerNorm.gamma"},
                                      std::pair{"LayerNorm.bias", "LayerNorm.beta"}}) {
        if (const auto at = other.find(now); at != std::string::npos) {
          other.replace(at, std::string(now).size(), then);
        }
      }
      renamed.emplace(other, tensor);
    }
    renamed.emplace("cls.predictions.bias", HostTensor::of<float>({1}, std::vector<float>{0.5F}));
    const std::vector<std::int64_t> places(32, 1);
    renamed.emplace("bert.embeddings.position_ids", HostTensor::of<std::int64_t>({1, 32}, places));
    tensors = renamed;
  });
  const ForeignModel other = read_whole(folder_.path());
  ASSERT_EQ(other.weights.size(), plain.weights.size());
  for (const auto& [name, tensor] : plain.weights) {
    EXPECT_EQ(other.weights.at(name).to_floats(), tensor.to_floats()) << name;
  }
  EXPECT_EQ(other.notes.at(0), "left out, no part of the encoder: bert.pooler.dense, cls.predictions");
}

TEST_F(TinyBert, WidensHalfPrecision) {
  const ForeignModel plain = read_whole(folder_.path());
  for (const auto& [dtype, name] : {std::pair{DType::float16, "F16"}, {DType::bfloat16, "BF16"}}) {
    change_tensors([&, type = dtype](Tensors& tensors) {
      for (auto& [key, tensor] : tensors) {
        tensor = tensor.to(DType::float32).to(type);
      }
    });
    const ForeignModel narrow = read_whole(folder_.path());
    EXPECT_EQ(narrow.tensor_types, std::vector<std::string>{name});
    const std::vector<float> values = narrow.weights.at("encoder.layers.0.fc1.weight").to_floats();
    const std::vector<float> exact = plain.weights.at("encoder.layers.0.fc1.weight").to_floats();
    for (std::size_t at = 0; at < values.size(); ++at) {
      EXPECT_NEAR(values[at], exact[at], 0.01F);
    }
  }
}

TEST_F(TinyBert, TakesAVocabularyInsteadOfATokenizer) {
  const ForeignModel full = read_whole(folder_.path());
  std::filesystem::remove(folder_.file("tokenizer.json"));
  EXPECT_EQ(read_whole(folder_.path()).wordpiece->tokens, full.wordpiece->tokens);
  folder_.write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": null})");
  const ForeignModel cased = read_whole(folder_.path());
  EXPECT_FALSE(cased.wordpiece->settings.normalizer.lowercase);
  EXPECT_FALSE(cased.wordpiece->settings.normalizer.strip_accents);
  EXPECT_FALSE(cased.config.tokenizer.lowercase);
  std::filesystem::remove(folder_.file("vocab.txt"));
  expect_refused<FormatError>("neither tokenizer.json nor vocab.txt");
}

TEST_F(TinyBert, LeavesOutRowsWithoutAToken) {
  patch_config(R"({"vocab_size": 80})");
  change_tensors([](Tensors& tensors) {
    HostTensor& words = tensors.at("embeddings.word_embeddings.weight");
    std::vector<float> values = words.to_floats();
    values.resize(80 * 16, 7.0F);
    words = HostTensor::of<float>({80, 16}, values);
  });
  const ForeignModel model = read_whole(folder_.path());
  EXPECT_EQ(model.config.vocab_size, 77);
  EXPECT_EQ(model.weights.at("encoder.embed_tokens.weight").shape(), (std::vector<std::int64_t>{77, 16}));
}

TEST_F(TinyBert, RefusesByNameWhatComputesOtherwise) {
  const std::string sound = text_of(folder_.file("config.json"));
  struct Change {
    const char* patch;
    const char* word;
  };
  for (const Change& change :
       {Change{R"({"model_type": "funnel"})", "funnel"},
        Change{R"({"model_type": "mixtral", "architectures": null})", "mixtral"},
        Change{R"({"model_type": null, "architectures": ["GPT2Model"]})", "GPT2Model"},
        Change{R"({"position_embedding_type": "relative_key"})", "relative_key"},
        Change{R"({"is_decoder": true})", "is_decoder"}, Change{R"({"hidden_act": "gelu_10"})", "gelu_10"},
        Change{R"({"add_cross_attention": true})", "add_cross_attention"},
        Change{R"({"pruned_heads": {"1": [0]}})", "pruned_heads"},
        Change{R"({"rotary_base": 10000})", "rotary_base"},
        Change{R"({"num_attention_heads": 3})", "num_attention_heads"},
        Change{R"({"hidden_size": 32})", "[77, 32]"},
        Change{R"({"num_hidden_layers": 4})", "encoder.layer.3."},
        Change{R"({"num_hidden_layers": 2})", "encoder.layer.2."},
        Change{R"({"vocab_size": 70})", "[70, 16]"},
        Change{R"({"type_vocab_size": 1})", "token_type_embeddings"},
        Change{R"({"max_position_embeddings": 64})", "position_embeddings"}}) {
    folder_.write("config.json", sound);
    patch_config(change.patch);
    expect_refused<ModelError>(change.word);
  }
  for (const Change& change :
       {Change{R"({"hidden_size": "16"})", "hidden_size"}, Change{R"({"hidden_size": 1e30})", "hidden_size"},
        Change{R"({"num_hidden_layers": 1000000})", "num_hidden_layers"},
        Change{R"({"num_attention_heads": null})", "num_attention_heads"},
        Change{R"({"layer_norm_eps": -1})", "layer_norm_eps"}}) {
    folder_.write("config.json", sound);
    patch_config(change.patch);
    expect_refused<FormatError>(change.word);
  }
}

TEST_F(TinyBert, NamesATensorThatDoesNotFit) {
  const std::string sound = text_of(folder_.file("model.safetensors"));
  change_tensors([](Tensors& tensors) { tensors.erase("encoder.layer.1.output.dense.bias"); });
  expect_refused<ModelError>("encoder.layer.1.output.dense.bias");
  folder_.write("model.safetensors", sound);
  change_tensors([](Tensors& tensors) {
    tensors.emplace("encoder.layer.0.attention.self.distance_embedding.weight",
                    HostTensor(DType::float32, {1, 1}));
    tensors.at("encoder.layer.0.attention.self.distance_embedding.weight").mutable_values<float>()[0] = 0.0F;
  });
  expect_refused<ModelError>("distance_embedding");
  folder_.write("model.safetensors", sound);
  change_tensors([](Tensors& tensors) {
    const std::vector<std::int32_t> values(16, 1);
    tensors.at("embeddings.LayerNorm.bias") = HostTensor::of<std::int32_t>({16}, values);
  });
  expect_refused<ModelError>("I32");
  folder_.write("model.safetensors", sound);
  change_tensors([](Tensors& tensors) {
    std::vector<double> values(16, 1.0);
    values[3] = 1e39;  // float32 ends before
    tensors.at("embeddings.LayerNorm.bias") = HostTensor::of<double>({16}, values);
  });
  expect_refused<ModelError>("beyond float32");
  folder_.write("model.safetensors", sound.substr(0, sound.size() - 5));
  expect_refused<FormatError>("model.safetensors");
}

TEST_F(TinyBert, NamesAFileThatIsMissing) {
  std::filesystem::remove(folder_.file("model.safetensors"));
  expect_refused<FormatError>("model.safetensors is missing");
  folder_.write("pytorch_model.bin", "x");
  expect_refused<FormatError>("pytorch_model.bin");
  folder_.write("model.safetensors.index.json", "{}");
  expect_refused<FormatError>("weight_map");
  folder_.write("model.safetensors.index.json", R"({"weight_map": {"a": "../b"}})");
  expect_refused<FormatError>("../b");
  folder_.write("model.safetensors.index.json", R"({"weight_map": {"a": "b.safetensors"}})");
  expect_refused<FormatError>("b.safetensors");
}

TEST_F(TinyBert, RefusesATokenizerLargerThanTheTable) {
  const std::string vocabulary = text_of(folder_.file("vocab.txt")) + "more\n";
  std::filesystem::remove(folder_.file("tokenizer.json"));
  folder_.write("vocab.txt", vocabulary);
  expect_refused<ModelError>("78 tokens");
}

TEST(HuggingFaceConfig, IsToldFromOurs) {
  EXPECT_TRUE(is_hugging_face_config(R"({"model_type": "gpt2"})"));
  EXPECT_TRUE(is_hugging_face_config(R"({"architectures": ["BertModel"]})"));
  EXPECT_FALSE(is_hugging_face_config(R"({"format": "mog-model", "model_type": "bert"})"));
  EXPECT_FALSE(is_hugging_face_config(R"({"encoder": {}})"));
  EXPECT_FALSE(is_hugging_face_config("[1]"));
  EXPECT_FALSE(is_hugging_face_config("{\"model_type\": \"bert\""));
}

}  // namespace
}  // namespace mog::model

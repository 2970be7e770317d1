#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/sha256.h"
#include "model/model.h"
#include "model/model_directory.h"
#include "model/stored_model.h"
#include "model/tensor_table.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

using test::TemporaryFolder;

const std::filesystem::path kGolden = mog::test::data_dir() / "engine" / "models";

TEST(ModelDirectory, OpensEveryGoldenModelAndTokenizesItsSentences) {
  const std::filesystem::path golden = kGolden;
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden)) {
    const ModelDirectory model = open_model_directory(entry.path());
    EXPECT_EQ(model.weights.size(), tensor_table(model.config).size());
    EXPECT_EQ(model.card.name, entry.path().filename());
    std::ifstream file(entry.path() / "sentences.json");
    const auto sentences = nlohmann::json::parse(file);
    for (const auto& sentence : sentences) {
      const Sentence encoded = model.tokenizer->encode(sentence.at("text").get<std::string>());
      std::vector<std::int64_t> ids;
      for (const Token& token : encoded.tokens) {
        ids.push_back(token.id);
      }
      EXPECT_EQ(ids, sentence.at("ids").get<std::vector<std::int64_t>>()) << entry.path();
    }
    ++models;
  }
  EXPECT_EQ(models, 17);
}

TEST(ModelDirectory, OpensWithoutWeightsWhenAsked) {
  const std::filesystem::path golden = kGolden / "half_weight_gate";
  const ModelDirectory whole = open_model_directory(golden);
  const ModelDirectory header = open_model_directory(golden, {.weights = false});
  EXPECT_TRUE(header.weights.empty());
  EXPECT_EQ(header.card, whole.card);
  EXPECT_EQ(whole.card.weights_sha256, io::file_sha256(golden / "model.safetensors"));
  EXPECT_EQ(whole.card.parameters, parameter_count(whole.config));
  EXPECT_EQ(whole.card.fusion, "weight_gate");
  EXPECT_EQ(whole.card.attention_dim, 12);
}

TEST(ModelDirectory, ReadsWhatItWrote) {
  const std::filesystem::path golden = kGolden / "tagger_half_weight_gate";
  const ModelDirectory model = open_model_directory(golden);
  const TemporaryFolder folder;
  const auto path = folder.file("new") / "model";
  const std::map<std::string, std::string> files = {
      {"vocab.txt", io::read_file(golden / "vocab.txt", "vocabulary", 1 << 20)}};
  write_model_directory(path, model.config, model.weights, io::WeightsType::float32, files, "# A card\n");
  const ModelDirectory back = open_model_directory(path);
  EXPECT_EQ(back.config, model.config);
  EXPECT_EQ(back.card.tokenizer_sha256, model.card.tokenizer_sha256);
  for (const auto& [name, tensor] : model.weights) {
    EXPECT_EQ(back.weights.at(name).to_floats(), tensor.to_floats()) << name;
  }
  EXPECT_EQ(io::read_file(path / "README.md", "card", 100), "# A card\n");
  write_model_directory(path, model.config, model.weights, io::WeightsType::bfloat16, files, "# Smaller\n");
  EXPECT_EQ(open_model_directory(path).weights.begin()->second.dtype(), DType::bfloat16);
  // In eight bits the tables fit, and are read as float32.
  write_model_directory(path, model.config, model.weights, io::WeightsType::int8, files, "# Small\n");
  const ModelDirectory small = open_model_directory(path);
  for (const auto& [name, tensor] : model.weights) {
    EXPECT_EQ(small.weights.at(name).to_floats(), io::as_kept(tensor, io::WeightsType::int8).to_floats());
  }
  auto incomplete = model.weights;
  incomplete.erase("heads.ner.bias");
  EXPECT_THROW(
      write_model_directory(folder.file("x"), model.config, incomplete, io::WeightsType::float32, files, ""),
      ModelError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("x")));
}

TEST(ModelDirectory, SaysWhatIsNoModelDirectory) {
  const TemporaryFolder folder;
  EXPECT_THROW(open_model_directory(folder.file("absent")), UsageError);
  EXPECT_THROW(open_model_directory(folder.path()), FormatError);
  EXPECT_THROW(open_model_directory(folder.write("file", "x")), FormatError);
}

// What write_model_directory and open_model_directory compare: each tensor with what the configuration asks
// for.
TEST(ModelDirectory, NamesTheTensorThatDoesNotFit) {
  const ModelDirectory model = open_model_directory(kGolden / "tagger_half_weight_gate");
  const TemporaryFolder folder;
  const auto refused = [&](const std::map<std::string, HostTensor>& weights) -> std::string {
    try {
      write_model_directory(folder.file("x"), model.config, weights, io::WeightsType::float32, {}, "");
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  auto weights = model.weights;
  const auto& [first, tensor] = *weights.begin();
  const std::string shorter = first;
  weights.insert_or_assign(shorter, HostTensor(DType::float32, {1, 2, 3}));
  EXPECT_NE(refused(weights).find("tensor " + shorter + ": config.json asks for"), std::string::npos);
  weights = model.weights;
  weights.emplace("more", HostTensor(DType::float32, {1}));
  EXPECT_NE(refused(weights).find("not asked for more"), std::string::npos) << refused(weights);
  weights.erase(weights.begin());
  EXPECT_NE(refused(weights).find("missing "), std::string::npos) << refused(weights);
  EXPECT_NE(refused(weights).find("; not asked for more"), std::string::npos) << refused(weights);
  weights.clear();
  EXPECT_NE(refused(weights).find(" more"), std::string::npos) << refused(weights);  // "… and N more"
  EXPECT_FALSE(std::filesystem::exists(folder.file("x")));
  folder.write("file", "no folder");
  EXPECT_THROW(write_model_directory(folder.path() / "file" / "model", model.config, model.weights,
                                     io::WeightsType::float32, {}, ""),
               StorageError);
}

TEST(ModelDirectory, CountsTheLinesOfItsVocabulary) {
  const auto golden = kGolden / "tagger_half_weight_gate";
  const ModelDirectory model = open_model_directory(golden);
  const std::string words = io::read_file(golden / "vocab.txt", "vocabulary", 1 << 20);
  const TemporaryFolder folder;
  write_model_directory(folder.path() / "m", model.config, model.weights, io::WeightsType::float32,
                        {{"vocab.txt", words + "onemore\n"}}, "");
  try {
    open_model_directory(folder.path() / "m");
    FAIL() << "it was opened";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("but config.json has vocab_size"), std::string::npos)
        << error.what();
  }
  std::filesystem::remove(folder.path() / "m" / "vocab.txt");
  EXPECT_THROW(open_model_directory(folder.path() / "m"), FormatError);
}

TEST(ModelDirectory, HintsAtWeightsThatLieAbout) {
  const TemporaryFolder folder;
  folder.write("notes.txt", "");
  folder.write("b.pt", "");
  folder.write("a.ckpt", "");
  try {
    open_model_directory(folder.path());
    FAIL() << "it was opened";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("give the file: " + (folder.path() / "a.ckpt").string()),
              std::string::npos)
        << error.what();
  }
}

// Weights stay on the disk but for the tables of positions, whose rows say how long a text may be.
TEST(StoredModel, IsTheModelWithoutItsWeights) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden)) {
    const ModelDirectory whole = open_model_directory(entry.path());
    const StoredModel stored = open_stored_model(entry.path());
    EXPECT_EQ(stored.card, whole.card);
    ASSERT_NE(stored.stored, nullptr);
    for (const auto& [name, tensor] : whole.weights) {
      EXPECT_EQ(stored.weights.contains(name), name.ends_with("embed_positions.weight")) << name;
      EXPECT_TRUE(stored.stored->find(name)) << name;
    }
    for (const auto& [name, tensor] : stored.weights) {
      EXPECT_EQ(tensor.to_floats(), whole.weights.at(name).to_floats()) << name;
    }
    ++models;
  }
  EXPECT_EQ(models, 17);
}

TEST(ImportedEncoder, IsDescribedAsFarAsItsFileGoes) {
  for (const bool groups : {false, true}) {
    for (const bool other : {false, true}) {
      const ImportedEncoder encoder{.order_groups = groups,
                                    .weight_gate = other,
                                    .plain_first_layer = other,
                                    .layers = 3,
                                    .heads = 4,
                                    .d_model = 8};
      const ModelConfig config = config_of(encoder);
      const ModelCard card = card_of(encoder);
      EXPECT_EQ(config.encoder.graph(), groups);
      EXPECT_EQ(card.fusion, !groups ? "" : other ? "weight_gate" : "sum");
      EXPECT_EQ(card.first_layer, !groups ? "" : other ? "plain" : "incremental");
      EXPECT_EQ(card.layers, 3);
      EXPECT_EQ(card.heads, 4);
      EXPECT_EQ(card.d_model, 8);
      EXPECT_TRUE(card.name.empty() && card.config_json.empty());
    }
  }
  const ModelDirectory golden = open_model_directory(kGolden / "half_weight_gate");
  const ModelCard described = describe_config("some name", golden.config);
  EXPECT_EQ(described.name, "some name");
  EXPECT_EQ(described.parameters, golden.card.parameters);
  EXPECT_TRUE(described.weights_sha256.empty());
}

// Names of the golden files (docs of golden/models) against the list of quantities.
TEST(Quantities, CoverWhatAGoldenModelComputes) {
  const std::filesystem::path golden = kGolden / "half_weight_gate";
  const ModelConfig config = open_model_directory(golden, {.weights = false}).config;
  std::map<std::string, QuantitySchema> schemas;
  for (const QuantitySchema& schema : quantities(config)) {
    EXPECT_TRUE(schemas.emplace(schema.name.text(), schema).second) << schema.name.text();
    EXPECT_EQ(schema.axes.size(), schema.extents.size());
    EXPECT_FALSE(schema.description.empty());
    EXPECT_EQ(QuantityName::parse(schema.name.text()), schema.name);
  }
  EXPECT_EQ(schemas.at("encoder.3.middle2.attention").shape(5), (std::vector<std::int64_t>{4, 5, 5}));
  EXPECT_EQ(schemas.at("encoder.1.gate").shape(5), (std::vector<std::int64_t>{5, 24}));
  EXPECT_EQ(schemas.at("decoder.2.cross.attention").shape(5, 6), (std::vector<std::int64_t>{2, 6, 5}));
  EXPECT_EQ(schemas.at("decoder.2.self.attention.row_entropy").shape(5, 6),
            (std::vector<std::int64_t>{2, 6}));
  EXPECT_EQ(schemas.at("decoder.logits").shape(5, 6), (std::vector<std::int64_t>{6, 37}));
  EXPECT_FALSE(schemas.contains("encoder.1.self_gate"));
}

TEST(Engine, SaysWhereItWasLookedFor) {
  setenv("MOG_ENGINE", "/nowhere/libmog_engine.so", 1);
  const EngineReport report = engine_report();
  EXPECT_FALSE(report.available);
  EXPECT_NE(report.error.find("/nowhere/libmog_engine.so"), std::string::npos) << report.error;
  EXPECT_NE(report.error.find("MOG_ENGINE"), std::string::npos) << report.error;
  EXPECT_THROW(load_model(ModelDirectory{}), DeviceError);
  unsetenv("MOG_ENGINE");
}

// The words of an engine that was to be opened with MOG_ENGINE and MOG_TORCH set so; nothing is opened.
std::string why_not(const std::string& engine, const char* torch = nullptr) {
  setenv("MOG_ENGINE", engine.c_str(), 1);
  if (torch != nullptr) {
    setenv("MOG_TORCH", torch, 1);
  }
  const EngineReport report = engine_report();
  unsetenv("MOG_ENGINE");
  unsetenv("MOG_TORCH");
  EXPECT_FALSE(report.available);
  return report.error;
}

TEST(Engine, SaysWhatIsNone) {
  const TemporaryFolder folder;
  const std::string text = why_not(folder.write("libmog_engine.so", "no library").string());
  EXPECT_NE(text.find("libmog_engine.so cannot be loaded: "), std::string::npos) << text;
  Dl_info library = {};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&Part::names), &library), 0);
  const std::string other = why_not(library.dli_fname);
  EXPECT_NE(other.find("is no engine of this program"), std::string::npos) << other;
  EXPECT_NE(other.find("./bootstrap build"), std::string::npos) << other;
}

TEST(Engine, SaysThatMogTorchLeadsNowhere) {
  const TemporaryFolder folder;
  const std::string engine = folder.write("libmog_engine.so", "no library").string();
  const std::string said = why_not(engine, "/nowhere");
  EXPECT_NE(said.find("MOG_TORCH is /nowhere, where libtorch_cpu.so is not"), std::string::npos) << said;
}

}  // namespace
}  // namespace mog::model

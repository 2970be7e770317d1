// Every small model of another program opens: its configuration is a sound one of ours, its tensors are those
// that docs/model-directory.md asks for, and finite. One of each kind is read at once, later and not at all.
// What they compute is compared elsewhere (encoder.parity, stack.parity, translator.parity).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/foreign/foreign_model.h"
#include "model/tensor_table.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The folder, or the checkpoint in it.
fs::path model_in(const fs::path& folder) {
  for (const char* const file : {"encoder.pt", "checkpoint_best.pt"}) {
    if (fs::exists(folder / file)) {
      return folder / file;
    }
  }
  return folder;
}

std::vector<fs::path> all_models() {
  std::vector<fs::path> models;
  for (const char* const kind : {"encoders", "stacks", "translators"}) {
    for (const auto& entry : fs::directory_iterator(mog::test::data_dir() / kind)) {
      if (entry.is_directory()) {
        models.push_back(model_in(entry.path()));
      }
    }
  }
  std::sort(models.begin(), models.end());
  return models;
}

ForeignOptions header_alone() {
  ForeignOptions options;
  options.weights = false;
  return options;
}

bool finite(const HostTensor& tensor) {
  const std::vector<float> values = tensor.to_floats();
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

TEST(ForeignModels, EverySmallModelOpens) {
  const std::vector<fs::path> models = all_models();
  EXPECT_GT(models.size(), 80U);
  for (const fs::path& path : models) {
    ASSERT_TRUE(is_foreign_model(path)) << path;
    ForeignOptions options;
    options.later = true;
    const ForeignModel model = read_foreign_model(path, options);
    EXPECT_EQ(parse_config(to_json(model.config), "again"), model.config) << path;
    ASSERT_NE(model.stored, nullptr) << path;
    const auto weights = read_all(*model.stored);
    EXPECT_EQ(model.weights_sha256.size(), 64U) << path;
    EXPECT_FALSE(model.source.empty()) << path;
    EXPECT_FALSE(model.tensor_types.empty()) << path;
    ASSERT_NE(model.tokenizer, nullptr) << path;
    EXPECT_EQ(model.tokenizer->vocabulary().size(), model.config.vocab_size) << path;
    EXPECT_FALSE(model.tokenizer->encode("t4 the cat").tokens.empty()) << path;
    EXPECT_EQ(model.target_vocabulary != nullptr, model.config.decoder.has_value()) << path;
    for (const TensorSpec& spec : tensor_table(model.config, model.positions)) {
      const auto found = weights.find(spec.name);
      ASSERT_NE(found, weights.end()) << path << ": " << spec.name;
      if (spec.shape.front() != 0 && !spec.name.starts_with("decoder.embed_positions")) {
        EXPECT_EQ(found->second.shape(), spec.shape) << path << ": " << spec.name;
      }
      EXPECT_TRUE(finite(found->second)) << path << ": " << spec.name;
    }
  }
}

TEST(ForeignModels, ReadLaterOrNotAtAllTheyAreTheSame) {
  for (const char* const folder : {"encoders/bert-float64", "encoders/ct2-int8", "encoders/fairseq-0.6.2",
                                   "encoders/torch-pre", "stacks/gpt2", "stacks/gemma2", "translators/t5"}) {
    const fs::path path = model_in(mog::test::data_dir() / folder);
    const ForeignModel whole = read_foreign_model(path);
    EXPECT_EQ(whole.stored, nullptr) << path;
    const ForeignModel header = read_foreign_model(path, header_alone());
    EXPECT_TRUE(header.weights.empty()) << path;
    EXPECT_EQ(header.config, whole.config) << path;
    ForeignOptions options;
    options.later = true;
    const ForeignModel later = read_foreign_model(path, options);
    ASSERT_NE(later.stored, nullptr) << path;
    const auto weights = read_all(*later.stored);
    ASSERT_EQ(weights.size(), whole.weights.size()) << path;
    for (const auto& [name, tensor] : whole.weights) {
      ASSERT_EQ(weights.at(name).shape(), tensor.shape()) << path << ": " << name;
      EXPECT_TRUE(std::ranges::equal(weights.at(name).to_floats(), tensor.to_floats()))
          << path << ": " << name;
    }
  }
}

// What a user asks for and the model says otherwise.
TEST(ForeignModels, OptionsAreHeldAgainstTheModel) {
  const fs::path folder = mog::test::data_dir() / "encoders/roberta";
  const auto words = [&](const ForeignOptions& options) -> std::string {
    try {
      read_foreign_model(folder, options);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  const ForeignModel model = read_foreign_model(folder, header_alone());
  const EncoderConfig& encoder = model.config.encoder;
  ForeignOptions same = header_alone();
  same.heads = encoder.heads;
  same.norm = encoder.norm;
  same.activation = encoder.activation;
  EXPECT_EQ(words(same), "");
  ForeignOptions heads = same;
  heads.heads = 7;
  EXPECT_NE(words(heads).find("--heads 7 is asked for, but the model has 2"), std::string::npos)
      << words(heads);
  ForeignOptions norm = same;
  norm.norm = NormPlace::pre;
  EXPECT_NE(words(norm).find("--norm pre is asked for, but the model has post"), std::string::npos)
      << words(norm);
  ForeignOptions activation = same;
  activation.activation = Activation::silu;
  EXPECT_NE(words(activation).find("--activation silu is asked for"), std::string::npos) << words(activation);
  EXPECT_EQ(parse_activation("gelu_tanh"), Activation::gelu_tanh);
  EXPECT_EQ(parse_activation("GELU"), std::nullopt);
}

TEST(ForeignModels, AFileOfAFolderIsItsFolder) {
  const fs::path folder = mog::test::data_dir() / "encoders/roberta";
  EXPECT_EQ(read_foreign_model(folder / "model.safetensors", header_alone()).config,
            read_foreign_model(folder, header_alone()).config);
  EXPECT_EQ(read_foreign_model(folder / "model.safetensors").weights.size(),
            read_foreign_model(folder).weights.size());
  const test::TemporaryFolder lone;
  const fs::path file = lone.file("model.bin");
  fs::create_symlink(folder / "model.safetensors", file);
  fs::create_symlink(folder / "model.safetensors", lone.file("weights.safetensors"));
  lone.write("config.json", R"({"format": "mog-model"})");
  EXPECT_FALSE(is_foreign_model(lone.path()));
  try {
    read_foreign_model(file);
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("which is a model directory"), std::string::npos)
        << error.what();
  }
  try {
    read_foreign_model(lone.file("weights.safetensors"));
    ADD_FAILURE();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("of which no model is known"), std::string::npos)
        << error.what();
  }
}

TEST(ForeignModels, SeveralGgufFilesAreAskedAbout) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(gguf_of(folder.path()), std::nullopt);
  EXPECT_EQ(gguf_of(folder.file("absent")), std::nullopt);
  folder.write("a.gguf", "GGUF");
  EXPECT_EQ(gguf_of(folder.path()), folder.file("a.gguf"));
  EXPECT_EQ(gguf_of(folder.file("a.gguf")), folder.file("a.gguf"));
  EXPECT_EQ(gguf_of(folder.write("b", "no")), std::nullopt);
  folder.write("b.gguf", "GGUF");
  EXPECT_THROW(gguf_of(folder.path()), UsageError);
  EXPECT_TRUE(is_foreign_model(folder.path()));
  folder.write("model.safetensors", "");
  EXPECT_EQ(gguf_of(folder.path()), std::nullopt);
}

// A model of several files: the index and what lies beside it must agree.
TEST(ForeignModels, IndexesNameWhatIsThere) {
  const fs::path sound = mog::test::data_dir() / "encoders/marian";
  const std::string index = io::read_file(sound / "model.safetensors.index.json", "a test file", 1U << 20U);
  const auto words = [&](const std::string& text) -> std::string {
    const test::TemporaryFolder copy;
    for (const auto& entry : fs::directory_iterator(sound)) {
      if (entry.path().filename() != "model.safetensors.index.json") {
        fs::create_symlink(entry.path(), copy.file(entry.path().filename().string()));
      }
    }
    copy.write("model.safetensors.index.json", text);
    try {
      read_foreign_model(copy.path());
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("model.safetensors.index.json"), std::string::npos)
          << error.what();
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(words(index), "");
  Json document = Json::parse(index);
  const std::string tensor = document["weight_map"].begin().key();
  const auto with = [&](const Json& value) {
    Json changed = document;
    changed["weight_map"][tensor] = value;
    return changed.dump();
  };
  for (const char* const none : {"[]", "{}", R"({"weight_map": 3})", R"({"weight_map": {}})"}) {
    EXPECT_NE(words(none).find("weight_map: expected an object"), std::string::npos) << none;
  }
  for (const Json& name :
       {Json(3), Json(""), Json("."), Json(".."), Json("a/b"), Json("a\\b"), Json(std::string(256, 'x'))}) {
    EXPECT_NE(words(with(name)).find("expected the name of a file in the same folder"), std::string::npos)
        << name;
  }
  EXPECT_NE(words(with("gone.safetensors")).find("the file gone.safetensors, which it names, is missing"),
            std::string::npos);
  Json extra = document;
  extra["weight_map"]["no.such.tensor"] = document["weight_map"][tensor];
  EXPECT_NE(words(extra.dump()).find("the tensor no.such.tensor is not in"), std::string::npos);
  Json many = document;
  for (int i = 0; i < 1'025; ++i) {
    many["weight_map"]["tensor " + std::to_string(i)] = "file " + std::to_string(i);
  }
  EXPECT_NE(words(many.dump()).find("at most 1024 are read"), std::string::npos);
}

}  // namespace
}  // namespace mog::model

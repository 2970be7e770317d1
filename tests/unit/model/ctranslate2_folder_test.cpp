// Folders of CTranslate2: vocabularies in every place and form, the settings beside them, and what is
// refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/foreign/foreign_model.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kSound = mog::test::data_dir() / "encoders/ct2-int8";

class CTranslate2Folder : public testing::Test {
 protected:
  CTranslate2Folder() {
    fs::create_symlink(kSound / "model.bin", folder_.file("model.bin"));
    fs::copy_file(kSound / "config.json", folder_.file("config.json"));
    tokens_ = Json::parse(io::read_file(kSound / "vocabulary.json", "a test file", 1U << 20U));
  }
  void vocabulary(const Json& tokens, const char* name = "vocabulary.json") const {
    folder_.write(name, tokens.dump());
  }
  void settings(const char* patch) const {
    Json document = Json::parse(io::read_file(kSound / "config.json", "a test file", 1U << 20U));
    document.merge_patch(Json::parse(patch));
    folder_.write("config.json", document.dump());
  }
  ForeignModel read() const { return read_foreign_model(folder_.path()); }
  template <class Refusal>
  void expect_refused(const std::string& words) const {
    try {
      read();
      ADD_FAILURE() << "was read; expected: " << words;
    } catch (const Refusal& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(folder_.path().string()), std::string::npos) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
    }
  }
  // The tokens without `token`, and another in its place, so that there are as many.
  Json without(const std::string& token) const {
    Json changed = tokens_;
    for (Json& one : changed) {
      one = one == token ? Json("in its place") : one;
    }
    return changed;
  }
  const test::TemporaryFolder folder_;
  Json tokens_;
};

TEST_F(CTranslate2Folder, VocabulariesInEveryPlace) {
  expect_refused<FormatError>("the vocabulary of the source is missing (source_vocabulary.txt or .json");
  std::string lines;
  for (const Json& token : tokens_) {
    lines += token.get<std::string>() + "\n";
  }
  for (const char* const name : {"vocabulary", "shared_vocabulary", "source_vocabulary"}) {
    vocabulary(tokens_, (std::string(name) + ".json").c_str());
    const ForeignModel json = read();
    fs::remove(folder_.file(std::string(name) + ".json"));
    folder_.write(std::string(name) + ".txt", lines);
    const ForeignModel text = read();
    fs::remove(folder_.file(std::string(name) + ".txt"));
    EXPECT_EQ(json.config, text.config) << name;
    EXPECT_EQ(json.config.vocab_size, static_cast<std::int64_t>(tokens_.size())) << name;
    EXPECT_EQ(json.tokenizer->vocabulary().token(json.config.pad_id), "<blank>") << name;
    EXPECT_EQ(json.tokenizer->vocabulary().token(json.config.unk_id), "<unk>") << name;
    EXPECT_EQ(json.tokenizer->vocabulary().token(json.config.eos_id), "</s>") << name;
  }
}

TEST_F(CTranslate2Folder, VocabulariesAreListsOfAsManyTokensAsRows) {
  for (const char* const none : {"{}", "[]", "3"}) {
    vocabulary(Json::parse(none));
    expect_refused<FormatError>("vocabulary.json: expected a list of tokens");
  }
  vocabulary(Json::parse(R"(["<unk>", 3])"));
  expect_refused<FormatError>("expected a list of tokens, found 3 in it");
  vocabulary(Json::parse(R"(["<unk>", ""])"));
  expect_refused<FormatError>("expected a list of tokens, found \"\" in it");
  Json few = tokens_;
  few.erase(few.size() - 1);
  vocabulary(few);
  const std::string rows = std::to_string(tokens_.size());
  expect_refused<ModelError>(std::to_string(few.size()) + " tokens, but the embeddings of the source have " +
                             rows + " rows");
  // The unknown token stands behind a vocabulary that lacks it.
  Json last = Json::array();
  for (const Json& token : tokens_) {
    if (token != "<unk>") {
      last.push_back(token);
    }
  }
  vocabulary(last);
  EXPECT_EQ(read().config.unk_id, static_cast<std::int64_t>(last.size()));
  vocabulary(without("<blank>"));
  expect_refused<ModelError>("the vocabulary has no token for padding (<blank>, <pad> or [PAD])");
  vocabulary(without("</s>"));
  expect_refused<ModelError>("the vocabulary lacks the special token </s>");
}

TEST_F(CTranslate2Folder, SettingsNameTheSpecialTokens) {
  vocabulary(tokens_);
  fs::remove(folder_.file("config.json"));
  const ForeignModel usual = read();
  EXPECT_FALSE(usual.config.tokenizer.sentence_end);
  settings(R"({"eos_token": "t4", "unk_token": "t5", "layer_norm_epsilon": 1e-6, "add_source_eos": true})");
  const ForeignModel said = read();
  EXPECT_EQ(said.tokenizer->vocabulary().token(said.config.eos_id), "t4");
  EXPECT_EQ(said.tokenizer->vocabulary().token(said.config.unk_id), "t5");
  EXPECT_DOUBLE_EQ(said.config.encoder.layer_norm_eps, 1e-6);
  EXPECT_TRUE(said.config.tokenizer.sentence_end);
  // A token with another role is no padding.
  settings(R"({"eos_token": "<blank>"})");
  expect_refused<ModelError>("the vocabulary has no token for padding");
  settings(R"({"add_source_bos": true})");
  expect_refused<ModelError>("config.json: add_source_bos = true is not supported");
  settings(R"({"add_source_bos": false, "add_source_eos": null})");
  EXPECT_NO_THROW(read());
  settings(R"({"eos_token": 3})");
  expect_refused<FormatError>("eos_token: expected text, found 3");
  settings(R"({"layer_norm_epsilon": 0})");
  expect_refused<FormatError>("layer_norm_epsilon: expected a number above 0");
}

TEST_F(CTranslate2Folder, OtherWeightsAreNamed) {
  vocabulary(tokens_);
  fs::remove(folder_.file("model.bin"));
  fs::create_symlink(mog::test::data_dir() / "encoders/roberta/model.safetensors", folder_.file("model.bin"));
  expect_refused<FormatError>("expected a model of CTranslate2, found the format safetensors");
}

}  // namespace
}  // namespace mog::model

// What lies beside the weights of another program's model: its name and license, the search that it asks for,
// and the modules of sentence-transformers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/foreign/foreign_model.h"
#include "model/foreign/source_text.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kData = mog::test::data_dir();

// A folder of links to everything in `from` but `without`.
void link_all(const fs::path& from, const test::TemporaryFolder& to, const std::string& without) {
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.path().filename() != without) {
      fs::create_symlink(entry.path(), to.file(entry.path().filename().string()));
    }
  }
}

TEST(ForeignFolder, NamesAreTheModelsOwnOrTheFolders) {
  EXPECT_EQ(source_name("/models/small", "google/bert"), "google/bert");
  EXPECT_EQ(source_name("/models/small", ""), "small");
  EXPECT_EQ(source_name("/models/small/", ""), "small");
  EXPECT_EQ(source_name("/models/a/../small", "/elsewhere/model"), "small");  // a path is no name
  EXPECT_EQ(source_name("/models/small", "./checkpoint"), "small");
  EXPECT_EQ(source_name("/models/small.pt", std::string(201, 'x')), "small.pt");
}

TEST(ForeignFolder, LicensesAreThoseOfTheReadme) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(license_of(folder.path()), "");
  const auto said = [&](const std::string& text) {
    folder.write("README.md", text);
    return license_of(folder.path());
  };
  EXPECT_EQ(said("---\nlanguage: en\nlicense: apache-2.0\n---\n"), "apache-2.0");
  EXPECT_EQ(said("license:  \"mit\" \n"), "mit");
  EXPECT_EQ(said("license: 'cc-by-4.0'\n"), "cc-by-4.0");
  EXPECT_EQ(said("the license: mit\n"), "");
  EXPECT_EQ(said("license:\n"), "");
  EXPECT_EQ(said("license: mit\r\n"), "mit");
  // Neither bytes that are no text, nor what a corpus must not be, keep a model from opening.
  EXPECT_EQ(said("\xff\xfe\nlicense: mit\n"), "mit");
  EXPECT_EQ(said("<!doctype html>\nlicense: mit"), "mit");
  EXPECT_EQ(said("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"), "");
  EXPECT_EQ(said("license: m\xfft\n"), "m\xEF\xBF\xBDt");
  EXPECT_EQ(said(std::string(1U << 20U, 'x') + "\nlicense: mit\n"), "");
  EXPECT_EQ(said("license: " + std::string(100, 'x') + "\n").size(), 80U);
  std::string far;
  for (int line = 0; line < 60; ++line) {
    far += "text\n";
  }
  EXPECT_EQ(said(far + "license: mit\n"), "");
  fs::remove(folder.file("README.md"));
  fs::create_directory(folder.file("README.md"));
  EXPECT_EQ(license_of(folder.path()), "");
}

TEST(ForeignFolder, LongListsAreShortened) {
  EXPECT_EQ(shortened({}), "");
  EXPECT_EQ(shortened({"a", "b"}), "a, b");
  EXPECT_EQ(shortened({"1", "2", "3", "4", "5", "6", "7", "8"}), "1, 2, 3, 4, 5, 6, 7, 8");
  EXPECT_EQ(shortened({"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}),
            "1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
}

class Searches : public testing::Test {
 protected:
  ForeignModel read(const char* patch, const char* generation) const {
    const test::TemporaryFolder copy;
    link_all(kData / "translators/bart", copy, "config.json");
    fs::remove(copy.file("generation_config.json"));
    Json config =
        Json::parse(io::read_file(kData / "translators/bart/config.json", "a test file", 1U << 20U));
    config.merge_patch(Json::parse(patch));
    copy.write("config.json", config.dump());
    if (generation != nullptr) {
      copy.write("generation_config.json", generation);
    }
    ForeignOptions options;
    options.weights = false;
    return read_foreign_model(copy.path(), options);
  }
  // The note of what is not applied; "" where there is none.
  std::string note(const char* patch, const char* generation) const {
    const ForeignModel model = read(patch, generation);
    for (const std::string& one : model.notes) {
      if (one.starts_with("of the search that")) {
        return one;
      }
    }
    return "";
  }
};

TEST_F(Searches, TheFileOfTheSearchComesFirst) {
  constexpr const char* kIds =
      R"({"decoder_start_token_id": 5, "eos_token_id": 6, "forced_bos_token_id": 7})";
  const ModelConfig config = read(kIds, nullptr).config;
  EXPECT_EQ(config.bos_id, 5);
  EXPECT_EQ(config.eos_id, 6);
  EXPECT_EQ(config.decoder->first_id, 7);
  const ModelConfig said = read(kIds, R"({"decoder_start_token_id": 8})").config;
  EXPECT_EQ(said.bos_id, 8);
  EXPECT_EQ(said.eos_id, 6);
  EXPECT_EQ(said.decoder->first_id, std::nullopt);  // where it is silent nothing is forced
  EXPECT_EQ(read(R"({"decoder_start_token_id": null, "bos_token_id": 9})", nullptr).config.bos_id, 9);
  for (const char* const ids : {R"({"decoder_start_token_id": 99999})", R"({"eos_token_id": 99999})",
                                R"({"forced_bos_token_id": 99999})"}) {
    EXPECT_THROW(read("{}", ids), ModelError) << ids;
  }
}

TEST_F(Searches, WhatIsNotAppliedIsSaid) {
  constexpr const char* kQuiet =
      R"({"num_beams": 1, "early_stopping": false, "length_penalty": 1.0, "max_length": null,
    "forced_eos_token_id": null, "no_repeat_ngram_size": 0, "min_length": 0})";
  EXPECT_EQ(note("{}", kQuiet), "");
  Json loud = Json::parse(kQuiet);
  loud["num_beams"] = 4;
  loud["no_repeat_ngram_size"] = 3;
  const std::string said = note("{}", loud.dump().c_str());
  EXPECT_NE(said.find("that generation_config.json asks for this is not applied: num_beams = 4, "
                      "no_repeat_ngram_size = 3; --beam"),
            std::string::npos)
      << said;
  // Padding alone is never said anyway.
  Json words = Json::parse(kQuiet);
  words["pad_token_id"] = 1;
  words["bad_words_ids"] = Json::parse("[[1]]");
  EXPECT_EQ(note("{}", words.dump().c_str()), "");
  for (const char* const others : {"[[2]]", "[[1, 1]]", "[[1], [2]]", "[1]"}) {
    words["bad_words_ids"] = Json::parse(others);
    EXPECT_NE(note("{}", words.dump().c_str()).find("bad_words_ids = "), std::string::npos) << others;
  }
}

class Modules : public testing::Test {
 protected:
  Modules() {
    fs::create_directory_symlink(kData / "encoders/mpnet/0_Transformer", folder_.file("0_Transformer"));
  }
  ForeignModel read(const std::string& modules) const {
    folder_.write("modules.json", modules);
    ForeignOptions options;
    options.weights = false;
    return read_foreign_model(folder_.path(), options);
  }
  template <class Refusal>
  void expect_refused(const std::string& modules, const std::string& words) const {
    try {
      read(modules);
      ADD_FAILURE() << "was read: " << modules;
    } catch (const Refusal& error) {
      EXPECT_NE(std::string(error.what()).find("modules.json"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << error.what() << "\nexpected: " << words;
    }
  }
  const test::TemporaryFolder folder_;
};

TEST_F(Modules, TheTransformerIsReadAndTheRestNamed) {
  const ForeignModel model = read(
      R"([{"path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
          {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}, {"path": "", "type": "Normalize"}])");
  const auto has = [&](const std::string& note) {
    return std::find(model.notes.begin(), model.notes.end(), note) != model.notes.end();
  };
  EXPECT_TRUE(has("left out, behind the encoder: Pooling, Normalize (modules.json)"));
  EXPECT_TRUE(has("its truncation at 24 tokens is not applied"));
  folder_.write("README.md", "license: mit\n");
  const ForeignModel alone = read(R"([{"path": "0_Transformer", "type": "Transformer"}])");
  EXPECT_EQ(alone.license, "mit");
  EXPECT_EQ(alone.config, model.config);
}

TEST_F(Modules, OtherListsAreRefused) {
  for (const char* const none : {"{}", "[]", "3"}) {
    expect_refused<FormatError>(none, "expected a list of modules");
  }
  expect_refused<FormatError>(R"([3])", "[0]");
  expect_refused<FormatError>(R"([{"path": 3, "type": "Transformer"}])", "path: expected text, found 3");
  for (const char* const path : {"..", "a/b", "a\\b"}) {
    expect_refused<FormatError>(Json::array({{{"path", path}, {"type", "Transformer"}}}).dump(),
                                "path: expected a folder beside modules.json");
  }
  expect_refused<ModelError>(
      R"([{"path": "", "type": "models.WordEmbeddings"}])",
      "the first module is WordEmbeddings, which is not supported; supported: Transformer");
}

}  // namespace
}  // namespace mog::model

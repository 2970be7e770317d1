// Tokenizers of every kind against what the reference made of the same lines (tests/data/tokenizers), and
// what is refused.
#include "model/tokenizer/json/tokenizer_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/model/tokenizer_documents.h"

namespace mog::model {
namespace {

using test::TemporaryFolder;
using test_documents::expect_refused;
using test_documents::Json;
using test_documents::pieces;
using test_documents::small;
using test_documents::unigram;

Json read_fixture(const std::filesystem::path& path) {
  return Json::parse(io::read_file(path, "the fixture", 1U << 24U));
}

std::vector<std::filesystem::path> fixtures() {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::directory_iterator(mog::test::data_dir() / "tokenizers")) {
    if (entry.path().extension() == ".json") {
      result.push_back(entry.path());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Tokens as the fixture writes them; `expected` says which are the frame's ("7::").
std::string dump(const Sentence& sentence, const std::string& expected) {
  std::vector<bool> framed;
  for (std::size_t at = 0; at < expected.size();) {
    const std::size_t end = std::min(expected.find(' ', at), expected.size());
    framed.push_back(expected.substr(at, end - at).ends_with("::"));
    at = end + 1;
  }
  std::string result;
  for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
    const Token& token = sentence.tokens[i];
    result += (i == 0 ? "" : " ") + std::to_string(token.id) + ":";
    if (i < framed.size() && framed[i]) {
      EXPECT_EQ(token.word, -1);
      result += ":";
    } else {
      result += std::to_string(token.bytes.begin) + ":" + std::to_string(token.bytes.end);
    }
  }
  return result;
}

class Reference : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Reference, GivesTheSameIdsAndBytes) {
  const Json fixture = read_fixture(GetParam());
  const TokenizerJson read = parse_tokenizer_json(fixture.at("tokenizer").dump(), GetParam().string());
  ASSERT_GT(fixture.at("lines").size(), 50U);
  for (const Json& line : fixture.at("lines")) {
    const auto text = line.at("text").get<std::string>();
    const auto expected = line.at("tokens").get<std::string>();
    EXPECT_EQ(dump(read.tokenizer->encode(text), expected), expected) << text;
  }
}

TEST_P(Reference, GivesEveryPieceItsWord) {
  const Json fixture = read_fixture(GetParam());
  const TokenizerJson read = parse_tokenizer_json(fixture.at("tokenizer").dump(), GetParam().string());
  for (const Json& line : fixture.at("lines")) {
    const auto text = line.at("text").get<std::string>();
    const Sentence sentence = read.tokenizer->encode(text);
    std::vector<std::string> words;
    for (const Word& word : sentence.words) {
      EXPECT_EQ(sentence.text.substr(static_cast<std::size_t>(word.bytes.begin),
                                     static_cast<std::size_t>(word.bytes.end - word.bytes.begin)),
                word.text);
      words.push_back(word.text);
    }
    for (const Token& token : sentence.tokens) {
      EXPECT_EQ(token.text, read.tokenizer->vocabulary().token(token.id));
      ASSERT_LT(token.word, static_cast<std::int64_t>(words.size())) << text;
      if (token.word < 0 || read.kind == TokenizerKind::wordpiece) {
        continue;
      }
      const ByteSpan word = sentence.words[static_cast<std::size_t>(token.word)].bytes;
      // It begins in its word, or it is the space before that; spaces at the end belong to the last.
      const bool last = token.word + 1 == static_cast<std::int64_t>(words.size());
      EXPECT_TRUE(token.bytes.begin < word.end || last) << text;
    }
    // Words that are given are cut as the text that one space between them makes.
    const Sentence given = read.tokenizer->encode_words(words);
    const Sentence joined = read.tokenizer->encode(given.text);
    ASSERT_EQ(given.tokens.size(), joined.tokens.size());
    for (std::size_t i = 0; i < given.tokens.size(); ++i) {
      EXPECT_EQ(given.tokens[i].id, joined.tokens[i].id);
      EXPECT_EQ(given.tokens[i].bytes, joined.tokens[i].bytes);
    }
    EXPECT_EQ(given.words.size(), words.size());
  }
}

TEST_P(Reference, OpensFromAModelDirectoryToo) {
  const Json fixture = read_fixture(GetParam());
  const TemporaryFolder folder;
  folder.write("tokenizer.json", fixture.at("tokenizer").dump());
  const ForeignTokenizer foreign = read_foreign_tokenizer(folder.path());
  const TemporaryFolder written;
  for (const auto& [name, bytes] : foreign.files) {
    written.write(name, bytes);
  }
  const std::int64_t last = foreign.last.value_or(0);
  const SpecialIds ids{
      .eos = last, .unknown = foreign.unknown.value_or(last), .bos = foreign.first.value_or(last)};
  const auto tokenizer = make_tokenizer(foreign.config, ids, written.path());
  for (const Json& line : fixture.at("lines")) {
    const auto text = line.at("text").get<std::string>();
    EXPECT_EQ(tokenizer->encode(text), foreign.tokenizer->encode(text));
  }
  if (foreign.last) {
    EXPECT_THROW(make_tokenizer(foreign.config, {ids.eos + 1, ids.unknown, ids.bos}, written.path()),
                 ModelError);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Reference, testing::ValuesIn(fixtures()), [](const auto& fixture) {
  std::string name = fixture.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(TokenizerJson, CutsByTheOrderOfTheMerges) {
  EXPECT_EQ(pieces(small(), "AB b  ab"), "▁ab ▁ b ▁ ▁ab <s>");
  EXPECT_EQ(pieces(small(), "xyz a"), "▁ <s> ▁a <s>");  // unknown characters in a row are one piece
  Json apart = small();
  apart["model"]["fuse_unk"] = false;
  EXPECT_EQ(pieces(apart, "xyz a"), "▁ <s> <s> <s> ▁a <s>");
  EXPECT_EQ(pieces(small(), ""), "<s>");
}

// The normalizer takes marks away; words stay as they are written, to their last mark.
TEST(TokenizerJson, KeepsTheMarksOfWords) {
  const auto path = mog::test::data_dir() / "tokenizers" / "wordpiece-uncased.json";
  const auto tokenizer =
      parse_tokenizer_json(read_fixture(path).at("tokenizer").dump(), path.string()).tokenizer;
  const Sentence sentence = tokenizer->encode("Cafe\u0301 \u0435\u0308\u0301 Rene\u0301, e\u0301te\u0301");
  std::vector<std::string> words;
  for (const Word& word : sentence.words) {
    words.push_back(word.text);
  }
  EXPECT_EQ(words, (std::vector<std::string>{"Cafe\u0301", "\u0435\u0308\u0301", "Rene\u0301", ",",
                                             "e\u0301te\u0301"}));
}

TEST(TokenizerJson, RefusesUnknownPartsByNameAndPlace) {
  Json document = small();
  document["normalizer"]["normalizers"][1]["type"] = "Reverse";
  expect_refused(document, {"t.json", "normalizer.normalizers[1]", "Reverse"});
  document = small();
  document["pre_tokenizer"] = {{"type", "UnicodeScripts"}};
  expect_refused(document, {"pre_tokenizer", "UnicodeScripts"});
  EXPECT_THROW(parse_tokenizer_json(document.dump(), "t.json"), ModelError);
  document = small();
  document["post_processor"]["type"] = "Backwards";
  expect_refused(document, {"post_processor", "Backwards"});
  document = small();
  document["model"]["type"] = "WordLevel";
  expect_refused(document, {"model.type", "WordLevel"});
  document = small();
  document["model"]["dropout"] = 0.1;
  expect_refused(document, {"model.dropout", "0.1"});
  document = small();
  document["pre_tokenizer"]["speed"] = 3;
  expect_refused(document, {"pre_tokenizer.speed"});
  document = small();
  document["pre_tokenizer"]["prepend_scheme"] = "sometimes";
  expect_refused(document, {"pre_tokenizer.prepend_scheme", "sometimes"});
  document = small();
  document["post_processor"]["single"][1]["SpecialToken"]["type_id"] = 1;
  expect_refused(document, {"post_processor.single[1]"});
  document = small();
  document["version"] = "2.0";
  expect_refused(document, {"version", "2.0"});
}

TEST(TokenizerJson, RefusesWhatContradictsTheVocabulary) {
  Json document = small();
  document["model"]["merges"].push_back({"b", "q"});
  expect_refused(document, {"model.merges[3]", "\"q\""});
  document = small();
  document["model"]["merges"].push_back("only");
  expect_refused(document, {"model.merges[3]", "only"});
  document = small();
  document["model"]["merges"].push_back({"a", "b", "a"});
  expect_refused(document, {"model.merges[3]"});
  for (const Json& no_list : {Json(nullptr), Json(true), Json("a b"), Json::object()}) {
    document = small();
    document["model"]["merges"] = no_list;
    expect_refused(document, {"model.merges", "expected a list"});
  }
  document = small();
  document["model"]["vocab"]["c"] = 9;
  expect_refused(document, {"leave out 7", "\"c\""});
  document = small();
  document["model"]["vocab"]["c"] = 6;
  expect_refused(document, {"6", "two tokens", "\"c\""});
  document = small();
  document["model"]["vocab"]["c"] = -1;
  expect_refused(document, {"\"c\"", "-1"});
  document = small();
  document["model"]["vocab"] = Json::object();
  expect_refused(document, {"vocab"});
  document = small();
  document["model"]["unk_token"] = "<none>";
  expect_refused(document, {"model.unk_token", "<none>"});
  document = small();
  document["added_tokens"][0]["id"] = 5;
  expect_refused(document, {"added_tokens[0]", "<s>", "5"});
  document = small();
  document["post_processor"]["special_tokens"]["<s>"]["ids"][0] = 1;
  expect_refused(document, {"post_processor.special_tokens.<s>", "1"});
  document = small();
  document["added_tokens"].push_back(document["added_tokens"][0]);
  expect_refused(document, {"added_tokens[1]", "<s>"});
}

TEST(TokenizerJson, RefusesDamagedDocuments) {
  const std::string text = small().dump();
  for (std::size_t size = 0; size < text.size(); size += 97) {
    expect_refused(text.substr(0, size), {"t.json"});
  }
  expect_refused(std::string("[]"), {"JSON object"});
  expect_refused(std::string("{}"), {"model"});
  expect_refused("{\"model\": " + std::string(1'000'000, '[') + "}", {"deep"});
  expect_refused(std::string(R"({"model": {"type": "BPE", "vocab": {"a": 0, "a": 1}, "merges": []}})"),
                 {"a"});
}

TEST(TokenizerJson, TakesTheMostProbableUnigrams) {
  // -1.0 - 1.5 = -2.5: of equals the one that was found first, the longer.
  EXPECT_EQ(pieces(unigram(), "abab"), "ab ab");
  EXPECT_EQ(pieces(unigram(), "abcé"), "abc é");
  EXPECT_EQ(pieces(unigram(), "axyb"), "a <unk> b");
}

TEST(TokenizerJson, RefusesScoresThatAreNone) {
  for (const char* const score : {"1e999", "\"-1\"", "null", "NaN"}) {
    std::string text = unigram().dump();
    text.replace(text.find("-1.5"), 4, score);
    expect_refused(text, {"t.json"});
  }
  Json document = unigram();
  document["model"]["vocab"][2][0] = "a";
  expect_refused(document, {"model.vocab", "a"});
  document = unigram();
  document["model"]["unk_id"] = 6;
  expect_refused(document, {"model.unk_id", "6"});
  document = unigram();
  document["model"]["vocab"] = {{"a", 0}};
  expect_refused(document, {"model.vocab"});
  document = unigram();
  document["model"]["unk_id"] = nullptr;
  EXPECT_THROW(pieces(document, "x"), ModelError);
}

TEST(TokenizerJson, EndsExpressionsThatWouldNotEnd) {
  Json document = small();
  document["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"Regex", "(a+)+$"}}}, {"behavior", "Isolated"}, {"invert", false}};
  try {
    pieces(document, std::string(40, 'a') + "b");
    FAIL() << "it ended";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("(a+)+$"), std::string::npos) << error.what();
  }
  document["pre_tokenizer"]["pattern"]["Regex"] = "(a)\\1";
  expect_refused(document, {"pre_tokenizer.pattern.Regex", "\\1"});
  document["pre_tokenizer"]["pattern"]["Regex"] = "(a";
  expect_refused(document, {"pre_tokenizer.pattern.Regex"});
}

// A folder as RoBERTa's: vocab.json and merges.txt alone.
TEST(ForeignTokenizer, ReadsVocabJsonWithMerges) {
  const Json fixture = read_fixture(mog::test::data_dir() / "tokenizers" / "byte-bpe-roberta.json");
  const Json& model = fixture.at("tokenizer").at("model");
  const TemporaryFolder folder;
  Json vocabulary = Json::object();
  for (const auto& [token, id] : model.at("vocab").items()) {
    vocabulary[token] = id;
  }
  std::string merges = "#version: 0.2\n";
  for (const Json& merge : model.at("merges")) {
    merges += merge[0].get<std::string>() + " " + merge[1].get<std::string>() + "\n";
  }
  folder.write("vocab.json", vocabulary.dump());
  folder.write("merges.txt", merges);
  const ForeignTokenizer foreign = read_foreign_tokenizer(folder.path());
  EXPECT_EQ(foreign.config.kind, TokenizerKind::byte_bpe);
  EXPECT_EQ(foreign.tokenizer->vocabulary().token(*foreign.first), "<s>");
  EXPECT_EQ(foreign.tokenizer->vocabulary().token(*foreign.last), "</s>");
  EXPECT_EQ(foreign.tokenizer->vocabulary().token(*foreign.padding), "<pad>");
  const auto reference = parse_tokenizer_json(fixture.at("tokenizer").dump(), "t.json").tokenizer;
  int compared = 0;
  for (const Json& line : fixture.at("lines")) {
    const auto text = line.at("text").get<std::string>();
    if (text.find("final") != std::string::npos || text.find("<word>") != std::string::npos) {
      continue;  // added tokens that these two files do not know
    }
    const Sentence ours = foreign.tokenizer->encode(text);
    const Sentence theirs = reference->encode(text);
    ASSERT_EQ(ours.tokens.size(), theirs.tokens.size()) << text;
    for (std::size_t i = 0; i < ours.tokens.size(); ++i) {
      EXPECT_EQ(ours.tokens[i].id, theirs.tokens[i].id) << text;
    }
    ++compared;
  }
  EXPECT_GT(compared, 40);
  folder.write("merges.txt", "#version: 0.2\na b\nab\n");
  EXPECT_THROW(read_foreign_tokenizer(folder.path()), FormatError);
}

}  // namespace
}  // namespace mog::model

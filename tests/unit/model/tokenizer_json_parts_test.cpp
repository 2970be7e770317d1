// Parts of a tokenizer.json one by one: frames, added tokens, models without a type, vocabularies; what each
// does, and by what words it is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/tokenizer/json/tokenizer_json.h"
#include "tests/unit/model/tokenizer_documents.h"

namespace mog::model {
namespace {

using test_documents::expect_refused;
using test_documents::Json;
using test_documents::pieces;
using test_documents::small;
using test_documents::unigram;

TEST(TokenizerJson, FramesASentenceAsItsProcessorSays) {
  const auto framed = [](const char* processor) {
    Json document = small();
    document["post_processor"] = Json::parse(processor);
    return pieces(document, "ab");
  };
  EXPECT_EQ(framed("null"), "▁ab");
  EXPECT_EQ(framed(R"({"type": "BertProcessing", "cls": ["a", 1], "sep": ["<s>", 0]})"), "a ▁ab <s>");
  EXPECT_EQ(framed(R"({"type": "RobertaProcessing", "cls": ["b", 2], "sep": ["<s>", 0], "trim_offsets": true,
                       "add_prefix_space": false})"),
            "b ▁ab <s>");
  EXPECT_EQ(framed(R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false})"), "▁ab");
  EXPECT_EQ(framed(R"({"type": "Sequence", "processors": [
                {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": true},
                {"type": "BertProcessing", "cls": ["a", 1], "sep": ["b", 2]}]})"),
            "a ▁ab b");
  EXPECT_EQ(framed(R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<s>", "type_id": 0}}], "pair": [],
                "special_tokens": {"x": {"id": "x", "ids": [1, 2], "tokens": ["a", "b"]},
                                   "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}})"),
            "a b ▁ab <s>");
}

TEST(TokenizerJson, RefusesFramesByTheirPlace) {
  const auto refused = [](const char* processor, const std::vector<std::string>& parts) {
    Json document = small();
    document["post_processor"] = Json::parse(processor);
    expect_refused(document, parts);
  };
  for (const char* const pair : {R"("<s>")", R"(["<s>"])", R"([0, "<s>"])", R"(["<s>", "0"])",
                                 R"(["<s>", -1])", R"(["<s>", 99999999999])"}) {
    refused((R"({"type": "BertProcessing", "sep": ["<s>", 0], "cls": )" + std::string(pair) + "}").c_str(),
            {"post_processor.cls", "a token and its id"});
  }
  refused(R"({"type": "BertProcessing", "sep": ["<x>", 0], "cls": ["<s>", 0]})",
          {"post_processor.sep", "\"<x>\"", "not in the vocab"});
  refused(R"({"type": "BertProcessing", "sep": ["a", 2], "cls": ["<s>", 0]})",
          {"post_processor.sep", "\"a\", 1"});
  refused(R"({"type": "Sequence", "processors": {}})", {"post_processor.processors", "a list"});

  const auto templated = [&](const char* key, const char* value, const std::vector<std::string>& parts) {
    Json document = small();
    document["post_processor"][key] = Json::parse(value);
    expect_refused(document, parts);
  };
  templated("special_tokens", "[]", {"post_processor.special_tokens", "an object"});
  for (const char* const list : {R"([0], "tokens": [])", R"([], "tokens": [])", R"(0, "tokens": ["<s>"])",
                                 R"([0], "tokens": "<s>")"}) {
    templated("special_tokens", (R"({"<s>": {"id": "<s>", "ids": )" + std::string(list) + "}}").c_str(),
              {"special_tokens.<s>", "as long as tokens"});
  }
  for (const char* const list :
       {R"(["0"], "tokens": ["<s>"])", R"([0], "tokens": [1])", R"([99999999999], "tokens": ["<s>"])"}) {
    templated("special_tokens", (R"({"<s>": {"id": "<s>", "ids": )" + std::string(list) + "}}").c_str(),
              {"special_tokens.<s>", "ids and their tokens"});
  }
  templated("single", R"("A")", {"post_processor.single", "a list"});
  templated("single", R"([{"SpecialToken": {"id": "<s>", "type_id": 0}}])",
            {"post_processor.single", "the sequence A"});
  templated("single", R"([{"Sequence": {"id": "B", "type_id": 0}}])", {"post_processor.single[0]", "A once"});
  templated("single", R"([{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}])",
            {"post_processor.single[1]", "A once"});
  templated("single", R"([{"SpecialToken": {"id": "<t>", "type_id": 0}}])",
            {"post_processor.single[0]", "<t>", "special_tokens"});
}

Json added(const std::string& content, int id, bool normalized = false) {
  return {{"id", id},        {"content", content},       {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", normalized}, {"special", false}};
}

TEST(TokenizerJson, FindsAddedTokensAsTheirSwitchesSay) {
  const auto with = [](const char* option) {
    Json document = small();
    document["added_tokens"].push_back(added("<w>", 7));
    if (*option != 0) {
      document["added_tokens"][1][option] = true;
    }
    return document;
  };
  EXPECT_EQ(pieces(with(""), "ab <w>  b"), "▁ab ▁ <w> ▁ ▁ b <s>");
  EXPECT_EQ(pieces(with("lstrip"), "ab <w>  b"), "▁ab <w> ▁ ▁ b <s>");
  EXPECT_EQ(pieces(with("lstrip"), "  <w>b"), "<w> ▁ b <s>");
  EXPECT_EQ(pieces(with("rstrip"), "ab <w>  b"), "▁ab ▁ <w> ▁ b <s>");
  EXPECT_EQ(pieces(with("rstrip"), "ab <w>  "), "▁ab ▁ <w> <s>");
  EXPECT_EQ(pieces(with("single_word"), "ab <w> b"), "▁ab ▁ <w> ▁ b <s>");
  for (const char* const inside : {"a<w>", "<w>b", "é<w>"}) {  // a word goes on
    EXPECT_EQ(pieces(with("single_word"), inside).find("<w>"), std::string::npos) << inside;
  }
  EXPECT_NE(pieces(with("single_word"), "<w>").find("<w>"), std::string::npos);
  // Found behind the normalizer, which makes small letters of the token, too.
  Json document = small();
  document["added_tokens"].push_back(added("<W>", 7, true));
  EXPECT_EQ(pieces(document, "ab<w>"), "▁ab <W> <s>");
  document["added_tokens"][1]["normalized"] = false;
  EXPECT_EQ(pieces(document, "ab<w>").find("<W>"), std::string::npos);
}

TEST(TokenizerJson, RefusesAddedTokensThatAreNone) {
  Json document = small();
  document["added_tokens"] = Json::object();
  expect_refused(document, {"added_tokens", "a list"});
  document = small();
  document["added_tokens"].push_back(added("", 7));
  expect_refused(document, {"added_tokens[1].content", "an empty one"});
  document = small();
  document["added_tokens"].push_back(added("Q", 7, true));
  document["added_tokens"].push_back(added("q", 8, true));
  expect_refused(document, {"\"Q\"", "\"q\"", "the same after normalisation"});
  document["added_tokens"].erase(2);
  document["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "Q"}}}, {"content", ""}};
  expect_refused(document, {"leaves nothing", "\"Q\""});
}

TEST(TokenizerJson, KnowsModelsThatDoNotSayTheirType) {
  Json document = small();
  document["model"].erase("type");
  EXPECT_EQ(pieces(document, "ab"), "▁ab <s>");
  document = unigram();
  document["model"].erase("type");
  EXPECT_EQ(pieces(document, "abab"), "ab ab");
  document = small();
  document["pre_tokenizer"] = nullptr;
  document["model"] = Json::parse(R"({"unk_token": "<s>", "max_input_chars_per_word": 9,
                                      "vocab": {"<s>": 0, "a": 1, "##b": 2}})");
  EXPECT_EQ(pieces(document, "ab"), "a ##b <s>");
  document["model"].erase("max_input_chars_per_word");
  expect_refused(document, {"model.type", "without a type"});
  document["model"]["type"] = "Syllables";
  expect_refused(document, {"model.type", "Syllables"});
}

TEST(TokenizerJson, RefusesAVocabularyOfTheOtherForm) {
  Json document = small();
  document["model"]["vocab"] = unigram()["model"]["vocab"];
  expect_refused(document, {"model.vocab", "tokens and ids", "the other form"});
  document = unigram();
  document["model"]["vocab"] = small()["model"]["vocab"];
  expect_refused(document, {"model.vocab", "tokens and scores", "the other form"});
  for (const char* const entry : {R"({"a": -1})", R"("a")", R"(["a"])", R"(["a", "-1"])", R"([1, -1])",
                                  R"(["a", -1, 2])", R"(["a", [-1]])"}) {
    document = unigram();
    document["model"]["vocab"].push_back(Json::parse(entry));
    expect_refused(document, {"model.vocab[6]", "a token and its score"});
  }
  document = unigram();
  document["model"]["vocab"].push_back({"", -1.0});
  expect_refused(document, {"model.vocab[6]", "0 bytes"});
  document = small();
  document["model"]["vocab"][std::string(1U << 20U, 'x')] = 7;
  expect_refused(document, {"model.vocab", "bytes"});
  document = small();
  document["model"]["vocab"]["c"] = Json::object();
  expect_refused(document, {"model.vocab", "tokens and their ids", "an object"});
  for (const char* const merge : {"5", "\"a b a\"", "[\"a\"]", "[\"a\", 1]", "{}"}) {
    document = small();
    document["model"]["merges"].push_back(Json::parse(merge));
    expect_refused(document, {"model.merges[3]", "two parts"});
  }
  document = small();
  document["model"]["merges"] = {"#version: 0.2", "▁ a", "a b", "▁a b"};
  EXPECT_EQ(pieces(document, "ab"), "▁ab <s>");
}

// A score is what the text says, to the last bit of what the reference reads.
TEST(TokenizerJson, ReadsScoresHoweverTheyAreWritten) {
  for (const char* const score :
       {"-25e-1", "-0.25E+1", "-2.5", "-2.50000000000000000000000000", "-250000e-5"}) {
    std::string text = unigram().dump();
    text.replace(text.find("-2.5"), 4, score);
    EXPECT_EQ(pieces(Json::parse(text), "abab"), "ab ab") << score;
  }
  for (const char* const score : {"-1e-330", "-0.00000000000000000000000000000000001e-300", "-0.0"}) {
    std::string text = unigram().dump();
    text.replace(text.find("-1.5"), 4, score);
    EXPECT_EQ(parse_tokenizer_json(text, "t.json").tokenizer->encode("bb").tokens.size(), 2U) << score;
  }
}

TEST(TokenizerJson, RefusesPartsOfPartsByTheirPlace) {
  Json document = small();
  for (const char* const mark : {"", "ab"}) {
    document["pre_tokenizer"]["replacement"] = mark;
    expect_refused(document, {"pre_tokenizer.replacement", "one character"});
  }
  document = small();
  document["model"]["dropout"] = 0;
  EXPECT_EQ(pieces(document, "ab"), "▁ab <s>");
  document["truncation"] = {{"max_length", 12}};
  document["padding"] = {{"pad_token", "b"}};
  const TokenizerJson read = parse_tokenizer_json(document.dump(), "t.json");
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_NE(read.notes[0].find("12 tokens"), std::string::npos) << read.notes[0];
  EXPECT_EQ(read.padding, 2);
}

}  // namespace
}  // namespace mog::model

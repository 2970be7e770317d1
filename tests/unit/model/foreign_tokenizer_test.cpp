// The tokenizer of a folder of another program, from whichever files it has: letters (ESM), bytes (GPT-2,
// OPT, RoBERTa), WordPiece, and what is refused in each.
#include "model/tokenizer/loading/foreign_tokenizer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

class FolderTokenizer : public testing::Test {
 protected:
  std::string pieces(const std::string& text) const {
    std::string all;
    for (const Token& token : read_foreign_tokenizer(folder_.path()).tokenizer->encode(text).tokens) {
      all += (all.empty() ? "" : " ") + token.text;
    }
    return all;
  }
  void expect_refused(const std::string& words) const {
    try {
      read_foreign_tokenizer(folder_.path());
      ADD_FAILURE() << "was read; expected: " << words;
    } catch (const FormatError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(folder_.path().string()), std::string::npos) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
    }
  }
  const test::TemporaryFolder folder_;
};

TEST_F(FolderTokenizer, NoneIsSaid) {
  expect_refused("it has no tokenizer: neither tokenizer.json nor vocab.txt, nor vocab.json with merges.txt");
  folder_.write("vocab.json", R"({"a": 0})");  // without merges.txt
  expect_refused("it has no tokenizer");
}

TEST_F(FolderTokenizer, LettersOfProteins) {
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "EsmTokenizer"})");
  folder_.write("vocab.txt", "<cls>\n<pad>\n<eos>\n<unk>\nL\nA\n<\n");
  EXPECT_EQ(pieces("LA"), "<cls> L A <eos>");
  EXPECT_EQ(pieces("LBZA"), "<cls> L <unk> A <eos>");
  const ForeignTokenizer tokenizer = read_foreign_tokenizer(folder_.path());
  EXPECT_EQ(tokenizer.first, 0);
  EXPECT_EQ(tokenizer.last, 2);
  EXPECT_EQ(tokenizer.unknown, 3);
  EXPECT_EQ(tokenizer.files.at("vocab.txt"), "<cls>\n<pad>\n<eos>\n<unk>\nL\nA\n<\n");
  folder_.write("vocab.txt", "<cls>\n<eos>\n<unk>\nL\nL\n");
  expect_refused("vocab.txt: line 5: expected a token of its own, found \"L\"");
  folder_.write("vocab.txt", "<cls>\n\n<eos>\n<unk>\nL\n");
  expect_refused("vocab.txt: line 2: expected a token of its own, found \"\"");
  for (const char* const token : {"<cls>", "<eos>", "<unk>"}) {
    std::string lines = "L\n";
    for (const char* const other : {"<cls>", "<eos>", "<unk>"}) {
      lines += std::string(other) == token ? "" : std::string(other) + "\n";
    }
    folder_.write("vocab.txt", lines);
    expect_refused("the vocabulary lacks the token " + std::string(token));
  }
}

TEST_F(FolderTokenizer, BytesWithAndWithoutAFrame) {
  folder_.write("vocab.json",
                R"({"<s>": 0, "</s>": 1, "<unk>": 2, "<mask>": 3, "a": 4, "b": 5, "ab": 6, "\u0120": 7,
    "\u0120ab": 8})");
  folder_.write("merges.txt", "#version: 0.2\na b\n\n\u0120 ab\n");
  EXPECT_EQ(pieces("ab ab"), "<s> ab \u0120ab </s>");
  EXPECT_EQ(pieces("a <mask>b"), "<s> a <mask> b </s>");  // the mask takes the space before it
  folder_.write("tokenizer_config.json",
                R"({"tokenizer_class": "RobertaTokenizerFast", "add_prefix_space": true})");
  EXPECT_EQ(pieces("ab ab"), "<s> \u0120ab \u0120ab </s>");
  folder_.write("tokenizer_config.json",
                R"({"tokenizer_class": "GPT2TokenizerFast", "add_prefix_space": null})");
  EXPECT_EQ(pieces("ab ab"), "ab \u0120ab");
  folder_.write(
      "tokenizer_config.json",
      R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": {"content": "</s>"}})");
  EXPECT_EQ(pieces("ab"), "</s> ab");
  folder_.write("tokenizer_config.json",
                R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": "<s>"})");
  EXPECT_EQ(pieces("ab"), "<s> ab");
  // A token that the vocabulary lacks, or that is no text, is no frame.
  for (const char* const begin : {R"("<x>")", "3", R"({"id": 3})", "null"}) {
    folder_.write("tokenizer_config.json",
                  R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": )" +
                      std::string(begin) + "}");
    EXPECT_EQ(pieces("ab"), "ab") << begin;
  }
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": 3, "add_prefix_space": 3})");
  expect_refused("add_prefix_space: expected true or false, found 3");
  folder_.write("tokenizer_config.json", "[");
  expect_refused("tokenizer_config.json");
}

TEST_F(FolderTokenizer, MergesAreTwoPartsALine) {
  folder_.write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  for (const char* const line : {"ab", " ab", "a ", "a b c", "a  b"}) {
    folder_.write("merges.txt", "#version: 0.2\n" + std::string(line) + "\n");
    expect_refused("merges.txt: line 2: expected two parts with one space between them");
  }
  folder_.write("merges.txt", "a b\n");
  EXPECT_EQ(pieces("ab"), "ab");
  folder_.write("vocab.json", "{}");
  expect_refused("vocab.json: ");
}

TEST_F(FolderTokenizer, WordPieceKeepsWhatTheSettingsSay) {
  folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nE\ne\n\u00c9\n\u00e9\n");
  EXPECT_EQ(pieces("\u00c9"), "[CLS] e [SEP]");
  folder_.write("tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(pieces("\u00c9"), "[CLS] \u00c9 [SEP]");
  folder_.write("tokenizer_config.json", R"({"do_lower_case": true, "strip_accents": false})");
  EXPECT_EQ(pieces("\u00c9"), "[CLS] \u00e9 [SEP]");
  folder_.write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": true})");
  EXPECT_EQ(pieces("\u00c9"), "[CLS] E [SEP]");
  EXPECT_TRUE(read_foreign_tokenizer(folder_.path()).wordpiece.has_value());
  EXPECT_EQ(read_foreign_target_tokenizer(folder_.path()), std::nullopt);
}

}  // namespace
}  // namespace mog::model

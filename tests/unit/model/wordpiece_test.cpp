#include "model/tokenizer/wordpiece/wordpiece.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/config/config.h"
#include "model/tokenizer/json/tokenizer_json.h"
#include "model/tokenizer/wordpiece/wordpiece_pruning.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;
using test::TemporaryFolder;

// "text@begin-end:word" for every token.
std::string dump(const Sentence& sentence) {
  std::string result;
  for (const Token& token : sentence.tokens) {
    result += (result.empty() ? "" : " ") + token.text + "@" + std::to_string(token.bytes.begin) + "-" +
              std::to_string(token.bytes.end) + ":" + std::to_string(token.word);
  }
  return result;
}

std::shared_ptr<const Tokenizer> tokenizer_of(const WordPieceFile& file) {
  return parse_tokenizer_json(to_tokenizer_json(file), "small").tokenizer;
}

WordPieceFile small_file() {
  WordPieceFile file;
  file.settings.special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  file.tokens = {"[PAD]",        "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un",      "##able",
                 "##aff",        "a",     "##b",   "cafe",  "##s",    ".",       "'",
                 "\xE4\xB8\xAD", "b",     "[",     "]",     "mask",   "affable", "##a"};
  return file;
}

TEST(WordPiece, TakesTheLongestPiecesFirst) {
  const auto tokenizer = tokenizer_of(small_file());
  EXPECT_EQ(dump(tokenizer->encode("Unaffable.")),
            "[CLS]@0-0:-1 un@0-2:0 ##aff@2-5:0 ##able@5-9:0 .@9-10:1 [SEP]@10-10:-1");
  // "unx" cannot be cut: the whole word is unknown.
  EXPECT_EQ(dump(tokenizer->encode("unx un")), "[CLS]@0-0:-1 [UNK]@0-3:0 un@4-6:1 [SEP]@6-6:-1");
  EXPECT_EQ(tokenizer->kind(), "wordpiece");
  EXPECT_EQ(tokenizer->encode("un").tokens.at(1).id, 5);
}

TEST(WordPiece, GivesPlacesInTheTextAsItWasWritten) {
  const auto tokenizer = tokenizer_of(small_file());
  // é in one character (2 bytes), then as e and a combining mark; the mark belongs to nothing.
  const Sentence sentence = tokenizer->encode(
      "Caf\xC3\xA9s cafe\xCC\x81 a\xE4\xB8\xAD"
      "b");
  EXPECT_EQ(dump(sentence),
            "[CLS]@0-0:-1 cafe@0-5:0 ##s@5-6:0 cafe@7-11:1 a@14-15:2 \xE4\xB8\xAD@15-18:3 b@18-19:4 "
            "[SEP]@19-19:-1");
  EXPECT_EQ(sentence.words.at(0).text, "Caf\xC3\xA9s");
  EXPECT_EQ(sentence.words.at(3).text, "\xE4\xB8\xAD");
}

TEST(WordPiece, KeepsGivenWordsWhole) {
  const auto tokenizer = tokenizer_of(small_file());
  const std::vector<std::string> words = {"a.b", "", "un able",
                                          "\xE2\x80\x8B"};  // the last: zero-width space
  const Sentence sentence = tokenizer->encode_words(words);
  EXPECT_EQ(sentence.words.size(), 4U);
  EXPECT_EQ(sentence.text, "a.b  un able \xE2\x80\x8B");
  EXPECT_EQ(dump(sentence), "[CLS]@0-0:-1 a@0-1:0 .@1-2:0 b@2-3:0 un@5-7:2 [UNK]@8-12:2 [SEP]@16-16:-1");
}

TEST(WordPiece, FindsSpecialTokensInTheText) {
  const auto tokenizer = tokenizer_of(small_file());
  EXPECT_EQ(dump(tokenizer->encode("a[MASK]b [mask]")),
            "[CLS]@0-0:-1 a@0-1:0 [MASK]@1-7:1 b@7-8:2 [@9-10:3 mask@10-14:4 ]@14-15:5 [SEP]@15-15:-1");
}

TEST(WordPiece, CallsALongWordUnknown) {
  WordPieceFile file = small_file();
  file.settings.most_characters = 4;
  const auto tokenizer = tokenizer_of(file);
  EXPECT_EQ(dump(tokenizer->encode("abab ababb")),
            "[CLS]@0-0:-1 a@0-1:0 ##b@1-2:0 ##a@2-3:0 ##b@3-4:0 [UNK]@5-10:1 [SEP]@10-10:-1");
}

TEST(WordPiece, RefusesTextThatIsNotUtf8) {
  EXPECT_THROW(tokenizer_of(small_file())->encode("a\xFF"), FormatError);
}

TEST(WordPieceFile, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  WordPieceFile file = small_file();
  file.settings.normalizer = {
      .clean_text = false, .handle_chinese_chars = true, .strip_accents = true, .lowercase = false};
  file.settings.most_characters = 17;
  folder.write("tokenizer.json", to_tokenizer_json(file));
  const WordPieceFile read = read_tokenizer_json(folder.path() / "tokenizer.json");
  EXPECT_EQ(read.tokens, file.tokens);
  EXPECT_EQ(read.settings, file.settings);
}

TEST(WordPieceFile, TakesABareVocabulary) {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\n");
  const WordPieceFile file = read_wordpiece_vocabulary(folder.path() / "vocab.txt", {});
  EXPECT_EQ(file.settings.special, (std::vector<std::string>{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}));
  EXPECT_EQ(dump(tokenizer_of(file)->encode("AB")), "[CLS]@0-0:-1 a@0-1:0 ##b@1-2:0 [SEP]@2-2:-1");
  folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\na\n");
  EXPECT_THROW(read_wordpiece_vocabulary(folder.path() / "vocab.txt", {}), FormatError);
}

struct Refusal {
  const char* what;
  const char* patch;  // RFC 7386, onto a sound file
  const char* word;   // of the message
};
void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.what;
}

class WordPieceRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(WordPieceRefusal, NamesTheComponent) {
  const TemporaryFolder folder;
  Json document = Json::parse(to_tokenizer_json(small_file()));
  document.merge_patch(Json::parse(GetParam().patch));
  folder.write("tokenizer.json", document.dump());
  try {
    read_tokenizer_json(folder.path() / "tokenizer.json");
    FAIL() << "it was read";
  } catch (const FormatError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("tokenizer.json"), std::string::npos) << message;
    EXPECT_NE(message.find(GetParam().word), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, WordPieceRefusal,
    testing::Values(
        Refusal{"no model", R"({"model": null})", "model is missing"},
        Refusal{"another model", R"({"model": {"type": "Unigram"}})", "Unigram"},
        Refusal{"no type", R"({"model": {"type": null}})", "without a type"},
        Refusal{"vocab is a list", R"({"model": {"vocab": ["a"]}})", "model.vocab"},
        Refusal{"id is text", R"({"model": {"vocab": {"a": "8"}}})", "\"a\""},
        Refusal{"id is negative", R"({"model": {"vocab": {"a": -1}}})", "-1"},
        Refusal{"id is huge", R"({"model": {"vocab": {"a": 1099511627776}}})", "1099511627776"},
        Refusal{"gap", R"({"model": {"vocab": {"a": 100}}})", "leave out 8"},
        Refusal{"same id twice", R"({"model": {"vocab": {"z": 9}}})", "the id 9 belongs to two tokens"},
        Refusal{"line end in a token", R"({"model": {"vocab": {"x\ny": 21}}})", "line end"},
        Refusal{"unknown token missing", R"({"model": {"unk_token": "[NO]"}})", "[NO]"},
        Refusal{"no prefix", R"({"model": {"continuing_subword_prefix": null}})",
                "continuing_subword_prefix"},
        Refusal{"no length", R"({"model": {"max_input_chars_per_word": 0}})", "max_input_chars_per_word"},
        Refusal{"unknown key", R"({"model": {"dropout": 0.1}})", "model.dropout"},
        Refusal{"another normalizer", R"({"normalizer": {"type": "NFKC"}})", "NFKC"},
        Refusal{"no normalizer", R"({"normalizer": null})", "the normalizer none"},
        Refusal{"odd switch", R"({"normalizer": {"lowercase": "yes"}})", "normalizer.lowercase"},
        Refusal{"another pre-tokenizer", R"({"pre_tokenizer": {"type": "Whitespace"}})", "Whitespace"},
        Refusal{"another frame", R"({"post_processor": {"type": "RobertaProcessing"}})", "RobertaProcessing"},
        Refusal{"no frame", R"({"post_processor": null})", "the post-processor none"},
        Refusal{"longer frame", R"({"post_processor": {"single": [1, 2, 3, 4]}})", "post_processor.single"},
        Refusal{"odd frame", R"({"post_processor": {"single": [1, 2, 3]}})", "post_processor.single"},
        Refusal{"added token elsewhere",
                R"({"added_tokens": [{"id": 8, "content": "[X]", "single_word": false,
                "lstrip": false, "rstrip": false, "normalized": false, "special": true}]})",
                "[X]"},
        Refusal{"added token with another id", R"({"added_tokens": [{"id": 3, "content": "[CLS]",
                "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}]})",
                "[CLS]"},
        Refusal{"stripping token", R"({"added_tokens": [{"id": 4, "content": "[MASK]", "single_word": false,
                "lstrip": true, "rstrip": false, "normalized": false, "special": true}]})",
                "lstrip"},
        Refusal{"vocab with scores", R"({"model": {"vocab": [["a", 0.5]]}})", "tokens and ids"},
        Refusal{"normalizer without a type", R"({"normalizer": {"type": 3}})", "without a type"},
        Refusal{"added tokens are none", R"({"added_tokens": {}})", "added_tokens: expected a list"},
        Refusal{"empty added token", R"({"added_tokens": [{"id": 21, "content": "", "single_word": false,
                "lstrip": false, "rstrip": false, "normalized": false, "special": true}]})",
                "0 bytes"},
        Refusal{"id of an added token is text", R"({"added_tokens": [{"id": "x", "content": "[X]"}]})",
                "the id \"x\""},
        Refusal{"added token behind a gap",
                R"({"added_tokens": [{"id": 100, "content": "[X]", "single_word": false,
                "lstrip": false, "rstrip": false, "normalized": false, "special": true}]})",
                "leave out"},
        Refusal{"pair of Bert is none", R"({"post_processor": {"type": "BertProcessing", "cls": 3}})",
                "post_processor.cls"},
        Refusal{"empty pair of Bert",
                R"({"post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": []}})",
                "post_processor.sep"},
        Refusal{"another sequence",
                R"({"post_processor": {"single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]}})",
                "the sequence A, found B"},
        Refusal{"two parts in one",
                R"({"post_processor": {"single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0},
                "Sequence": {"id": "A", "type_id": 0}}, 1, 2]}})",
                "where SpecialToken should be"}));

// What a file may say in two ways.
TEST(WordPieceFile, TakesTheOtherFormOfAFrameAndOfAccents) {
  const TemporaryFolder folder;
  Json document = Json::parse(to_tokenizer_json(small_file()));
  document["post_processor"] =
      Json::parse(R"({"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]})");
  document["normalizer"]["strip_accents"] = false;
  document["truncation"] = {{"max_length", 12}};
  folder.write("tokenizer.json", document.dump());
  const WordPieceFile read = read_tokenizer_json(folder.path() / "tokenizer.json");
  EXPECT_EQ(read.settings.first, small_file().settings.first);
  EXPECT_EQ(read.settings.last, small_file().settings.last);
  EXPECT_FALSE(read.settings.normalizer.strip_accents);
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_NE(read.notes[0].find("12 tokens"), std::string::npos) << read.notes[0];
  document["normalizer"].erase("strip_accents");
  document["normalizer"]["lowercase"] = true;
  document["added_tokens"] = nullptr;
  folder.write("tokenizer.json", document.dump());
  EXPECT_TRUE(read_tokenizer_json(folder.path() / "tokenizer.json").settings.normalizer.strip_accents);
}

TEST(WordPieceFile, RefusesWhatIsNoJson) {
  const TemporaryFolder folder;
  const std::string sound = to_tokenizer_json(small_file());
  for (std::size_t length = 0; length + 1 < sound.size(); length += 37) {
    folder.write("tokenizer.json", sound.substr(0, length));
    EXPECT_THROW(read_tokenizer_json(folder.path() / "tokenizer.json"), FormatError) << length;
  }
  folder.write("tokenizer.json", "[]");
  EXPECT_THROW(read_tokenizer_json(folder.path() / "tokenizer.json"), FormatError);
}

TEST(WordPiecePruning, KeepsWhatOccursAndAllCharacters) {
  const WordPieceFile file = small_file();
  PieceCounter counter(file);
  counter.add("unaffable cafes");
  const std::vector<std::string> words = {"unaffable"};
  counter.add_words(words);
  const PrunedWordPiece all = prune_wordpiece(file, counter.counts(), 0);
  // Out go "mask" and "affable".
  EXPECT_EQ(all.old_ids,
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20}));
  EXPECT_EQ(all.file.tokens.back(), "##a");
  // Always kept: 5 special tokens and 10 characters; then "un" (twice, smallest id).
  const PrunedWordPiece some = prune_wordpiece(file, counter.counts(), 16);
  EXPECT_EQ(some.old_ids,
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 8, 9, 11, 12, 13, 14, 15, 16, 17, 20}));
  EXPECT_EQ(some.file.settings, file.settings);
  EXPECT_THROW(prune_wordpiece(file, counter.counts(), 14), UsageError);
}

TEST(WordPieceDirectory, MustAgreeWithTheConfiguration) {
  const TemporaryFolder folder;
  const WordPieceFile file = small_file();
  folder.write("tokenizer.json", to_tokenizer_json(file));
  folder.write("vocab.txt", to_vocabulary_text(file.tokens));
  TokenizerConfig config{.kind = TokenizerKind::wordpiece,
                         .lowercase = true,
                         .codes = "",
                         .file = "tokenizer.json",
                         .vocab = "vocab.txt",
                         .target_vocab = "",
                         .target_file = ""};
  const SpecialIds ids{.eos = 3, .unknown = 1, .bos = 2};
  EXPECT_EQ(make_tokenizer(config, ids, folder.path())->vocabulary().size(), 21);
  EXPECT_THROW(make_tokenizer(config, {.eos = 3, .unknown = 1, .bos = 4}, folder.path()), ModelError);
  EXPECT_THROW(make_tokenizer(config, {.eos = 2, .unknown = 1, .bos = 2}, folder.path()), ModelError);
  EXPECT_THROW(make_tokenizer(config, {.eos = 3, .unknown = 0, .bos = 2}, folder.path()), ModelError);
  config.lowercase = false;
  EXPECT_THROW(make_tokenizer(config, ids, folder.path()), ModelError);
  config.lowercase = true;
  folder.write("vocab.txt", to_vocabulary_text(file.tokens) + "more\n");
  EXPECT_THROW(make_tokenizer(config, ids, folder.path()), ModelError);
}

}  // namespace
}  // namespace mog::model

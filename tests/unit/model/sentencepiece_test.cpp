#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/tokenizer/json/tokenizer_json.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;
using test::TemporaryFolder;

const std::filesystem::path kData = mog::test::data_dir() / "sentencepiece";

std::vector<std::int64_t> ids(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::int64_t> result;
  for (const Token& token : tokenizer.encode(text).tokens) {
    result.push_back(token.id);
  }
  return result;
}

std::string pieces(const Tokenizer& tokenizer, const std::string& text) {
  std::string result;
  for (const Token& token : tokenizer.encode(text).tokens) {
    result += (result.empty() ? "" : " ") + token.text;
  }
  return result;
}

// A field of a protocol buffer.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) {
    bytes += static_cast<char>(value | 0x80U);
  }
  return bytes + static_cast<char>(value);
}
std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3U) + varint(value);
}
std::string message(std::uint32_t field, const std::string& bytes) {
  return varint(field << 3U | 2U) + varint(bytes.size()) + bytes;
}
std::string score_field(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score);
  std::string bytes = varint(2U << 3U | 5U);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return bytes;
}
std::string piece(const std::string& text, float score, std::uint64_t kind = 1) {
  return message(1, message(1, text) + score_field(score) + (kind == 1 ? "" : number(3, kind)));
}

constexpr std::uint64_t kUnknown = 2;
constexpr std::uint64_t kControl = 3;

// The three special pieces in the order of T5 and Pegasus.
std::string in_order_of_t5(std::string bytes) {
  const std::string usual =
      piece("<unk>", 0, kUnknown) + piece("<s>", 0, kControl) + piece("</s>", 0, kControl);
  return piece("<pad>", 0, kControl) + piece("</s>", 0, kControl) + piece("<unk>", 0, kUnknown) +
         bytes.substr(usual.size());
}

// <unk> <s> </s>, "▁a", "▁", "a", "b", "ab"; no normalisation.
std::string small(const std::string& more = "", const std::string& trainer = "",
                  const std::string& normalizer = "") {
  return piece("<unk>", 0, kUnknown) + piece("<s>", 0, kControl) + piece("</s>", 0, kControl) +
         piece(
             "\xE2\x96\x81"
             "a",
             -1) +
         piece("\xE2\x96\x81", -2) + piece("a", -3) + piece("b", -4) + piece("ab", -1.5F) + more +
         message(2, trainer) + message(3, normalizer);
}

std::shared_ptr<const Tokenizer> open(const TemporaryFolder& folder, const std::string& bytes) {
  folder.write("x.model", bytes);
  return read_foreign_tokenizer_file(folder.path() / "x.model").tokenizer;
}

class SentencePieceFixtures : public testing::TestWithParam<const char*> {};

TEST_P(SentencePieceFixtures, CutsAsTheReference) {
  const std::string name = GetParam();
  const ForeignTokenizer foreign = read_foreign_tokenizer_file(kData / (name + ".model"));
  // The same after it was written into a model directory.
  const auto again = parse_tokenizer_json(foreign.files.at("tokenizer.json"), "t.json").tokenizer;
  const Json lines = Json::parse(io::read_file(kData / (name + ".json"), "the fixture", 1U << 20U));
  ASSERT_GT(lines.size(), 40U);
  for (const Json& line : lines) {
    const auto text = line.at("text").get<std::string>();
    const auto expected = line.at("ids").get<std::vector<std::int64_t>>();
    EXPECT_EQ(ids(*foreign.tokenizer, text), expected) << text;
    EXPECT_EQ(ids(*again, text), expected) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SentencePieceFixtures,
                         testing::Values("unigram", "unigram-suffix", "bpe-bytes", "bpe-unused"));

TEST(SentencePiece, PlacesPiecesInTheTextAndInWords) {
  const TemporaryFolder folder;
  const auto tokenizer = open(folder, small());
  const Sentence sentence = tokenizer->encode("  ab  xyb");
  std::string found;
  for (const Token& token : sentence.tokens) {
    found += token.text + "@" + std::to_string(token.bytes.begin) + "-" + std::to_string(token.bytes.end) +
             ":" + std::to_string(token.word) + " ";
  }
  // The space before the first word is nowhere; unknown neighbours are one piece.
  EXPECT_EQ(found, "\xE2\x96\x81@2-2:0 ab@2-4:0 \xE2\x96\x81@4-5:1 <unk>@6-8:1 b@8-9:1 ");
  EXPECT_EQ(pieces(*tokenizer, ""), "");
  EXPECT_EQ(pieces(*tokenizer, "   "), "");
  EXPECT_EQ(pieces(*tokenizer, "<s>"), "\xE2\x96\x81 <unk>");  // control pieces stand for no text
}

struct Damage {
  const char* what;
  std::function<std::string()> bytes;
  const char* word;
};
void PrintTo(const Damage& damage, std::ostream* out) {
  *out << damage.what;
}

class SentencePieceDamage : public testing::TestWithParam<Damage> {};

TEST_P(SentencePieceDamage, IsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  try {
    open(folder, GetParam().bytes());
    FAIL() << "it was read";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("x.model"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().word), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, SentencePieceDamage,
    testing::Values(
        Damage{"cut", [] { return small().substr(0, 40); }, "bytes"},
        Damage{"no unknown piece", [] { return piece("\xE2\x96\x81", -1) + piece("bb", -2); }, "exactly one"},
        Damage{"two unknown pieces", [] { return small(piece("<u>", 0, kUnknown)); }, "exactly one"},
        Damage{"a piece twice", [] { return small(piece("ab", -7)); }, "twice"},
        Damage{"an empty piece", [] { return small(message(1, message(1, ""))); }, "piece 8"},
        Damage{"NaN", [] { return small(piece("x", std::bit_cast<float>(0x7FC00000U))); }, "NaN"},
        Damage{"no UTF-8", [] { return small(piece("\xFF", -7)); }, "UTF-8"},
        Damage{"kind 7", [] { return small(piece("x", -7, 7)); }, "type is 7"},
        Damage{"a byte without byte_fallback", [] { return small(piece("<0x41>", -7, 6)); }, "byte_fallback"},
        Damage{"byte_fallback without bytes", [] { return small("", number(35, 1)); }, "byte_fallback"},
        Damage{"an unknown field", [] { return small(number(6, 1)); }, "field 6"},
        Damage{"a field twice", [] { return small("", number(3, 1) + number(3, 2)); }, "twice"},
        Damage{"another wire type", [] { return small(message(1, number(1, 5))); }, "wire type"},
        Damage{"a group", [] { return small(varint(9U << 3U | 3U)); }, "wire type 3"},
        Damage{"a long number", [] { return small(std::string(11, '\x80')); }, "64 bits"},
        Damage{"a length beyond the end", [] { return small() + varint(1U << 3U | 2U) + varint(1U << 30U); },
               "claims"},
        Damage{"a character map beyond itself",
               [] { return small("", "", message(2, std::string("\xFF\xFF\x00\x00", 4))); }, "trie"}));

TEST(SentencePiece, RefusesOtherAlgorithmsByName) {
  const TemporaryFolder folder;
  try {
    open(folder, small("", number(3, 4)));
    FAIL() << "it was read";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("char"), std::string::npos) << error.what();
  }
}

// Folders without tokenizer.json.
struct Folder {
  const char* name;
  const char* file;
  const char* settings;  // tokenizer_config.json
  const char* config;    // config.json
  const char* cut;       // pieces of "ab a"
  std::vector<std::int64_t> ids;
};
void PrintTo(const Folder& folder, std::ostream* out) {
  *out << folder.name;
}

class SentencePieceFolders : public testing::TestWithParam<Folder> {};

TEST_P(SentencePieceFolders, NumbersAndFramesAsItsClass) {
  const Folder& wanted = GetParam();
  const TemporaryFolder folder;
  const bool of_bert = std::string(wanted.cut).starts_with("[CLS]");
  const std::string bytes =
      of_bert ? small(piece("[CLS]", 0, kControl) + piece("[SEP]", 0, kControl)) : small();
  const bool of_t5 = wanted.file == std::string("spiece.model") && !of_bert;
  folder.write(wanted.file, of_t5 ? in_order_of_t5(bytes) : bytes);
  folder.write("tokenizer_config.json", wanted.settings);
  folder.write("config.json", wanted.config);
  const auto tokenizer = read_foreign_tokenizer(folder.path()).tokenizer;
  EXPECT_EQ(pieces(*tokenizer, "ab a"), wanted.cut);
  EXPECT_EQ(ids(*tokenizer, "ab a"), wanted.ids);
}

#define SPACE "\xE2\x96\x81"
INSTANTIATE_TEST_SUITE_P(
    Classes, SentencePieceFolders,
    testing::Values(
        Folder{
            "t5", "spiece.model", "{}", R"({"model_type": "t5"})", SPACE " ab " SPACE "a </s>", {4, 7, 3, 1}},
        Folder{"xlm-roberta",
               "sentencepiece.bpe.model",
               R"({"tokenizer_class": "XLMRobertaTokenizerFast"})",
               "{}",
               "<s> " SPACE " ab " SPACE "a </s>",
               {0, 5, 8, 4, 2}},
        Folder{"camembert",
               "sentencepiece.bpe.model",
               "{}",
               R"({"model_type": "camembert"})",
               "<s> " SPACE " ab " SPACE "a </s>",
               {5, 8, 11, 7, 6}},
        Folder{"mbart",
               "sentencepiece.bpe.model",
               R"({"src_lang": "de_DE"})",
               R"({"model_type": "mbart"})",
               SPACE " ab " SPACE "a </s> de_DE",
               {5, 8, 4, 2, 11}},
        Folder{"mbart-50",
               "sentencepiece.bpe.model",
               R"({"tokenizer_class": "MBart50Tokenizer"})",
               "{}",
               "en_XX " SPACE " ab " SPACE "a </s>",
               {12, 5, 8, 4, 2}},
        Folder{"pegasus",
               "spiece.model",
               R"({"offset": 4})",
               R"({"model_type": "pegasus"})",
               SPACE " ab " SPACE "a </s>",
               {8, 11, 7, 1}},
        Folder{"nllb",
               "sentencepiece.bpe.model",
               R"({"tokenizer_class": "NllbTokenizer", "src_lang": "x", "added_tokens_decoder":
                   {"9": {"content": "w"}, "10": {"content": "x"}}})",
               "{}",
               "x " SPACE " ab " SPACE "a </s>",
               {10, 5, 8, 4, 2}},
        Folder{"nllb as it was",
               "sentencepiece.bpe.model",
               R"({"tokenizer_class": "NllbTokenizer", "src_lang": "w", "legacy_behaviour": true,
                   "added_tokens_decoder": {"9": {"content": "w"}}})",
               "{}",
               SPACE " ab " SPACE "a </s> w",
               {5, 8, 4, 2, 9}},
        Folder{"big-bird",
               "spiece.model",
               R"({"tokenizer_class": "BigBirdTokenizer"})",
               "{}",
               "[CLS] " SPACE " ab " SPACE "a [SEP]",
               {8, 4, 7, 3, 9}},
        Folder{"deberta",
               "spm.model",
               R"({"do_lower_case": true})",
               R"({"model_type": "deberta-v2"})",
               "[CLS] " SPACE " ab " SPACE "a [SEP]",
               {8, 4, 7, 3, 9}}));

TEST(SentencePieceFolder, NumbersByVocabJson) {
  const TemporaryFolder folder;
  folder.write("source.spm", small());
  folder.write("vocab.json", R"({"</s>": 0, "<unk>": 1, ">>ro<<": 2, "▁": 3, "ab": 4, "x": 5, "<pad>": 6})");
  folder.write("config.json", R"({"model_type": "marian"})");
  const ForeignTokenizer foreign = read_foreign_tokenizer(folder.path());
  // "▁a" has no number; "x" is no piece but a name of the vocabulary, as transformers looks it up.
  EXPECT_EQ(ids(*foreign.tokenizer, ">>ro<< ab a x"), (std::vector<std::int64_t>{2, 3, 4, 1, 3, 5, 0}));
  EXPECT_EQ(foreign.padding, 6);
  EXPECT_EQ(foreign.unknown, 1);
  EXPECT_EQ(foreign.last, 0);
}

TEST(SentencePieceFolder, AddsTheSentinelsOfT5) {
  const TemporaryFolder folder;
  folder.write("spiece.model", small());
  folder.write("config.json", R"({"model_type": "t5"})");
  const auto tokenizer = read_foreign_tokenizer(folder.path()).tokenizer;
  EXPECT_EQ(tokenizer->vocabulary().size(), 108);
  EXPECT_EQ(tokenizer->vocabulary().token(8), "<extra_id_99>");
  EXPECT_EQ(pieces(*tokenizer, "a <extra_id_0> b"), SPACE "a <extra_id_0> " SPACE " b </s>");
}
#undef SPACE

TEST(SentencePieceFolder, RefusesWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  folder.write("spiece.model", small());
  const auto refusal = [&]() -> std::string {
    try {
      read_foreign_tokenizer(folder.path());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal().find("names no tokenizer class"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "XLNetTokenizer"})");
  EXPECT_NE(refusal().find("XLNetTokenizer"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "T5Tokenizer", "added_tokens_decoder": {"3": {"content": "<x>"}}})");
  EXPECT_NE(refusal().find("<x>"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "T5Tokenizer", "sp_model_kwargs": {"enable_sampling": true}})");
  EXPECT_NE(refusal().find("sp_model_kwargs"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "NllbTokenizer"})");
  EXPECT_NE(refusal().find("eng_Latn"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "MarianTokenizer"})");
  EXPECT_NE(refusal().find("vocab.json"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json", "[]");
  EXPECT_NE(refusal().find("tokenizer_config.json: expected a JSON object"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json", "{}");
  folder.write("config.json", R"({"model_type": "xlnet"})");
  EXPECT_NE(refusal().find("the model type xlnet"), std::string::npos) << refusal();
  folder.write("config.json", R"({"model_type": "t5"})");
  folder.write("tokenizer_config.json", R"({"extra_ids": 10001})");
  EXPECT_NE(refusal().find("extra_ids"), std::string::npos) << refusal();
  folder.write("tokenizer_config.json", R"({"do_lower_case": 3, "tokenizer_class": "AlbertTokenizer"})");
  EXPECT_NE(refusal().find("do_lower_case"), std::string::npos) << refusal();
  for (const char* const row : {"x", "1x", "-1", "16777216", ""}) {
    folder.write("tokenizer_config.json",
                 R"({"added_tokens_decoder": {")" + std::string(row) + R"(": {"content": "<x>"}}})");
    EXPECT_NE(refusal().find("expected an id"), std::string::npos) << row << ": " << refusal();
  }
  folder.write("tokenizer_config.json", "{}");
  folder.write("added_tokens.json", R"({"<x>": "y"})");
  EXPECT_NE(refusal().find("added_tokens.json"), std::string::npos) << refusal();
}

// What stands in added_tokens.json and in additional_special_tokens, as texts and as objects.
TEST(SentencePieceFolder, TakesAddedTokensFromEitherFile) {
  const TemporaryFolder folder;
  folder.write("spiece.model", small());
  folder.write("config.json", R"({"model_type": "t5"})");
  folder.write("added_tokens.json", R"({"<x>": 8, "<y>": 9})");
  folder.write("tokenizer_config.json", R"({"extra_ids": 0, "additional_special_tokens":
      ["<z>", {"content": "<w>"}, {"content": 3}, 7, "<x>"]})");
  const auto tokenizer = read_foreign_tokenizer(folder.path()).tokenizer;
  for (const auto& [token, id] : {std::pair{"<x>", 8}, {"<y>", 9}, {"<z>", 10}, {"<w>", 11}}) {
    EXPECT_EQ(tokenizer->vocabulary().find(token), id) << token;
    EXPECT_NE(pieces(*tokenizer, "a " + std::string(token) + " b").find(token), std::string::npos) << token;
  }
}

}  // namespace
}  // namespace mog::model

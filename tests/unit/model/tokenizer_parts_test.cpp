// The parts of a tokenizer.json alone.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/tokenizer/json/normalizers.h"
#include "model/tokenizer/json/pre_tokenizers.h"
#include "model/tokenizer/json/token_decoder.h"
#include "model/tokenizer/text/aligned_text.h"
#include "model/tokenizer/text/byte_level.h"
#include "model/tokenizer/text/byte_trie.h"
#include "model/tokenizer/text/precompiled_charsmap.h"
#include "model/tokenizer/text/reference_unicode.h"
#include "model/tokenizer/text/regex_pattern.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

AlignedText text_of(const std::string& text) {
  AlignedText result;
  result.append_original(text, 0);
  return result;
}

// "character@begin-end" of the original, for every character.
std::string dump(const AlignedText& text) {
  std::string result;
  for (std::size_t at = 0; at < text.bytes.size();) {
    const std::size_t begin = at;
    next_character(text.bytes, at);
    result += (result.empty() ? "" : " ") + text.bytes.substr(begin, at - begin) + "@" +
              std::to_string(text.origin[begin].begin) + "-" + std::to_string(text.origin[begin].end);
  }
  return result;
}

std::string normalized(const std::string& component, const std::string& text) {
  AlignedText aligned = text_of(text);
  read_normalizer(Json::parse(component), "t.json", "normalizer")->apply(aligned);
  return dump(aligned);
}

std::string cut(const std::string& component, const std::string& text) {
  CutText whole;
  whole.text = text_of(text);
  whole.parts.push_back({0, static_cast<std::uint32_t>(text.size()), -1});
  read_pre_tokenizer(Json::parse(component), "t.json", "pre_tokenizer")->apply(whole);
  std::string result;
  for (const Part& part : whole.parts) {
    result += "[" + std::string(whole.view(part)) + "]";
  }
  return result;
}

TEST(Normalizers, KeepTheBytesThatCharactersCameFrom) {
  EXPECT_EQ(normalized(R"({"type": "NFD"})", "é"), "e@0-2 \u0301@0-2");
  EXPECT_EQ(normalized(R"({"type": "NFC"})", "e\u0301x"), "é@0-1 x@3-4");
  EXPECT_EQ(normalized(R"({"type": "NFKC"})", "ﬁ"), "f@0-3 i@0-3");
  EXPECT_EQ(normalized(R"({"type": "NFKD"})", "½"), "1@0-2 \u2044@0-2 2@0-2");
  EXPECT_EQ(normalized(R"({"type": "Lowercase"})", "İA"), "i@0-2 \u0307@0-2 a@2-3");
  EXPECT_EQ(normalized(R"({"type": "StripAccents"})", "e\u0301x"), "e@0-1 x@3-4");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": false})", "  a "),
            "a@2-3  @3-4");
  EXPECT_EQ(normalized(R"({"type": "Prepend", "prepend": "_"})", "ab"), "_@0-1 a@0-1 b@1-2");
  EXPECT_EQ(normalized(R"({"type": "Replace", "pattern": {"String": "aa"}, "content": "b"})", "aaac"),
            "b@1-2 a@2-3 c@3-4");
  EXPECT_EQ(normalized(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})", "a   b"),
            "a@0-1  @3-4 b@4-5");
  EXPECT_EQ(normalized(R"({"type": "Nmt"})", "a\u200b\u0001b"), "a@0-1  @1-4 b@5-6");
}

TEST(Normalizers, ComposeOverMarksThatDoNotBlock) {
  // The dot below (class 220) does not keep the acute (230) from its letter, a grave before it does.
  EXPECT_EQ(normalized(R"({"type": "NFC"})", "e\u0323\u0301"), "ẹ@0-1 \u0301@3-5");
  EXPECT_EQ(normalized(R"({"type": "NFC"})", "o\u0302\u0323"), "ộ@0-1");
  EXPECT_EQ(normalized(R"({"type": "NFC"})", "\u1112\u1161\u11ab"), "한@0-3");
}

TEST(PreTokenizers, CutAsTheirNamesSay) {
  EXPECT_EQ(cut(R"({"type": "BertPreTokenizer"})", "it's so."), "[it]['][s][so][.]");
  EXPECT_EQ(cut(R"({"type": "Whitespace"})", "it's a_b --c"), "[it]['][s][a_b][--][c]");
  EXPECT_EQ(cut(R"({"type": "WhitespaceSplit"})", "it's\u00a0 so."), "[it's][so.]");
  EXPECT_EQ(cut(R"({"type": "Digits", "individual_digits": true})", "a12b"), "[a][1][2][b]");
  EXPECT_EQ(cut(R"({"type": "Digits", "individual_digits": false})", "a12b"), "[a][12][b]");
  EXPECT_EQ(cut(R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})", "é  x's"),
            "[ĠÃ©][Ġ][Ġx]['s]");
  EXPECT_EQ(cut(R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})", "a b"), "[aĠb]");
  EXPECT_EQ(cut(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"})", "a  b"),
            "[▁a][▁][▁b]");
  EXPECT_EQ(cut(R"({"type": "Metaspace", "replacement": "▁", "add_prefix_space": false,
                    "prepend_scheme": "never", "split": false})",
                "a b"),
            "[a▁b]");
  EXPECT_EQ(cut(R"({"type": "FixedLength", "length": 2})", "aébc"), "[aé][bc]");
  EXPECT_EQ(cut(R"({"type": "CharDelimiterSplit", "delimiter": "é"})", "aéb"), "[a][b]");
}

TEST(PreTokenizers, SplitWithTheFiveBehaviours) {
  const auto split = [](const std::string& behavior) {
    return cut(
        R"({"type": "Split", "pattern": {"String": "-"}, "invert": false, "behavior": ")" + behavior + "\"}",
        "the-final--countdown");
  };
  EXPECT_EQ(split("Removed"), "[the][final][countdown]");
  EXPECT_EQ(split("Isolated"), "[the][-][final][-][-][countdown]");
  EXPECT_EQ(split("MergedWithPrevious"), "[the-][final-][-][countdown]");
  EXPECT_EQ(split("MergedWithNext"), "[the][-final][-][-countdown]");
  EXPECT_EQ(split("Contiguous"), "[the][-][final][--][countdown]");
}

TEST(ByteLevel, CutsAsGptTwo) {
  const auto words = [](const std::string& text) {
    std::vector<Match> matches;
    find_gpt2_words(text, matches);
    std::string result;
    for (const Match& match : matches) {
      result += "[" + text.substr(match.begin, match.end - match.begin) + "]";
    }
    return result;
  };
  EXPECT_EQ(words("Hello world's 12th"), "[Hello][ world]['s][ 12][th]");
  EXPECT_EQ(words("a   b  "), "[a][  ][ b][  ]");
  EXPECT_EQ(words(" 's we'll'"), "[ '][s][ we]['ll][']");
  EXPECT_EQ(words("x\n\n y"), "[x][\n\n][ y]");
  EXPECT_EQ(words("x\ny"), "[x][\n][y]");
  EXPECT_EQ(words("²½ é!"), "[²½][ é][!]");
}

TEST(RegexPattern, SpeaksOnigurumaToIcu) {
  EXPECT_EQ(translate_regex(R"(\s+(?!\S))", "t"), R"(\p{White_Space}+(?!\P{White_Space}))");
  EXPECT_EQ(translate_regex(R"(\p{N}{1,3}+)", "t"), R"((?:\p{N}{1,3})+)");
  EXPECT_EQ(translate_regex(R"([^\r\n\p{L}]?)", "t"), R"([^\r\n\p{L}]?)");
  EXPECT_EQ(translate_regex(R"([a$b--c])", "t"), R"([a\$b\--c])");
  for (const char* const wrong : {R"(\1)", "(?<name>a)", "(?(1)a|b)", R"(\K)", "[]a]", "a{", "(?m:a)"}) {
    EXPECT_THROW(translate_regex(wrong, "t"), ModelError) << wrong;
  }
  for (const char* const damaged : {"[a", ")", "a\\", R"(\p{L)", "[[:alpha"}) {
    EXPECT_THROW(translate_regex(damaged, "t"), FormatError) << damaged;
  }
}

TEST(ByteTrie, FindsPrefixesShortestFirst) {
  const ByteTrie trie({{"abc", 2}, {"a", 0}, {"ab", 1}, {"\xC3\xA9", 3}, {"\xFF", 4}});
  const auto found = [&](std::string_view text) {
    std::string result;
    trie.prefixes(text, [&](std::size_t length, std::int32_t value) {
      result += std::to_string(length) + "=" + std::to_string(value) + " ";
    });
    return result;
  };
  EXPECT_EQ(found("abcd"), "1=0 2=1 3=2 ");
  EXPECT_EQ(found("abx"), "1=0 2=1 ");
  EXPECT_EQ(found("\xC3\xA9"), "2=3 ");
  EXPECT_EQ(found("\xC3"), "");
  EXPECT_EQ(found("\xFF\xFF"), "1=4 ");
  EXPECT_EQ(found(""), "");
}

TEST(Graphemes, EndWhereUnicodeSays) {
  const auto ends = [](const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      at = grapheme_end(text, at);
      result += std::to_string(at) + " ";
    }
    return result;
  };
  EXPECT_EQ(ends("ab"), "1 2 ");
  EXPECT_EQ(ends("a\r\nb"), "1 3 4 ");
  EXPECT_EQ(ends("e\u0301x"), "3 4 ");
  EXPECT_EQ(ends("\U0001F468\u200D\U0001F469x"), "11 12 ");              // joined emoji
  EXPECT_EQ(ends("\U0001F1F7\U0001F1F4\U0001F1EB\U0001F1F7"), "8 16 ");  // two flags
  EXPECT_EQ(ends("\u1100\u1161\u11A8\u1100"), "9 12 ");                  // Hangul
}

TEST(PrecompiledCharsmap, RefusesMapsThatLeaveThemselves) {
  const auto refused = [](const std::string& blob) {
    EXPECT_THROW(PrecompiledCharsmap(blob, "t.json"), FormatError);
  };
  refused("");
  refused(std::string("\x08\0\0\0", 4) + std::string(4, '\0'));           // shorter than it claims
  refused(std::string("\x03\0\0\0", 4) + std::string(3, '\0'));           // no whole units
  refused(std::string("\x04\0\0\0", 4) + std::string(4, '\0') + "\xFF");  // no text
  // One unit 'a' with a value that points behind the replacements.
  std::string units(4 * 256, '\0');
  const auto put = [&](std::size_t at, std::uint32_t unit) {
    for (unsigned i = 0; i < 4; ++i) {
      units[at * 4 + i] = static_cast<char>((unit >> (8 * i)) & 0xFFU);
    }
  };
  put('a', 'a' | (1U << 8U) | (2U << 10U));
  put('a' ^ 2U, (1U << 31U) | 7U);
  const std::string size("\0\x04\0\0", 4);
  refused(size + units + std::string("b\0", 2));
  put('a' ^ 2U, 1U << 31U);
  AlignedText text = text_of("xay");
  PrecompiledCharsmap(size + units + std::string("bc\0", 3), "t.json").apply(text);
  EXPECT_EQ(dump(text), "x@0-1 b@1-2 c@1-2 y@2-3");
  EXPECT_EQ(decode_base64("YWI=", "t"), "ab");
  EXPECT_THROW(decode_base64("YW", "t"), FormatError);
  EXPECT_THROW(decode_base64("Y!I=", "t"), FormatError);
}

using Tokens = std::vector<std::string>;

std::string decoded(const char* decoder, const Tokens& tokens) {
  return TokenDecoder(*piece_form(Json::parse(decoder), "BPE"), {}).decode(tokens).text;
}

// What `tokenizers` 0.23.3 makes of the same tokens.
TEST(TokenDecoder, MakesTheTextOfTheReference) {
  const char* const metaspace =
      R"({"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"})";
  EXPECT_EQ(decoded(metaspace, {"\u2581the", "\u2581", "old",
                                "\u2581"
                                "c",
                                "af", "\u00e9"}),
            "the old caf\u00e9");
  EXPECT_EQ(decoded(metaspace, {"\u2581",
                                "\u2581"
                                "a",
                                "b"}),
            " ab");
  EXPECT_EQ(decoded(metaspace, {"x\u2581",
                                "\u2581"
                                "a"}),
            "x a");
  const char* const bytes = R"({"type": "ByteLevel"})";
  EXPECT_EQ(decoded(bytes, {"\u0120the", "\u0120ol", "d", "\u0120", "\u00e4", "\u00b8", "\u0143"}),
            " the old \u4e2d");
  EXPECT_EQ(decoded(bytes, {"a", "\u00e4", "\u00b8"}), "a\uFFFD");
  EXPECT_EQ(decoded(bytes, {"a", "\u4e2d"}), "a\u4e2d");
  const char* const fallback = R"({"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"},
    {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";
  EXPECT_EQ(decoded(fallback, {"\u2581"
                               "a",
                               "<0xE4>", "<0xB8>", "<0xAD>",
                               "\u2581"
                               "b"}),
            "a\u4e2d b");
  EXPECT_EQ(decoded(fallback, {"\u2581"
                               "a",
                               "<0xE4>", "<0xB8>",
                               "\u2581"
                               "b"}),
            "a\uFFFD\uFFFD b");
  EXPECT_EQ(
      TokenDecoder(*piece_form(nullptr, "WordPiece"), {}).decode(Tokens{"the", "old", "##er", "."}).text,
      "the older .");
  EXPECT_EQ(TokenDecoder(*piece_form(nullptr, "SentencePiece"), {})
                .decode(Tokens{"\u2581",
                               "\u2581"
                               "a",
                               "\u2581"})
                .text,
            "a");
  EXPECT_FALSE(piece_form(Json{{"type", "BPEDecoder"}}, "BPE"));
}

TEST(TokenDecoder, SaysWhichWordATokenBelongsTo) {
  const TokenDecoder decoder(PieceForm::metaspace, {"<s>", "de_DE"});
  const DecodedText found =
      decoder.decode(Tokens{"de_DE", "\u2581the", "\u2581", "old", "er", "<s>", "\u2581one"});
  EXPECT_EQ(found.text, "the older one");
  EXPECT_EQ(found.words, (std::vector<std::int64_t>{-1, 0, 1, 1, 1, -1, 2}));
  EXPECT_EQ(decoder.decode(Tokens{}).text, "");
  EXPECT_EQ(decoder.decode(Tokens{"\u2581"}).words, (std::vector<std::int64_t>{0}));
}

}  // namespace
}  // namespace mog::model

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/config/config.h"
#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/bpe/learn_bpe.h"
#include "model/tokenizer/counted_vocabulary.h"
#include "model/tokenizer/text/lowercase.h"
#include "model/tokenizer/tokenizer.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/model/bpe_line.h"

namespace mog::model {
namespace {

using test::TemporaryFolder;

// "text@begin-end:word:id" for every token.
std::string dump(const Sentence& sentence) {
  std::string result;
  for (const Token& token : sentence.tokens) {
    result += result.empty() ? "" : " ";
    result += token.text + "@" + std::to_string(token.bytes.begin) + "-" + std::to_string(token.bytes.end) +
              ":" + std::to_string(token.word) + ":" + std::to_string(token.id);
  }
  return result;
}

class BpeFolder : public testing::Test {
 protected:
  std::shared_ptr<const Tokenizer> tokenizer(bool lowercase, TokenizerKind kind = TokenizerKind::bpe) {
    folder_.write("bpe.codes", "#version: 0.2\nl o\nlo w\ne r</w>\nlow e\nn e\nne w\ni \xCC\x87\n");
    folder_.write("vocab.txt",
                  "<s>\n<pad>\n</s>\n<unk>\nlow@@\ner\nlowe@@\nnew@@\ne\nlow\n\xC3\xA4\ni\xCC\x87@@\n");
    TokenizerConfig config;
    config.kind = kind;
    config.lowercase = lowercase;
    config.codes = "bpe.codes";
    return make_tokenizer(config, {2, 3}, folder_.path());
  }
  TemporaryFolder folder_;
};

TEST_F(BpeFolder, GivesPiecesTheirPlacesInTheText) {
  EXPECT_EQ(dump(tokenizer(false)->encode("  lower  newe \xC3\xA4", 7)),
            "low@@@2-5:0:4 er@5-7:0:5 new@@@9-12:1:7 e@12-13:1:8 \xC3\xA4@14-16:2:10 </s>@16-16:-1:2");
}

TEST_F(BpeFolder, KeepsPlacesOfTheOriginalWhenLowerCasingChangesLengths) {
  const Sentence sentence = tokenizer(true)->encode(
      "\xC4\xB0"
      "e \xC3\x84 NEWE");
  // U+0130 (2 bytes) becomes "i" and U+0307 (3 bytes).
  EXPECT_EQ(dump(sentence),
            "i\xCC\x87@@@0-2:0:11 e@2-3:0:8 \xC3\xA4@4-6:1:10 new@@@7-10:2:7 e@10-11:2:8 "
            "</s>@11-11:-1:2");
  EXPECT_EQ(sentence.words[2].text, "NEWE");
  EXPECT_EQ(sentence.words[0].bytes, (ByteSpan{0, 3}));
}

TEST_F(BpeFolder, EncodesSeparatedWordsAsTheirText) {
  const auto bpe = tokenizer(true);
  const std::vector<std::string> words = {"Lower", "newe low", "\xC3\x84"};
  const Sentence separated = bpe->encode_words(words, 3);
  EXPECT_EQ(separated.text, "Lower newe low \xC3\x84");
  EXPECT_EQ(separated.number, 3);
  EXPECT_EQ(separated.words.size(), 3U);
  EXPECT_EQ(separated.words[1].text, "newe low");
  const Sentence whole = bpe->encode(separated.text);
  ASSERT_EQ(separated.tokens.size(), whole.tokens.size());
  for (std::size_t i = 0; i < whole.tokens.size(); ++i) {
    EXPECT_EQ(separated.tokens[i].id, whole.tokens[i].id);
    EXPECT_EQ(separated.tokens[i].bytes, whole.tokens[i].bytes);
  }
  EXPECT_EQ(separated.tokens[4].word, 1);  // "low" of "newe low"
}

TEST_F(BpeFolder, WhitespaceKindKeepsWordsWhole) {
  const auto words = tokenizer(false, TokenizerKind::whitespace);
  EXPECT_EQ(words->kind(), "whitespace");
  EXPECT_EQ(dump(words->encode("low\tlow low")), "low\tlow@0-7:0:3 low@8-11:1:9 </s>@11-11:-1:2");
  EXPECT_EQ(dump(words->encode("   ")), "</s>@3-3:-1:2");
  EXPECT_EQ(dump(words->encode("")), "</s>@0-0:-1:2");
}

TEST_F(BpeFolder, RefusesTextThatIsNotUtf8) {
  EXPECT_THROW(tokenizer(false)->encode("a\xFF"), FormatError);
  EXPECT_THROW(tokenizer(false)->encode_words(std::vector<std::string>{"a", "\xC3"}), FormatError);
}

TEST(LowerCase, IsFullUnicodeLowerCasing) {
  EXPECT_EQ(lower_case("ABC xyZ").text, "abc xyz");
  EXPECT_EQ(lower_case("\xC3\x84\xC3\x96\xC3\x9C\xC3\x9F").text, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F");
  EXPECT_EQ(lower_case("\xCE\xA3\xCE\x91\xCE\xA3").text, "\xCF\x83\xCE\xB1\xCF\x82");  // ΣΑΣ → σας
  EXPECT_EQ(lower_case("\xE1\xBA\x9E").text, "\xC3\x9F");  // ẞ (3 bytes) → ß (2)
  const LoweredText text = lower_case(
      "A\xE1\xBA\x9E"
      "B");
  EXPECT_EQ(text.original_begin(1), 1);
  EXPECT_EQ(text.original_end(3), 4);
  EXPECT_EQ(text.original_begin(3), 4);
  EXPECT_EQ(text.original_end(4), 5);
}

std::string segmented(const std::string& codes, const std::string& line, const BpeOptions& options = {}) {
  const TemporaryFolder folder;
  return test::segment_line(Bpe::read(folder.write("codes", codes), options), line, options.separator);
}

TEST(Bpe, MergesOverlappingPairsFromTheLeft) {
  EXPECT_EQ(segmented("#version: 0.2\nx x\n", "xxxx xxxxx"), "xx@@ x@@ x xx@@ xx@@ x");
  EXPECT_EQ(segmented("#version: 0.2\na b\nab ab\nc d</w>\n", "ababab cd"), "abab@@ a@@ b cd");
}

TEST(Bpe, KnowsBothVersions) {
  EXPECT_EQ(segmented("e r\ner </w>\n", "her"), "h@@ er");
  EXPECT_EQ(segmented("e r\n", "her erh"), "h@@ er er@@ h");
  EXPECT_EQ(segmented("#version: 0.2\ne r\n", "her erh"), "h@@ e@@ r er@@ h");
  EXPECT_EQ(segmented("e r</w> 12\n", "her"), "h@@ er");  // fastBPE
  EXPECT_EQ(segmented("#version: 0.2\n", "her"), "h@@ e@@ r");
}

TEST(Bpe, LowerRanksComeFirstWhateverTheOrderOfTheirPlaces) {
  // "b c" is merged before "a b", although "a b" comes first in the word.
  EXPECT_EQ(segmented("#version: 0.2\nb c\na b\na bc\n", "abcx"), "abc@@ x");
  EXPECT_EQ(segmented("#version: 0.2\na b\nb c\n", "abcx"), "ab@@ c@@ x");
}

TEST(Bpe, LeavesGlossariesWhole) {
  // The example of subword-nmt's own documentation of isolating a glossary.
  const std::string codes = "#version: 0.2\n1 9\n";
  EXPECT_EQ(segmented(codes, "1934USABUSA", {.glossaries = {"USA"}}), "19@@ 3@@ 4@@ USA@@ B@@ USA");
  EXPECT_EQ(segmented(codes, "USA 19x", {.glossaries = {"USA", "\\d+"}}), "USA 19@@ x");
  EXPECT_THROW(segmented(codes, "x", {.glossaries = {"("}}), UsageError);
  EXPECT_THROW(segmented(codes, "x", {.glossaries = {"x*"}}), UsageError);
  EXPECT_THROW(segmented(codes, "x", {.glossaries = {"(x)"}}), UsageError);
}

TEST(Bpe, SplitsPiecesOutsideTheVocabularyAgain) {
  const std::string codes = "#version: 0.2\nl o\nlo w\ne r</w>\nlow er</w>\n";
  EXPECT_EQ(segmented(codes, "lower"), "lower");
  BpeOptions options;
  options.vocabulary = {"low@@", "er"};
  EXPECT_EQ(segmented(codes, "lower", options), "low@@ er");
  options.vocabulary = {"lo@@", "er"};
  EXPECT_EQ(segmented(codes, "lower", options), "lo@@ w@@ er");
}

TEST(Bpe, IsNotQuadraticInTheLengthOfAWord) {
  const std::string word(1'000'000, 'a');
  const TemporaryFolder folder;
  std::string codes = "#version: 0.2\n";
  std::string symbol = "a";
  for (int i = 0; i < 8; ++i) {
    codes += symbol + " " + symbol + "\n";
    symbol += symbol;
  }
  const auto bpe = Bpe::read(folder.write("codes", codes));
  const auto pieces = bpe.segment(word);
  EXPECT_EQ(pieces.front().size(), 256U);
  std::size_t bytes = 0;
  for (const auto piece : pieces) {
    bytes += piece.size();
  }
  EXPECT_EQ(bytes, word.size());
}

// Worked by hand: (l,o) 7 and (o,w</w>) 5, (o,w) 2, (w,e) 2 …; equal counts: the greater pair first.
TEST(LearnBpe, TakesTheMostFrequentPairAndTheGreaterOfEquals) {
  WordCounts words;
  words.add_line("low low low low low lower lower");
  EXPECT_EQ(learn_bpe(words, {.symbols = 3}), "#version: 0.2\nl o\nlo w</w>\nw e\n");
  EXPECT_EQ(learn_bpe(words, {.symbols = 100, .min_frequency = 5}), "#version: 0.2\nl o\nlo w</w>\n");
  WordCounts single;
  single.add_line("a b c");
  EXPECT_THROW(learn_bpe(single), UsageError);
}

TEST(Vocabulary, FindsEveryTokenAgain) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 5000; ++i) {
    lines += "token" + std::to_string(i * 7919) + "\r\n";
  }
  const auto vocabulary = Vocabulary::read(folder.write("v", lines));
  ASSERT_EQ(vocabulary.size(), 5000);
  for (std::int64_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(vocabulary.token(i), "token" + std::to_string(i * 7919));
    EXPECT_EQ(vocabulary.find(vocabulary.token(i)), i);
  }
  EXPECT_FALSE(vocabulary.find("token"));
  EXPECT_THROW(vocabulary.token(5000), std::out_of_range);
  EXPECT_THROW(vocabulary.token(-1), std::out_of_range);
  EXPECT_THROW(Vocabulary({"a", "a"}), UsageError);
}

TEST(Vocabulary, TooManyLinesAreRefusedBeforeTheyAreRead) {
  const TemporaryFolder folder;
  const auto file = folder.write("v", std::string((std::size_t{1} << 22U) + 1, '\n'));  // line 1 is empty
  try {
    Vocabulary::read(file);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("too many for a vocabulary"), std::string::npos) << error.what();
  }
}

TEST(CountedVocabulary, SplitsAtTheLastSpace) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_counted_vocabulary(folder.write("d", "a b 5\n# 1\n")),
            (std::vector<CountedToken>{{"a b", 5}, {"#", 1}}));
}

TEST(JoinPieces, JoinsWhatTheTokenizerSplit) {
  EXPECT_EQ(join_pieces(std::vector<std::string>{"over@@", "all", "is", "fine@@"}), "overall is fine");
  EXPECT_EQ(join_pieces(std::vector<std::string>{}), "");
  EXPECT_EQ(join_pieces(std::vector<std::string>{"@@"}), "@@");
}

}  // namespace
}  // namespace mog::model

// Words, spellings and places of imported tokens.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/workflow/import/import_sentence.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

io::ImportedSentence tokens(std::vector<std::string> texts) {
  io::ImportedSentence sentence;
  sentence.tokens = std::move(texts);
  return sentence;
}

// "word(piece piece) word(…)", special tokens in brackets.
std::string dump(const Sentence& sentence) {
  std::string text;
  std::int64_t word = -1;
  for (const Token& token : sentence.tokens) {
    const bool special = token.word < 0;
    if (!special && token.word != word) {
      text += (text.empty() ? "" : " ") + sentence.words.at(static_cast<std::size_t>(token.word)).text + ":";
      word = token.word;
    }
    const std::string at =
        sentence.text.substr(static_cast<std::size_t>(token.bytes.begin),
                             static_cast<std::size_t>(token.bytes.end - token.bytes.begin));
    text += special ? (text.empty() ? "[" : " [") + token.text + "]" : "<" + at + ">";
  }
  return text;
}

std::string made(const io::ImportedSentence& from, Pieces pieces) {
  return dump(make_sentence(from, 4, pieces, "maps.h5"));
}

std::string refusal(const io::ImportedSentence& from, Pieces pieces = Pieces::none) {
  try {
    make_sentence(from, 4, pieces, "maps.h5");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(ImportSentence, EveryConventionOfPieces) {
  EXPECT_EQ(made(tokens({"a", "##b", "@@"}), Pieces::none), "a:<a> ##b:<##b> @@:<@@>");
  EXPECT_EQ(made(tokens({"[CLS]", "un", "##do", "##ne", "##", "it", "[SEP]"}), Pieces::wordpiece),
            "[[CLS]] undone:<un><do><ne> ##:<##> it:<it> [[SEP]]");
  EXPECT_EQ(made(tokens({"un@@", "do@@", "ne", "it", "</s>"}), Pieces::bpe),
            "undone:<un><do><ne> it:<it> [</s>]");
  EXPECT_EQ(made(tokens({"<s>", "Un", "done", "\u0120caf", "\u00c3\u00a9", "</s>"}), Pieces::byte_bpe),
            "[<s>] Undone:<Un><done> caf\u00e9:<caf><\u00e9> [</s>]");
  EXPECT_EQ(made(tokens({"\u2581Un", "done", "\u2581", "it", "</s>"}), Pieces::sentencepiece),
            "Undone:<Un><done> it:<><it> [</s>]");
}

TEST(ImportSentence, BytesThatAreNoTextBecomeSigns) {
  // One byte of two: Ã stands for 0xC3.
  EXPECT_EQ(make_sentence(tokens({"\u00c3"}), 1, Pieces::byte_bpe, "f").words.at(0).text, "\uFFFD");
}

TEST(ImportSentence, TextGivesSpellingWhereItsWordsAreAsMany) {
  io::ImportedSentence from = tokens({"the", "cafe", "##s", "."});
  from.text = "  The Caf\u00e9s  .";
  EXPECT_EQ(made(from, Pieces::wordpiece), "The:<The> Caf\u00e9s:<Caf\u00e9s><Caf\u00e9s> .:<.>");
  from.text = "the cafes.";
  EXPECT_EQ(made(from, Pieces::wordpiece), "the:<the> cafes:<cafe><s> .:<.>");
  from.text = "The caf\u00e9s.";
  EXPECT_NE(refusal(from, Pieces::wordpiece).find("word 1 \"the\""), std::string::npos);
}

TEST(ImportSentence, WordNumbers) {
  io::ImportedSentence from = tokens({"[CLS]", "a", "b", "c", "[SEP]", "d"});
  from.word_of_token = {0, 1, 1, 2, 0, 3};
  EXPECT_EQ(made(from, Pieces::none), "[[CLS]] ab:<a><b> c:<c> [[SEP]] d:<d>");
  from.words = {"AB", "C", "D", "E"};
  const Sentence sentence = make_sentence(from, 4, Pieces::none, "maps.h5");
  EXPECT_TRUE(sentence.truncated);
  EXPECT_EQ(sentence.text, "AB C D E");
  EXPECT_EQ(dump(sentence), "[[CLS]] AB:<AB><AB> C:<C> [[SEP]] D:<D>");
  from.words = {"AB", "C"};
  EXPECT_NE(refusal(from).find("2 are given"), std::string::npos);
  from.words.clear();
  for (const auto& wrong : std::vector<std::vector<std::int64_t>>{
           {0, 2, 2, 2, 0, 3}, {0, 1, 2, 1, 0, 3}, {0, 1, 1, 2, 0, 4}, {0, 1, 1, 2, 0, -1}}) {
    from.word_of_token = wrong;
    EXPECT_NE(refusal(from).find("word_of_token: token"), std::string::npos);
  }
}

TEST(ImportSentence, SpecialTokensAlone) {
  io::ImportedSentence from = tokens({"[CLS]", "[SEP]"});
  EXPECT_EQ(made(from, Pieces::wordpiece), "[[CLS]] [[SEP]]");
}

TEST(ImportSentence, NamesOfConventions) {
  for (const Pieces pieces :
       {Pieces::none, Pieces::wordpiece, Pieces::bpe, Pieces::byte_bpe, Pieces::sentencepiece}) {
    EXPECT_EQ(parse_pieces(name(pieces)), pieces);
  }
  EXPECT_THROW(parse_pieces("word"), UsageError);
}

}  // namespace
}  // namespace mog::app
